//! Texts that nobody is to see, wherever they turn up.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_values::{Type, Value, convert};

/// What stands in the place of a secret.
pub const MASK: &str = "(sensitive)";

/// Secrets that have been given to a plugin or came from one. A plugin may well print them or put
/// them into an error; everything it says goes through [`Secrets::hide`].
#[derive(Clone, Default)]
pub struct Secrets(Arc<Mutex<BTreeSet<Known>>>);

/// A secret, by its length: one may be part of another, and the longer one has to be hidden first.
type Known = (Reverse<usize>, String);

/// Hiding shorter ones would hide every other word.
const SHORTEST: usize = 4;

/// What is as long as this is not there by chance.
const LONG: usize = 8;

impl Secrets {
    /// Remembers every text and number in a value that is marked.
    pub fn learn(&self, value: &Value) {
        if value.contains_marked() {
            self.learn_parts(value, false);
        }
    }

    fn learn_parts(&self, value: &Value, is_secret: bool) {
        let is_secret = is_secret || value.is_sensitive();
        let (value, _) = value.unmark();
        let parts = value.elements().unwrap_or_default();
        parts
            .iter()
            .for_each(|part| self.learn_parts(part, is_secret));
        for (_, part) in value.entries().unwrap_or_default() {
            self.learn_parts(part, is_secret);
        }
        if let Some(attributes) = value.attributes() {
            for (_, part) in attributes.iter() {
                self.learn_parts(part, is_secret);
            }
        }
        if is_secret && matches!(value.ty(), Type::String | Type::Number) {
            let text = convert::convert(&value, &Type::String).ok();
            if let Some(text) = text.as_ref().and_then(Value::as_str) {
                self.add(text);
            }
        }
    }

    /// Remembers a text as it may turn up: as it is, quoted, and one line of it alone.
    fn add(&self, text: &str) {
        let unquoted = |text: String| text[1..text.len() - 1].to_owned();
        let json = unquoted(serde_json::Value::from(text).to_string());
        self.add_form(text);
        self.add_form(&unquoted(format!("{text:?}")));
        // A frame that is quoted has been escaped before.
        self.add_form(&unquoted(format!("{json:?}")));
        self.add_form(&json);
        if text.contains('\n') {
            let lines = text.lines().filter(|line| line.len() >= LONG);
            lines.for_each(|line| self.add_form(line));
        }
    }

    fn add_form(&self, text: &str) {
        if text.len() < SHORTEST {
            return;
        }
        self.known().insert((Reverse(text.len()), text.to_owned()));
    }

    fn known(&self) -> MutexGuard<'_, BTreeSet<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value with a mark on every text that has a secret in it.
    pub fn mark(&self, value: &Value) -> Value {
        let is_secret = |text: &str| {
            let known = self.known();
            known
                .iter()
                .any(|(_, secret)| text.contains(secret.as_str()))
        };
        let marked = value.transform(&mut |_, part| {
            let is_secret = part.as_str().is_some_and(is_secret);
            Ok(if is_secret { part.sensitive() } else { part })
        });
        // Nothing in there fails.
        marked.unwrap_or_else(|_| value.sensitive())
    }

    /// The text without secrets.
    pub fn hide(&self, text: &str) -> String {
        let known = self.known();
        let mut hidden = text.to_owned();
        for (_, secret) in known.iter() {
            if hidden.contains(secret.as_str()) {
                hidden = hidden.replace(secret.as_str(), MASK);
            }
        }
        hidden
    }

    /// The text without secrets, also where it quotes something that was cut in the middle of one:
    /// then the beginning of a secret is right before the end of the quote.
    pub fn hide_quoted(&self, text: &str) -> String {
        let mut hidden = self.hide(text);
        let known = self.known();
        let ends: Vec<usize> = { hidden.rmatch_indices(['"', '…']) }
            .map(|(at, _)| at)
            .collect();
        let mut last = hidden.len();
        // From the last to the first, so that the places before stay where they are.
        for end in ends {
            if end >= last {
                continue;
            }
            let before = &hidden.as_bytes()[..end];
            let secrets = known.iter().map(|(_, secret)| secret);
            let cut = secrets.filter_map(|secret| cut_length(before, secret));
            if let Some(length) = cut.max() {
                last = end - length;
                hidden.replace_range(last..end, MASK);
            }
        }
        hidden
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secrets({})", self.known().len())
    }
}

/// How much of a secret a text ends with, if that is more than chance.
fn cut_length(text: &[u8], secret: &str) -> Option<usize> {
    let longest = (secret.len() - 1).min(text.len());
    (SHORTEST..=longest)
        .rev()
        .filter(|length| secret.is_char_boundary(*length))
        .find(|length| text.ends_with(&secret.as_bytes()[..*length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_what_is_marked_and_nothing_else() {
        let secrets = Secrets::default();
        secrets.learn(&Value::object([
            ("user", Value::from("alice")),
            ("password", Value::from("hunter2").sensitive()),
            (
                "pins",
                Value::tuple(vec![123_456.into(), Value::TRUE]).sensitive(),
            ),
            ("short", Value::from("abc").sensitive()),
        ]));
        let text = "alice has hunter2, hunter22 and 123456, true abc";
        let hidden = "alice has (sensitive), (sensitive)2 and (sensitive), true abc";
        assert_eq!(secrets.hide(text), hidden);
    }

    #[test]
    fn a_cut_or_quoted_secret_is_hidden_whole() {
        let secrets = Secrets::default();
        secrets.learn(&Value::from("tok\"en\\with-odd-letters").sensitive());
        let said = format!("{:?}", "x tok\"en\\with-odd-letters");
        assert_eq!(secrets.hide_quoted(&said), "\"x (sensitive)\"");
        let json = serde_json::Value::from("tok\"en\\with-odd-letters").to_string();
        let frame = format!("{json:?}");
        assert!(!secrets.hide_quoted(&frame).contains("odd"), "{frame}");
        assert_eq!(
            secrets.hide_quoted("it sent \"abc tok\\\"en\""),
            "it sent \"abc (sensitive)\""
        );
    }

    #[test]
    fn many_are_hidden_and_none_is_shown() {
        let secrets = Secrets::default();
        let many = (0..20_000).map(|number| Value::from(format!("secret-{number}").as_str()));
        let many = Value::tuple(many.collect()).sensitive();
        secrets.learn(&many);
        secrets.learn(&many);
        assert_eq!(secrets.hide("it is secret-19999"), "it is (sensitive)");
        assert_eq!(format!("{secrets:?}"), "Secrets(20000)");
    }

    #[test]
    fn the_longer_one_goes_first() {
        let secrets = Secrets::default();
        secrets.learn(&Value::from("pass").sensitive());
        secrets.learn(&Value::from("password").sensitive());
        assert_eq!(secrets.hide("password pass"), "(sensitive) (sensitive)");
    }
}
