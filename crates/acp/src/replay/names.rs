//! The names that differ between a record and a conversation: sessions and folders.

use std::collections::HashMap;

use serde_json::Value;
use tenon_rpc::Payload;

/// What recorded names are called now.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    sessions: HashMap<String, String>,
    /// The folder of a session in the record, and the one that it has now.
    folders: Vec<(String, String)>,
}

impl Names {
    pub(super) fn add_session(&mut self, recorded: &str, now: &str) {
        if recorded != now && !recorded.is_empty() {
            self.sessions.insert(recorded.to_owned(), now.to_owned());
        }
    }

    pub(super) fn add_folder(&mut self, recorded: &str, now: &str) {
        let (recorded, now) = (recorded.trim_end_matches('/'), now.trim_end_matches('/'));
        if recorded != now && !recorded.is_empty() {
            self.folders.push((recorded.to_owned(), now.to_owned()));
        }
    }

    /// A recorded value in today's names. What has none of them stays byte for byte.
    pub(super) fn translate(&self, payload: &Payload) -> Payload {
        if self.sessions.is_empty() && self.folders.is_empty() {
            return payload.clone();
        }
        let Ok(mut value) = payload.decode::<Value>() else {
            return payload.clone();
        };
        match self.change(&mut value) {
            true => Payload::from_json(value.to_string()).unwrap_or_else(|_| payload.clone()),
            false => payload.clone(),
        }
    }

    fn change(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.name(text) {
                Some(now) => {
                    *text = now;
                    true
                }
                None => false,
            },
            Value::Array(items) => items
                .iter_mut()
                .fold(false, |changed, item| self.change(item) | changed),
            Value::Object(members) => members
                .values_mut()
                .fold(false, |changed, item| self.change(item) | changed),
            _ => false,
        }
    }

    fn name(&self, text: &str) -> Option<String> {
        if let Some(now) = self.sessions.get(text) {
            return Some(now.clone());
        }
        self.folders.iter().find_map(|(recorded, now)| {
            let rest = text.strip_prefix(recorded.as_str())?;
            (rest.is_empty() || rest.starts_with(std::path::is_separator))
                .then(|| format!("{now}{rest}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_and_folders_are_translated_and_the_rest_keeps_its_bytes() {
        let mut names = Names::default();
        names.add_session("old", "new");
        names.add_folder("/old/work", "/w");
        let translated = |text: &str| {
            let payload = names.translate(&Payload::from_json(text).unwrap());
            String::from_utf8(payload.bytes().to_vec()).unwrap()
        };
        let session = r#"{"sessionId":"old","path":"/old/work/src"}"#;
        let expected: Value = serde_json::json!({ "sessionId": "new", "path": "/w/src" });
        assert_eq!(
            serde_json::from_str::<Value>(&translated(session)).unwrap(),
            expected
        );
        for same in [
            r#"{ "text":"the old one","n":1.00}"#,
            r#"["/old/workshop"]"#,
        ] {
            assert_eq!(translated(same), same);
        }
    }
}
