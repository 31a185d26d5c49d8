//! Provider processes: what they offer, and one of them at work.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenon_host::{Capture, CaptureError, Plugin, PluginCommand, PluginError, Problem, Start};
use tenon_protocols::Protocol;
use tenon_protocols::orchard::{
    Configure, ConfigureParams, Describe, Empty, Execute, ExecuteParams, Json, ProviderError,
    ProviderSchema,
};
use tenon_rpc::{CallError, Router};
use tenon_values::Value;

use crate::declarations::Declaration;
use crate::model::ProviderSource;
use crate::secrets::Secrets;

/// How providers are started.
#[derive(Clone)]
pub struct Launcher {
    /// The `tenon` program, which has the built-in providers in it.
    pub tenon: PathBuf,
    /// The folder they are started in: that of the scenario file.
    pub folder: PathBuf,
    /// Is shown every line that a provider writes to stderr, without secrets.
    pub on_log: SeeLog,
    /// What nobody is to see.
    pub secrets: Secrets,
}

/// Is shown a provider's name in the scenario and a line.
pub type SeeLog = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// How long `<provider> schema` may take.
const SCHEMA_LIMIT: Duration = Duration::from_secs(5);
/// How long a provider may take to make itself ready: it may have to connect to something.
const CONFIGURE_LIMIT: Duration = Duration::from_secs(60);

/// What went wrong with a provider.
#[derive(Clone, Debug)]
pub struct ProviderFailure {
    /// Whose fault it is.
    pub kind: FailureKind,
    /// What happened, with the provider's name and the evidence, in one line or several.
    pub message: String,
    /// What the provider itself answered, if it did.
    pub answered: Option<ProviderError>,
}

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    /// The provider said so.
    Answered,
    /// It could not be started.
    CannotStart,
    /// It took too long.
    TimedOut,
    /// It did not keep to the protocol.
    BrokeProtocol,
}

impl ProviderFailure {
    fn new(kind: FailureKind, message: impl Into<String>) -> ProviderFailure {
        ProviderFailure {
            kind,
            message: message.into(),
            answered: None,
        }
    }
}

