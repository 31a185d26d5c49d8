//! The provider's own configuration.

use std::ffi::OsString;
use std::time::Duration;

use tenon_host::{Environment, PluginCommand, Variable};
use tenon_values::Value;

use crate::proto::tfplugin6::Diagnostic;
use crate::{diagnostic, script, wire};

/// What the provider block says, and who reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Settings {
    pub(crate) deno: Option<String>,
    pub(crate) deno_version: Option<String>,
    pub(crate) reuse: Option<bool>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) stderr_in_errors: Option<bool>,
    /// What scripts get of our environment besides what every program needs; all if it is not set.
    pub(crate) env: Option<Vec<Variable>>,
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
            env: variables(&wire::part(block, "env"))?,
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

    /// A command with the environment that scripts get. By default that is everything except what
    /// is between Terraform and us, as in terraform-provider-denobridge. Functions are called before
    /// anything is configured, so the environment can name the variables as well.
    pub(crate) fn with_environment(&self, command: PluginCommand) -> PluginCommand {
        let named = std::env::var(ENV_VARIABLE).ok().map(|names| {
            let names = names.split(',').map(str::trim);
            let variables = names.map(|name| Variable::parse(name.as_ref()));
            variables.filter_map(Result::ok).collect()
        });
        match self.env.clone().or(named) {
            Some(variables) => command
                .with_variables(&variables)
                .environment_advice(ADVICE),
            None => {
                let command = command.inherit(Environment::Only(inherited()));
                command.environment_advice("")
            }
        }
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

/// Names the variables that scripts get, separated by commas, where no provider block does.
const ENV_VARIABLE: &str = "TENON_SCRIPT_ENV";

const ADVICE: &str = "add \"NAME\" to `env` in the provider block, or to TENON_SCRIPT_ENV";

/// Everything in our environment except what is between Terraform and us.
fn inherited() -> Vec<OsString> {
    let is_ours = |name: &OsString| {
        let name = name.to_string_lossy();
        name == "TF_PLUGIN_MAGIC_COOKIE" || name.starts_with("PLUGIN_")
    };
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| !is_ours(name)).collect()
}

/// What `env` passes on. As long as it is not known, nothing is passed on.
fn variables(list: &Value) -> Result<Option<Vec<Variable>>, Diagnostic> {
    let refused = |problem: &str| {
        let detail = format!(
            "env cannot be used: {problem}. Write names of environment variables, patterns such as \"AWS_*\", or \
             \"NAME=VALUE\"."
        );
        diagnostic::at(diagnostic::error("Invalid environment", detail), "env")
    };
    if list.is_null() {
        return Ok(None);
    }
    let mut variables = Vec::new();
    for element in list.elements().unwrap_or_default() {
        if element.is_null() {
            return Err(refused("there is a null in the list"));
        }
        if let Some(text) = element.as_str() {
            let variable = Variable::parse(text.as_ref());
            variables.push(variable.map_err(|error| refused(&error.to_string()))?);
        }
    }
    Ok(Some(variables))
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
