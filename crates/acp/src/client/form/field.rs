//! One field of a form: what it takes, and whether a value is right.

use regex::RegexBuilder;
use serde_json::{Value, json};

/// Patterns of agents that take more memory than this are not checked here.
const PATTERN_LIMIT: usize = 256 * 1024;

/// A field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// Its name in the answer.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// Whether it must have a value.
    pub is_required: bool,
    /// What it has if nothing is typed.
    pub default: Option<Value>,
    /// What it takes.
    pub kind: FieldKind,
}

/// What a field takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Text.
    Text {
        /// The least number of characters.
        min: Option<u64>,
        /// The greatest number of characters.
        max: Option<u64>,
        /// A regular expression that must match a part of it.
        pattern: Option<String>,
        /// What the text is.
        format: Option<Format>,
    },
    /// A number.
    Number {
        /// Without a fraction.
        is_whole: bool,
        /// The least.
        min: Option<f64>,
        /// The greatest.
        max: Option<f64>,
    },
    /// Yes or no.
    Flag,
    /// One of these.
    One(Vec<Choice>),
    /// Some of these.
    Many {
        /// What there is to choose from.
        choices: Vec<Choice>,
        /// The least number of values.
        min: Option<u64>,
        /// The greatest number of values.
        max: Option<u64>,
    },
}

/// Something to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// Its value in the answer.
    pub value: String,
    /// Its name for people.
    pub title: String,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// An email address.
    Email,
    /// A URI.
    Uri,
    /// A date, such as 2026-11-17.
    Date,
    /// A date with a time and an offset, such as 2026-11-17T08:30:00Z.
    DateTime,
}

impl Field {
    /// What to call it.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// What there is to choose from, if there is.
    pub fn choices(&self) -> &[Choice] {
        match &self.kind {
            FieldKind::One(choices) | FieldKind::Many { choices, .. } => choices,
            _ => &[],
        }
    }

    /// How to write a value, in a few words.
    pub fn hint(&self) -> Option<String> {
        match &self.kind {
            FieldKind::Flag => Some("yes or no".to_owned()),
            FieldKind::One(_) => Some("a number or a name".to_owned()),
            FieldKind::Many { .. } => Some("numbers or names, separated by commas".to_owned()),
            FieldKind::Number { is_whole, min, max } => {
                let what = if *is_whole {
                    "a whole number"
                } else {
                    "a number"
                };
                Some(match (min, max) {
                    (Some(min), Some(max)) => format!("{what} from {min} to {max}"),
                    (Some(min), None) => format!("{what} from {min}"),
                    (None, Some(max)) => format!("{what} up to {max}"),
                    (None, None) => what.to_owned(),
                })
            }
            FieldKind::Text { format, .. } => format.map(|format| format.example().to_owned()),
        }
    }

