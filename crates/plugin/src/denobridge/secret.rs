//! What nobody is to see.

use std::fmt;

use serde::de::DeserializeOwned;
use tenon_protocols::denobridge::Json;

use super::{Failure, wire};

/// A secret that the host hands over: write-only props, or the sensitive part of a state. It does
/// not print itself.
pub struct Secret {
    json: Option<Json>,
    /// What the params call it.
    member: &'static str,
}

impl Secret {
    pub(super) fn new(json: Option<Json>, member: &'static str) -> Secret {
        Secret { json, member }
    }

    /// What is hidden, as a type that serde can read. Where there is nothing, that is null: ask for
    /// an `Option` if it may be absent. Whoever looks answers for where it goes.
    ///
    /// # Errors
    /// It does not fit the type. The failure says what is missing, but quotes nothing.
    pub fn reveal<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        match &self.json {
            Some(json) => wire::read_secret(json, self.member),
            None => wire::read_secret(&Json::null(), self.member),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, Debug)]
    #[serde(rename_all = "lowercase")]
    enum Color {
        Red,
    }

    #[derive(serde::Deserialize)]
    struct Login {
        password: String,
    }

    fn secret(text: &str) -> Secret {
        Secret::new(Some(serde_json::from_str(text).unwrap()), "writeOnlyProps")
    }

    #[test]
    fn is_not_shown_even_if_it_does_not_fit() {
        let told = [
            format!("{:?}", secret(r#""hunter2""#)),
            format!("{:?}", secret(r#""hunter2""#).reveal::<u8>().unwrap_err()),
            format!(
                "{:?}",
                secret(r#""hunter2""#).reveal::<Color>().unwrap_err()
            ),
            format!(
                "{:?}",
                secret(r#"{"hunter2": 1}"#).reveal::<String>().unwrap_err()
            ),
            format!(
                "{:?}",
                { secret(r#"{"hunter2": "x"}"#) }
                    .reveal::<std::collections::BTreeMap<String, u8>>()
                    .unwrap_err()
            ),
        ];
        for text in told {
            assert!(!text.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn is_there_for_whoever_asks() {
        let login: Login = secret(r#"{"password": "hunter2"}"#).reveal().unwrap();
        assert_eq!(login.password, "hunter2");
        let missing = secret("{}").reveal::<Login>().err().unwrap();
        assert!(format!("{missing:?}").contains("password"), "{missing:?}");
        let absent = Secret::new(None, "writeOnlyProps");
        assert!(absent.reveal::<Option<Login>>().unwrap().is_none());
        assert!(absent.reveal::<Login>().is_err());
    }
}
