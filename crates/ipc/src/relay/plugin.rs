//! The plugin of a relay: running, being restarted, or stopped.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::json;
use tenon_host::{Down, Status};
use tenon_rpc::forward::Target;
use tenon_rpc::{CloseReason, ErrorCode, Format, Payload, Peer, RpcError};
use tokio::sync::watch;

/// The plugin of a relay. It is set once there is a supervisor, and may be restarted.
#[derive(Clone, Debug, Default)]
pub(crate) struct RelayPlugin(Arc<OnceLock<watch::Receiver<Status>>>);

impl Target for RelayPlugin {
    /// The plugin, if it runs.
    fn now(&self) -> Option<Peer> {
        match &*self.0.get()?.borrow() {
            Status::Running(peer) if !peer.is_closed() => Some(peer.clone()),
            _ => None,
        }
    }

    async fn ready(&self) -> Result<Peer, CloseReason> {
        { self.running().await }.map_err(|_| CloseReason::ClosedHere)
    }
}

impl RelayPlugin {
    pub(super) fn set(&self, status: watch::Receiver<Status>) {
        let _first = self.0.set(status);
    }

    /// The plugin, once it runs.
    async fn running(&self) -> Result<Peer, RpcError> {
        let Some(mut status) = self.0.get().cloned() else {
            return Err(unavailable("the plugin has not been started", None));
        };
        let is_settled = |status: &Status| match status {
            Status::Running(peer) => !peer.is_closed(),
            Status::Ended(_) => true,
            Status::Starting | Status::Ending | Status::Waiting { .. } => false,
        };
        let found = status.wait_for(is_settled).await.map(|found| found.clone());
        match found {
            Ok(Status::Running(peer)) => Ok(peer),
            Ok(Status::Ended(down)) => Err(unavailable(
                "the plugin has ended and will not be restarted",
                Some(&down),
            )),
            Ok(_) | Err(_) => Err(unavailable("the plugin has been stopped", None)),
        }
    }

    /// Waits until the plugin has not run for as long as calls wait for it.
    pub(super) async fn absence(&self, patience: Duration) -> RpcError {
        let Some(mut status) = self.0.get().cloned() else {
            return unavailable("the plugin has not been started", None);
        };
        loop {
            match tokio::time::timeout(patience, self.running()).await {
                Ok(Ok(plugin)) => {
                    plugin.closed().await;
                }
                Ok(Err(error)) => return error,
                Err(_) => {
                    let down = match &*status.borrow_and_update() {
                        Status::Waiting { down, .. } => Some(down.clone()),
                        _ => None,
                    };
                    let problem = format!("the plugin did not start within {patience:?}");
                    return unavailable(&problem, down.as_ref());
                }
            }
        }
    }

    /// The error for a call that was lost when the plugin ended.
    pub(super) async fn told_why(&self, reason: CloseReason) -> RpcError {
        /// The process ends a little later than its output, or must be killed.
        const LIMIT: Duration = Duration::from_secs(2);
        let down = async {
            let mut status = self.0.get().cloned()?;
            let is_down = |status: &Status| match status {
                Status::Waiting { .. } | Status::Ended(_) => true,
                Status::Running(peer) => !peer.is_closed(),
                Status::Starting | Status::Ending => false,
            };
            match status.wait_for(is_down).await.ok()?.clone() {
                Status::Waiting { down, .. } | Status::Ended(down) => Some(down),
                Status::Running(_) | Status::Starting | Status::Ending => None,
            }
        };
        let down = tokio::time::timeout(LIMIT, down).await.ok().flatten();
        tracing::debug!(%reason, "a call was lost with its plugin");
        unavailable("the plugin ended before it answered", down.as_ref())
    }
}

/// The error for a call while the plugin is not running. It says how the plugin ended, but not what it
/// wrote to stderr, which is only for the operator.
fn unavailable(problem: &str, down: Option<&Down>) -> RpcError {
    let error = RpcError::new(ErrorCode::Number(crate::PLUGIN_ENDED), problem);
    let why = match down {
        Some(Down::Exited(status)) => status.to_string(),
        // Without what it began with, which may be a secret.
        Some(Down::Lost(CloseReason::BrokenStream(error))) => error.problem.clone(),
        Some(Down::Lost(_)) => "it closed its stdout".to_owned(),
        Some(Down::Failed(_)) => "it could not be started".to_owned(),
        Some(Down::Stopped) => "it was stopped".to_owned(),
        None => return error,
    };
    match Payload::encode(Format::Json, &json!({ "plugin": why })) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}
