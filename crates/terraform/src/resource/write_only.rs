//! Props that are never stored, and how their changes are found.
//!
//! A value from an ephemeral resource is another one in each walk, and no walk knows of the one
//! before. So other values alone plan nothing, unless the block says that they are to be compared
//! (`write_only_props_detect_changes`) or counts them itself (`write_only_props_version`).

use serde::{Deserialize, Serialize};
use tenon_tfplugin::{Private, block};
use tenon_values::{Number, Type, Value};

use crate::fingerprint;

const NAME: &str = "write_only_props_hash";

/// As terraform-provider-denobridge writes it.
#[derive(Serialize, Deserialize)]
struct Kept {
    hash: String,
}

/// What became of the write-only props since they were last passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing, or nothing that counts.
    No,
    /// They are to be passed on.
    Yes,
    /// They are compared, and not known yet.
    Maybe,
    /// They are not compared. Whether an update passes on others is known when it is made.
    Unwatched,
}

impl Change {
    /// Whether it is a reason for an update.
    pub(super) fn plans_update(self) -> bool {
        matches!(self, Change::Yes | Change::Maybe)
    }
}

/// What is to be done about the props of a configuration, by the fingerprint of those that were
/// passed on last. That they are there at all, or no more, is a change like any other.
pub(super) fn change(config: &Value, private: &Private) -> Change {
    let props = block::part(config, "write_only_props");
    let before = private.get::<Kept>(NAME);
    if !block::part(config, "write_only_props_version").is_null() {
        // Another version is a change of that attribute. The same one may be the provider's own count
        // from before there were props, which would never be passed on then.
        return match props.is_known() && !props.is_null() && before.is_none() {
            true => Change::Yes,
            false => Change::No,
        };
    }
    let is_compared = block::part(config, "write_only_props_detect_changes") == Value::TRUE;
    match (is_compared, props.is_known(), before.is_some()) {
        (true, ..) => compared(&props, before),
        (false, false, _) => Change::Unwatched,
        (false, true, had_some) if props.is_null() => match had_some {
            true => Change::Yes,
            false => Change::No,
        },
        (false, true, true) => Change::Unwatched,
        (false, true, false) => Change::Yes,
    }
}

fn compared(props: &Value, before: Option<Kept>) -> Change {
    let before = before.map(|kept| kept.hash);
    let is_same = match props.is_null() {
        true => before.is_none(),
        false => match fingerprint::of(props) {
            None => return Change::Maybe,
            now => now == before,
        },
    };
    match is_same {
        true => Change::No,
        false => Change::Yes,
    }
}

/// Remembers the fingerprint of the props that were passed on.
pub(super) fn remember(config: &Value, private: &mut Private) {
    let props = block::part(config, "write_only_props");
    let hash = match props.is_null() {
        true => None,
        false => fingerprint::of(&props),
    };
    private.set(NAME, hash.map(|hash| Kept { hash }).as_ref());
}

/// The version that is planned for an update. It counts what was passed on, unless the
/// configuration sets it.
pub(super) fn version(config: &Value, prior: &Value, change: Change) -> Value {
    let set = block::part(config, "write_only_props_version");
    if !set.is_null() {
        return set;
    }
    let before = block::part(prior, "write_only_props_version");
    match change {
        Change::No => before,
        Change::Maybe | Change::Unwatched => Value::unknown(Type::Number),
        Change::Yes => next(&before),
    }
}

/// The version after an update that passed the props on, where the plan could not tell.
pub(super) fn counted(config: &Value, prior: &Value, private: &Private) -> Value {
    let before = block::part(prior, "write_only_props_version");
    match compared(&block::part(config, "write_only_props"), private.get(NAME)) {
        Change::No => before,
        _ => next(&before),
    }
}

fn next(before: &Value) -> Value {
    let count = before.as_number().and_then(Number::to_i64).unwrap_or(0);
    Value::number(count.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(props: Value, version: Value, is_compared: bool) -> Value {
        Value::object([
            ("write_only_props", props),
            ("write_only_props_version", version),
            ("write_only_props_detect_changes", Value::from(is_compared)),
        ])
    }

    fn one() -> Value {
        Value::object([("a", Value::from(1))])
    }

    fn two() -> Value {
        Value::object([("a", Value::from(2))])
    }

    #[test]
    fn every_change_is_found_if_they_are_compared() {
        let compared = |props: Value| config(props, Value::NULL, true);
        let unknown = compared(Value::unknown(Type::Dynamic));
        let (none, one, two) = (compared(Value::NULL), compared(one()), compared(two()));
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
    fn otherwise_only_adding_and_removing_them_counts() {
        let plain = |props: Value| config(props, Value::NULL, false);
        let part = Value::object([("a", Value::unknown(Type::String))]);
        let mut private = Private::default();
        assert_eq!(change(&plain(Value::NULL), &private), Change::No);
        assert_eq!(change(&plain(one()), &private), Change::Yes);
        assert_eq!(change(&plain(part.clone()), &private), Change::Yes);
        remember(&plain(one()), &mut private);
        for props in [one(), two(), part, Value::unknown(Type::Dynamic)] {
            assert_eq!(change(&plain(props), &private), Change::Unwatched);
        }
        assert_eq!(change(&plain(Value::NULL), &private), Change::Yes);
        let set = config(Value::NULL, Value::from(1), false);
        assert_eq!(change(&set, &private), Change::No);
    }

    #[test]
    fn the_version_counts_unless_it_is_set() {
        let counting = config(Value::NULL, Value::NULL, false);
        let prior = config(Value::NULL, Value::from(3), false);
        assert_eq!(version(&counting, &prior, Change::Yes), Value::from(4));
        assert_eq!(version(&counting, &prior, Change::No), Value::from(3));
        assert_eq!(version(&counting, &counting, Change::Yes), Value::from(1));
        for change in [Change::Maybe, Change::Unwatched] {
            assert!(!version(&counting, &prior, change).is_known());
        }
        let set = config(Value::NULL, Value::from(9), false);
        assert_eq!(version(&set, &prior, Change::Yes), Value::from(9));
        let mut private = Private::default();
        remember(&config(one(), Value::NULL, false), &mut private);
        let passed_on = |props: Value| {
            let config = config(props, Value::NULL, false);
            counted(&config, &prior, &private)
        };
        assert_eq!(passed_on(one()), Value::from(3));
        assert_eq!(passed_on(two()), Value::from(4));
        assert_eq!(passed_on(Value::NULL), Value::from(4));
    }
}
