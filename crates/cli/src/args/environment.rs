//! The options for the environment variables of plugins.

use std::ffi::OsString;
use std::fmt;

use tenon_host::{Environment, PluginCommand, Variable};
use tenon_protocols::Secrets;

use crate::exit::Failure;

#[derive(Clone, Default, clap::Args)]
pub(crate) struct EnvironmentArgs {
    /// Pass an environment variable to programs: NAME, a pattern such as 'AWS_*', or NAME=VALUE; by
    /// default they get only PATH, HOME and others that they need
    // Read later, because an error of the parser would show the value.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    env: Vec<OsString>,

    /// Pass all environment variables except TENON_VAR_* and TENON_RECORD_KEY
    #[arg(long)]
    env_all: bool,
}

impl EnvironmentArgs {
    /// Whether plugins get all variables.
    pub(crate) fn all(&self) -> bool {
        self.env_all
    }

    /// The variables that are passed on.
    ///
    /// # Errors
    /// One is not written as it should be, or is not set.
    pub(crate) fn variables(&self) -> Result<Vec<Variable>, Failure> {
        let read = |text: &OsString| {
            let variable = Variable::parse(text)
                .map_err(|error| Failure::usage(format!("--env: {error}\n  {FORMS}")))?;
            match variable {
                Variable::Inherited(name) if is_missing(&name) => {
                    let name = name.to_string_lossy();
                    Err(Failure::usage(format!(
                        "--env {name}: this environment variable is not set\n  \
                         set it, or give it a value with --env {name}=VALUE"
                    )))
                }
                variable => Ok(variable),
            }
        };
        self.env.iter().map(read).collect()
    }

    /// Learns what is secret in the variables that are passed on: values whose names say so, as in scenarios, and credentials
    /// in the others, such as the password in a URL.
    ///
    /// # Errors
    /// Those of [`variables`](EnvironmentArgs::variables).
    pub(crate) fn learn(&self, secrets: &Secrets) -> Result<(), Failure> {
        let everything = self.env_all.then(|| Variable::Inherited("*".into()));
        for variable in self.variables()?.iter().chain(&everything) {
            secrets.learn_variables(variable.secrets(), variable.values());
        }
        Ok(())
    }

    /// Whether `PATH`, where the plugin's program is looked for, is given with a value.
    ///
    /// # Errors
    /// Those of [`variables`](EnvironmentArgs::variables).
    pub(crate) fn sets_search_path(&self) -> Result<bool, Failure> {
        let variables = self.variables()?;
        Ok(variables.iter().any(|one| one.given("PATH").is_some()))
    }

    /// A command that gets them.
    ///
    /// # Errors
    /// Those of [`variables`](EnvironmentArgs::variables).
    pub(crate) fn apply(&self, command: PluginCommand) -> Result<PluginCommand, Failure> {
        let command = match self.env_all {
            true => command.inherit(Environment::All),
            false => command,
        };
        Ok(command.with_variables(&self.variables()?))
    }
}

impl fmt::Debug for EnvironmentArgs {
    /// Values may be secrets: only how many there are is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvironmentArgs")
            .field("env", &self.env.len())
            .field("env_all", &self.env_all)
            .finish()
    }
}

const FORMS: &str = "write --env NAME, --env 'PATTERN*' or --env NAME=VALUE";

/// A pattern that matches nothing is not a mistake.
fn is_missing(name: &OsString) -> bool {
    !name.as_encoded_bytes().contains(&b'*') && std::env::var_os(name).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(env: &[&str]) -> Result<Vec<Variable>, String> {
        let args = EnvironmentArgs {
            env: env.iter().map(OsString::from).collect(),
            env_all: false,
        };
        args.variables().map_err(|failure| failure.message)
    }

    #[test]
    fn names_that_are_not_set_are_refused_and_patterns_are_not() {
        assert_eq!(
            variables(&["PATH", "NO_SUCH_VARIABLE_*", "A=b"]),
            Ok(vec![
                Variable::Inherited("PATH".into()),
                Variable::Inherited("NO_SUCH_VARIABLE_*".into()),
                Variable::Set("A".into(), "b".into()),
            ])
        );
        let error = variables(&["NO_SUCH_VARIABLE"]).unwrap_err();
        assert!(error.contains("not set"), "{error}");
    }

    #[test]
    fn secrets_are_known_by_their_names_and_as_credentials() {
        let args = EnvironmentArgs {
            env: [
                "API_TOKEN=t0ken-value",
                "STAGE=production",
                "DB=postgres://me:pa55word@host/db",
            ]
            .map(OsString::from)
            .to_vec(),
            env_all: false,
        };
        let secrets = Secrets::default();
        args.learn(&secrets)
            .map_err(|failure| failure.message)
            .unwrap();
        assert_eq!(
            secrets.hide("t0ken-value production pa55word host"),
            "(sensitive) production (sensitive) host"
        );
    }

    #[test]
    fn values_are_not_shown() {
        for wrong in ["=s3cret", "A*=s3cret"] {
            let error = variables(&[wrong]).unwrap_err();
            assert!(!error.contains("s3cret"), "{error}");
        }
        let args = EnvironmentArgs {
            env: vec!["A=s3cret".into()],
            env_all: false,
        };
        assert!(!format!("{args:?}").contains("s3cret"));
    }
}
