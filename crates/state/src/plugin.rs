//! A plugin that keeps states, as the protocol Seasonings has it.

mod turn;

use std::fmt::{self, Display};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value as Json};
use tenon_host::{Down, Plugin, PluginCommand, PluginError, Restart, Start, Status, Supervisor};
use tenon_protocols::seasonings::calls::storage::{self, Held};
use tenon_protocols::seasonings::calls::{self, Call, is_left_out};
use tenon_protocols::seasonings::{
    self, Capabilities, Greeting, Level, NOT_SUPPORTED, Welcome, listen,
};
use tenon_protocols::{Protocol, Secrets};
use tenon_rpc::{CallError, CloseReason, Peer};
use tokio::time::timeout;

use self::turn::{Process, Turn};
use crate::path::StatePath;
use crate::storage::{Release, Storage, StorageError};

/// A storage plugin in a process, which is started again if it ends or does not answer in time.
#[derive(Debug)]
pub struct PluginStorage {
    supervisor: Supervisor,
    options: PluginOptions,
    /// How many calls the newest process takes at the same time.
    capacity: Arc<AtomicUsize>,
    /// The process that calls went to last.
    process: Mutex<Option<Arc<Process>>>,
}

/// How a storage plugin is called.
#[derive(Clone)]
pub struct PluginOptions {
    /// What the plugin is configured with.
    pub config: Map<String, Json>,
    /// How long the plugin may take for a call, from when it gets it. A plugin that takes longer is started again.
    pub time_limit: Duration,
    /// How long a call may wait for others. The plugin works on those, so nothing happens to it.
    pub waiting_limit: Duration,
    /// What is masked in errors.
    pub secrets: Secrets,
    /// Is given what the plugin says in events, a line for each.
    pub hear: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Default for PluginOptions {
    fn default() -> PluginOptions {
        let limit = Duration::from_secs(300);
        PluginOptions {
            config: Map::new(),
            time_limit: limit,
            waiting_limit: limit,
            secrets: Secrets::default(),
            hear: Arc::new(|_| {}),
        }
    }
}

impl fmt::Debug for PluginOptions {
    /// A configuration may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginOptions")
            .field("time_limit", &self.time_limit)
            .field("waiting_limit", &self.waiting_limit)
            .finish_non_exhaustive()
    }
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
        options: PluginOptions,
    ) -> Result<PluginStorage, PluginStorageError> {
        let greeting = Arc::new(Greeting {
            config: options.config.clone(),
            ..Greeting::new([Level::Storage])
        });
        let (heard, masked) = (Arc::clone(&options.hear), options.secrets.clone());
        let router = Arc::new(listen(move |said| heard(&masked.hide(&said.to_string()))));
        let capacity = Arc::new(AtomicUsize::new(1));
        let (found, secrets) = (Arc::clone(&capacity), options.secrets.clone());
        let supervisor = Supervisor::new(Restart::default(), move || {
            let (command, start) = (command.clone(), start.clone());
            let (router, greeting) = (Arc::clone(&router), Arc::clone(&greeting));
            let (found, secrets) = (Arc::clone(&found), secrets.clone());
            async move {
                let first = |peer: Peer| async move { begin(&peer, &greeting).await };
                let started = Plugin::start(&command, start, router, first).await;
                let (plugin, welcome) =
                    started.map_err(|error| error.map_said(|said| secrets.hide(said)))?;
                let capacity = welcome.max_in_flight.map_or(1, NonZeroUsize::get);
                found.store(capacity, Ordering::Relaxed);
                Ok(plugin)
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
        Ok(PluginStorage {
            supervisor,
            options,
            capacity,
            process: Mutex::default(),
        })
    }

    /// Ends the plugin.
    pub async fn stop(self) {
        self.supervisor
            .stop(|peer| async move { Protocol::Seasonings.end(&peer).await })
            .await;
    }

    async fn call<C: Call>(&self, call: &C) -> Result<C::Answer, Problem> {
        let PluginOptions {
            time_limit,
            waiting_limit,
            ..
        } = self.options;
        let turn = timeout(waiting_limit, self.turn()).await;
        let turn = turn.map_err(|_| Problem::Busy(waiting_limit))??;
        // If it does not come to its end, the plugin is given up.
        let answer = timeout(time_limit, calls::call(turn.peer(), call)).await;
        let answer = answer.map_err(|_| Problem::TimedOut(time_limit))?;
        turn.answered();
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

    /// Waits until the plugin runs and takes a call.
    async fn turn(&self) -> Result<Turn, Problem> {
        loop {
            let peer = self.peer().await.map_err(Problem::Down)?;
            if let Some(turn) = self.process(peer).turn().await {
                return Ok(turn);
            }
        }
    }

    /// The process that runs.
    fn process(&self, peer: Peer) -> Arc<Process> {
        let process = self.process.lock();
        let mut process = process.unwrap_or_else(PoisonError::into_inner);
        let known = process.as_ref().filter(|known| !known.peer.is_closed());
        let found = known.cloned().unwrap_or_else(|| {
            let capacity = self.capacity.load(Ordering::Relaxed);
            Arc::new(Process::new(peer, capacity))
        });
        *process = Some(Arc::clone(&found));
        found
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

impl PluginStorage {
    /// What a failed call means to Terraform.
    fn error<C: Call>(&self, problem: &Problem) -> StorageError {
        let hide = |text: &str| self.options.secrets.hide(text);
        let failed = |problem: &dyn Display| {
            StorageError::Failed(hide(&format!("the plugin, {}: {problem}", C::METHOD)))
        };
        match problem {
            Problem::Down(down) => failed(down),
            Problem::TimedOut(limit) => StorageError::Failed(format!(
                "the storage has not answered within {} s",
                limit.as_secs_f64()
            )),
            Problem::Busy(limit) => StorageError::Failed(format!(
                "the storage is busy: it has not begun with this call within {} s, because it works on others",
                limit.as_secs_f64()
            )),
            Problem::Call(CallError::Answered(answer)) => match Held::of(answer) {
                Some(held) => StorageError::Locked {
                    lock: held.lock_id,
                    info: held.info.as_deref().map(hide),
                },
                None if is_left_out(&answer.code) || answer.code == NOT_SUPPORTED => {
                    StorageError::Unsupported
                }
                None => failed(&answer.message),
            },
            Problem::Call(error) => failed(error),
        }
    }
}

/// Why a call was not answered with a result.
enum Problem {
    Call(CallError),
    /// The plugin does not run.
    Down(Down),
    /// The plugin has not answered in time.
    TimedOut(Duration),
    /// The call has waited too long for others.
    Busy(Duration),
}

/// The first call; a plugin without storage is refused.
async fn begin(peer: &Peer, greeting: &Greeting) -> Result<Welcome, CallError> {
    let welcome = seasonings::begin(peer, greeting).await?;
    let capabilities = &welcome.capabilities;
    match (capabilities.has(Level::Storage), capabilities.unknown()) {
        (true, _) => Ok(welcome),
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
            outcome => outcome.map_err(|problem| self.error::<storage::Read<'_>>(&problem)),
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
            .map_err(|problem| self.error::<storage::Write<'_>>(&problem))
    }

    async fn delete(&self, path: &StatePath, lock: Option<&str>) -> Result<(), StorageError> {
        let delete = storage::Delete {
            path: path.as_str(),
            lock_id: lock,
        };
        self.call(&delete)
            .await
            .map_err(|problem| self.error::<storage::Delete<'_>>(&problem))
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
            .map_err(|problem| self.error::<storage::Lock<'_>>(&problem))
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
            .map_err(|problem| self.error::<storage::Unlock<'_>>(&problem))
    }
}
