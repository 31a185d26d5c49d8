//! Which processes run, and who uses them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenon_host::{Plugin, PluginError};
use tenon_protocols::Secrets;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::process::{self, Listener};
use crate::launch::Launch;

/// A process that nobody has called for so long ends.
const IDLE: Duration = Duration::from_secs(60);

/// All processes, by the key of their launch.
#[derive(Clone)]
pub(super) struct Table(Arc<Inner>);

struct Inner {
    places: Mutex<HashMap<String, Arc<Place>>>,
    secrets: Secrets,
    /// Processes on their way out, which the provider waits for at its own end.
    stopping: TaskTracker,
    ended: CancellationToken,
    looks_for_idle: AtomicBool,
}

/// The processes of one command line. There is more than one only while actions run, whose
/// progress could not be told apart.
#[derive(Default)]
struct Place {
    running: tokio::sync::Mutex<Running>,
    /// How often a start has failed.
    failures: AtomicUsize,
}

#[derive(Default)]
struct Running {
    shared: Vec<Arc<Shared>>,
    last_failure: Option<Arc<PluginError>>,
}

/// A process. Whoever lets go of it last stops it.
struct Shared {
    plugin: Plugin,
    listener: Listener,
    last_used: Mutex<Instant>,
    /// Nobody else is to call it any more.
    is_retired: AtomicBool,
    is_alone: bool,
}

impl Shared {
    fn is_usable(&self) -> bool {
        let process = self.plugin.process();
        !self.is_retired.load(Ordering::Relaxed)
            && process.status().is_none()
            && !self.plugin.peer().is_closed()
    }

    fn idle_since(&self) -> Instant {
        *self
            .last_used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The use of a process for one call.
pub(super) struct Lease {
    shared: Option<Arc<Shared>>,
    listens: bool,
    table: Table,
}

impl Lease {
    fn shared(&self) -> &Shared {
        let shared = self.shared.as_deref();
        shared.expect("it is given back only when the lease is dropped")
    }

    pub(super) fn plugin(&self) -> &Plugin {
        &self.shared().plugin
    }

    /// Whether others use the same process.
    pub(super) fn is_shared(&self) -> bool {
        !self.shared().is_alone
    }

    /// How many others use the same process right now. The table holds it as well.
    pub(super) fn others(&self) -> usize {
        let holders = self.shared.as_ref().map_or(0, Arc::strong_count);
        holders.saturating_sub(2)
    }

    /// Nobody is to call this process any more.
    pub(super) fn retire(&self) {
        self.shared().is_retired.store(true, Ordering::Relaxed);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            if self.listens {
                shared.listener.leave();
            }
            *shared
                .last_used
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Instant::now();
            self.table.release(shared);
        }
    }
}

impl Table {
    pub(super) fn new(secrets: Secrets) -> Table {
        Table(Arc::new(Inner {
            places: Mutex::default(),
            secrets,
            stopping: TaskTracker::new(),
            ended: CancellationToken::new(),
            looks_for_idle: AtomicBool::new(false),
        }))
    }

    /// The process for a call, which is started if there is none.
    pub(super) async fn lease(&self, launch: &Launch) -> Result<Lease, Arc<PluginError>> {
        match launch.reuse {
            true => self.lease_shared(launch, |_| true, false).await,
            false => self.lease_alone(launch).await,
        }
    }

    /// A process whose progress nobody listens to yet.
    pub(super) async fn lease_for_progress(
        &self,
        launch: &Launch,
        progress: mpsc::Sender<String>,
    ) -> Result<Lease, Arc<PluginError>> {
        if launch.reuse {
            let is_free = |shared: &Shared| shared.listener.take(&progress);
            return self.lease_shared(launch, is_free, true).await;
        }
        let mut lease = self.lease_alone(launch).await?;
        lease.listens = lease.shared().listener.take(&progress);
        Ok(lease)
    }

    /// A process for this call alone.
    pub(super) async fn lease_alone(&self, launch: &Launch) -> Result<Lease, Arc<PluginError>> {
        let shared = self.start(launch, true).await.map_err(Arc::new)?;
        Ok(self.lease_of(shared, false))
    }

