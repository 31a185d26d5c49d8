//! How providers are started, and what they offer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenon_host::{Capture, CaptureError, Limits, Permissions, PluginCommand};
use tenon_protocols::orchard::ProviderSchema;

use crate::environment::{ProviderEnvironment, RunEnvironment};
use crate::providers::provider::{FailureKind, Provider, ProviderFailure};
use crate::reading::model::{ProviderPermissions, ProviderSource};
use tenon_protocols::Secrets;

/// How providers are started.
#[derive(Clone)]
pub struct Launcher {
    /// The `tenon` program, which has the built-in providers in it.
    pub tenon: PathBuf,
    /// The folder they are started in: that of the scenario file.
    pub folder: PathBuf,
    /// Is shown every line that a provider writes to stderr, without secrets.
    pub on_log: Option<SeeLog>,
    /// What all of them get of our environment, besides what the scenario says.
    pub environment: RunEnvironment,
    /// What nobody is to see.
    pub secrets: Secrets,
}

/// Is shown a provider's name in the scenario and a line.
pub type SeeLog = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// How long `<provider> schema` may take.
const SCHEMA_LIMIT: Duration = Duration::from_secs(5);

impl Launcher {
    pub(crate) fn command(
        &self,
        source: &ProviderSource,
        environment: &ProviderEnvironment,
    ) -> PluginCommand {
        let command = match source {
            ProviderSource::Builtin(name) => {
                PluginCommand::new(&self.tenon).args(["builtin", name.as_str()])
            }
            ProviderSource::Program(path) => PluginCommand::new(path),
            ProviderSource::Confined {
                program,
                permissions,
            } => return confined(self.command(program, environment), permissions),
            ProviderSource::Limited { program, limits } => {
                let command = self.command(program, environment);
                return command.limits(Limits {
                    memory: limits.memory,
                    processes: limits.processes,
                });
            }
        };
        self.environment.hide(environment, &self.secrets);
        let command = self.environment.apply(command, environment);
        match self.folder.as_os_str().is_empty() {
            true => command,
            false => command.folder(&self.folder),
        }
    }

    /// What a provider offers: runs `<provider> schema`. One that does not know that subcommand
    /// is started and asked to `describe` itself.
    ///
    /// # Errors
    /// It cannot be started, takes too long, fails, or answers something else.
    pub async fn schema(
        &self,
        name: &str,
        source: &ProviderSource,
        environment: &ProviderEnvironment,
    ) -> Result<ProviderSchema, ProviderFailure> {
        match self.printed_schema(name, source, environment).await {
            Ok(schema) => Ok(schema),
            Err(Unprinted::Broken(failure)) => Err(failure),
            Err(Unprinted::Unknown(mut failure)) => {
                let described = Provider::describe(name, source, environment, self).await;
                described.map_err(|second| {
                    failure.message += &format!(
                        "\n  without the subcommand `schema`, `describe` was tried:\n    {}",
                        second.message.replace('\n', "\n    ")
                    );
                    failure
                })
            }
        }
    }

    /// What `<provider> schema` prints.
    async fn printed_schema(
        &self,
        name: &str,
        source: &ProviderSource,
        environment: &ProviderEnvironment,
    ) -> Result<ProviderSchema, Unprinted> {
        if let ProviderSource::Builtin(builtin) = source.program()
            && !crate::BUILTINS.contains(&builtin.as_str())
        {
            let message = format!(
                "the provider {name:?}: there is no built-in provider {builtin:?}\n  \
                 there are {}",
                crate::BUILTINS.join(", ")
            );
            let failure = ProviderFailure::new(FailureKind::CannotStart, message);
            return Err(Unprinted::Broken(failure));
        }
        let command = self.command(source, environment).arg("schema");
        let capture = Capture {
            time_limit: Some(SCHEMA_LIMIT),
            ..Capture::default()
        };
        let captured = capture.run(&command).await.map_err(|error| {
            let (kind, problem) = match &error {
                CaptureError::CannotStart { .. } => (FailureKind::CannotStart, error.to_string()),
                CaptureError::TimedOut { limit, .. } => (
                    FailureKind::TimedOut,
                    format!("its schema did not come within {limit:?}"),
                ),
                CaptureError::TooMuch { limit, .. } => (
                    FailureKind::BrokeProtocol,
                    format!("it printed more than {limit} bytes instead of a schema"),
                ),
            };
            let message = format!("the provider {name:?}: {problem}\n  command: {command}");
            Unprinted::Broken(ProviderFailure::new(kind, message))
        })?;
        let broke = |problem: String| {
            let message = format!(
                "the provider {name:?}: {problem}\n  command: {command}{}",
                self.last_lines(&captured.stderr)
            );
            ProviderFailure::new(FailureKind::BrokeProtocol, self.secrets.hide(&message))
        };
        if !captured.status.success() {
            let failure = broke(format!(
                "could not read its schema: it ended with {}",
                captured.status
            ));
            // One that was killed has not refused the subcommand.
            return Err(match captured.status.code() {
                Some(_) => Unprinted::Unknown(failure),
                None => Unprinted::Broken(failure),
            });
        }
        if !captured.stdout.trim_ascii_start().starts_with(b"{") {
            let printed = self.quote(&captured.stdout);
            return Err(Unprinted::Unknown(broke(format!(
                "what it printed is not a schema, which is a JSON object\n  it printed: {printed}"
            ))));
        }
        let schema: ProviderSchema = serde_json::from_slice(&captured.stdout).map_err(|error| {
            let printed = self.quote(&captured.stdout);
            let error = self.secrets.hide(&error.to_string());
            Unprinted::Broken(broke(format!(
                "what it printed is not a schema: {error}\n  it printed: {printed}"
            )))
        })?;
        let checked = schema.check();
        checked.map_err(|error| Unprinted::Broken(broke(error.to_string())))?;
        Ok(schema)
    }

    /// The last lines that it wrote to stderr, without secrets.
    fn last_lines(&self, stderr: &[u8]) -> String {
        const SHOWN: usize = 10;
        let text = self.secrets.hide(&String::from_utf8_lossy(stderr));
        let lines: Vec<&str> = text.lines().collect();
        let shown = &lines[lines.len().saturating_sub(SHOWN)..];
        match shown {
            [] => String::new(),
            shown => format!(
                "\n  last lines of its stderr:\n    {}",
                shown.join("\n    ")
            ),
        }
    }

    /// The beginning of what it printed. Secrets are masked before it is cut.
    fn quote(&self, bytes: &[u8]) -> String {
        const SHOWN: usize = 200;
        match &self.secrets.hide_bytes(bytes, false)[..] {
            [] => "nothing".into(),
            bytes => format!(
                "{:?}",
                String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)])
            ),
        }
    }
}

/// A command that is held to permissions.
fn confined(command: PluginCommand, permissions: &ProviderPermissions) -> PluginCommand {
    let allow = permissions.allow.iter().map(String::as_str);
    let deny = permissions.deny.iter().map(String::as_str);
    // They were checked when the scenario was read. A record that was changed by hand allows nothing.
    command.permissions(Permissions::of_words(allow, deny).unwrap_or_default())
}

/// Why `<provider> schema` printed no schema.
enum Unprinted {
    /// It may not know the subcommand.
    Unknown(ProviderFailure),
    /// It cannot be used.
    Broken(ProviderFailure),
}
