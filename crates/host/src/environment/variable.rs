//! One more environment variable for a plugin, as users write it.

use std::ffi::{OsStr, OsString};
use std::fmt;

use super::{names_it, usual};
use crate::platform;

/// An environment variable that a user passes to a plugin.
#[derive(Clone, PartialEq, Eq)]
pub enum Variable {
    /// `NAME`, or a pattern such as `AWS_*`: inherited if it is set.
    Inherited(OsString),
    /// `NAME=VALUE`.
    Set(OsString, OsString),
}

/// Why a text is not a variable. The value is not in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariableError {
    /// The name is empty.
    NoName,
    /// A name has a NUL byte in it, or a value has.
    Nul,
    /// A pattern is given a value.
    SetPattern,
    /// A name has whitespace or a control character in it, as two names without a comma have.
    Blank,
}

impl Variable {
    /// Reads `NAME`, `NAME=VALUE`, or a pattern such as `AWS_*`.
    ///
    /// # Errors
    /// The name is empty or has whitespace or a NUL byte in it, or a pattern has a value.
    pub fn parse(text: &OsStr) -> Result<Variable, VariableError> {
        if text.as_encoded_bytes().contains(&0) {
            return Err(VariableError::Nul);
        }
        let variable = match platform::split_once(text, b'=') {
            Some((name, value)) => Variable::Set(name, value),
            None => Variable::Inherited(text.to_owned()),
        };
        match &variable {
            _ if variable.name().is_empty() => Err(VariableError::NoName),
            _ if variable.name().as_encoded_bytes().iter().any(is_blank) => {
                Err(VariableError::Blank)
            }
            Variable::Set(..) if variable.is_pattern() => Err(VariableError::SetPattern),
            _ => Ok(variable),
        }
    }

    /// Its name, or the pattern.
    pub fn name(&self) -> &OsStr {
        match self {
            Variable::Inherited(name) | Variable::Set(name, _) => name,
        }
    }

    /// The value that it gives to the variable of this name.
    pub fn given(&self, name: &str) -> Option<&OsStr> {
        match self {
            Variable::Set(own, value) => {
                (platform::compared(own) == platform::compared(name.as_ref())).then_some(value)
            }
            Variable::Inherited(_) => None,
        }
    }

    /// Whether it stands for all variables whose names fit a pattern.
    pub fn is_pattern(&self) -> bool {
        self.name().as_encoded_bytes().contains(&b'*')
    }

    /// Our environment variables that it means, or what it sets.
    pub fn values(&self) -> Vec<(OsString, OsString)> {
        match self {
            Variable::Inherited(pattern) => std::env::vars_os()
                .filter(|(name, _)| names_it(pattern, name))
                .collect(),
            Variable::Set(name, value) => vec![(name.clone(), value.clone())],
        }
    }

    /// The values among these whose names say that they are secrets.
    pub fn secrets(&self) -> Vec<OsString> {
        let values = self.values().into_iter();
        let secrets = values.filter(|(name, _)| usual::is_secret(name));
        secrets.map(|(_, value)| value).collect()
    }
}

fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || byte.is_ascii_control()
}

impl fmt::Debug for Variable {
    /// Values may be secrets: only the name is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Inherited(name) => f.debug_tuple("Inherited").field(name).finish(),
            Variable::Set(name, _) => f.debug_tuple("Set").field(name).finish_non_exhaustive(),
        }
    }
}

impl fmt::Display for VariableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            VariableError::NoName => "the name of the environment variable is empty",
            VariableError::Nul => "an environment variable cannot contain a NUL byte",
            VariableError::SetPattern => "a pattern with * cannot be given a value",
            VariableError::Blank => "the name of an environment variable cannot contain spaces",
        })
    }
}

impl std::error::Error for VariableError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_inherited_or_set() {
        let parse = |text: &str| Variable::parse(text.as_ref());
        let set = |value: &str| Ok(Variable::Set("A".into(), value.into()));
        assert_eq!(parse("AWS_*"), Ok(Variable::Inherited("AWS_*".into())));
        assert_eq!(parse("A="), set(""));
        assert_eq!(parse("A=b=c*"), set("b=c*"));
        assert_eq!(parse(""), Err(VariableError::NoName));
        assert_eq!(parse("=s3cret"), Err(VariableError::NoName));
        assert_eq!(parse("A*=s3cret"), Err(VariableError::SetPattern));
        assert_eq!(parse("A\0"), Err(VariableError::Nul));
        assert_eq!(parse("BAD NAME"), Err(VariableError::Blank));
        assert_eq!(parse("BAD\nNAME=x"), Err(VariableError::Blank));
        assert_eq!(parse("A=b c"), set("b c"));
        let debug = format!("{:?}", parse("A=s3cret"));
        assert!(!debug.contains("s3cret"), "{debug}");
    }

    #[test]
    fn values_with_telling_names_are_secrets() {
        let secrets =
            |text: &str| Variable::parse(text.as_ref()).map(|variable| variable.secrets());
        assert_eq!(secrets("API_TOKEN=abc"), Ok(vec!["abc".into()]));
        assert_eq!(secrets("STAGE=abc"), Ok(Vec::new()));
    }
}
