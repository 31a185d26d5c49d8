//! Which parts of messages are secret.

use serde_json::Value;
use serde_json::value::RawValue;
use tenon_host::Variable;
use tenon_protocols::Secrets;
use tenon_rpc::trace::mask_json;

/// Members whose values are secret, in lower case: variables and headers of MCP servers, and what is usually one.
const NAMES: [&str; 13] = [
    "env",
    "environment",
    "headers",
    "authorization",
    "token",
    "access_token",
    "refresh_token",
    "apikey",
    "api_key",
    "password",
    "passwd",
    "secret",
    "client_secret",
];

/// What is masked: members by their names, and texts that were the values of such members before.
#[derive(Clone)]
pub struct Masks {
    names: Vec<String>,
    secrets: Secrets,
}

impl Default for Masks {
    fn default() -> Masks {
        Masks {
            names: NAMES.map(str::to_owned).to_vec(),
            secrets: Secrets::default(),
        }
    }
}

impl std::fmt::Debug for Masks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Masks({} names)", self.names.len())
    }
}

/// Shorter values are words like `1` and `true`, which would be masked in every sentence.
const SHORTEST: usize = 6;

impl Masks {
    /// Also masks members with this name.
    #[must_use]
    pub fn with_name(mut self, name: &str) -> Masks {
        self.names.push(name.to_lowercase());
        self
    }

    /// The secrets that were seen.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Remembers the variables and headers of MCP servers in the params of a session, so that they are masked wherever
    /// they appear.
    pub fn learn(&self, params: &Value) {
        let servers = params["mcpServers"].as_array();
        for server in servers.into_iter().flatten() {
            for member in ["env", "headers", "environment"] {
                let values = match &server[member] {
                    Value::Array(items) => items.iter().map(|item| &item["value"]).collect(),
                    Value::Object(items) => items.values().collect(),
                    _ => Vec::new(),
                };
                for value in values.into_iter().filter_map(Value::as_str) {
                    if value.len() >= SHORTEST {
                        self.secrets.learn_text(value);
                    }
                }
            }
        }
    }

    /// Remembers the secrets among the variables of a program: values whose names say so, and credentials in the others.
    pub fn learn_variables(&self, params: &Value) {
        for item in params["env"].as_array().into_iter().flatten() {
            let (Some(name), Some(value)) = (item["name"].as_str(), item["value"].as_str()) else {
                continue;
            };
            let variable = Variable::Set(name.into(), value.into());
            if !variable.secrets().is_empty() && value.len() >= SHORTEST {
                self.secrets.learn_text(value);
            }
            self.secrets.learn_credentials(value);
        }
    }

    /// The message in one line, without secrets. What is not JSON becomes a text.
    pub(super) fn hide(&self, message: &str) -> Box<RawValue> {
        let masked = mask_json(message, &self.names);
        let hidden = self.secrets.hide(masked.as_deref().unwrap_or(message));
        let is_json = masked.is_some();
        let raw = match is_json {
            true => RawValue::from_string(hidden).map_err(|_| self.secrets.hide(message)),
            false => Err(hidden),
        };
        raw.unwrap_or_else(|text| {
            // A text can always be written as JSON.
            serde_json::value::to_raw_value(&text).unwrap_or_else(|_| RawValue::NULL.to_owned())
        })
    }
}
