//! Which parts of messages are secret.

mod learning;

use serde_json::value::RawValue;
use tenon_protocols::Secrets;
use tenon_rpc::trace::mask_json_by;
use tenon_text::{is_secret_name, plain_name};

use super::verifying::LONGEST_CONTENT;
use learning::Learned;
pub(crate) use learning::hide_variables;

/// Members whose values are secret besides those that [`is_secret_name`] knows: variables and headers of MCP servers.
const NAMES: [&str; 4] = ["authorization", "env", "environment", "headers"];

/// More bytes of what is not JSON are not recorded.
const SHOWN: usize = 4096;

/// What is masked: members by their names, and texts that were the values of such members before.
#[derive(Clone)]
pub struct Masks {
    names: Vec<String>,
    secrets: Secrets,
    learned: Learned,
}

impl Default for Masks {
    fn default() -> Masks {
        Masks {
            names: NAMES.map(str::to_owned).to_vec(),
            secrets: Secrets::default(),
            learned: Learned::default(),
        }
    }
}

impl std::fmt::Debug for Masks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Masks({} names)", self.names.len())
    }
}

impl Masks {
    /// Also masks members with this name, in any case, and with or without `_` and `-`.
    #[must_use]
    pub fn with_name(mut self, name: &str) -> Masks {
        self.names.push(plain_name(name));
        self
    }

    /// The secrets that were seen.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    fn is_secret(&self, name: &str) -> bool {
        is_secret_name(name) || self.names.contains(&plain_name(name))
    }

    /// The message in one line, without secrets. What is not JSON becomes a text, and so does what would be too long for
    /// a line: of both only the beginning is kept.
    pub fn hide(&self, message: &str) -> Box<RawValue> {
        let masked = mask_json_by(message, &|name| self.is_secret(name));
        let hidden = match &masked {
            Some(masked) => self.secrets.hide(masked),
            None => return self.beginning(message),
        };
        let raw = match RawValue::from_string(hidden.clone()) {
            Ok(raw) => raw,
            // A number was a secret.
            Err(_) => as_text(&hidden),
        };
        match raw.get().len() <= LONGEST_CONTENT {
            true => raw,
            false => self.beginning(message),
        }
    }

    /// The beginning of something as a JSON text, and how long all of it is: escapes can make a text six times as long.
    fn beginning(&self, message: &str) -> Box<RawValue> {
        let text = match message.len() > SHOWN {
            false => self.secrets.hide(message),
            true => {
                let shown = &message.as_bytes()[..SHOWN];
                let shown = self.secrets.hide_bytes(shown, true);
                let shown = String::from_utf8_lossy(&shown);
                format!("{shown}... ({} bytes)", message.len())
            }
        };
        as_text(&text)
    }
}

fn as_text(text: &str) -> Box<RawValue> {
    // A text can always be written as JSON.
    serde_json::value::to_raw_value(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
