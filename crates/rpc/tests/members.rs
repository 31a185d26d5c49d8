//! Maps split into their members, against an independent writer of msgpack.

#[path = "../../wire/tests/any_value/mod.rs"]
mod any_value;

#[allow(
    dead_code,
    unreachable_pub,
    reason = "there it is a library, and only one target is of interest here"
)]
#[path = "../../../fuzz/src/rpc.rs"]
mod checks;

use std::collections::HashSet;

use any_value::{any_value, encoded};
use proptest::prelude::*;
use rmpv::Value;
use tenon_rpc::{Format, Payload};

proptest! {
    #[test]
    fn members_are_the_bytes_that_were_written(
        entries in prop::collection::vec((".{0,40}", any_value()), 0..20),
    ) {
        let pairs = entries.iter().map(|(name, value)| (name.as_str().into(), value.clone()));
        let whole = Payload::new(Format::Msgpack, encoded(&Value::Map(pairs.collect())));
        let mut names = HashSet::new();
        let is_unique = entries.iter().all(|(name, _)| names.insert(name));
        match whole.members() {
            Ok(members) => {
                prop_assert!(is_unique);
                prop_assert_eq!(members.len(), entries.len());
                for ((name, member), (expected, value)) in members.iter().zip(&entries) {
                    prop_assert_eq!(name.as_str(), expected);
                    prop_assert_eq!(member.bytes(), &encoded(value));
                }
                // The same members in JSON, where names have escapes. (A map with one name may look
                // like a spelling there.)
                let json = whole.to_format(Format::Json).unwrap();
                if members.len() > 1 {
                    for ((name, member), (json_name, json)) in members.iter().zip(json.members().unwrap()) {
                        prop_assert_eq!(name, &json_name);
                        prop_assert_eq!(member.to_format(Format::Json).unwrap(), json);
                    }
                }
            }
            Err(error) => prop_assert!(!is_unique, "{}", error),
        }
    }

    #[test]
    fn keys_have_to_be_strings(entries in prop::collection::vec((any_value(), any_value()), 1..20)) {
        let are_strings = entries.iter().all(|(key, _)| key.is_str());
        let whole = Payload::new(Format::Msgpack, encoded(&Value::Map(entries)));
        prop_assert!(are_strings || whole.members().is_err());
    }

    /// What the fuzz target of the same name checks, for bytes that are nearly right.
    #[test]
    fn damaged_maps_are_survived(
        entries in prop::collection::vec((".{0,4}", any_value()), 0..8),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let pairs = entries.into_iter().map(|(name, value)| (name.as_str().into(), value));
        let mut bytes = encoded(&Value::Map(pairs.collect()));
        checks::members(&bytes);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        checks::members(&bytes);
        if let Ok(json) = Payload::new(Format::Msgpack, bytes).to_format(Format::Json) {
            checks::members(json.bytes());
        }
    }
}
