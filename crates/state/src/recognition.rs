//! What is a state, and what is something else that a client sends to the wrong address.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

/// Whether this looks like a state: an object with a number as its `version`, or one that OpenTofu has encrypted. The
/// info of a lock is neither.
///
/// It reads up to the member that decides, which Terraform writes first: a state may have many megabytes.
pub(crate) fn is_state(bytes: &[u8]) -> bool {
    let mut found = false;
    // That the rest was not read is an error of the parser.
    let _unread = serde_json::Deserializer::from_slice(bytes).deserialize_map(Members(&mut found));
    found
}

struct Members<'a>(&'a mut bool);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a state")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<(), M::Error> {
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "version" => {
                    members.next_value::<serde_json::Number>()?;
                }
                "encrypted_data" => {
                    members.next_value::<String>()?;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            }
            *self.0 = true;
            break;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::is_state;

    #[test]
    fn a_state_is_distinguished_from_the_info_of_a_lock() {
        for state in [
            r#"{"version": 4, "terraform_version": "1.11.4", "serial": 1, "resources": []}"#,
            r#"{"serial": 1, "version": 4}"#,
            r#"{"serial": 1, "lineage": "l", "meta": {}, "encrypted_data": "AAAA", "encryption_version": "v0"}"#,
        ] {
            assert!(is_state(state.as_bytes()), "{state}");
        }
        for other in [
            "",
            "{}",
            "4",
            "[{\"version\":4}]",
            r#"{"version": "4"}"#,
            r#"{"ID": "1-2", "Operation": "OperationTypePlan", "Version": "1.11.4"}"#,
            r#"{"ID": "1-2", "Info": {"version": 4}}"#,
        ] {
            assert!(!is_state(other.as_bytes()), "{other}");
        }
    }
}
