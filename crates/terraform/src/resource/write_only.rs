//! Props that no state holds, and how their changes are found all the same.

use serde::{Deserialize, Serialize};
use tenon_values::{Number, Type, Value};

use crate::private::Private;
use crate::{fingerprint, wire};

const NAME: &str = "write_only_props_hash";

/// As terraform-provider-denobridge writes it.
#[derive(Serialize, Deserialize)]
struct Kept {
    hash: String,
}

/// What became of the write-only props since they were last passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    No,
    Yes,
    /// They are not known yet.
    Maybe,
}

/// Compares the props with the fingerprint of those that were passed on last.
pub(super) fn change(config: &Value, private: &Private) -> Change {
    let props = wire::part(config, "write_only_props");
    let before = private.get::<Kept>(NAME).map(|kept| kept.hash);
    if props.is_null() {
        return match before {
            Some(_) => Change::Yes,
            None => Change::No,
        };
    }
    match fingerprint::of(&props) {
        None => Change::Maybe,
        now if now == before => Change::No,
        Some(_) => Change::Yes,
    }
}

/// Remembers the fingerprint of the props that were passed on.
pub(super) fn remember(config: &Value, private: &mut Private) {
    let props = wire::part(config, "write_only_props");
    let hash = match props.is_null() {
        true => None,
        false => fingerprint::of(&props),
    };
    private.set(NAME, hash.map(|hash| Kept { hash }).as_ref());
}

/// The version after a change, which counts changes unless the configuration sets it.
pub(super) fn version(config: &Value, prior: &Value, change: Change) -> Value {
    let set = wire::part(config, "write_only_props_version");
    if !set.is_null() {
        return set;
    }
    let before = wire::part(prior, "write_only_props_version");
    match change {
        Change::No => before,
        Change::Maybe => Value::unknown(Type::Number),
        Change::Yes => next(&before),
    }
}

fn next(before: &Value) -> Value {
    let count = before.as_number().and_then(Number::to_i64).unwrap_or(0);
    Value::number(count.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(props: Value, version: Value) -> Value {
        Value::object([
            ("write_only_props", props),
            ("write_only_props_version", version),
        ])
    }

    #[test]
    fn every_change_is_found() {
        let none = config(Value::NULL, Value::NULL);
        let one = config(Value::object([("a", Value::from(1))]), Value::NULL);
        let two = config(Value::object([("a", Value::from(2))]), Value::NULL);
        let unknown = config(Value::unknown(Type::Dynamic), Value::NULL);
        let mut private = Private::default();
        assert_eq!(change(&none, &private), Change::No);
        assert_eq!(change(&one, &private), Change::Yes);
        assert_eq!(change(&unknown, &private), Change::Maybe);
        remember(&one, &mut private);
        assert_eq!(change(&one, &private), Change::No);
        assert_eq!(change(&two, &private), Change::Yes);
        assert_eq!(change(&none, &private), Change::Yes);
        remember(&none, &mut private);
        assert_eq!(private, Private::default());
    }

    #[test]
    fn the_version_counts_unless_it_is_set() {
        let counted = config(Value::NULL, Value::NULL);
        let prior = config(Value::NULL, Value::from(3));
        assert_eq!(version(&counted, &prior, Change::Yes), Value::from(4));
        assert_eq!(version(&counted, &prior, Change::No), Value::from(3));
        assert_eq!(version(&counted, &counted, Change::Yes), Value::from(1));
        assert!(!version(&counted, &prior, Change::Maybe).is_known());
        let set = config(Value::NULL, Value::from(9));
        assert_eq!(version(&set, &prior, Change::Yes), Value::from(9));
    }
}
