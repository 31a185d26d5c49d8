//! How providers are started, and what they offer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenon_host::{Capture, CaptureError, PluginCommand};
use tenon_protocols::orchard::ProviderSchema;

use crate::model::ProviderSource;
use crate::provider::{FailureKind, ProviderFailure};
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
    /// What nobody is to see.
    pub secrets: Secrets,
}

/// Is shown a provider's name in the scenario and a line.
pub type SeeLog = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// How long `<provider> schema` may take.
const SCHEMA_LIMIT: Duration = Duration::from_secs(5);

impl Launcher {
    pub(crate) fn command(&self, source: &ProviderSource) -> PluginCommand {
        let command = match source {
            ProviderSource::Builtin(name) => {
                PluginCommand::new(&self.tenon).args(["builtin", name.as_str()])
            }
            ProviderSource::Program(path) => PluginCommand::new(path),
        };
        match self.folder.as_os_str().is_empty() {
            true => command,
            false => command.folder(&self.folder),
        }
    }

    /// What a provider offers: runs `<provider> schema`.
    ///
    /// # Errors
    /// It cannot be started, takes too long, fails, or prints something else.
    pub async fn schema(
        &self,
        name: &str,
        source: &ProviderSource,
    ) -> Result<ProviderSchema, ProviderFailure> {
        if let ProviderSource::Builtin(builtin) = source
            && !crate::BUILTINS.contains(&builtin.as_str())
        {
            let message = format!(
                "the provider {name:?}: there is no built-in provider {builtin:?}\n  \
                 there are {}",
                crate::BUILTINS.join(", ")
            );
            return Err(ProviderFailure::new(FailureKind::CannotStart, message));
        }
        let command = self.command(source).arg("schema");
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
            ProviderFailure::new(kind, message)
        })?;
        let broke = |problem: String| {
            let message = format!(
                "the provider {name:?}: {problem}\n  command: {command}{}",
                last_lines(&captured.stderr)
            );
            ProviderFailure::new(FailureKind::BrokeProtocol, message)
        };
        if !captured.status.success() {
            return Err(broke(format!(
                "its schema could not be had: it ended with {}",
                captured.status
            )));
        }
        if !captured.stdout.trim_ascii_start().starts_with(b"{") {
            let printed = quote(&captured.stdout);
            return Err(broke(format!(
                "what it printed is no schema, which is a JSON object\n  it printed: {printed}"
            )));
        }
        let schema: ProviderSchema = serde_json::from_slice(&captured.stdout).map_err(|error| {
            let printed = quote(&captured.stdout);
            broke(format!(
                "what it printed is no schema: {error}\n  it printed: {printed}"
            ))
        })?;
        schema.check().map_err(|error| broke(error.to_string()))?;
        Ok(schema)
    }
}

fn last_lines(stderr: &[u8]) -> String {
    const SHOWN: usize = 10;
    let text = String::from_utf8_lossy(stderr);
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

fn quote(bytes: &[u8]) -> String {
    const SHOWN: usize = 200;
    match bytes {
        [] => "nothing".into(),
        bytes => format!(
            "{:?}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)])
        ),
    }
}
