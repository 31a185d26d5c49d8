//! How providers are started.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tenon_host::{Limits, PluginCommand};
use tenon_protocols::Secrets;

use crate::environment::{ProviderEnvironment, RunEnvironment};
use crate::hint::Advice;
use crate::providers::failure::{FailureKind, ProviderFailure};
use crate::reading::model::ProviderSource;

/// How providers are started.
#[derive(Clone, Default)]
pub struct Launcher {
    /// How each built-in provider is started, by its name: the `NAME` of `builtin/NAME`.
    pub builtins: Arc<BTreeMap<String, PluginCommand>>,
    /// The folder they are started in: that of the scenario file.
    pub folder: PathBuf,
    /// Is called with every line that a provider writes to stderr, without secrets.
    pub on_log: Option<SeeLog>,
    /// Which environment variables all of them get, besides those that the scenario passes on.
    pub environment: RunEnvironment,
    /// Secrets, which are masked in everything that is printed.
    pub secrets: Secrets,
    /// How hints are worded.
    pub advice: Advice,
}

/// Takes a provider's name in the scenario and a line.
pub type SeeLog = Arc<dyn Fn(&str, &str) + Send + Sync>;

impl Launcher {
    /// The command that starts a provider.
    ///
    /// # Errors
    /// There is no such built-in provider.
    pub(crate) fn command(
        &self,
        name: &str,
        source: &ProviderSource,
        environment: &ProviderEnvironment,
    ) -> Result<PluginCommand, ProviderFailure> {
        let command = match source {
            ProviderSource::Builtin(builtin) => match self.builtins.get(builtin) {
                Some(command) => command.clone(),
                None => return Err(self.no_builtin(name, builtin)),
            },
            ProviderSource::Program(path) => PluginCommand::new(path),
            ProviderSource::Confined {
                program,
                permissions,
            } => {
                let command = self.command(name, program, environment)?;
                return Ok(command.permissions(permissions.enforced()));
            }
            ProviderSource::Limited { program, limits } => {
                let command = self.command(name, program, environment)?;
                return Ok(command.limits(Limits {
                    memory: limits.memory,
                    processes: limits.processes,
                }));
            }
        };
        self.environment.hide(environment, &self.secrets);
        let command = self.environment.apply(command, environment);
        Ok(match self.folder.as_os_str().is_empty() {
            true => command,
            false => command.folder(&self.folder),
        })
    }

    fn no_builtin(&self, name: &str, builtin: &str) -> ProviderFailure {
        let known: Vec<&str> = self.builtins.keys().map(String::as_str).collect();
        let message = format!(
            "the provider {name:?}: unknown built-in provider `{builtin}`\n  there are {}",
            known.join(", ")
        );
        ProviderFailure::new(FailureKind::CannotStart, message)
    }
}
