//! One script process.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenon_host::{Plugin, PluginError, Start, Started, StopLimits};
use tenon_protocols::denobridge::{self, InvokeProgress};
use tenon_protocols::{Protocol, Secrets};
use tenon_rpc::{
    Options, Router, Tap,
    trace::{RecordFormat, Seen},
};
use tokio::sync::mpsc;
use tracing::Level;

use super::words::stderr_line;
use crate::launch::Launch;

/// How long a script may take to answer `health`. Deno fetches what a script imports before that.
const START_LIMIT: Duration = Duration::from_secs(60);

/// How long a script gets to end.
const STOP_LIMITS: StopLimits = StopLimits {
    asked: Duration::from_secs(1),
    terminated: Duration::from_millis(300),
};

/// Members of messages that are masked in the log.
const SECRETS: [&str; 8] = [
    "writeOnlyProps",
    "nextWriteOnlyProps",
    "sensitiveState",
    "currentSensitiveState",
    "sensitiveResult",
    "privateData",
    // As the TypeScript library calls them inside.
    "sensitive",
    "writeOnly",
];

/// The action that gets the progress of a process. Messages carry no id, so there is one at a time.
#[derive(Clone, Default)]
pub(super) struct Listener(Arc<Mutex<Option<mpsc::Sender<String>>>>);

impl Listener {
    /// Listens, unless another action does.
    pub(super) fn take(&self, progress: &mpsc::Sender<String>) -> bool {
        let mut listener = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = listener.is_none();
        if is_free {
            *listener = Some(progress.clone());
        }
        is_free
    }

    pub(super) fn leave(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn hear(&self, message: String) {
        let listener = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*listener {
            None => tracing::debug!(message, "progress that no action made"),
            Some(progress) => {
                if progress.try_send(message).is_err() {
                    tracing::warn!("a script reports progress faster than it can be shown");
                }
            }
        }
    }
}

/// Starts a script and makes its first call, which says how many calls it takes at a time.
pub(super) async fn start(
    launch: &Launch,
    secrets: &Secrets,
) -> Result<Started<Listener>, PluginError> {
    tracing::debug!(command = launch.command_line, "starting a script");
    let protocol = Protocol::Denobridge;
    let start = Start {
        dialect: protocol.dialect(),
        options: Options {
            tap: tap(launch, secrets),
            redact: Some(secrets.redact()),
            ..protocol.host_options()
        },
        limit: launch
            .timeout
            .map_or(START_LIMIT, |limit| limit.max(START_LIMIT)),
        stop: STOP_LIMITS,
    };
    let listener = Listener::default();
    let router = {
        let secrets = secrets.clone();
        Router::new(listener.clone()).on_event(InvokeProgress, move |context, progress| {
            context.state.hear(secrets.hide(&progress.message));
        })
    };
    let command = {
        let (script, secrets) = (launch.name.clone(), secrets.clone());
        let command = launch.command.clone();
        command.on_stderr(move |line| log(&script, &stderr_line(line, &secrets)))
    };
    let health = |peer| async move { denobridge::begin(&peer).await };
    let (plugin, health) = Plugin::start(&command, start, Arc::new(router), health).await?;
    let capacity = launch.max_in_flight.or(health.max_in_flight);
    Ok(Started {
        plugin,
        capacity: capacity.unwrap_or(NonZeroUsize::MIN),
        extra: listener,
    })
}

/// Sends `shutdown` and ends the process.
pub(super) async fn stop(plugin: Plugin) {
    let id = plugin.process().id();
    let stopped =
        { plugin.stop(|peer| async move { Protocol::Denobridge.end(&peer).await }) }.await;
    tracing::debug!(id, how = ?stopped.how, status = %stopped.status, "a script ended");
}

/// Writes every frame to the log, if that is enabled.
fn tap(launch: &Launch, secrets: &Secrets) -> Option<Arc<dyn Tap>> {
    if !tracing::event_enabled!(Level::DEBUG) {
        return None;
    }
    let format = RecordFormat::new(SECRETS);
    let (script, secrets) = (launch.name.clone(), secrets.clone());
    Some(Arc::new(move |seen: Seen<'_>| {
        let record = format.record(&seen);
        let frame = match (&record.frame, &record.unreadable) {
            (Some(frame), _) => secrets.hide(frame.get()),
            (None, unreadable) => {
                format!("unreadable: {}", unreadable.as_deref().unwrap_or_default())
            }
        };
        tracing::debug!(script, direction = ?seen.direction, "{frame}");
    }))
}

/// A line of a script's stderr, at the level it names.
fn log(script: &str, line: &str) {
    let (level, line) = level_of(line);
    match level {
        Level::ERROR => tracing::error!(script, "{line}"),
        Level::WARN => tracing::warn!(script, "{line}"),
        Level::INFO => tracing::info!(script, "{line}"),
        Level::TRACE => tracing::trace!(script, "{line}"),
        _ => tracing::debug!(script, "{line}"),
    }
}

/// The level that a line names: `[WARN] …`, `WARN: …`, or a JSON object with a `level`. Other lines are
/// debug output.
fn level_of(line: &str) -> (Level, &str) {
    if line.starts_with('{')
        && let Ok(serde_json::Value::Object(members)) = serde_json::from_str(line)
    {
        let level = members.get("level").or_else(|| members.get("@level"));
        let level = level.and_then(|level| named(level.as_str()?));
        return (level.unwrap_or(Level::DEBUG), line);
    }
    let cut = match line.strip_prefix('[') {
        Some(rest) => rest.split_once(']'),
        None => line.split_once(':'),
    };
    match cut.and_then(|(word, rest)| Some((named(word)?, rest))) {
        Some((level, rest)) => (level, rest.trim_start()),
        None => (Level::DEBUG, line),
    }
}

fn named(word: &str) -> Option<Level> {
    Some(match word.to_ascii_lowercase().as_str() {
        "error" | "fatal" | "critical" => Level::ERROR,
        "warn" | "warning" => Level::WARN,
        "info" => Level::INFO,
        "debug" => Level::DEBUG,
        "trace" => Level::TRACE,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_level() {
        for (line, level, text) in [
            ("plain", Level::DEBUG, "plain"),
            ("[WARN] careful", Level::WARN, "careful"),
            ("ERROR: no", Level::ERROR, "no"),
            ("info: fine", Level::INFO, "fine"),
            ("error in line 3", Level::DEBUG, "error in line 3"),
            ("[1, 2]", Level::DEBUG, "[1, 2]"),
            ("https://example.com", Level::DEBUG, "https://example.com"),
            (r#"{"level":"WARN"}"#, Level::WARN, r#"{"level":"WARN"}"#),
            ("{broken", Level::DEBUG, "{broken"),
        ] {
            assert_eq!(level_of(line), (level, text));
        }
    }

    #[test]
    fn one_listens_at_a_time() {
        let listener = Listener::default();
        let (progress, mut heard) = mpsc::channel(1);
        assert!(listener.take(&progress));
        assert!(!listener.take(&progress));
        listener.hear("one".into());
        // There is no room for it, and `hear` does not wait.
        listener.hear("two".into());
        assert_eq!(heard.try_recv().unwrap(), "one");
        assert!(heard.try_recv().is_err());
        listener.leave();
        assert!(listener.take(&progress));
    }
}
