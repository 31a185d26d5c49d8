//! Values that a schema marks as sensitive, wherever else they are printed: in texts of a plugin, in errors, in events.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::Value;
use tenon_protocols::{MASK, Secrets};

/// What has been sent and received so far.
static SECRETS: OnceLock<Secrets> = OnceLock::new();

/// Remembers the values that are spelled as sensitive, `{"$sensitive":VALUE}`, in JSON.
pub(crate) fn learn_sensitive(json: &str) {
    if json.contains("$sensitive")
        && let Ok(value) = serde_json::from_str(json)
    {
        learn(SECRETS.get_or_init(Secrets::default), &value, false);
    }
}

fn learn(secrets: &Secrets, value: &Value, is_secret: bool) {
    match value {
        Value::String(text) if is_secret => secrets.learn_text(text),
        Value::Number(number) if is_secret => secrets.learn_text(&number.to_string()),
        Value::Array(all) => all.iter().for_each(|one| learn(secrets, one, is_secret)),
        Value::Object(members) => {
            for (name, one) in members {
                learn(secrets, one, is_secret || name == "$sensitive");
            }
        }
        _ => {}
    }
}

/// Text without secrets.
pub(crate) fn hidden(text: &str) -> Cow<'_, str> {
    match SECRETS.get() {
        Some(secrets) => Cow::Owned(secrets.hide(text)),
        None => Cow::Borrowed(text),
    }
}

/// JSON without secrets, which stays JSON.
pub(crate) fn hidden_json(json: &str) -> Cow<'_, str> {
    let Some(secrets) = SECRETS.get() else {
        return Cow::Borrowed(json);
    };
    if secrets.hide(json) == json {
        return Cow::Borrowed(json);
    }
    match serde_json::from_str::<Value>(json) {
        Ok(mut value) => {
            secrets.hide_json(&mut value);
            Cow::Owned(value.to_string())
        }
        Err(_) => Cow::Owned(Value::from(MASK).to_string()),
    }
}
