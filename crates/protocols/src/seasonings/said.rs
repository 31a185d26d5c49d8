//! What a plugin says while it works: lines on stderr, and the events `log` and `progress`.

use std::fmt;

use serde_json::Value as Json;
use tenon_rpc::{Event, Format, Payload, Router};

use super::answer::Answer;
use super::ext_names::EXT_NAMES;

/// How important it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Every step.
    Trace,
    /// For the author of the plugin.
    Debug,
    /// For everybody who looks. What has no level, or an unknown one, has this.
    Info,
    /// Something may be wrong.
    Warn,
    /// Something is wrong.
    Error,
}

impl LogLevel {
    /// The level of a name such as `warn`, in any case.
    fn of(name: &str) -> LogLevel {
        match name.to_ascii_lowercase().as_str() {
            "trace" => LogLevel::Trace,
            "debug" => LogLevel::Debug,
            "warn" | "warning" => LogLevel::Warn,
            "error" => LogLevel::Error,
            _ => LogLevel::Info,
        }
    }

    fn name(self) -> &'static str {
        match self {
            LogLevel::Trace => "TRACE",
            LogLevel::Debug => "DEBUG",
            LogLevel::Info => "INFO",
            LogLevel::Warn => "WARN",
            LogLevel::Error => "ERROR",
        }
    }
}

/// Something for the log. It may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// How important it is.
    pub level: LogLevel,
    /// What the plugin says, with the fields of `log` and the numbers of `progress` behind it.
    pub text: String,
}

impl fmt::Display for Said {
    /// As a line of stderr that has the level.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            LogLevel::Info => f.write_str(&self.text),
            level => write!(f, "[{}] {}", level.name(), self.text),
        }
    }
}

impl Said {
    /// A line that the plugin wrote to stderr. It may begin with its level.
    pub fn of_line(line: &str) -> Said {
        let cut = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (level, text) = match cut {
            Some((level @ ("TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR"), text)) => {
                (LogLevel::of(level), text.trim_start())
            }
            _ => (LogLevel::Info, line),
        };
        Said {
            level,
            text: text.to_owned(),
        }
    }

    /// An event; `None` if it is another one, or has nothing to say. Members of the wrong type are ignored.
    pub fn of_event(event: &Event) -> Option<Said> {
        let said = match event.method.as_str() {
            "log" => {
                let params = Answer::of_params("log", event.params.as_ref()).ok()?;
                let level = params.optional::<String>("level").ok().flatten();
                let mut text = message(&params);
                let fields = params.members().iter().find(|(name, _)| name == "fields");
                if let Some(Json::Object(fields)) = fields.and_then(|(_, fields)| json(fields)) {
                    for (name, value) in fields {
                        add(&mut text, &format!("{name}={}", field(&value)));
                    }
                }
                Said {
                    level: LogLevel::of(&level.unwrap_or_default()),
                    text,
                }
            }
            "progress" => {
                let params = Answer::of_params("progress", event.params.as_ref()).ok()?;
                let number = |name| {
                    let members = &mut params.members().iter();
                    json(&members.find(|(other, _)| other == name)?.1).filter(Json::is_number)
                };
                let mut text = message(&params);
                match (number("done"), number("total")) {
                    (Some(done), Some(total)) => add(&mut text, &format!("({done}/{total})")),
                    (Some(done), None) => add(&mut text, &format!("({done})")),
                    _ => {}
                }
                Said {
                    level: LogLevel::Info,
                    text,
                }
            }
            _ => return None,
        };
        (!said.text.is_empty()).then_some(said)
    }
}

/// What answers a plugin: it has no methods to call, and is heard when it says something.
pub fn listen(hear: impl Fn(Said) + Send + Sync + 'static) -> Router<()> {
    Router::new(()).event_fallback(move |_, event| {
        if let Some(said) = Said::of_event(&event) {
            hear(said);
        }
    })
}

fn message(params: &Answer) -> String {
    let message = params.optional::<String>("message").ok().flatten();
    message.unwrap_or_default()
}

fn json(payload: &Payload) -> Option<Json> {
    let json = payload.to_format_with(Format::Json, EXT_NAMES).ok()?;
    json.decode_private().ok()
}

/// A field as it is logged. A text is quoted if it would not be seen where it ends.
fn field(value: &Json) -> String {
    let is_plain = |letter: char| !letter.is_whitespace() && !matches!(letter, '"' | '=');
    match value {
        Json::String(text) if !text.is_empty() && text.chars().all(is_plain) => text.clone(),
        other => other.to_string(),
    }
}

fn add(text: &mut String, part: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(part);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(method: &str, params: Json) -> Option<String> {
        let event = Event {
            method: method.into(),
            params: Some(Payload::encode(Format::Msgpack, &params).unwrap()),
        };
        Said::of_event(&event).map(|said| said.to_string())
    }

    #[test]
    fn a_line_may_begin_with_its_level() {
        let level = |line| Said::of_line(line).level;
        assert_eq!(level("[WARN] full"), LogLevel::Warn);
        assert_eq!(level("[warn] full"), LogLevel::Info);
        assert_eq!(Said::of_line("[WARN] full").text, "full");
        assert_eq!(Said::of_line("[1, 2] is a list").text, "[1, 2] is a list");
        assert_eq!(level("[ERROR]no"), LogLevel::Error);
        assert_eq!(Said::of_line("[DEBUG]x").to_string(), "[DEBUG] x");
        assert_eq!(Said::of_line("plain").to_string(), "plain");
    }

    #[test]
    fn a_log_event_has_its_fields_behind_the_message() {
        let fields = json!({"disk": "sda1", "free": 7, "why": "no space", "list": [1]});
        assert_eq!(
            said(
                "log",
                json!([{"level": "warn", "message": "full", "fields": fields}])
            )
            .as_deref(),
            Some(r#"[WARN] full disk=sda1 free=7 list=[1] why="no space""#)
        );
        assert_eq!(said("log", json!({"message": "a"})).as_deref(), Some("a"));
        let odd = json!([{"level": 7, "message": "a", "fields": [1], "more": null}]);
        assert_eq!(said("log", odd).as_deref(), Some("a"));
        assert_eq!(said("log", json!([{"level": "info"}])), None);
        assert_eq!(said("log", json!([1, 2])), None);
    }

    #[test]
    fn progress_has_its_numbers_behind_the_message() {
        let progress = |params| said("progress", json!([params]));
        let half = json!({"message": "copies", "done": 5, "total": 10});
        assert_eq!(progress(half).as_deref(), Some("copies (5/10)"));
        assert_eq!(progress(json!({"done": 0.5})).as_deref(), Some("(0.5)"));
        assert_eq!(progress(json!({"total": 10})), None);
        let odd = json!({"message": "copies", "done": "5", "total": 10});
        assert_eq!(progress(odd).as_deref(), Some("copies"));
        assert_eq!(said("later", json!([{"message": "a"}])), None);
    }
}
