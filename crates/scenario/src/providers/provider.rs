//! A provider in its process.

use std::sync::Arc;
use std::time::Duration;

use tenon_host::{HowItEnded, Plugin, PluginError, Problem, Start, StopLimits};
use tenon_protocols::Protocol;
use tenon_protocols::orchard::{
    self, Code, Configure, ConfigureParams, Empty, Execute, ExecuteParams, Json, ProviderError,
    ProviderSchema, Shutdown,
};
use tenon_rpc::{CallError, CloseReason, Options, Router};
use tenon_values::Value;

use crate::environment::ProviderEnvironment;
use crate::planning::declarations::Declaration;
use crate::providers::failure::{FailureKind, ProviderFailure};
use crate::providers::launcher::Launcher;
use crate::reading::model::ProviderSource;
use tenon_protocols::Secrets;

/// How long a provider may take to answer `configure`: it may have to connect to a server.
const CONFIGURE_LIMIT: Duration = Duration::from_secs(60);
/// How long a provider may take to answer `shutdown`.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);
/// How long a provider that did not answer in time gets to end.
const MOMENT: Duration = Duration::from_millis(500);

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
        let (label, environment) = (declaration.label(), &declaration.environment);
        let (provider, described) =
            Provider::open(&label, &declaration.source, environment, launcher).await?;
        let ready = match provider.compare(declaration, &described) {
            Ok(()) => provider.configure(config).await,
            Err(failure) => Err(failure),
        };
        let Err(failure) = ready else {
            return Ok(provider);
        };
        // A provider that answered with an error is shut down as usual; one that hangs or breaks the
        // protocol is killed.
        if failure.kind == FailureKind::Answered {
            let _told_already = provider.stop().await;
        }
        Err(failure)
    }

    /// Starts a provider only to ask what it offers.
    ///
    /// # Errors
    /// It could not be started, or did not answer with a schema.
    pub(crate) async fn describe(
        label: &str,
        source: &ProviderSource,
        environment: &ProviderEnvironment,
        launcher: &Launcher,
    ) -> Result<ProviderSchema, ProviderFailure> {
        let (provider, described) = Provider::open(label, source, environment, launcher).await?;
        // It has done nothing, so how it ends does not matter.
        let _ended = provider.stop().await;
        Ok(described)
    }

    /// Starts a provider, and asks it what it offers.
    async fn open(
        label: &str,
        source: &ProviderSource,
        environment: &ProviderEnvironment,
        launcher: &Launcher,
    ) -> Result<(Provider, ProviderSchema), ProviderFailure> {
        let mut start = Start::new(Protocol::Orchard.dialect());
        start.options = Options {
            redact: Some(launcher.secrets.redact()),
            ..Protocol::Orchard.host_options()
        };
        start.limit = Protocol::Orchard.start_limit();
        let mut command = launcher.command(label, source, environment)?;
        if let Some(log) = launcher.on_log.clone() {
            let (secrets, name) = (launcher.secrets.clone(), label.to_owned());
            command = command.on_stderr(move |line| log(&name, &secrets.hide(line)));
        }
        let describe = |peer: tenon_rpc::Peer| async move { orchard::begin(&peer).await };
        let router = Arc::new(Router::new(()));
        let (plugin, described) = Plugin::start(&command, start, router, describe)
            .await
            .map_err(|error| failure(label, "describe", error, &launcher.secrets))?;
        let provider = Provider {
            label: label.to_owned(),
            plugin,
            secrets: launcher.secrets.clone(),
        };
        Ok((provider, described))
    }

    fn compare(
        &self,
        declaration: &Declaration,
        described: &ProviderSchema,
    ) -> Result<(), ProviderFailure> {
        let differences = declaration.schema.differences(described);
        if differences.is_empty() {
            return Ok(());
        }
        let (label, command) = (&self.label, self.plugin.process().command());
        let differences = self.secrets.hide(&differences.join("\n    "));
        let message = format!(
            "the provider {label:?}: the answer to `describe` differs from what `schema` prints:\n    \
             {differences}\n  command: {command}"
        );
        Err(ProviderFailure::new(FailureKind::BrokeProtocol, message))
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

    /// Runs one action, and returns its outputs as the provider wrote them.
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
                    code: Code::from(self.secrets.hide(error.code.as_str()).as_str()),
                };
                // The code goes to the first line, where it is looked for.
                let (first, rest) = match answered.message.split_once('\n') {
                    Some((first, rest)) => (first, format!("\n{rest}")),
                    None => (answered.message.as_str(), String::new()),
                };
                let said = format!("{first} ({}){rest}", answered.code);
                let mut message = match method {
                    "execute" => said,
                    _ => format!("the provider {:?}: {method}: {said}", self.label),
                };
                for line in answered.detail.iter().flat_map(|detail| detail.lines()) {
                    message += &format!("\n  {line}");
                }
                if let Some(hint) = self.plugin.process().left_out().hint(&message) {
                    message += &format!("\n  hint: {hint}");
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

    /// Whether it has ended by itself, without printing anything else.
    async fn has_ended_well(&self) -> bool {
        let is_silent = self.plugin.peer().stray().is_none();
        // Its stdout ends a moment before it does.
        let ended = tokio::time::timeout(MOMENT, self.plugin.process().exited()).await;
        is_silent && ended.is_ok_and(|status| status.success())
    }

    /// Calls `shutdown` and waits for the end.
    ///
    /// # Errors
    /// It did not answer, answered something else, or had to be ended.
    pub(crate) async fn stop(self) -> Result<(), ProviderFailure> {
        let said = self.plugin.peer();
        let said = self
            .within(Some(SHUTDOWN_LIMIT), said.call(Shutdown, Empty {}))
            .await;
        let said = match said {
            Ok(Empty {}) => Ok(()),
            // One that ends instead of answering has understood.
            Err(CallError::Closed(CloseReason::PeerClosed)) if self.has_ended_well().await => {
                Ok(())
            }
            Err(error) => Err(self.explain("shutdown", error).await),
        };
        let (label, command) = (self.label, self.plugin.process().command().to_owned());
        let limits = match said {
            Ok(()) => StopLimits::default(),
            // Its time is over.
            Err(_) => StopLimits {
                asked: MOMENT,
                terminated: MOMENT,
            },
        };
        let stopped = self.plugin.stop_within(limits).stop(|_| async {}).await;
        said?;
        match stopped.how {
            HowItEnded::ByItself => Ok(()),
            HowItEnded::Terminated | HowItEnded::Killed => {
                let message = format!(
                    "the provider {label:?}: it answered `shutdown`, but did not end within {:?} \
                     and was killed\n  command: {command}",
                    limits.asked
                );
                Err(ProviderFailure::new(FailureKind::TimedOut, message))
            }
        }
    }
}

