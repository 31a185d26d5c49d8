//! The script processes of this provider, and calls to them.
//!
//! One process for each command line serves everybody's calls at the same time. A process that
//! has died is replaced by the next call; one that nobody has called for a while ends.

mod answer;
mod failure;
mod process;
mod table;
mod words;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenon_host::PluginError;
use tenon_protocols::Secrets;
use tenon_protocols::denobridge::{Invoke, Outcome, Props};
use tenon_rpc::{CallError, Method};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::launch::Launch;
pub(crate) use failure::Failure;
use failure::Lost;
use table::{Lease, Table};

/// How long calls that run may go on after Terraform was told to stop.
const GRACE: Duration = Duration::from_secs(5);

/// How long the processes get to end when the provider does. Terraform kills it after two seconds.
const END: Duration = Duration::from_millis(1500);

/// All script processes of this provider. Cloning gives another handle to the same.
#[derive(Clone)]
pub(crate) struct Scripts {
    table: Table,
    interruption: Arc<Mutex<Interruption>>,
    /// What nobody is to see in what scripts say.
    pub(crate) secrets: Secrets,
}

/// Terraform was told to stop: first nobody is called any more, then nobody is waited for.
#[derive(Clone, Default)]
struct Interruption {
    is_asked_for: bool,
    grace_is_over: CancellationToken,
}

/// What is called, and how to speak of it.
#[derive(Clone, Copy)]
pub(crate) struct Task<M> {
    pub(crate) method: M,
    /// As in "Failed to create resource".
    pub(crate) what: &'static str,
    /// Whether it changes nothing, so that it can be asked again.
    pub(crate) only_reads: bool,
    /// Whether it goes on after Terraform was told to stop, because it cleans up.
    pub(crate) cleans_up: bool,
}

impl<M> Task<M> {
    /// A call that changes something.
    pub(crate) fn new(method: M, what: &'static str) -> Task<M> {
        Task {
            method,
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
    pub(crate) fn new() -> Scripts {
        let secrets = Secrets::default();
        Scripts {
            table: Table::new(secrets.clone()),
            interruption: Arc::default(),
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
        let lease = self.table.lease(launch);
        let first = self.call_on(lease, launch, task, params.clone()).await;
        match first {
            // Somebody else's call may have killed it. Nothing is lost by asking again, in a
            // process that cannot be killed by anybody else.
            Err(failure) if failure.lost == Some(Lost::SharedProcess) && task.only_reads => {
                tracing::info!(script = launch.name, "its process died; asking another one");
                let lease = self.table.lease_alone(launch);
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
        let lease = self.table.lease_for_progress(launch, progress);
        self.call_on(lease, launch, task, props).await
    }

    async fn call_on<M: Method>(
        &self,
        lease: impl Future<Output = Result<Lease, Arc<PluginError>>>,
        launch: &Launch,
        task: Task<M>,
        params: M::Params,
    ) -> Result<M::Result, Failure> {
        let teller = failure::Teller {
            launch,
            what: task.what,
            only_reads: task.only_reads,
            secrets: &self.secrets,
        };
        let interruption = self.interruption().clone();
        if interruption.is_asked_for && !task.cleans_up {
            return Err(teller.refused());
        }
        let lease = tokio::select! {
            biased;
            lease = lease => lease.map_err(|error| teller.cannot_start(&error))?,
            () = self.interrupted(&interruption, task.cleans_up) => return Err(teller.interrupted()),
        };
        let plugin = lease.plugin();
        let lines_before = plugin.process().stderr().count();
        let call = plugin.while_alive(answer::of(plugin.peer(), task.method, params));
        let limited = async {
            match launch.timeout {
                None => call.await,
                Some(limit) => match tokio::time::timeout(limit, call).await {
                    Ok(outcome) => outcome,
                    Err(_) => Err(CallError::TimedOut(limit)),
                },
            }
        };
        let outcome = tokio::select! {
            biased;
            outcome = limited => outcome,
            () = self.interrupted(&interruption, task.cleans_up) => return Err(teller.interrupted()),
        };
        match outcome {
            Ok(result) => Ok(result),
            Err(error) => {
                if matches!(error, CallError::TimedOut(_)) {
                    // Whoever hangs once is not asked again.
                    lease.retire();
                }
                Err(teller.failed(&lease, M::NAME, error, lines_before).await)
            }
        }
    }

    /// Waits until a call has to be given up.
    async fn interrupted(&self, interruption: &Interruption, cleans_up: bool) {
        match cleans_up {
            true => self.table.ended().await,
            false => interruption.grace_is_over.cancelled().await,
        }
    }

    fn interruption(&self) -> MutexGuard<'_, Interruption> {
        let locked = self.interruption.lock();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// Another command of Terraform begins. Whoever is called from now on is started anew: scripts
    /// may have changed since the last one.
    pub(crate) fn start_anew(&self) {
        *self.interruption() = Interruption::default();
        self.table.retire_all();
    }

    /// Terraform was told to stop: what runs gets a moment to finish.
    pub(crate) fn interrupt(&self) {
        let mut interruption = self.interruption();
        if std::mem::replace(&mut interruption.is_asked_for, true) {
            return;
        }
        let (table, grace_is_over) = (self.table.clone(), interruption.grace_is_over.clone());
        tokio::spawn(async move {
            tokio::time::sleep(GRACE).await;
            grace_is_over.cancel();
            table.retire_all();
        });
    }

    /// Ends every process.
    pub(crate) async fn end(&self) {
        self.interruption().grace_is_over.cancel();
        self.table.end(END).await;
    }
}
