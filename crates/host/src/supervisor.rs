//! A plugin that is started again when it ends.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tenon_rpc::Peer;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::error::PluginError;
use crate::plugin::Plugin;

/// When a plugin that has ended is started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Never.
    Never,
    /// After a pause that doubles each time, from `first` up to `longest`. A plugin that ran for
    /// `longest` starts over with `first`.
    BackOff {
        /// The first pause.
        first: Duration,
        /// The longest.
        longest: Duration,
    },
}

impl Default for Restart {
    fn default() -> Restart {
        Restart::BackOff {
            first: Duration::from_millis(200),
            longest: Duration::from_secs(30),
        }
    }
}

/// What a supervised plugin is doing.
#[derive(Clone, Debug)]
pub enum Status {
    /// It is being started.
    Starting,
    /// It has answered its first call.
    Running(Peer),
    /// It ended or could not be started, and is started again after the pause.
    Waiting {
        /// How long that is.
        pause: Duration,
        /// Why it could not be started; `None` if it ran and ended.
        error: Option<Arc<PluginError>>,
    },
    /// It is not started again.
    Ended(Option<Arc<PluginError>>),
}

/// Keeps a plugin running. Dropping it kills the plugin.
#[derive(Debug)]
pub struct Supervisor {
    status: watch::Receiver<Status>,
    task: AbortHandle,
}

impl Supervisor {
    /// Starts a plugin with `start`, and again whenever it has ended.
    pub fn new<F>(restart: Restart, start: impl Fn() -> F + Send + 'static) -> Supervisor
    where
        F: Future<Output = Result<Plugin, PluginError>> + Send + 'static,
    {
        let (sender, status) = watch::channel(Status::Starting);
        let task = tokio::spawn(supervise(restart, start, sender)).abort_handle();
        Supervisor { status, task }
    }

    /// What the plugin is doing now; the receiver tells when that changes.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }

    /// Waits until the plugin runs.
    ///
    /// # Errors
    /// It is not started again; the error of its last start, if that failed.
    pub async fn peer(&self) -> Result<Peer, Option<Arc<PluginError>>> {
        let mut status = self.status.clone();
        let is_settled = |status: &Status| matches!(status, Status::Running(_) | Status::Ended(_));
        match status.wait_for(is_settled).await.as_deref() {
            Ok(Status::Running(peer)) => Ok(peer.clone()),
            Ok(Status::Ended(error)) => Err(error.clone()),
            _ => Err(None),
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn supervise<F>(restart: Restart, start: impl Fn() -> F, status: watch::Sender<Status>)
where
    F: Future<Output = Result<Plugin, PluginError>>,
{
    let mut failures = 0;
    loop {
        status.send_replace(Status::Starting);
        let mut ran_for = Duration::ZERO;
        let error = match start().await {
            Ok(mut plugin) => {
                let started = Instant::now();
                status.send_replace(Status::Running(plugin.peer()));
                let exit = plugin.exited().await;
                ran_for = started.elapsed();
                tracing::warn!(command = plugin.process().command(), %exit, "a plugin ended");
                None
            }
            Err(error) => {
                tracing::warn!(%error, "a plugin could not be started");
                Some(Arc::new(error))
            }
        };
        let Restart::BackOff { first, longest } = restart else {
            status.send_replace(Status::Ended(error));
            return;
        };
        failures = if ran_for >= longest { 0 } else { failures };
        let pause = first.saturating_mul(1 << failures.min(20)).min(longest);
        failures += 1;
        status.send_replace(Status::Waiting { pause, error });
        tokio::time::sleep(pause).await;
    }
}