fn failure(label: &str, method: &str, error: PluginError, secrets: &Secrets) -> ProviderFailure {
    let kind = match &error.problem {
        Problem::CannotStart(_) => FailureKind::CannotStart,
        Problem::NoAnswer(_) | Problem::Call(CallError::TimedOut(_)) => FailureKind::TimedOut,
        // One that ends in the middle of a call has broken its word as well.
        Problem::Call(
            CallError::Answered(_) | CallError::Unsendable(_) | CallError::TooManyCalls(_),
        ) => FailureKind::Answered,
        _ => FailureKind::BrokeProtocol,
    };
    let message = error.map_said(|said| secrets.hide(said));
    ProviderFailure::new(kind, format!("the provider {label:?}: {method}: {message}"))
}

#[cfg(test)]
mod tests {
    use tenon_rpc::{Format, Payload};

    use super::*;

    fn execute_failed_with(error: CallError) -> ProviderFailure {
        let error = PluginError::new("provider", Problem::Call(error));
        failure("p", "execute", error, &Secrets::default())
    }

    /// Its outcome is known, so it is an ordinary failure.
    #[test]
    fn an_action_that_was_not_sent_was_not_done() {
        let key_of_bytes = std::collections::HashMap::from([(vec![0_u8], 0)]);
        let unsendable = Payload::encode(Format::Json, &key_of_bytes).unwrap_err();
        for error in [
            CallError::Unsendable(unsendable),
            CallError::TooManyCalls(7),
        ] {
            let failure = execute_failed_with(error);
            assert!(failure.is_refusal(), "{failure:?}");
        }
        for error in [
            CallError::Closed(CloseReason::PeerClosed),
            CallError::TimedOut(MOMENT),
            CallError::TooLong(7),
        ] {
            let failure = execute_failed_with(error);
            assert!(!failure.is_refusal(), "{failure:?}");
        }
    }
}
