//! The script processes of this provider, and calls to them.
//!
//! A process has one call at a time, unless the script says that it takes more, and is kept for the
//! next one: see [`tenon_host::Pool`].

mod answer;
mod failure;
mod process;
mod processes;
mod words;

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenon_host::PoolError;
use tenon_protocols::Secrets;
use tenon_protocols::denobridge::{Invoke, Outcome, Props};
use tenon_rpc::{CallError, Method};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::launch::Launch;
pub(crate) use failure::Failure;
use failure::Lost;
use processes::{Lease, Processes};

/// All script processes of this provider. Cloning gives another handle to the same.
#[derive(Clone)]
pub(crate) struct Scripts {
    processes: Processes,
    /// Cancelled when Terraform was interrupted.
    interruption: Arc<Mutex<CancellationToken>>,
    shows_stderr: Arc<AtomicBool>,
    /// What is masked in everything that scripts say.
    pub(crate) secrets: Secrets,
}

/// What is called, and what errors call it.
#[derive(Clone, Copy)]
pub(crate) struct Task<M> {
    method: PhantomData<M>,
    /// As in "Failed to create resource".
    pub(crate) what: &'static str,
    /// Whether it changes nothing, so that it can be asked again.
    pub(crate) only_reads: bool,
    /// Whether it is made even after Terraform was interrupted, because it cleans up.
    pub(crate) cleans_up: bool,
}

impl<M> Task<M> {
    /// A call that changes something.
    pub(crate) fn new(_: M, what: &'static str) -> Task<M> {
        Task {
            method: PhantomData,
            what,
            only_reads: false,
            cleans_up: false,
        }
    }

    /// A call that changes nothing.
    pub(crate) fn reading(method: M, what: &'static str) -> Task<M> {
        Task {
            only_reads: true,
            ..Task::new(method, what)
        }
    }

    /// A call that cleans up.
    pub(crate) fn cleaning(method: M, what: &'static str) -> Task<M> {
        Task {
            cleans_up: true,
            ..Task::new(method, what)
        }
    }
}

impl Scripts {
    pub(crate) fn new(shows_stderr: bool) -> Scripts {
        let secrets = Secrets::default();
        let masked = secrets.clone();
        tenon_tfplugin::mask_log(move |text| masked.hide(text));
        Scripts {
            processes: Processes::new(secrets.clone()),
            interruption: Arc::default(),
            shows_stderr: Arc::new(AtomicBool::new(shows_stderr)),
            secrets,
        }
    }

    /// Calls a script.
    pub(crate) async fn call<M: Method>(
        &self,
        launch: &Launch,
        task: Task<M>,
        params: M::Params,
    ) -> Result<M::Result, Failure>
    where
        M::Params: Clone,
    {
        let lease = self.processes.lease(launch);
        let first = self.call_on(lease, launch, task, params.clone()).await;
        match first {
            // Something that another call left running in the process may have ended it. A call that
            // only reads can be repeated, in a process that has had no other call.
            Err(failure) if failure.lost == Some(Lost::ReusedProcess) && task.only_reads => {
                tracing::info!(script = launch.name, "its process died; asking another one");
                let lease = self.processes.lease_alone(launch);
                self.call_on(lease, launch, task, params).await
            }
            outcome => outcome,
        }
    }

    /// Runs an action, whose progress goes to `progress`.
    pub(crate) async fn invoke(
        &self,
        launch: &Launch,
        props: Props,
        progress: mpsc::Sender<String>,
    ) -> Result<Option<Outcome>, Failure> {
        let task = Task::new(Invoke, "invoke action");
        let lease = self.processes.lease_for_progress(launch, progress);
        self.call_on(lease, launch, task, props).await
    }

    async fn call_on<M: Method>(
        &self,
        lease: impl Future<Output = Result<Lease, PoolError>>,
        launch: &Launch,
        task: Task<M>,
        params: M::Params,
    ) -> Result<M::Result, Failure> {
        let teller = failure::Teller {
            launch,
            what: task.what,
            only_reads: task.only_reads,
            shows_stderr: self.shows_stderr.load(Ordering::Relaxed),
            secrets: &self.secrets,
        };
        let interruption = self.interruption();
        if interruption.is_cancelled() && !task.cleans_up {
            return Err(teller.refused());
        }
        let lease = tokio::select! {
            biased;
            lease = lease => match lease {
                Ok(lease) => lease,
                Err(PoolError::Start(error)) => return Err(teller.cannot_start(&error)),
                Err(_ended) => return Err(teller.refused()),
            },
            // Nothing has been asked for yet, so nothing is lost.
            () = self.stopped(&interruption, !task.cleans_up) => return Err(teller.refused()),
        };
        let plugin = lease.plugin();
        let before = match lease.was_alone() {
            true => {
                plugin.peer().forget_stray();
                plugin.process().stderr().mark().await
            }
            false => plugin.process().stderr().count(),
        };
        let call = answer::of(plugin.peer(), task, params, &launch.name);
        let call = plugin.while_alive(call);
        let outcome = tokio::select! {
            biased;
            outcome = tenon_rpc::calls::within(launch.timeout, call) => outcome,
            // What changes something may finish: only the script knows what it has done so far.
            () = self.stopped(&interruption, task.only_reads) => return Err(teller.interrupted()),
        };
        let error = match outcome {
            Ok(result) => {
                lease.release();
                return Ok(result);
            }
            Err(error) => error,
        };
        let is_over = !matches!(error, CallError::TimedOut(_));
        let failure = teller.failed(&lease, M::NAME, error, before).await;
        if is_over {
            lease.release();
        }
        Err(failure)
    }

    /// Waits until a call must be given up: when Terraform is interrupted, or only when the provider
    /// ends.
    async fn stopped(&self, interruption: &CancellationToken, is_interruptible: bool) {
        match is_interruptible {
            true => interruption.cancelled().await,
            false => self.processes.ended().await,
        }
    }

    fn interruption(&self) -> CancellationToken {
        let locked = self.interruption.lock();
        locked.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Another command of Terraform begins. Processes are started again from now on: scripts may have
    /// changed since the last one.
    pub(crate) fn start_anew(&self, shows_stderr: bool) {
        let mut interruption = { self.interruption.lock() }.unwrap_or_else(PoisonError::into_inner);
        *interruption = CancellationToken::new();
        drop(interruption);
        self.shows_stderr.store(shows_stderr, Ordering::Relaxed);
        self.processes.start_anew();
    }

    /// Terraform was interrupted, usually by Ctrl-C. It waits for the calls in progress, and ends the
    /// provider after a second interrupt. So calls that change something finish, calls that only read are
    /// given up, and no new call begins.
    pub(crate) fn interrupt(&self) {
        self.interruption().cancel();
        self.processes.abandon_starts();
    }

    /// Ends every process. Those that take longer than `limit` are killed with this one.
    pub(crate) async fn end(&self, limit: Duration) {
        self.processes.end(limit).await;
    }
}
