//! A plugin that is started again when it ends.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tenon_rpc::{Backoff, CloseReason, Peer};
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::error::PluginError;
use crate::plugin::Plugin;
use crate::process::LAST_WORDS;

/// When a plugin that has ended is started again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restart {
    /// Never.
    Never,
    /// After a pause. A plugin that ran for as long as the longest pause starts over with the first.
    After(Backoff),
}

impl Default for Restart {
    fn default() -> Restart {
        Restart::After(Backoff::doubling(
            Duration::from_millis(200),
            Duration::from_secs(30),
        ))
    }
}

/// What a supervised plugin is doing.
#[derive(Clone, Debug)]
pub enum Status {
    /// It is being started.
    Starting,
    /// It has answered its first call.
    Running(Peer),
    /// Its process has ended, and what it wrote last is still being read. Calls wait for the next
    /// one: this one would take them and never answer.
    Ending,
    /// It is started again after the pause.
    Waiting {
        /// How long that is.
        pause: Duration,
        /// Why it does not run.
        down: Down,
    },
    /// It is not started again.
    Ended(Down),
}

/// Why a plugin does not run.
#[derive(Clone, Debug)]
pub enum Down {
    /// It could not be started.
    Failed(Arc<PluginError>),
    /// It ran and ended.
    Exited(ExitStatus),
    /// It was running, but its output ended or became invalid. It was killed.
    Lost(CloseReason),
    /// It was told to end.
    Stopped,
}

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Down::Failed(error) => error.fmt(f),
            Down::Exited(status) => write!(f, "it ended with {status}"),
            Down::Lost(CloseReason::PeerClosed) => f.write_str("it closed its stdout"),
            // The start of such a message is not a misplaced print, and may contain secrets.
            Down::Lost(CloseReason::BrokenStream(error))
                if error.is_over_limit || error.is_message =>
            {
                write!(f, "its output is invalid: {}", error.problem)
            }
            Down::Lost(reason) => write!(f, "its output is invalid: {reason}"),
            Down::Stopped => f.write_str("it was stopped"),
        }
    }
}

/// Makes the shutdown call of a plugin's protocol.
type Goodbye = Box<dyn FnOnce(Peer) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// Keeps a plugin running. Dropping it kills the plugin.
#[derive(Debug)]
pub struct Supervisor {
    status: watch::Receiver<Status>,
    stop: StopSender,
    task: AbortHandle,
}

/// Asks the supervising task to end its plugin.
struct StopSender(Option<oneshot::Sender<Goodbye>>);

impl fmt::Debug for StopSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StopSender")
    }
}

impl Supervisor {
    /// Starts a plugin with `start`, and again whenever it has ended.
    pub fn new<F>(restart: Restart, start: impl Fn() -> F + Send + 'static) -> Supervisor
    where
        F: Future<Output = Result<Plugin, PluginError>> + Send + 'static,
    {
        let (sender, status) = watch::channel(Status::Starting);
        let (stop, stopping) = oneshot::channel();
        let task = tokio::spawn(supervise(restart, start, sender, stopping)).abort_handle();
        Supervisor {
            status,
            stop: StopSender(Some(stop)),
            task,
        }
    }

    /// Ends the plugin in steps, the first of which is `goodbye`, and does not start it again.
    pub async fn stop<F>(mut self, goodbye: impl FnOnce(Peer) -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if let Some(stop) = self.stop.0.take() {
            let goodbye: Goodbye = Box::new(|peer| Box::pin(goodbye(peer)));
            let _ended_already = stop.send(goodbye);
        }
        let is_ended = |status: &Status| matches!(status, Status::Ended(_));
        let _ended = self.status.wait_for(is_ended).await;
    }

    /// What the plugin is doing now; the receiver tells when that changes.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }

    /// Waits until the plugin runs.
    ///
    /// # Errors
    /// It is not started again.
    pub async fn peer(&self) -> Result<Peer, Down> {
        let mut status = self.status.clone();
        let is_settled = |status: &Status| match status {
            // One whose connection has ended is about to be started again.
            Status::Running(peer) => !peer.is_closed(),
            status => matches!(status, Status::Ended(_)),
        };
        match status.wait_for(is_settled).await.as_deref() {
            Ok(Status::Running(peer)) => Ok(peer.clone()),
            Ok(Status::Ended(down)) => Err(down.clone()),
            _ => Err(Down::Stopped),
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Waits until the connection to a plugin has ended, and then for its process.
async fn silent(peer: Peer) -> CloseReason {
    let reason = peer.closed().await;
    tokio::time::sleep(LAST_WORDS).await;
    reason
}

async fn supervise<F>(
    restart: Restart,
    start: impl Fn() -> F,
    status: watch::Sender<Status>,
    mut stopping: oneshot::Receiver<Goodbye>,
) where
    F: Future<Output = Result<Plugin, PluginError>>,
{
    let mut failures: u32 = 0;
    loop {
        status.send_replace(Status::Starting);
        let mut ran_for = Duration::ZERO;
        // Dropping the start of a plugin kills it.
        let started = tokio::select! {
            started = start() => started,
            Ok(_) = &mut stopping => break,
        };
        let down = match started {
            Ok(mut plugin) => {
                let started = Instant::now();
                status.send_replace(Status::Running(plugin.peer()));
                let (peer, silent) = (plugin.peer(), silent(plugin.peer()));
                let down = tokio::select! {
                    _ = plugin.process().exited() => {
                        status.send_replace(Status::Ending);
                        let exit = plugin.exited().await;
                        match peer.closed().await {
                            // It ended because we had stopped listening.
                            reason @ CloseReason::BrokenStream(_) => Down::Lost(reason),
                            _ => Down::Exited(exit),
                        }
                    }
                    reason = silent => Down::Lost(reason),
                    Ok(goodbye) = &mut stopping => {
                        plugin.stop(goodbye).await;
                        break;
                    }
                };
                ran_for = started.elapsed();
                let (command, how) = (plugin.process().command(), down.to_string());
                let (command, how) = (tenon_text::line(command), tenon_text::line(&how));
                tracing::warn!(%command, down = %how, "a plugin ended");
                down
            }
            Err(error) => {
                let problem = error.to_string();
                let problem = tenon_text::line(&problem);
                tracing::warn!(error = %problem, "a plugin could not be started");
                Down::Failed(Arc::new(error))
            }
        };
        let Restart::After(backoff) = restart else {
            status.send_replace(Status::Ended(down));
            return;
        };
        failures = match ran_for >= backoff.longest {
            true => 1,
            false => failures.saturating_add(1),
        };
        let pause = backoff.pause(failures);
        status.send_replace(Status::Waiting { pause, down });
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            Ok(_) = &mut stopping => break,
        }
    }
    status.send_replace(Status::Ended(Down::Stopped));
}
