//! A plugin that keeps states, as the protocol Seasonings has it.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value as Json};
use tenon_host::{Down, Plugin, PluginCommand, PluginError, Restart, Start, Status, Supervisor};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::calls::storage::{self, Held};
use tenon_protocols::seasonings::calls::{self, Call, is_left_out};
use tenon_protocols::seasonings::{self, Capabilities, Greeting, Level, NOT_SUPPORTED};
use tenon_rpc::{CallError, CloseReason, Peer, Router};

use crate::path::StatePath;
use crate::storage::{Release, Storage, StorageError};

/// A storage plugin in a process, which is started again if it ends or does not answer in time.
#[derive(Debug)]
pub struct PluginStorage {
    supervisor: Supervisor,
}

/// Why a storage plugin could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginStorageError {
    /// It cannot run, or does not answer its first call.
    #[error("{0}")]
    Start(Arc<PluginError>),
    /// It ended immediately.
    #[error("the plugin: {0}")]
    Down(Down),
}

impl PluginStorage {
    /// Starts a plugin and makes its first call.
    ///
    /// # Errors
    /// It cannot be started, or has no storage.
    pub async fn start(
        command: PluginCommand,
        start: Start,
        config: Map<String, Json>,
    ) -> Result<PluginStorage, PluginStorageError> {
        let greeting = Arc::new(Greeting {
            config,
            ..Greeting::new([Level::Storage])
        });
        let router = Arc::new(Router::new(()));
        let supervisor = Supervisor::new(Restart::default(), move || {
            let (command, start) = (command.clone(), start.clone());
            let (router, greeting) = (Arc::clone(&router), Arc::clone(&greeting));
            async move {
                let first = |peer: Peer| async move { begin(&peer, &greeting).await };
                let started = Plugin::start(&command, start, router, first).await;
                started.map(|(plugin, ())| plugin)
            }
        });
        let mut status = supervisor.status();
        let has_started = |status: &Status| !matches!(status, Status::Starting);
        match status.wait_for(has_started).await.as_deref() {
            Ok(Status::Waiting { down, .. } | Status::Ended(down)) => Err(match down {
                Down::Failed(error) => PluginStorageError::Start(Arc::clone(error)),
                down => PluginStorageError::Down(down.clone()),
            }),
            Ok(_) => Ok(()),
            Err(_) => Err(PluginStorageError::Down(Down::Stopped)),
        }?;
        Ok(PluginStorage { supervisor })
    }

    /// Ends the plugin.
    pub async fn stop(self) {
        self.supervisor
            .stop(|peer| async move { Protocol::Seasonings.end(&peer).await })
            .await;
    }

    async fn call<C: Call>(&self, call: &C) -> Result<C::Answer, Problem> {
        let peer = self.peer().await.map_err(Problem::Down)?;
        let mut unanswered = Unanswered(Some(&peer));
        let answer = calls::call(&peer, call).await;
        unanswered.0 = None;
        match answer {
            Ok(answer) => Ok(answer),
            // How it ended says more than that it did.
            Err(error @ CallError::Closed(CloseReason::PeerClosed)) => match self.ending().await {
                Some(down @ Down::Exited(_)) => Err(Problem::Down(down)),
                _ => Err(Problem::Call(error)),
            },
            Err(error) => Err(Problem::Call(error)),
        }
    }

    /// Waits until the plugin runs, or could not be started again: Terraform is told why, and tries again itself.
    async fn peer(&self) -> Result<Peer, Down> {
        let mut status = self.supervisor.status();
        let is_settled = |status: &Status| match status {
            Status::Running(peer) => !peer.is_closed(),
            Status::Waiting { down, .. } => matches!(down, Down::Failed(_)),
            Status::Ended(_) => true,
            Status::Starting | Status::Ending => false,
        };
        match status.wait_for(is_settled).await.as_deref() {
            Ok(Status::Running(peer)) => Ok(peer.clone()),
            Ok(Status::Waiting { down, .. } | Status::Ended(down)) => Err(down.clone()),
            _ => Err(Down::Stopped),
        }
    }

