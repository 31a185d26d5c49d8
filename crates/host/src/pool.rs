//! Warm processes for independent calls.
//!
//! Each process has one call at a time, unless it says that it can do more. A call takes a process
//! of its key that has room; while all of them are busy another one is started, so calls neither
//! wait for each other nor share a process that one of them may crash.

mod lease;
mod table;
mod waiting;

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::PluginError;
use crate::plugin::Plugin;
pub use lease::Lease;
use table::{Table, Unwanted};
use waiting::{Next, Waiting};

/// How many processes a [`Pool`] has, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct PoolLimits {
    /// The processes of all keys. Past this an idle process of another key is ended to make room,
    /// and if none is idle calls wait.
    pub processes: usize,
    /// How long a call waits for a busy process before another one is started, at least: it waits for as
    /// long as the first process took to start, so that calls that are answered soon share a process
    /// instead of starting many.
    pub patience: Duration,
    /// A process that has had no call for so long is ended.
    pub idle: Duration,
}

impl Default for PoolLimits {
    /// 64 processes, 20 milliseconds, one minute.
    fn default() -> PoolLimits {
        PoolLimits {
            processes: 64,
            patience: Duration::from_millis(20),
            idle: Duration::from_secs(60),
        }
    }
}

/// A process that has just been started for a [`Pool`].
#[derive(Debug)]
pub struct Started<T> {
    /// The process.
    pub plugin: Plugin,
    /// How many calls it takes at a time.
    pub capacity: NonZeroUsize,
    /// Data that belongs to this process; see [`Lease::extra`].
    pub extra: T,
}

/// Why there is no process for a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PoolError {
    /// It could not be started. Several calls may have waited for the same start.
    Start(Arc<PluginError>),
    /// The pool has ended.
    Ended,
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PoolError::Start(error) => error.fmt(f),
            PoolError::Ended => f.write_str("the pool has ended"),
        }
    }
}

impl std::error::Error for PoolError {
    /// The text is that of the error within, so the cause is the cause of that.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PoolError::Start(error) => error.source(),
            PoolError::Ended => None,
        }
    }
}

type Stop = Box<dyn Fn(Plugin) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// Warm processes by key. Calls with the same key may use the same process; a key is usually a command line. Cloning gives another handle to the same pool. When the last handle and the last
/// [`Lease`] are dropped the processes are killed; [`Pool::end`] ends them properly.
///
/// ```no_run
/// # use std::num::NonZeroUsize;
/// # use std::sync::Arc;
/// # use tenon_host::{Plugin, PluginCommand, Pool, PoolLimits, Start, Started};
/// # use tenon_rpc::{Dialect, Router};
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = Pool::new(PoolLimits::default(), |plugin: Plugin| async {
///     plugin.stop(|_| async {}).await;
/// });
/// let lease = pool
///     .lease(&"python3 plugin.py", None, |_| true, || async {
///         let command = PluginCommand::new("python3").arg("plugin.py");
///         let start = Start::new(Dialect::JsonRpcLines);
///         let router = Arc::new(Router::new(()));
///         let first = |peer: tenon_rpc::Peer| async move { peer.call_raw("health", None).await };
///         let (plugin, _) = Plugin::start(&command, start, router, first).await?;
///         Ok(Started { plugin, capacity: NonZeroUsize::MIN, extra: () })
///     })
///     .await?;
/// let answer = lease.plugin().peer().call_raw("work", None).await;
/// lease.release();
/// # Ok(())
/// # }
/// ```
pub struct Pool<K, T>(Arc<Inner<K, T>>);

struct Inner<K, T> {
    limits: PoolLimits,
    stop: Stop,
    table: Mutex<Table<K, T>>,
    /// Notified whenever a call that waits might continue.
    changed: Notify,
    /// Processes that are being ended.
    stopping: TaskTracker,
    ended: CancellationToken,
}

impl<K, T> Clone for Pool<K, T> {
    fn clone(&self) -> Pool<K, T> {
        Pool(self.0.clone())
    }
}

impl<K, T> fmt::Debug for Pool<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("limits", &self.0.limits)
            .finish_non_exhaustive()
    }
}

/// What became of the start that a call has caused.
type OwnStart = oneshot::Receiver<Result<(), Arc<PluginError>>>;

