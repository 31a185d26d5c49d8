//! States as state files hold them: JSON, perhaps of another version.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use tenon_values::{Type, Value, json};

use crate::diagnostic::Diagnostic;

/// Reads a state, or another value that a state file holds. Attributes that the type does not have
/// are ignored: another version of the provider may have more.
///
/// # Errors
/// It is not JSON, or does not fit the type.
pub fn read(text: &[u8], ty: &Type) -> Result<Value, Diagnostic> {
    if text.is_empty() {
        return Err(Diagnostic::error(
            "Unreadable state",
            "The state is in a format from before Terraform 0.12.",
        ));
    }
    let known = known_members(text, ty)?;
    json::decode(known.as_bytes(), ty).map_err(|error| unreadable(&error.to_string()))
}

/// Checks that a state was not written by a newer provider.
///
/// # Errors
/// It was.
pub fn check_version(written: i64, current: u64) -> Result<(), Diagnostic> {
    match u64::try_from(written) {
        Ok(written) if written <= current => Ok(()),
        _ => Err(Diagnostic::error(
            "State of a newer provider",
            format!(
                "The state was written with version {written} of the schema, and this provider supports \
                 versions up to {current}. Use a newer provider."
            ),
        )),
    }
}

/// The text of an object without the members that the type does not have.
fn known_members(text: &[u8], ty: &Type) -> Result<String, Diagnostic> {
    let Type::Object(object) = ty else {
        return Err(unreadable("it is not an object"));
    };
    let members: Option<BTreeMap<String, Box<RawValue>>> =
        serde_json::from_slice(text).map_err(|error| unreadable(&error.to_string()))?;
    let known = members.map(|mut members| {
        members.retain(|name, _| object.attribute(name).is_some());
        members
    });
    serde_json::to_string(&known).map_err(|error| unreadable(&error.to_string()))
}

fn unreadable(problem: &str) -> Diagnostic {
    Diagnostic::error(
        "Unreadable state",
        format!("The stored state of this resource does not fit its schema: {problem}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_attributes_are_ignored_and_absent_ones_are_null() {
        let ty: Type = "object({ a = any, b = string })".parse().unwrap();
        let text = br#"{"a": {"value": {"n": 0.1}, "type": ["object", {"n": "number"}]}, "c": 1}"#;
        let state = read(text, &ty).unwrap();
        assert_eq!(state.to_string(), "{ a = { n = 0.1 }, b = null }");
        assert!(read(b"null", &ty).unwrap().is_null());
        for junk in ["", "{", "7", r#"{"b": []}"#] {
            assert_eq!(
                read(junk.as_bytes(), &ty).unwrap_err().summary,
                "Unreadable state",
                "{junk}"
            );
        }
    }

    #[test]
    fn newer_versions_are_refused() {
        check_version(0, 0).unwrap();
        check_version(1, 2).unwrap();
        for (written, current) in [(1, 0), (3, 2), (-1, 0)] {
            let refused = check_version(written, current).unwrap_err();
            assert_eq!(refused.summary, "State of a newer provider");
        }
    }
}
