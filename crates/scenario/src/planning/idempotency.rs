//! Actions that may be repeated when their outcome is unknown.

use sha2::{Digest, Sha256};
use tenon_hcl::Diagnostic;
use tenon_protocols::orchard::{ActionSchema, Code};
use tenon_values::Value;

use crate::digest::digest_of;
use crate::masked::Masked;
use crate::planning::settings::Settings;
use crate::reading::model::Action;

/// What a key is for. An action and its teardown are not the same request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Run,
    Teardown,
}

/// The idempotency key of an action: the same whenever the run is resumed, another one for every
/// other run and instance. It has the form of a UUID, which fits wherever keys are limited.
pub(crate) fn key(run: &str, address: &str, purpose: Purpose) -> String {
    let purpose = match purpose {
        Purpose::Run => "run",
        Purpose::Teardown => "teardown",
    };
    let text = format!("tenon idempotency key\n{run}\n{purpose}\n{address}");
    let digest = Sha256::digest(text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    // A UUID of version 8 is made by rules of one's own.
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..],
    ]
    .join("-")
}

/// The attributes with a key in place of `true`.
pub(crate) fn with_key(
    attributes: &Value,
    schema: &ActionSchema,
    make: impl FnOnce() -> String,
) -> Value {
    let (Some(name), Some(all)) = (schema.idempotency_key(), attributes.attributes()) else {
        return attributes.clone();
    };
    let is_asked_for =
        { all.get(name) }.is_some_and(|value| value.unmark().0.as_bool() == Some(true));
    if !is_asked_for {
        return attributes.clone();
    }
    let key = Value::from(make().as_str());
    let replaced = all.iter().map(|(other, value)| match other == name {
        true => (other.to_owned(), key.clone()),
        false => (other.to_owned(), value.clone()),
    });
    Value::object(replaced.collect::<Vec<_>>())
}

/// Whether attributes have a key that is known. In a plan that means that the key will be the same
/// when the run is resumed: what `uuid()` gives is not known there.
pub(crate) fn has_key(attributes: &Value, schema: &ActionSchema) -> bool {
    let key = schema.idempotency_key().zip(attributes.attributes());
    let key = key.and_then(|(name, all)| all.get(name).map(|key| key.unmark_deep().0));
    key.is_some_and(|key| key.is_wholly_known() && !key.is_null())
}

/// The SHA-256 of what a provider is given, without its secrets: to repeat an action is to do the
/// same once more. Nothing if not all of it is known.
pub(crate) fn digest(action: &str, attributes: &Value) -> Option<String> {
    let masked = Masked::of(attributes).ok()?;
    Some(digest_of(&format!("{action}\n{}", masked.value.get())))
}

/// What is wrong with retries after an unknown outcome of an action that may not be repeated.
pub(crate) fn check_retries(
    action: &Action,
    schema: &ActionSchema,
    settings: &Settings,
) -> Option<Diagnostic> {
    let named = schema.idempotency_key();
    let has_key = { action.attributes.iter() }.any(|one| Some(one.name.text()) == named);
    if schema.idempotent || has_key || action.idempotent.is_some() {
        return None;
    }
    let unknown = ["timed_out", Code::OutcomeUnknown.as_str()];
    let code = { settings.on.iter().flatten() }.find(|code| unknown.contains(&code.as_str()))?;
    let place = action.retry.as_ref()?.on.as_ref()?.place();
    let mut problem = Diagnostic::error(format!(
        "after {code:?} the action may have been done, so it is not tried again"
    ));
    problem = problem.at(place);
    Some(problem.help(match named {
        Some(name) => format!(
            "if it is safe to run twice, set `idempotent = true`; or give it a key with \
             `{name} = true`"
        ),
        None => "if it is safe to run twice, set `idempotent = true`".to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> ActionSchema {
        let text = r#"{"attrs":{"name":{"type":"string"},
            "key":{"type":"any","idempotency_key":true}}}"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_key_is_known_by_run_address_and_purpose() {
        let one = key("run1", "action.a.b", Purpose::Run);
        assert_eq!(one, key("run1", "action.a.b", Purpose::Run));
        assert_eq!(one.len(), 36);
        for other in [
            key("run2", "action.a.b", Purpose::Run),
            key("run1", "action.a.b[0]", Purpose::Run),
            key("run1", "action.a.b", Purpose::Teardown),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn true_becomes_a_key_and_a_string_stays() {
        let made = || "made".to_owned();
        let given = |key: Value| Value::object([("name", Value::from("n")), ("key", key)]);
        let made_of = |key: Value| with_key(&given(key), &schema(), made);
        assert_eq!(made_of(Value::TRUE), given(Value::from("made")));
        assert_eq!(made_of(Value::TRUE.sensitive()), given(Value::from("made")));
        assert_eq!(made_of(Value::from("own")), given(Value::from("own")));
        let without = Value::object([("name", Value::from("n"))]);
        assert_eq!(with_key(&without, &schema(), made), without);
        assert!(has_key(&given(Value::TRUE), &schema()));
        assert!(!has_key(&without, &schema()));
        let unknown = Value::unknown(tenon_values::Type::String);
        assert!(!has_key(&given(unknown), &schema()));
    }
}
