//! The provider's own configuration.

use std::ffi::OsString;
use std::time::Duration;

use tenon_host::{Environment, PluginCommand, Variable};
use tenon_tfplugin::{Diagnostic, block};
use tenon_values::Value;

use crate::script;

/// What the provider block says.
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
    pub(crate) fn of(config: &Value, terraform_version: &str) -> Result<Settings, Diagnostic> {
        let settings = Settings {
            deno: block::text(config, "deno_binary_path").filter(|path| !path.is_empty()),
            deno_version: block::text(config, "deno_version").filter(|version| !version.is_empty()),
            reuse: block::part(config, "reuse").as_bool(),
            timeout: script::limit(&block::part(config, "timeout"))?,
            stderr_in_errors: block::part(config, "stderr_in_errors").as_bool(),
            env: variables(&block::part(config, "env"))?,
            terraform_version: terraform_version.to_owned(),
        };
        // Checked here, so that the error is reported once and not for each script.
        settings.passed_on()?;
        Ok(settings)
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

    /// A command with the environment that scripts get. By default that is everything except the
    /// variables that Terraform set for us, as in terraform-provider-denobridge.
    ///
    /// # Errors
    /// `TENON_SCRIPT_ENV` is used and invalid.
    pub(crate) fn with_environment(
        &self,
        command: PluginCommand,
    ) -> Result<PluginCommand, Diagnostic> {
        Ok(match self.passed_on()? {
            Some(variables) => {
                let advice = match self.env {
                    Some(_) => "add \"NAME\" to `env` in the provider block",
                    None => "add \"NAME\" to TENON_SCRIPT_ENV",
                };
                command
                    .with_variables(&variables)
                    .environment_advice(advice)
            }
            None => {
                let command = command.inherit(Environment::Only(inherited()));
                command.environment_advice("")
            }
        })
    }

    /// What scripts get besides what every program needs; `None` if neither the configuration nor the
    /// environment says so. Functions are called before anything is configured, so the environment can
    /// name the variables as well.
    ///
    /// # Errors
    /// As [`with_environment`](Settings::with_environment).
    pub(crate) fn passed_on(&self) -> Result<Option<Vec<Variable>>, Diagnostic> {
        match &self.env {
            Some(variables) => Ok(Some(variables.clone())),
            None => std::env::var_os(ENV_VARIABLE).map(named).transpose(),
        }
    }

    /// How many steps of a path to an attribute this Terraform follows: 1.15 follows all, 1.11 two.
    /// The versions in between have not been tested and count as 1.11.
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

/// The variables that a list with commas names. What is between two commas may be nothing.
fn named(names: OsString) -> Result<Vec<Variable>, Diagnostic> {
    let refused = |problem: String| {
        let detail = format!(
            "{ENV_VARIABLE} is invalid: {problem}. It lists names of environment variables, patterns such as \
             AWS_*, or NAME=VALUE, separated by commas."
        );
        Diagnostic::error("Invalid environment", detail)
    };
    let names = { names.into_string() }.map_err(|_| refused("it is not UTF-8".to_owned()))?;
    let names = { names.split(',') }
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let variables = names.map(|text| {
        Variable::parse(text.as_ref()).map_err(|error| {
            // The value may be a secret.
            let shown = match text.split_once('=') {
                Some((name, _)) => format!("{name}=…"),
                None => text.to_owned(),
            };
            refused(format!("{shown:?}: {error}"))
        })
    });
    variables.collect()
}

/// Everything in our environment except the variables that Terraform set for us.
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
            "env is invalid: {problem}. It lists names of environment variables, patterns such as \"AWS_*\", or \
             \"NAME=VALUE\"."
        );
        Diagnostic::error("Invalid environment", detail).at("env")
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
    fn older_versions_of_terraform_follow_two_steps() {
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
