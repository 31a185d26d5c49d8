//! Questions with a form or a page.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value, json};
use tenon_acp::client::Canceller;
use tenon_protocols::acp::{AcceptedElicitation, ElicitationParams, ElicitationResult, Empty, Raw};
use tokio::sync::oneshot;

use super::Interrupts;
use super::keys::Keys;
use super::talking::Talk;
use crate::commands::terminal::{Entered, Prompt};
use crate::exit::Failure;
use crate::output::{Paint, on_one_line};

pub(super) async fn ask(
    talk: &mut Talk<'_>,
    question: &ElicitationParams,
    answer: oneshot::Sender<ElicitationResult>,
    canceller: Option<&Canceller>,
    interrupts: &mut Interrupts,
) -> Result<(), Failure> {
    let result = match question {
        ElicitationParams::Form(form) => {
            let schema = form.requested_schema.decode().unwrap_or_default();
            let message = on_one_line(&form.message).into_owned();
            talk.transcript
                .painted(&Paint::Bold.on(format_args!("? {message}")))?;
            fill(talk, &schema, canceller).await?
        }
        ElicitationParams::Url(page) => {
            let message = on_one_line(&page.message).into_owned();
            let url = on_one_line(&page.url).into_owned();
            talk.transcript
                .painted(&Paint::Bold.on(format_args!("? {message}")))?;
            talk.transcript.painted(&format!("  {url}"))?;
            let keys = Keys::open()?;
            let shown = "  [y] I have opened this page  [n] No";
            talk.transcript.painted(&Paint::Bold.on(shown))?;
            open(talk, keys, &answer, canceller, interrupts).await?
        }
        _ => ElicitationResult::Cancel(Empty::default()),
    };
    let _cancelled = answer.send(result);
    Ok(())
}

/// The page is never opened by itself: the user should see where it leads.
async fn open(
    talk: &mut Talk<'_>,
    mut keys: Keys,
    answer: &oneshot::Sender<ElicitationResult>,
    canceller: Option<&Canceller>,
    interrupts: &mut Interrupts,
) -> Result<ElicitationResult, Failure> {
    loop {
        if answer.is_closed() {
            return Ok(ElicitationResult::Cancel(Empty::default()));
        }
        tokio::select! {
            biased;
            interrupt = interrupts.next() => match canceller {
                Some(canceller) => talk.interrupted(interrupt, canceller).await?,
                None => return Err(Failure::interrupted()),
            },
            key = keys.next() => match key.map_err(|_| Failure::interrupted())? {
                'y' | 'Y' => return Ok(ElicitationResult::Accept(AcceptedElicitation::default())),
                'n' | 'N' => return Ok(ElicitationResult::Decline(Empty::default())),
                _ => {}
            },
        }
    }
}

/// Asks for each field, in the order of the schema.
async fn fill(
    talk: &mut Talk<'_>,
    schema: &Schema,
    canceller: Option<&Canceller>,
) -> Result<ElicitationResult, Failure> {
    let is_required = |name: &str| schema.required.iter().any(|one| one == name);
    let mut content = Map::new();
    for (name, field) in &schema.properties.0 {
        let choices = choices(field);
        for (number, (_, title)) in choices.iter().enumerate() {
            talk.transcript
                .painted(&format!("    {}) {}", number + 1, on_one_line(title)))?;
        }
        let prompt = prompt(name, field, is_required(name));
        loop {
            let entered = talk.line(Prompt::Question(&prompt)).await?;
            let line = match entered {
                Entered::Line(line) => line,
                Entered::Interrupted => {
                    if let Some(canceller) = canceller {
                        canceller.cancel().await;
                    }
                    return Ok(ElicitationResult::Cancel(Empty::default()));
                }
                Entered::Unreadable | Entered::End => {
                    return Ok(ElicitationResult::Decline(Empty::default()));
                }
            };
            match value(line.trim(), field, &choices) {
                Ok(Some(value)) => {
                    content.insert(name.clone(), value);
                    break;
                }
                Ok(None) if !is_required(name) => break,
                Ok(None) => talk
                    .transcript
                    .note("  this is required; Ctrl-D declines")?,
                Err(problem) => talk.transcript.note(format_args!("  {problem}"))?,
            }
        }
    }
    Ok(ElicitationResult::Accept(AcceptedElicitation {
        content: Raw::of(&content).ok(),
        ..AcceptedElicitation::default()
    }))
}

/// The fields of a form.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Schema {
    properties: Fields,
    required: Vec<String>,
}

/// Fields in the order in which the agent wrote them.
#[derive(Default)]
struct Fields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Fields;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the fields of a form")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

fn prompt(name: &str, field: &Value, is_required: bool) -> String {
    let title = field["title"]
        .as_str()
        .or(field["description"].as_str())
        .unwrap_or(name);
    let mut prompt = format!("  {}", on_one_line(title));
    match field["type"].as_str() {
        Some("boolean") => prompt += " (yes or no)",
        Some("array") => prompt += " (numbers, with commas)",
        _ => {}
    }
    if let Some(default) = field.get("default") {
        prompt += &format!(" [{}]", on_one_line(&default.to_string()));
    } else if !is_required {
        prompt += " (optional)";
    }
    prompt + ": "
}

