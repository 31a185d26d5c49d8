//! What was different from the record.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// One thing that was different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Where: a method, and which of its calls.
    pub at: String,
    /// The member that differs, as a JSON pointer; empty for the whole.
    pub member: String,
    /// What the record has; nothing if there was nothing.
    pub recorded: Option<Value>,
    /// What there is now; nothing if there is nothing.
    pub now: Option<Value>,
}

/// What came of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Calls and events of the recorded side that were played.
    pub played: u64,
    /// Those that were not, because the other side did not get there.
    pub left: u64,
    /// What was different.
    pub differences: Vec<Difference>,
}

/// More would not be read.
const LISTED: usize = 100;

impl Report {
    pub(super) fn differs(&mut self, at: &str, recorded: Option<Value>, now: Option<Value>) {
        self.add(Difference {
            at: at.to_owned(),
            member: String::new(),
            recorded,
            now,
        });
    }

    /// Compares two values member by member.
    pub(super) fn compare(&mut self, at: &str, recorded: &Value, now: &Value) {
        self.compare_below(at, String::new(), recorded, now);
    }

    fn compare_below(&mut self, at: &str, member: String, recorded: &Value, now: &Value) {
        match (recorded, now) {
            (Value::Object(before), Value::Object(after)) => {
                let names = before
                    .keys()
                    .chain(after.keys().filter(|name| !before.contains_key(*name)));
                let names: Vec<&String> = names.filter(|name| !is_volatile(name)).collect();
                for name in names {
                    let member = format!("{member}/{name}");
                    match (before.get(name), after.get(name)) {
                        (Some(before), Some(after)) => {
                            self.compare_below(at, member, before, after);
                        }
                        (before, after) => self.add(Difference {
                            at: at.to_owned(),
                            member,
                            recorded: before.cloned(),
                            now: after.cloned(),
                        }),
                    }
                }
            }
            (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
                for (number, (before, after)) in before.iter().zip(after).enumerate() {
                    self.compare_below(at, format!("{member}/{number}"), before, after);
                }
            }
            // The record has no secrets.
            (Value::String(text), _) if is_masked(text) => {}
            (before, after) if before == after => {}
            (before, after) => self.add(Difference {
                at: at.to_owned(),
                member,
                recorded: Some(before.clone()),
                now: Some(after.clone()),
            }),
        }
    }

    fn add(&mut self, difference: Difference) {
        if self.differences.len() < LISTED {
            self.differences.push(difference);
        }
    }
}

/// Whether a recorded text was hidden, or a part of it: members by their name, and known secrets anywhere.
fn is_masked(text: &str) -> bool {
    text == tenon_rpc::trace::MASK || text.contains(tenon_protocols::MASK)
}

/// Members that differ in every conversation.
fn is_volatile(name: &str) -> bool {
    matches!(
        name,
        "_meta" | "usage" | "updatedAt" | "messageId" | "userMessageId"
    )
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.at)?;
        if !self.member.is_empty() {
            write!(f, " {}", self.member)?;
        }
        match (&self.recorded, &self.now) {
            (Some(recorded), Some(now)) => {
                write!(
                    f,
                    ": the record has {}, now it is {}",
                    short(recorded),
                    short(now)
                )
            }
            (Some(recorded), None) => {
                write!(f, ": the record has {}, now nothing", short(recorded))
            }
            (None, Some(now)) => write!(f, ": {} is not in the record", short(now)),
            (None, None) => Ok(()),
        }
    }
}

fn short(value: &Value) -> String {
    const SHOWN: usize = 120;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_compared_one_by_one() {
        let mut report = Report::default();
        report.compare(
            "initialize",
            &json!({ "a": 1, "b": { "c": [1, 2] }, "gone": true, "_meta": 1, "key": "***" }),
            &json!({ "a": 1, "b": { "c": [1, 3] }, "new": {}, "_meta": 2, "key": "real" }),
        );
        let found: Vec<String> = report.differences.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "initialize /b/c/1: the record has 2, now it is 3",
                "initialize /gone: the record has true, now nothing",
                "initialize /new: {} is not in the record",
            ]
        );
    }
}
