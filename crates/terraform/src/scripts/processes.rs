//! The processes of scripts, in a pool of the host's.

use std::time::Duration;

use tenon_host::{Plugin, Pool, PoolError, PoolLimits};
use tenon_protocols::Secrets;
use tokio::sync::mpsc;

use super::process::{self, Listener};
use crate::launch::Launch;

/// All processes, by the key of their launch.
#[derive(Clone)]
pub(super) struct Processes {
    pool: Pool<String, Listener>,
    secrets: Secrets,
}

/// The use of a process for one call. As in the pool, dropping it ends the process.
pub(super) struct Lease {
    // First, since fields are dropped in this order: the next call may listen immediately.
    listening: Option<Listening>,
    lease: tenon_host::Lease<String, Listener>,
    is_reused: bool,
}

/// A call hears of the progress of a process until this is dropped.
struct Listening(Listener);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Lease {
    pub(super) fn plugin(&self) -> &Plugin {
        self.lease.plugin()
    }

    /// Whether the process may have had calls before, and may have others now.
    pub(super) fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// How many calls the process had before this one.
    pub(super) fn calls_before(&self) -> u64 {
        self.lease.calls_before()
    }

    /// How many other calls the process has right now.
    pub(super) fn others(&self) -> usize {
        self.lease.others()
    }

    /// Whether the process has had no other call during this one.
    pub(super) fn was_alone(&self) -> bool {
        self.lease.was_alone()
    }

    /// The same, where the call has become the listener.
    fn listening(self) -> Lease {
        let listener = self.lease.extra().clone();
        Lease {
            listening: Some(Listening(listener)),
            ..self
        }
    }

    /// The call is over: the process may have another.
    pub(super) fn release(self) {
        drop(self.listening);
        self.lease.release();
    }
}

impl Processes {
    pub(super) fn new(secrets: Secrets) -> Processes {
        Processes {
            pool: Pool::new(PoolLimits::default(), process::stop),
            secrets,
        }
    }

    /// A process for a call.
    pub(super) async fn lease(&self, launch: &Launch) -> Result<Lease, PoolError> {
        match launch.reuse {
            true => self.lease_where(launch, |_| true).await,
            false => self.lease_alone(launch).await,
        }
    }

    /// A process for an action, which gets the progress of the process. Progress messages do not say
    /// which call they belong to, so a process that takes several calls has one action at a time.
    pub(super) async fn lease_for_progress(
        &self,
        launch: &Launch,
        progress: mpsc::Sender<String>,
    ) -> Result<Lease, PoolError> {
        let listens = |listener: &Listener| listener.take(&progress);
        if launch.reuse {
            let lease = self.lease_where(launch, listens).await?;
            return Ok(lease.listening());
        }
        let lease = self.lease_alone(launch).await?;
        listens(lease.lease.extra());
        Ok(lease.listening())
    }

    /// A process for this call alone.
    pub(super) async fn lease_alone(&self, launch: &Launch) -> Result<Lease, PoolError> {
        let lease = self
            .pool
            .lease_alone(|| process::start(launch, &self.secrets));
        Ok(Lease {
            listening: None,
            lease: lease.await?,
            is_reused: false,
        })
    }

    async fn lease_where(
        &self,
        launch: &Launch,
        fits: impl Fn(&Listener) -> bool,
    ) -> Result<Lease, PoolError> {
        let start = || {
            let (launch, secrets) = (launch.clone(), self.secrets.clone());
            async move { process::start(&launch, &secrets).await }
        };
        let lease = self
            .pool
            .lease(&launch.key, launch.max_in_flight, fits, start);
        Ok(Lease {
            listening: None,
            lease: lease.await?,
            is_reused: true,
        })
    }

    /// Another command of Terraform begins: scripts may have changed since the last one.
    pub(super) fn start_anew(&self) {
        self.pool.retire_all();
    }

    /// Gives up the starts that are under way.
    pub(super) fn abandon_starts(&self) {
        self.pool.abandon_starts();
    }

    /// Waits until the processes are being ended.
    pub(super) async fn ended(&self) {
        self.pool.ended().await;
    }

    /// Ends all processes. Those that take longer than `limit` are killed with this one.
    pub(super) async fn end(&self, limit: Duration) {
        if tokio::time::timeout(limit, self.pool.end()).await.is_err() {
            tracing::warn!("a script did not end in time and is killed");
        }
    }
}