/// The values to choose from, with their titles.
fn choices(field: &Value) -> Vec<(String, String)> {
    let items = match field["type"].as_str() {
        Some("array") => &field["items"],
        _ => field,
    };
    let texts = items["enum"].as_array().into_iter().flatten();
    let texts =
        texts.filter_map(|text| Some((text.as_str()?.to_owned(), text.as_str()?.to_owned())));
    let titled = ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|name| items[name].as_array())
        .flatten();
    let titled = titled.filter_map(|one| {
        let value = one["const"].as_str()?;
        Some((
            value.to_owned(),
            one["title"].as_str().unwrap_or(value).to_owned(),
        ))
    });
    texts.chain(titled).collect()
}

/// What was typed as a value of the field; nothing if nothing was typed and there is no default.
fn value(
    typed: &str,
    field: &Value,
    choices: &[(String, String)],
) -> Result<Option<Value>, String> {
    if typed.is_empty() {
        return Ok(field.get("default").cloned());
    }
    let chosen = |typed: &str| {
        let by_number = typed
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        let by_number = by_number.and_then(|at| choices.get(at));
        let by_text = || {
            choices
                .iter()
                .find(|(value, title)| value == typed || title == typed)
        };
        let found = by_number.or_else(by_text);
        found
            .map(|(value, _)| value.clone())
            .ok_or("choose one of the numbers".to_owned())
    };
    let value = match field["type"].as_str() {
        Some("boolean") => match typed.to_lowercase().as_str() {
            "y" | "yes" | "true" => json!(true),
            "n" | "no" | "false" => json!(false),
            _ => return Err("write yes or no".to_owned()),
        },
        Some("integer") => json!(
            typed
                .parse::<i64>()
                .map_err(|_| "this is not a whole number")?
        ),
        Some("number") => {
            let number = typed
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite());
            json!(number.ok_or("this is not a number")?)
        }
        Some("array") => {
            let parts = typed.split(',').map(|part| chosen(part.trim()));
            json!(parts.collect::<Result<Vec<_>, _>>()?)
        }
        _ if !choices.is_empty() => json!(chosen(typed)?),
        _ => json!(typed),
    };
    within(&value, field)?;
    Ok(Some(value))
}

/// The limits that can be checked without a library for JSON Schema; the agent checks the rest.
fn within(value: &Value, field: &Value) -> Result<(), String> {
    let length = value.as_str().map(|text| text.chars().count() as u64);
    if let (Some(length), Some(least)) = (length, field["minLength"].as_u64())
        && length < least
    {
        return Err(format!("at least {least} characters"));
    }
    if let (Some(length), Some(most)) = (length, field["maxLength"].as_u64())
        && length > most
    {
        return Err(format!("at most {most} characters"));
    }
    let number = value.as_f64();
    if let (Some(number), Some(least)) = (number, field["minimum"].as_f64())
        && number < least
    {
        return Err(format!("at least {least}"));
    }
    match (number, field["maximum"].as_f64()) {
        (Some(number), Some(most)) if number > most => Err(format!("at most {most}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str, field: &Value) -> Result<Option<Value>, String> {
        value(text, field, &choices(field))
    }

    #[test]
    fn fields_keep_their_order() {
        let schema: Schema = serde_json::from_str(
            r#"{"type":"object","properties":{"b":{},"a":{}},"required":["a"]}"#,
        )
        .unwrap();
        let names: Vec<&str> = schema
            .properties
            .0
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(
            (names, schema.required),
            (vec!["b", "a"], vec!["a".to_owned()])
        );
    }

    #[test]
    fn values_have_the_types_of_their_fields() {
        assert_eq!(
            typed("a b", &json!({ "type": "string" })),
            Ok(Some(json!("a b")))
        );
        assert_eq!(typed("", &json!({ "type": "string" })), Ok(None));
        assert_eq!(typed("", &json!({ "default": "x" })), Ok(Some(json!("x"))));
        assert_eq!(
            typed("7", &json!({ "type": "integer", "maximum": 9 })),
            Ok(Some(json!(7)))
        );
        assert_eq!(
            typed("Yes", &json!({ "type": "boolean" })),
            Ok(Some(json!(true)))
        );
        let one = json!({ "type": "string", "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g" }] });
        assert_eq!(typed("1", &one), Ok(Some(json!("r"))));
        assert_eq!(typed("Red", &one), Ok(Some(json!("r"))));
        let many = json!({ "type": "array", "items": { "enum": ["a", "b", "c"] } });
        assert_eq!(typed("1, c", &many), Ok(Some(json!(["a", "c"]))));
        for (text, field) in [
            ("x", json!({ "type": "integer" })),
            ("10", json!({ "type": "integer", "maximum": 9 })),
            ("ab", json!({ "type": "string", "maxLength": 1 })),
            ("inf", json!({ "type": "number" })),
            ("maybe", json!({ "type": "boolean" })),
            ("3", one),
        ] {
            assert!(typed(text, &field).is_err(), "{text} {field}");
        }
    }
}
