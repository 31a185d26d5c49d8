//! Which of our environment variables a plugin gets.
//!
//! An environment often holds credentials, and most plugins need none of them. By default a plugin
//! gets what programs and their runtimes need to start, and what users add by name.

mod left_out;
mod usual;
mod variable;
mod variables;

use std::ffi::{OsStr, OsString};

use crate::platform;

pub use left_out::LeftOut;
pub use variable::{Variable, VariableError};
pub(crate) use variables::Variables;

/// Which of our environment variables a plugin inherits. Names may be patterns, in which `*` stands
/// for any number of characters.
///
/// What Tenon itself reads, `TENON_VAR_*` and `TENON_RECORD_KEY`, holds secrets of scenarios and
/// records. It is inherited only by a name or pattern that begins with `TENON_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// What programs need to run, such as `PATH`, `HOME`, `LANG`, proxies, certificates and the
    /// settings of runtimes, and the variables with these names.
    Few {
        /// The names of the others.
        more: Vec<OsString>,
    },
    /// All but what Tenon itself reads.
    All,
    /// Only those with these names.
    Only(Vec<OsString>),
}

impl Default for Environment {
    fn default() -> Environment {
        Environment::Few { more: Vec::new() }
    }
}

impl Environment {
    /// Whether a plugin inherits the variable with this name.
    pub fn includes(&self, name: &OsStr) -> bool {
        let is_named = |names: &[OsString]| names.iter().any(|pattern| names_it(pattern, name));
        match self {
            Environment::Few { more } => usual::is_usual(name) || is_named(more),
            Environment::All => !is_own(name),
            Environment::Only(names) => is_named(names),
        }
    }
}

/// What Tenon itself reads, and what may hold secrets: values of scenarios' variables, and the key
/// of records.
const OWN: [&str; 2] = ["TENON_VAR_*", "TENON_RECORD_KEY"];

fn is_own(name: &OsStr) -> bool {
    OWN.iter().any(|own| matches(own.as_ref(), name))
}

/// Whether a user means this variable by a name or pattern.
fn names_it(pattern: &OsStr, name: &OsStr) -> bool {
    let is_explicit = platform::compared(pattern).starts_with(b"TENON_");
    matches(pattern, name) && (is_explicit || !is_own(name))
}

/// Whether a name fits a pattern. On Windows, `Path` is `PATH`.
pub(crate) fn matches(pattern: &OsStr, name: &OsStr) -> bool {
    let (pattern, name) = (platform::compared(pattern), platform::compared(name));
    let mut rest: &[u8] = &name;
    let mut pieces = pattern.split(|byte| *byte == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(last) = pieces.next_back() else {
        return rest == first;
    };
    match rest.strip_prefix(first) {
        Some(after) => rest = after,
        None => return false,
    }
    for piece in pieces {
        match memchr::memmem::find(rest, piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn includes(environment: &Environment, name: &str) -> bool {
        environment.includes(name.as_ref())
    }

    #[test]
    fn patterns_have_stars() {
        for (pattern, name, expected) in [
            ("PATH", "PATH", true),
            ("PATH", "PATHS", false),
            ("AWS_*", "AWS_REGION", true),
            ("AWS_*", "AWS_", true),
            ("AWS_*", "MY_AWS_REGION", false),
            ("*_URL", "DB_URL", true),
            ("*_URL", "DB_URLS", false),
            ("A*B*C", "AxByC", true),
            ("A*B*C", "AxCyB", false),
            ("AB*BC", "ABC", false),
            ("*", "", true),
            ("", "", true),
            ("", "A", false),
        ] {
            let found = matches(pattern.as_ref(), name.as_ref());
            assert_eq!(found, expected, "{pattern} {name}");
        }
    }

    #[test]
    fn what_is_added_is_inherited() {
        let more = ["AWS_*", "STAGE"].map(OsString::from).to_vec();
        let environment = Environment::Few { more };
        for name in ["PATH", "AWS_REGION", "STAGE"] {
            assert!(includes(&environment, name), "{name}");
        }
        for name in ["STAGE_2", "GITHUB_TOKEN", "SSH_AUTH_SOCK"] {
            assert!(!includes(&environment, name), "{name}");
        }
    }

    #[test]
    fn what_tenon_reads_has_to_be_named() {
        let with = |name: &str| Environment::Few {
            more: vec![name.into()],
        };
        for own in ["TENON_VAR_password", "TENON_RECORD_KEY"] {
            for environment in [Environment::default(), Environment::All, with("*")] {
                assert!(!includes(&environment, own), "{own} {environment:?}");
            }
            for environment in [with(own), with("TENON_*")] {
                assert!(includes(&environment, own), "{own} {environment:?}");
            }
        }
        assert!(includes(&Environment::All, "AWS_SECRET_ACCESS_KEY"));
        assert!(includes(&with("*"), "AWS_SECRET_ACCESS_KEY"));
    }
}
