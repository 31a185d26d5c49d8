//! Which environment variables providers get.

use std::ffi::{OsStr, OsString};

use serde::{Deserialize, Serialize};
use tenon_host::{Environment, PluginCommand, Variable, VariableError};
use tenon_protocols::Secrets;

/// What a scenario passes on to one provider: `env` in `required_providers`. A record has it
/// as it is written there, `["AWS_*", "STAGE=test"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct ProviderEnvironment(Vec<Variable>);

impl ProviderEnvironment {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What both pass on.
    pub fn extend(&mut self, other: &ProviderEnvironment) {
        self.0.extend(other.0.iter().cloned());
    }
}

impl From<Vec<Variable>> for ProviderEnvironment {
    fn from(variables: Vec<Variable>) -> ProviderEnvironment {
        ProviderEnvironment(variables)
    }
}

impl TryFrom<Vec<String>> for ProviderEnvironment {
    type Error = VariableError;

    fn try_from(texts: Vec<String>) -> Result<ProviderEnvironment, VariableError> {
        let variables = texts.iter().map(|text| Variable::parse(text.as_ref()));
        variables.collect::<Result<_, _>>().map(ProviderEnvironment)
    }
}

impl From<ProviderEnvironment> for Vec<String> {
    fn from(environment: ProviderEnvironment) -> Vec<String> {
        let text = |variable: Variable| match variable {
            Variable::Inherited(name) => shown(&name),
            Variable::Set(name, value) => format!("{}={}", shown(&name), shown(&value)),
        };
        environment.0.into_iter().map(text).collect()
    }
}

/// What the user passes on to all providers of a run.
#[derive(Clone, Debug)]
pub struct RunEnvironment {
    /// All variables.
    pub all: bool,
    /// These variables.
    pub variables: Vec<Variable>,
    /// How to pass on a variable that a provider lacks.
    pub hint: &'static str,
}

impl Default for RunEnvironment {
    fn default() -> RunEnvironment {
        RunEnvironment {
            all: false,
            variables: Vec::new(),
            hint: "add `env = [\"NAME\"]` to the provider in `required_providers`",
        }
    }
}

/// What a record has of that, so that a teardown passes on the same; without values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentRecord {
    /// All variables.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) all: bool,
    /// The names and patterns of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) names: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(value: &bool) -> bool {
    !value
}

impl EnvironmentRecord {
    pub(crate) fn is_empty(&self) -> bool {
        *self == EnvironmentRecord::default()
    }
}

impl RunEnvironment {
    /// What a record is to hold of it.
    pub(crate) fn recorded(&self) -> EnvironmentRecord {
        let mut names: Vec<String> = { self.variables.iter() }
            .map(|variable| shown(variable.name()))
            .collect();
        names.sort();
        names.dedup();
        EnvironmentRecord {
            all: self.all,
            names,
        }
    }

    /// Adds what the run was given whose record this is.
    ///
    /// # Errors
    /// The names of variables that it was given, and that are neither set nor given now.
    pub fn recall(&mut self, record: &EnvironmentRecord) -> Result<(), Vec<String>> {
        self.all |= record.all;
        let is_given = |name: &str| {
            let mut given = self.variables.iter();
            given.any(|variable| variable.name() == OsStr::new(name))
        };
        let names = record.names.iter().filter(|name| !is_given(name));
        let names: Vec<String> = names.cloned().collect();
        let is_missing = |name: &&String| !name.contains('*') && std::env::var_os(name).is_none();
        let missing: Vec<String> = names.iter().filter(is_missing).cloned().collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let names = names.into_iter().map(OsString::from);
        self.variables.extend(names.map(Variable::Inherited));
        Ok(())
    }

    /// A provider's command with these variables.
    pub(crate) fn apply(
        &self,
        command: PluginCommand,
        provider: &ProviderEnvironment,
    ) -> PluginCommand {
        let command = match self.all {
            true => command.inherit(Environment::All),
            false => command,
        };
        // The command line counts more than the file.
        let variables = provider.0.iter().chain(&self.variables);
        command
            .with_variables(variables)
            .environment_advice(self.hint)
    }

    /// Learns the secrets that a provider gets this way, so that they are masked in its output.
    pub(crate) fn hide(&self, provider: &ProviderEnvironment, secrets: &Secrets) {
        let everything = self.all.then(|| Variable::Inherited("*".into()));
        let variables = provider.0.iter().chain(&self.variables);
        let found = variables.chain(&everything).flat_map(Variable::secrets);
        secrets.learn_variables(found, []);
    }
}

fn shown(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(texts: &[&str]) -> RunEnvironment {
        let variable = |text: &&str| Variable::parse(text.as_ref()).unwrap();
        RunEnvironment {
            variables: texts.iter().map(variable).collect(),
            ..RunEnvironment::default()
        }
    }

    #[test]
    fn a_record_holds_names_and_no_values() {
        let recorded = environment(&["B=s3cret", "PATH", "A_*"]).recorded();
        let text = serde_json::to_string(&recorded).unwrap();
        assert_eq!(text, r#"{"names":["A_*","B","PATH"]}"#);
    }

    #[test]
    fn what_a_run_was_given_is_asked_for_again() {
        let recorded = environment(&["NO_SUCH_VARIABLE=1", "PATH", "A_*"]).recorded();
        let missing = RunEnvironment::default().recall(&recorded).unwrap_err();
        assert_eq!(missing, ["NO_SUCH_VARIABLE"]);
        let mut given = environment(&["NO_SUCH_VARIABLE=2"]);
        given.recall(&recorded).unwrap();
        assert_eq!(given.recorded(), recorded);
    }

    #[test]
    fn the_environment_of_a_provider_is_kept_as_it_is_written() {
        let text = r#"["AWS_*","STAGE=test"]"#;
        let environment: ProviderEnvironment = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&environment).unwrap(), text);
        assert!(serde_json::from_str::<ProviderEnvironment>(r#"["=x"]"#).is_err());
    }
}