    /// What was typed, as a value that is right. Nothing if nothing was typed and none is needed.
    ///
    /// # Errors
    /// What is wrong with it, for the user.
    pub fn parse(&self, typed: &str) -> Result<Option<Value>, String> {
        let typed = typed.trim();
        if typed.is_empty() {
            return match &self.default {
                Some(default) => Ok(Some(default.clone())),
                None if self.is_required => Err("a value is required".to_owned()),
                None => Ok(None),
            };
        }
        let value = match &self.kind {
            FieldKind::Text { .. } => json!(typed),
            FieldKind::Number { is_whole: true, .. } => {
                let number = typed.parse::<i64>();
                json!(number.map_err(|_| "this is not a whole number")?)
            }
            FieldKind::Number { .. } => {
                let number = typed.parse::<f64>().ok();
                let number = number.filter(|number| number.is_finite());
                json!(number.ok_or("this is not a number")?)
            }
            FieldKind::Flag => match typed.to_lowercase().as_str() {
                "y" | "yes" | "true" | "on" => json!(true),
                "n" | "no" | "false" | "off" => json!(false),
                _ => return Err("write yes or no".to_owned()),
            },
            FieldKind::One(choices) => json!(chosen(choices, typed)?),
            FieldKind::Many { choices, .. } => {
                let parts = typed
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty());
                let values = parts.map(|part| chosen(choices, part));
                let mut values = values.collect::<Result<Vec<_>, _>>()?;
                let mut known = std::collections::HashSet::new();
                values.retain(|value| known.insert(*value));
                json!(values)
            }
        };
        self.check(&value).map(|()| Some(value))
    }

    /// Whether a value is right for this field.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        match (&self.kind, value) {
            (
                FieldKind::Text {
                    min,
                    max,
                    pattern,
                    format,
                },
                Value::String(text),
            ) => {
                within(text.chars().count() as u64, *min, *max, "character")?;
                if let Some(format) = format.filter(|format| !format.is_met(text)) {
                    return Err(format!("this is not {}", format.example()));
                }
                match pattern {
                    Some(pattern) if !matches(pattern, text) => {
                        Err(format!("this does not match the pattern {pattern}"))
                    }
                    _ => Ok(()),
                }
            }
            (FieldKind::Number { is_whole, min, max }, Value::Number(number)) => {
                let number = number.as_f64().unwrap_or(f64::NAN);
                if *is_whole && number.fract() != 0.0 {
                    return Err("this is not a whole number".to_owned());
                }
                match (min, max) {
                    (Some(min), _) if number < *min => Err(format!("at least {min} required")),
                    (_, Some(max)) if number > *max => Err(format!("at most {max} allowed")),
                    _ => Ok(()),
                }
            }
            (FieldKind::Flag, Value::Bool(_)) => Ok(()),
            (FieldKind::One(choices), Value::String(value)) => known(choices, value),
            (FieldKind::Many { choices, min, max }, Value::Array(values)) => {
                for value in values {
                    known(choices, value.as_str().unwrap_or_default())?;
                }
                within(values.len() as u64, *min, *max, "value")
            }
            _ => Err("this is a value of another type".to_owned()),
        }
    }
}

impl Format {
    fn example(self) -> &'static str {
        match self {
            Format::Email => "an email address, such as ada@example.org",
            Format::Uri => "a URI, such as https://example.org/",
            Format::Date => "a date, such as 2026-11-17",
            Format::DateTime => "a date with a time, such as 2026-11-17T08:30:00Z",
        }
    }

    fn is_met(self, text: &str) -> bool {
        let has_blanks = text.contains(char::is_whitespace);
        match self {
            Format::Email => {
                let parts = text.rsplit_once('@');
                !has_blanks
                    && parts.is_some_and(|(user, host)| {
                        let is_host =
                            !host.is_empty() && !host.starts_with('.') && !host.ends_with('.');
                        !user.is_empty() && is_host
                    })
            }
            Format::Uri => {
                let is_scheme = |scheme: &str| {
                    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
                    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                        && scheme.bytes().all(is_part)
                };
                let parts = text.split_once(':');
                !has_blanks
                    && parts.is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.is_empty())
            }
            Format::Date => text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok(),
            Format::DateTime => text.parse::<jiff::Timestamp>().is_ok(),
        }
    }
}

/// By its number, its value or its title.
fn chosen<'a>(choices: &'a [Choice], typed: &str) -> Result<&'a str, String> {
    let by_text = choices
        .iter()
        .find(|one| one.value == typed || one.title == typed);
    let by_number = || {
        let number = typed.parse::<usize>().ok()?;
        choices.get(number.checked_sub(1)?)
    };
    let found = by_text.or_else(by_number);
    found
        .map(|one| one.value.as_str())
        .ok_or_else(|| match choices.len() {
            1 => "write 1, or leave it empty".to_owned(),
            count => format!("{typed:?} is not a choice; write a number from 1 to {count}"),
        })
}

fn known(choices: &[Choice], value: &str) -> Result<(), String> {
    match choices.iter().any(|one| one.value == value) {
        true => Ok(()),
        false => Err(format!("{value:?} is not a choice")),
    }
}

fn within(count: u64, min: Option<u64>, max: Option<u64>, what: &str) -> Result<(), String> {
    let counted = |number: u64| match number {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    };
    match (min, max) {
        (Some(min), _) if count < min => Err(format!(
            "at least {} required; this has {count}",
            counted(min)
        )),
        (_, Some(max)) if count > max => Err(format!(
            "at most {} allowed; this has {count}",
            counted(max)
        )),
        _ => Ok(()),
    }
}

/// Schemas have the expressions of JavaScript. One that cannot be read here is left to the agent.
fn matches(pattern: &str, text: &str) -> bool {
    let built = RegexBuilder::new(pattern).size_limit(PATTERN_LIMIT).build();
    built.map_or(true, |regex| regex.is_match(text))
}
