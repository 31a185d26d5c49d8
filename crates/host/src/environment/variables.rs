//! A whole environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::platform;

/// Variables with their values, each name once, as the system compares names: on Windows, `Path` is `PATH`.
#[derive(Clone, Default)]
pub(crate) struct Variables(BTreeMap<Vec<u8>, (OsString, OsString)>);

impl Variables {
    /// Sets a variable. The name is written as here from now on.
    pub(crate) fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let (name, value) = (name.into(), value.into());
        self.0.insert(key(&name), (name, value));
    }

    pub(crate) fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        let found = self.0.get(&key(name.as_ref()));
        found.map(|(_, value)| value.as_os_str())
    }

    /// The names and values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let all = self.0.values();
        all.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// A name as the system compares it.
fn key(name: &OsStr) -> Vec<u8> {
    platform::compared(name).into_owned()
}

impl<N: Into<OsString>, V: Into<OsString>> Extend<(N, V)> for Variables {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, variables: I) {
        for (name, value) in variables {
            self.set(name, value);
        }
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Variables {
        let mut all = Variables::default();
        all.extend(variables);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_there_once_as_the_system_compares_names() {
        let mut variables = Variables::from_iter([("Path", "inherited"), ("A", "b")]);
        variables.extend([("PATH", "given")]);
        let names: Vec<_> = variables.iter().map(|(name, _)| name).collect();
        assert_eq!(variables.get("PATH"), Some("given".as_ref()));
        match cfg!(windows) {
            true => {
                assert_eq!(names, ["A", "PATH"]);
                assert_eq!(variables.get("path"), Some("given".as_ref()));
            }
            false => {
                assert_eq!(names, ["A", "PATH", "Path"]);
                assert_eq!(variables.get("path"), None);
            }
        }
    }
}
