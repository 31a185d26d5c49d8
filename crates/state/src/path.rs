//! The name of a state, as it appears in addresses and in calls of the storage.

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use tenon_protocols::seasonings::calls::storage::check_path;

/// What is below a path of the server. Locks have paths of their own, so that a request means the same whatever the
/// methods are that a client was configured with: many lock with POST and unlock with DELETE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    State,
    Lock,
    Unlock,
}

impl Root {
    const ALL: [Root; 3] = [Root::State, Root::Lock, Root::Unlock];

    fn prefix(self) -> &'static str {
        match self {
            Root::State => "/state/",
            Root::Lock => "/lock/",
            Root::Unlock => "/unlock/",
        }
    }
}

/// Longer names are refused: they become file names in many storages.
const MAX_BYTES: usize = 512;

/// What is escaped within a segment of a URL.
const SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A relative path without empty, `.` or `..` segments, control characters or backslashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StatePath(String);

/// Text that names no state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a name of a state: {reason}")]
pub struct InvalidPath {
    text: String,
    reason: &'static str,
}

impl StatePath {
    /// Checks the name of a state, such as `default` or `team/production`.
    ///
    /// # Errors
    /// The name is empty or too long, has an empty, `.` or `..` segment, a control character or a backslash.
    pub fn new(text: &str) -> Result<StatePath, InvalidPath> {
        let reason = if text.len() > MAX_BYTES {
            "it is longer than 512 bytes"
        } else if text.chars().any(char::is_control) {
            "it has a control character"
        } else if text.contains('\\') {
            "it has a backslash"
        } else if check_path(text).is_err() {
            "it has an empty, \".\" or \"..\" segment"
        } else {
            return Ok(StatePath(text.to_owned()));
        };
        Err(InvalidPath {
            text: text.chars().take(80).collect(),
            reason,
        })
    }

    /// The name of a state in the path of a request; `None` for a path that is not below a [`Root`].
    pub(crate) fn of_request(path: &str) -> Option<(Root, Result<StatePath, InvalidPath>)> {
        let mut roots = Root::ALL.into_iter();
        let found = roots.find_map(|root| Some((root, path.strip_prefix(root.prefix())?)));
        let (root, name) = found?;
        let name = percent_decode_str(name).decode_utf8_lossy();
        Some((root, StatePath::new(&name)))
    }

    /// The path of requests for this state.
    pub(crate) fn to_request(&self, root: Root) -> String {
        let name = utf8_percent_encode(&self.0, SEGMENT);
        format!("{}{name}", root.prefix())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StatePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Root, StatePath};

    #[test]
    fn a_name_survives_the_way_through_an_address() {
        for name in [
            "default",
            "team/production",
            "größe",
            "a b%2F#?",
            "...",
            "-",
        ] {
            let path = StatePath::new(name).unwrap();
            for root in Root::ALL {
                let request = path.to_request(root);
                assert!(request.is_ascii() && !request.contains(' '), "{request}");
                let found = StatePath::of_request(&request);
                assert_eq!(found, Some((root, Ok(path.clone()))));
            }
        }
    }

    #[test]
    fn names_that_could_leave_a_folder_are_refused() {
        for path in [
            "/state/",
            "/state//a",
            "/state/a/",
            "/state/..",
            "/state/a/../b",
            "/state/%2e%2e/b",
            "/state/a%2f..%2fb",
            "/state/.",
            "/state/a%00",
            "/state/a%5cb",
            "/state/a%0ab",
        ] {
            assert!(
                matches!(StatePath::of_request(path), Some((Root::State, Err(_)))),
                "{path}"
            );
        }
        assert!(StatePath::new(&"a".repeat(513)).is_err());
        assert_eq!(StatePath::of_request("/other"), None);
    }
}