    /// Why a plugin whose connection has ended does not run; `None` if it runs again.
    async fn ending(&self) -> Option<Down> {
        let mut status = self.supervisor.status();
        let is_known = |status: &Status| match status {
            Status::Running(peer) => !peer.is_closed(),
            Status::Ending => false,
            Status::Starting | Status::Waiting { .. } | Status::Ended(_) => true,
        };
        match status.wait_for(is_known).await.as_deref() {
            Ok(Status::Waiting { down, .. } | Status::Ended(down)) => Some(down.clone()),
            _ => None,
        }
    }
}

/// Why a call was not answered with a result.
enum Problem {
    Call(CallError),
    /// The plugin does not run.
    Down(Down),
}

/// Gives up a plugin when a call is dropped, which a server does when its time limit has passed. The supervisor
/// then kills the plugin and starts it again: one that hangs would let all later calls wait as well.
struct Unanswered<'a>(Option<&'a Peer>);

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if let Some(peer) = self.0 {
            peer.close();
        }
    }
}

/// The first call; a plugin without storage is refused.
async fn begin(peer: &Peer, greeting: &Greeting) -> Result<(), CallError> {
    let welcome = seasonings::begin(peer, greeting).await?;
    let capabilities = &welcome.capabilities;
    match (capabilities.has(Level::Storage), capabilities.unknown()) {
        (true, _) => Ok(()),
        (false, []) => Err(CallError::Malformed(
            "the plugin has no storage: \"storage\" is not in the capabilities of its answer to `init`"
                .into(),
        )),
        (false, unknown) => Err(CallError::Malformed(
            format!(
                "the plugin has no storage: the capabilities {} of its answer to `init` are unknown; write \"storage\" \
                 or {:?}",
                unknown.join(", "),
                Capabilities::names_of(Level::Storage)[1]
            )
            .into(),
        )),
    }
}

impl Storage for PluginStorage {
    async fn read(&self, path: &StatePath) -> Result<Option<Bytes>, StorageError> {
        let read = storage::Read {
            path: path.as_str(),
        };
        match self.call(&read).await {
            Err(Problem::Call(error)) if storage::is_none(&error) => Ok(None),
            outcome => outcome.map_err(storage_error::<storage::Read<'_>>),
        }
    }

    async fn write(
        &self,
        path: &StatePath,
        state: Bytes,
        lock: Option<&str>,
    ) -> Result<(), StorageError> {
        let write = storage::Write {
            path: path.as_str(),
            state: &state,
            lock_id: lock,
        };
        self.call(&write)
            .await
            .map_err(storage_error::<storage::Write<'_>>)
    }

    async fn delete(&self, path: &StatePath, lock: Option<&str>) -> Result<(), StorageError> {
        let delete = storage::Delete {
            path: path.as_str(),
            lock_id: lock,
        };
        self.call(&delete)
            .await
            .map_err(storage_error::<storage::Delete<'_>>)
    }

    async fn lock(
        &self,
        path: &StatePath,
        operation: &str,
        info: &str,
    ) -> Result<String, StorageError> {
        let lock = storage::Lock {
            path: path.as_str(),
            operation,
            info,
        };
        self.call(&lock)
            .await
            .map_err(storage_error::<storage::Lock<'_>>)
    }

    async fn unlock(&self, path: &StatePath, release: Release<'_>) -> Result<(), StorageError> {
        let unlock = storage::Unlock {
            path: path.as_str(),
            lock_id: match release {
                Release::Lock(id) => Some(id),
                Release::Force => None,
            },
        };
        self.call(&unlock)
            .await
            .map_err(storage_error::<storage::Unlock<'_>>)
    }
}

/// What a failed call means to Terraform.
fn storage_error<C: Call>(problem: Problem) -> StorageError {
    let failed = |problem: &dyn Display| {
        StorageError::Failed(format!("the plugin, {}: {problem}", C::METHOD))
    };
    match &problem {
        Problem::Down(down) => failed(down),
        Problem::Call(CallError::Answered(answer)) => match Held::of(answer) {
            Some(held) => StorageError::Locked {
                lock: held.lock_id,
                info: held.info,
            },
            None if is_left_out(&answer.code) || answer.code == NOT_SUPPORTED => {
                StorageError::Unsupported
            }
            None => failed(&answer.message),
        },
        Problem::Call(error) => failed(error),
    }
}
