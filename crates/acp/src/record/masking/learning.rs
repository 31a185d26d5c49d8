//! Secrets that are learned from what a client sends.
//!
//! What is learned is masked wherever it appears, so nothing is learned from an agent: it could hide what it does by calling
//! it a secret.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tenon_host::Variable;
use tenon_protocols::Secrets;
use tenon_protocols::acp::Variable as Set;
use tenon_rpc::trace::MASK;
use tenon_text::{is_ordinary_value, is_secret_name, plain_name};

use super::Masks;

/// Shorter values are words like `1` and `debug`, which would be masked in every sentence. Those whose names say that they
/// are secrets are masked from four characters on.
const SHORTEST: usize = 6;

/// Shorter texts of unknown meaning are not masked.
const LONG: usize = 16;

/// The most bytes of a value that is learned.
const LONGEST: usize = 64 * 1024;

/// The most values that are learned, and their bytes. Others are masked by the names of their members only.
const MOST: usize = 1024;
const MOST_BYTES: usize = 256 * 1024;

/// What was learned, so that sessions with the same servers cost nothing.
#[derive(Clone, Default)]
pub(super) struct Learned(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    texts: HashSet<String>,
    bytes: usize,
}

impl Learned {
    /// Whether a text is new, and there is room for it.
    fn add(&self, text: &str) -> bool {
        let known = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = known.texts.len() < MOST && known.bytes + text.len() <= MOST_BYTES;
        let is_added = has_room && text.len() <= LONGEST && known.texts.insert(text.to_owned());
        if is_added {
            known.bytes += text.len();
        }
        is_added
    }
}

impl Masks {
    /// Remembers the secrets of MCP servers in the params of a session, so that they are masked wherever they appear: the
    /// values of variables and headers, and what is a secret in arguments and URLs.
    pub fn learn(&self, params: &Value) {
        let servers = params["mcpServers"].as_array();
        for server in servers.into_iter().flatten() {
            for member in ["env", "headers", "environment"] {
                self.learn_values(&server[member]);
            }
            if let Some(url) = server["url"].as_str() {
                self.learn_url(url);
            }
            self.learn_arguments(&server["args"]);
            self.learn_arguments(&server["command"]);
        }
    }

    /// Remembers what is given to log in: every long text but the name of the method.
    pub fn learn_authentication(&self, params: &Value) {
        for (name, value) in params.as_object().into_iter().flatten() {
            if name != "methodId" {
                self.learn_parts(name, value);
            }
        }
    }

    fn learn_parts(&self, name: &str, value: &Value) {
        match value {
            Value::Object(members) => {
                for (inner, value) in members {
                    // The headers of a gateway are an object.
                    let name = if self.is_secret(name) { name } else { inner };
                    self.learn_parts(name, value);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn_parts(name, item)),
            Value::String(text) if self.is_secret(name) => self.learn_value("token", text),
            Value::String(text) if text.contains("://") => self.learn_url(text),
            Value::String(text) if text.len() >= LONG && !text.contains(' ') => {
                self.learn_value(name, text);
            }
            _ => {}
        }
    }

    /// The values of `[{"name": ..., "value": ...}]`, or of an object.
    fn learn_values(&self, values: &Value) {
        match values {
            Value::Array(items) => {
                for item in items {
                    let name = item["name"].as_str().unwrap_or_default();
                    self.learn_value(name, item["value"].as_str().unwrap_or_default());
                }
            }
            Value::Object(items) => {
                for (name, value) in items {
                    self.learn_value(name, value.as_str().unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn learn_url(&self, url: &str) {
        self.learn_credentials(url);
        let query = url.split_once('?').map(|(_, query)| query);
        let query = query.and_then(|query| query.split('#').next());
        for pair in query.into_iter().flat_map(|query| query.split('&')) {
            self.learn_setting(pair);
        }
    }

    /// `--api-key VALUE`, `--api-key=VALUE`, `API_KEY=VALUE`, and credentials of other forms.
    fn learn_arguments(&self, arguments: &Value) {
        let mut is_value = false;
        let arguments = arguments.as_array().into_iter().flatten();
        for argument in arguments.filter_map(Value::as_str) {
            if is_value && !argument.starts_with('-') {
                self.learn_value("token", argument);
            }
            is_value = argument.starts_with('-') && is_telling(argument);
            self.learn_setting(argument);
            self.learn_credentials(argument);
        }
    }

    fn learn_setting(&self, setting: &str) {
        if let Some((name, value)) = setting.split_once('=')
            && is_telling(name)
        {
            self.learn_value("token", value);
        }
    }

    fn learn_value(&self, name: &str, value: &str) {
        let is_long_enough = value.len() >= SHORTEST || is_secret_variable(name);
        if is_long_enough && !is_ordinary_value(value) && self.learned.add(value) {
            // What has fewer than four characters is not masked.
            self.secrets.learn_text(value);
        }
    }

    fn learn_credentials(&self, text: &str) {
        if self.learned.add(&format!("in {text}")) {
            self.secrets.learn_credentials(text);
        }
    }
}

/// Whether the name of an option or of a parameter says that its value is a secret.
fn is_telling(name: &str) -> bool {
    is_secret_name(name) || plain_name(name).ends_with("key")
}

fn is_secret_variable(name: &str) -> bool {
    !{ Variable::Set(name.into(), "x".into()) }
        .secrets()
        .is_empty()
}

/// Masks the secrets among the variables of a program, where they are shown and nowhere else.
pub(crate) fn hide_variables(variables: &mut [Set]) {
    for variable in variables {
        if is_secret_variable(&variable.name) {
            variable.value = MASK.to_owned();
        } else {
            let secrets = Secrets::default();
            secrets.learn_credentials(&variable.value);
            variable.value = secrets.hide(&variable.value);
        }
    }
}