impl<K, T> Pool<K, T>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    /// A pool without processes. `stop` ends a process that is no longer needed.
    pub fn new<F>(
        limits: PoolLimits,
        stop: impl Fn(Plugin) -> F + Send + Sync + 'static,
    ) -> Pool<K, T>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Pool(Arc::new(Inner {
            limits,
            stop: Box::new(move |plugin| Box::pin(stop(plugin))),
            table: Mutex::new(Table::default()),
            changed: Notify::new(),
            stopping: TaskTracker::new(),
            ended: CancellationToken::new(),
        }))
    }

    /// A process of this key that has room for a call, which `start` starts if there is none.
    ///
    /// `capacity` is how many calls a process of this key takes at a time, if that is known before
    /// one is started. If it is not, the first process is started alone, and calls wait until it
    /// has said so.
    ///
    /// `fits` may refuse a process that has room. The process for which it says yes is taken.
    ///
    /// # Errors
    /// A process was needed and could not be started, or the pool has ended.
    pub async fn lease<F>(
        &self,
        key: &K,
        capacity: Option<NonZeroUsize>,
        fits: impl Fn(&T) -> bool,
        start: impl Fn() -> F,
    ) -> Result<Lease<K, T>, PoolError>
    where
        F: Future<Output = Result<Started<T>, PluginError>> + Send + 'static,
    {
        let waiting = Waiting::new(self, key, capacity);
        let mut own_start: Option<OwnStart> = None;
        loop {
            let mut changed = pin!(self.0.changed.notified());
            // Listening starts before looking, or a change in between would be missed.
            changed.as_mut().enable();
            if self.0.ended.is_cancelled() {
                return Err(PoolError::Ended);
            }
            let (taken, dead) = self.table().take(key, &fits);
            self.stop_all(dead);
            if let Some(taken) = taken {
                return Ok(Lease::new(self.clone(), Some(key.clone()), taken));
            }
            let mut retry_at = None;
            if own_start.is_none() {
                match waiting.next() {
                    Next::Fail(error) => return Err(PoolError::Start(error)),
                    Next::Wait(until) => retry_at = until,
                    Next::Start(given_up, evicted) => {
                        self.stop_all(evicted);
                        own_start = Some(self.begin_start(key, start(), given_up));
                    }
                }
            }
            let own = async {
                match &mut own_start {
                    Some(own) => own.await,
                    None => std::future::pending().await,
                }
            };
            let until = retry_at.unwrap_or_else(Instant::now);
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep_until(until), if retry_at.is_some() => {}
                outcome = own => {
                    if let Ok(Err(error)) = outcome {
                        return Err(PoolError::Start(error));
                    }
                    // It is in the table now, or the start was given up.
                    own_start = None;
                }
            }
        }
    }

    /// A process for one call alone, which is ended afterwards.
    ///
    /// # Errors
    /// It could not be started, or the pool has ended.
    pub async fn lease_alone<F>(&self, start: impl FnOnce() -> F) -> Result<Lease<K, T>, PoolError>
    where
        F: Future<Output = Result<Started<T>, PluginError>>,
    {
        loop {
            let mut changed = pin!(self.0.changed.notified());
            changed.as_mut().enable();
            if self.0.ended.is_cancelled() {
                return Err(PoolError::Ended);
            }
            let (has_room, evicted) = self.table().reserve(None, self.0.limits.processes);
            self.stop_all(evicted);
            if has_room {
                break;
            }
            changed.await;
        }
        let reserved = Reserved(self);
        let started = start()
            .await
            .map_err(|error| PoolError::Start(Arc::new(error)))?;
        let taken = self.table().alone(started);
        std::mem::forget(reserved);
        Ok(Lease::new(self.clone(), None, taken))
    }

    /// Starts a process that all calls of its key may use. The task belongs to the pool, so that a cancelled
    /// call does not cancel the start for others that wait for it.
    fn begin_start(
        &self,
        key: &K,
        start: impl Future<Output = Result<Started<T>, PluginError>> + Send + 'static,
        given_up: CancellationToken,
    ) -> OwnStart {
        self.end_idle_now_and_then();
        let (pool, key) = (self.clone(), key.clone());
        let (outcome, own_start) = oneshot::channel();
        tokio::spawn(async move {
            let began = Instant::now();
            let started = tokio::select! {
                biased;
                () = given_up.cancelled() => None,
                started = start => Some(started),
            };
            let is_current = !given_up.is_cancelled();
            let finished = pool.table().finish_start(&key, started, is_current, began);
            let (told, unwanted) = finished;
            pool.stop_all(unwanted);
            if let Some(told) = told {
                let _nobody_waits = outcome.send(told);
            }
            pool.0.changed.notify_waiters();
        });
        own_start
    }

    /// Ends processes that have been idle for too long, as long as there is a pool.
    fn end_idle_now_and_then(&self) {
        if std::mem::replace(&mut self.table().is_swept, true) {
            return;
        }
        let (pool, ended) = (Arc::downgrade(&self.0), self.0.ended.clone());
        let PoolLimits { idle, .. } = self.0.limits;
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = ended.cancelled() => return,
                    () = tokio::time::sleep(idle / 4) => {}
                }
                let Some(pool) = pool.upgrade().map(Pool) else {
                    return;
                };
                let idle = pool.table().take_idle(idle);
                pool.stop_all(idle);
            }
        });
    }

    /// Gives up the starts that are under way. Calls that still wait start a process anew.
    pub fn abandon_starts(&self) {
        self.table().abandon_starts();
    }

    /// No process that runs now, or is being started, is used for another call. Each is ended when
    /// the calls that it has are over.
    pub fn retire_all(&self) {
        let idle = self.table().retire_all();
        self.stop_all(idle);
        self.0.changed.notify_waiters();
    }

    /// Waits until [`Pool::end`] is called.
    pub async fn ended(&self) {
        self.0.ended.cancelled().await;
    }

    /// Ends all processes, the busy ones when their leases are dropped, and waits for that.
    pub async fn end(&self) {
        self.0.ended.cancel();
        self.retire_all();
        loop {
            let mut changed = pin!(self.0.changed.notified());
            changed.as_mut().enable();
            if self.table().count == 0 {
                break;
            }
            changed.await;
        }
        self.0.stopping.close();
        self.0.stopping.wait().await;
    }

    fn stop_all(&self, members: Unwanted<T>) {
        for member in members.into_iter().filter_map(Arc::into_inner) {
            // Without a runtime, which may be shutting down, dropping it kills it.
            if let Ok(runtime) = Handle::try_current() {
                let stopped = (self.0.stop)(member.plugin);
                self.0.stopping.spawn_on(stopped, &runtime);
            }
        }
    }
}

impl<K, T> Pool<K, T> {
    fn table(&self) -> MutexGuard<'_, Table<K, T>> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Room for a process that is being started for one call.
struct Reserved<'a, K, T>(&'a Pool<K, T>);

impl<K, T> Drop for Reserved<'_, K, T> {
    fn drop(&mut self) {
        self.0.table().count -= 1;
        self.0.0.changed.notify_waiters();
    }
}
