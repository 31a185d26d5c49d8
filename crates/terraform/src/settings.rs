//! The provider's own configuration.

use std::time::Duration;

use tenon_values::Value;

use crate::proto::tfplugin6::Diagnostic;
use crate::{script, wire};

/// What the provider block says, and who reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Settings {
    pub(crate) deno: Option<String>,
    pub(crate) deno_version: Option<String>,
    pub(crate) reuse: Option<bool>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) stderr_in_errors: Option<bool>,
    pub(crate) terraform_version: String,
}

impl Settings {
    pub(crate) fn of(block: &Value, terraform_version: &str) -> Result<Settings, Diagnostic> {
        Ok(Settings {
            deno: wire::text(block, "deno_binary_path").filter(|path| !path.is_empty()),
            deno_version: wire::text(block, "deno_version").filter(|version| !version.is_empty()),
            reuse: wire::part(block, "reuse").as_bool(),
            timeout: script::limit(&wire::part(block, "timeout"))?,
            stderr_in_errors: wire::part(block, "stderr_in_errors").as_bool(),
            terraform_version: terraform_version.to_owned(),
        })
    }

    /// Whether errors show what scripts wrote to stderr. Functions are called before anything is
    /// configured, so the environment can say it as well.
    pub(crate) fn shows_stderr(&self) -> bool {
        let variable = || {
            let said = std::env::var("TENON_STDERR_IN_ERRORS").unwrap_or_default();
            !matches!(
                said.to_ascii_lowercase().as_str(),
                "0" | "false" | "no" | "off"
            )
        };
        self.stderr_in_errors.unwrap_or_else(variable)
    }

    /// How many steps of a path to an attribute this Terraform follows: 1.15 follows all, 1.11
    /// two, and of those in between nobody knows.
    pub(crate) fn path_depth(&self) -> usize {
        let mut numbers = self.terraform_version.split('.').map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(1)), Some(Ok(minor))) if minor < 15 => 2,
            _ => usize::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_ones_follow_two_steps() {
        for (version, depth) in [
            ("1.11.4", 2),
            ("1.15.5", usize::MAX),
            ("1.16.0-rc2", usize::MAX),
            ("2.0.0", usize::MAX),
            ("", usize::MAX),
        ] {
            let settings = Settings::of(&Value::NULL, version).unwrap();
            assert_eq!(settings.path_depth(), depth, "{version}");
        }
    }
}