    async fn lease_shared(
        &self,
        launch: &Launch,
        fits: impl Fn(&Shared) -> bool,
        listens: bool,
    ) -> Result<Lease, Arc<PluginError>> {
        let place = self.place(&launch.key);
        let failures_before = place.failures.load(Ordering::Relaxed);
        let mut running = place.running.lock().await;
        if place.failures.load(Ordering::Relaxed) > failures_before
            && let Some(failure) = &running.last_failure
        {
            // A start failed while we waited for it. It is our failure as well, or each of a
            // hundred calls would wait for its own.
            return Err(failure.clone());
        }
        let all = std::mem::take(&mut running.shared);
        let (usable, dead): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.is_usable());
        running.shared = usable;
        dead.into_iter().for_each(|shared| self.release(shared));
        if let Some(shared) = running.shared.iter().find(|shared| fits(shared)) {
            return Ok(self.lease_of(shared.clone(), listens));
        }
        match self.start(launch, false).await {
            Ok(shared) => {
                fits(&shared);
                running.shared.push(shared.clone());
                Ok(self.lease_of(shared, listens))
            }
            Err(error) => {
                let error = Arc::new(error);
                place.failures.fetch_add(1, Ordering::Relaxed);
                running.last_failure = Some(error.clone());
                Err(error)
            }
        }
    }

    async fn start(&self, launch: &Launch, is_alone: bool) -> Result<Arc<Shared>, PluginError> {
        let listener = Listener::default();
        let plugin = process::start(launch, listener.clone(), &self.0.secrets).await?;
        self.look_for_idle();
        Ok(Arc::new(Shared {
            plugin,
            listener,
            last_used: Mutex::new(Instant::now()),
            is_retired: AtomicBool::new(false),
            is_alone,
        }))
    }

    fn lease_of(&self, shared: Arc<Shared>, listens: bool) -> Lease {
        Lease {
            shared: Some(shared),
            listens,
            table: self.clone(),
        }
    }

    fn places(&self) -> MutexGuard<'_, HashMap<String, Arc<Place>>> {
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, key: &str) -> Arc<Place> {
        let mut places = self.places();
        places.entry(key.to_owned()).or_default().clone()
    }

    /// Lets go of a process. The last one to do so stops it.
    fn release(&self, shared: Arc<Shared>) {
        if let Some(shared) = Arc::into_inner(shared) {
            self.0.stopping.spawn(process::stop(shared.plugin));
        }
    }

    /// Ends processes that nobody has called for a while, now and then.
    fn look_for_idle(&self) {
        if self.0.looks_for_idle.swap(true, Ordering::Relaxed) {
            return;
        }
        let table = self.clone();
        tokio::spawn(async move {
            while !table.0.ended.is_cancelled() {
                tokio::time::sleep(IDLE / 4).await;
                table.end_idle();
            }
        });
    }

    fn end_idle(&self) {
        let places: Vec<_> = self.places().values().cloned().collect();
        for place in places {
            let Ok(mut running) = place.running.try_lock() else {
                continue;
            };
            // Whoever is in the middle of a call holds a process as well.
            let is_idle = |shared: &Arc<Shared>| {
                Arc::strong_count(shared) == 1 && shared.idle_since().elapsed() >= IDLE
            };
            let (idle, busy): (Vec<_>, Vec<_>) = running.shared.drain(..).partition(is_idle);
            running.shared = busy;
            idle.into_iter().for_each(|shared| self.release(shared));
        }
    }

    /// Nobody is to call any of the processes that run any more.
    pub(super) fn retire_all(&self) {
        let places: Vec<_> = self.places().drain().map(|(_, place)| place).collect();
        for place in places {
            // Whoever is about to start one does not hold an old one.
            if let Ok(mut running) = place.running.try_lock() {
                let all = std::mem::take(&mut running.shared);
                all.into_iter().for_each(|shared| self.release(shared));
            }
        }
    }

    /// Waits until the processes are being ended.
    pub(super) async fn ended(&self) {
        self.0.ended.cancelled().await;
    }

    /// Ends all processes. Those that take longer are killed with us.
    pub(super) async fn end(&self, limit: Duration) {
        self.0.ended.cancel();
        let all_gone = async {
            let places: Vec<_> = self.places().drain().map(|(_, place)| place).collect();
            for place in places {
                let running = std::mem::take(&mut *place.running.lock().await);
                running
                    .shared
                    .into_iter()
                    .for_each(|shared| self.release(shared));
            }
            self.0.stopping.close();
            self.0.stopping.wait().await;
        };
        if tokio::time::timeout(limit, all_gone).await.is_err() {
            tracing::warn!("a script did not end in time and is killed");
        }
    }
}

#[cfg(test)]
mod tests;
