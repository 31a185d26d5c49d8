//! Named values in the private data that Terraform stores for a provider.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::diagnostic::Diagnostic;

/// Named values in private data: JSON of `{name: base64(JSON)}`, as terraform-plugin-framework
/// writes it, so that providers that use that can read it and the other way round. A provider may
/// keep any other bytes instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Private(BTreeMap<String, String>);

impl Private {
    /// Reads private data; none is empty.
    ///
    /// # Errors
    /// The bytes are not in this format.
    pub fn read(bytes: &[u8]) -> Result<Private, Diagnostic> {
        if bytes.is_empty() {
            return Ok(Private::default());
        }
        serde_json::from_slice(bytes).map(Private).map_err(|error| {
            Diagnostic::error(
                "Unreadable private data",
                format!("The private data in the state is not in this provider's format: {error}."),
            )
        })
    }

    /// The value of this name, if there is one that can be read.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let bytes = STANDARD.decode(self.0.get(name)?).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Sets the value of this name; `None` removes it.
    pub fn set<T: Serialize>(&mut self, name: &str, value: Option<&T>) {
        let text = value.and_then(|value| serde_json::to_vec(value).ok());
        match text {
            Some(text) => self.0.insert(name.to_owned(), STANDARD.encode(text)),
            None => self.0.remove(name),
        };
    }

    /// The bytes for Terraform to keep.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self.0.is_empty() {
            true => Vec::new(),
            false => serde_json::to_vec(&self.0).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_the_framework_does() {
        let mut private = Private::default();
        assert!(private.to_bytes().is_empty());
        private.set(
            "write_only_props_hash",
            Some(&serde_json::json!({"hash": "ab"})),
        );
        let bytes = private.to_bytes();
        assert_eq!(
            bytes,
            br#"{"write_only_props_hash":"eyJoYXNoIjoiYWIifQ=="}"#
        );
        let read = Private::read(&bytes).unwrap();
        assert_eq!(read, private);
        let hash: serde_json::Value = read.get("write_only_props_hash").unwrap();
        assert_eq!(hash["hash"], "ab");
        private.set::<()>("write_only_props_hash", None);
        assert!(private.to_bytes().is_empty());
    }

    #[test]
    fn other_bytes_are_refused() {
        assert!(Private::read(b"[]").is_err());
    }
}