impl Launcher {
    fn command(&self, source: &ProviderSource) -> PluginCommand {
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
            let kind = match error {
                CaptureError::CannotStart { .. } => FailureKind::CannotStart,
                CaptureError::TimedOut { .. } => FailureKind::TimedOut,
                CaptureError::TooMuch { .. } => FailureKind::BrokeProtocol,
            };
            let message = format!("the provider {name:?}: {error}\n  command: {command}");
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

/// A provider that runs, and is configured.
#[derive(Debug)]
pub(crate) struct Provider {
    label: String,
    plugin: Plugin,
    secrets: Secrets,
}

impl Provider {
    /// Starts a provider, asks it what it offers, compares that with what it told before, and
    /// configures it.
    ///
    /// # Errors
    /// Any of that failed; the process is gone.
    pub(crate) async fn start(
        declaration: &Declaration,
        config: &Value,
        launcher: &Launcher,
    ) -> Result<Provider, ProviderFailure> {
        let label = declaration.label();
        let mut start = Start::new(Protocol::Orchard.dialect());
        start.options = Protocol::Orchard.host_options();
        start.limit = Protocol::Orchard.start_limit();
        let (log, secrets, name) = (
            launcher.on_log.clone(),
            launcher.secrets.clone(),
            label.clone(),
        );
        let command = launcher
            .command(&declaration.source)
            .on_stderr(move |line| log(&name, &secrets.hide(line)));
        let describe = |peer: tenon_rpc::Peer| async move { peer.call(Describe, Empty {}).await };
        let router = Arc::new(Router::new(()));
        let (plugin, described) = Plugin::start(&command, start, router, describe)
            .await
            .map_err(|error| failure(&label, "describe", error, &launcher.secrets))?;
        let provider = Provider {
            label,
            plugin,
            secrets: launcher.secrets.clone(),
        };
        provider.compare(declaration, &described.schema)?;
        provider.configure(config).await?;
        Ok(provider)
    }

    fn compare(
        &self,
        declaration: &Declaration,
        described: &ProviderSchema,
    ) -> Result<(), ProviderFailure> {
        let label = &self.label;
        let broke = |problem: String| {
            let command = self.plugin.process().command();
            let message = format!("the provider {label:?}: {problem}\n  command: {command}");
            ProviderFailure::new(FailureKind::BrokeProtocol, message)
        };
        described
            .check()
            .map_err(|error| broke(error.to_string()))?;
        let differences = declaration.schema.differences(described);
        match differences.is_empty() {
            true => Ok(()),
            false => Err(broke(format!(
                "`describe` answers something else than `schema` prints:\n    {}",
                differences.join("\n    ")
            ))),
        }
    }

    async fn configure(&self, config: &Value) -> Result<(), ProviderFailure> {
        self.secrets.learn(config);
        let (config, _) = config.unmark_deep();
        let config = Json::of_attributes(&config).map_err(|error| self.unsendable(&error))?;
        let peer = self.plugin.peer();
        let call = peer.call(Configure, ConfigureParams { config });
        match self.within(Some(CONFIGURE_LIMIT), call).await {
            Ok(Empty {}) => Ok(()),
            Err(error) => Err(self.explain("configure", error).await),
        }
    }

    /// Runs one action, and gives what it brought as it was written.
    ///
    /// # Errors
    /// It failed, took too long, or the provider is broken.
    pub(crate) async fn execute(
        &self,
        action: &str,
        attributes: Json,
        limit: Option<Duration>,
    ) -> Result<Json, ProviderFailure> {
        let params = ExecuteParams {
            action: action.to_owned(),
            attrs: attributes,
        };
        let peer = self.plugin.peer();
        match self.within(limit, peer.call(Execute, params)).await {
            Ok(result) => Ok(result.outputs),
            Err(error) => Err(self.explain("execute", error).await),
        }
    }

    async fn within<T>(
        &self,
        limit: Option<Duration>,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let call = self.plugin.while_alive(call);
        let Some(limit) = limit else {
            return call.await;
        };
        match tokio::time::timeout(limit, call).await {
            Ok(outcome) => outcome,
            Err(_) => Err(CallError::TimedOut(limit)),
        }
    }

    async fn explain(&self, method: &str, error: CallError) -> ProviderFailure {
        match error {
            CallError::Answered(error) => {
                let error = ProviderError::from(error);
                let answered = ProviderError {
                    message: self.secrets.hide(&error.message),
                    detail: error.detail.map(|detail| self.secrets.hide(&detail)),
                    code: error.code,
                };
                let mut message = match method {
                    "execute" => answered.to_string(),
                    _ => format!("the provider {:?}: {method}: {answered}", self.label),
                };
                for line in answered.detail.iter().flat_map(|detail| detail.lines()) {
                    message += &format!("\n  {line}");
                }
                ProviderFailure {
                    answered: Some(answered),
                    ..ProviderFailure::new(FailureKind::Answered, message)
                }
            }
            error => {
                let error = self.plugin.explain(error).await;
                failure(&self.label, method, error, &self.secrets)
            }
        }
    }

    fn unsendable(&self, error: &tenon_values::Error) -> ProviderFailure {
        let message = format!("the provider {:?}: {error}", self.label);
        ProviderFailure::new(FailureKind::Answered, message)
    }

    /// Says goodbye and sees it end.
    pub(crate) async fn stop(self) {
        self.plugin
            .stop(|peer| async move { Protocol::Orchard.end(&peer).await })
            .await;
    }
}

fn failure(label: &str, method: &str, error: PluginError, secrets: &Secrets) -> ProviderFailure {
    let kind = match &error.problem {
        Problem::CannotStart(_) => FailureKind::CannotStart,
        Problem::NoAnswer(_) | Problem::Call(CallError::TimedOut(_)) => FailureKind::TimedOut,
        // One that ends in the middle of a call has broken its word as well.
        Problem::Call(_) => FailureKind::BrokeProtocol,
    };
    let message = secrets.hide(&error.to_string());
    ProviderFailure::new(kind, format!("the provider {label:?}: {method}: {message}"))
}
