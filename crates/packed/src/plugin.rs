//! The processes of the plugin, and calls to them.
//!
//! A process has one call at a time, unless the plugin says that it takes more, and is kept for the next
//! one: see [`tenon_host::Pool`]. Each process is configured before its first call that needs it.

mod failure;
mod process;

use std::collections::HashSet;
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenon_host::{Lease, Pool, PoolError, PoolLimits, Variable};
use tenon_protocols::Secrets;
use tenon_protocols::seasonings::calls::{Call, Configure, read};
use tenon_protocols::seasonings::schema::Schemas;
use tenon_protocols::seasonings::{Diagnostic as Said, Level, Manifest, calls, has_errors};
use tenon_rpc::{CallError, Payload};
use tenon_schema::Offer;
use tenon_values::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use failure::Teller;
pub(crate) use failure::{Failure, Kind};
use process::Extra;

/// How long the processes get to end when the provider does. Terraform kills it after two seconds.
const END: Duration = Duration::from_millis(1500);

/// How long a plugin gets to answer a call that was cancelled because of the time limit: only the plugin
/// knows what it has done so far.
const GRACE: Duration = Duration::from_secs(5);

/// The plugin of this provider.
pub(crate) struct Plugin {
    manifest: Arc<Manifest>,
    /// What a process must offer; `None` if the plugin is being written.
    expected: Option<Arc<Offer>>,
    pool: Pool<(), Extra>,
    /// Cancelled when Terraform was interrupted.
    interruption: CancellationToken,
    /// How long the user lets a call take.
    time_limit: Option<Duration>,
    configuration: Mutex<Configuration>,
    /// The methods that the plugin leaves out, as far as that is known.
    left_out: Mutex<HashSet<String>>,
    pub(crate) secrets: Secrets,
}

/// What each process is configured with.
#[derive(Clone, Default)]
struct Configuration {
    /// Goes up with each configuration; 0 for none.
    generation: u64,
    config: Option<(Arc<Offer>, Value)>,
}

/// What is called, and how to speak of it.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    /// As in "Could not create the resource".
    pub(crate) what: &'static str,
    /// Whether it changes nothing that Terraform knows of.
    only_reads: bool,
    /// Whether it may be abandoned: its answer is not needed once Terraform was interrupted.
    may_be_given_up: bool,
    /// Whether the plugin has to be configured before.
    needs_config: bool,
    /// Whether it continues after Terraform was interrupted.
    cleans_up: bool,
}

impl Task {
    /// A call that changes something.
    pub(crate) const fn changing(what: &'static str) -> Task {
        Task {
            what,
            only_reads: false,
            may_be_given_up: false,
            needs_config: true,
            cleans_up: false,
        }
    }

    /// A call that changes nothing.
    pub(crate) const fn reading(what: &'static str) -> Task {
        Task {
            only_reads: true,
            may_be_given_up: true,
            ..Task::changing(what)
        }
    }

    /// A call that opens something, which has to be closed even if it is no longer needed.
    pub(crate) const fn opening(what: &'static str) -> Task {
        Task {
            only_reads: true,
            ..Task::changing(what)
        }
    }

    /// A call that may come before the plugin is configured.
    pub(crate) const fn without_config(what: &'static str) -> Task {
        Task {
            needs_config: false,
            ..Task::reading(what)
        }
    }

    /// A call that cleans up.
    pub(crate) const fn cleaning(what: &'static str) -> Task {
        Task {
            cleans_up: true,
            ..Task::changing(what)
        }
    }
}

impl Plugin {
    pub(crate) fn new(manifest: Manifest, expected: Option<Offer>) -> Plugin {
        let secrets = Secrets::default();
        let masked = secrets.clone();
        tenon_tfplugin::mask_log(move |text| masked.hide(text));
        for name in &manifest.environment {
            let variable = Variable::Inherited(name.into());
            secrets.learn_variables(variable.secrets(), variable.values());
        }
        let left_out = manifest.left_out.iter().cloned().collect();
        let limits = PoolLimits {
            // A process stays for the whole command.
            idle: Duration::from_secs(3600),
            ..PoolLimits::default()
        };
        Plugin {
            time_limit: manifest.timeout_ms.map(Duration::from_millis),
            manifest: Arc::new(manifest),
            expected: expected.map(Arc::new),
            pool: Pool::new(limits, process::stop),
            interruption: CancellationToken::new(),
            configuration: Mutex::default(),
            left_out: Mutex::new(left_out),
            secrets,
        }
    }

    /// The name that users know the plugin by.
    pub(crate) fn name(&self) -> &str {
        &self.manifest.name
    }

    fn left_out(&self) -> MutexGuard<'_, HashSet<String>> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The schemas of a plugin that is being written.
    pub(crate) async fn schemas(&self) -> Result<Schemas, Failure> {
        let task = Task::without_config("read the schema of the plugin");
        let lease = self.lease(&self.teller(task, "init"), task).await?;
        let capabilities = lease.extra().welcome.capabilities.clone();
        let has = |level| capabilities.has(level);
        let teller = self.teller(
            task,
            match (has(Level::Functions), has(Level::Resources)) {
                (true, true) => "functions/getSchema or resources/getSchema",
                (true, false) => "functions/getSchema",
                (false, _) => "resources/getSchema",
            },
        );
        let peer = lease.plugin().peer();
        let asked = calls::schemas(&peer, &capabilities);
        match lease.plugin().while_alive(self.in_time(asked)).await {
            Ok(schemas) => {
                lease.release();
                Ok(schemas)
            }
            Err(error) => Err(teller.failed(lease.plugin(), error).await),
        }
    }

    /// Sets the configuration, which every process gets, and configures one.
    pub(crate) async fn configure(
        &self,
        offer: Arc<Offer>,
        config: Value,
    ) -> Result<Vec<Said>, Failure> {
        {
            let mut configuration = self.configuration();
            configuration.generation += 1;
            configuration.config = Some((offer, config));
        }
        let task = Task::without_config("configure the plugin");
        let teller = self.teller(task, Configure::METHOD);
        let lease = self.lease(&teller, task).await?;
        let said = self.ensure_configured(&lease, &teller).await?;
        lease.release();
        Ok(said)
    }

    /// Whether there is a configuration for the processes.
    pub(crate) fn is_configured(&self) -> bool {
        self.configuration().config.is_some()
    }

    fn configuration(&self) -> MutexGuard<'_, Configuration> {
        let locked = self.configuration.lock();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call. A plugin that leaves the method out gives a failure of the kind
    /// [`Kind::LeftOut`].
    pub(crate) async fn call<C: Call>(&self, call: &C, task: Task) -> Result<C::Answer, Failure> {
        let teller = self.teller(task, C::METHOD);
        if self.left_out().contains(C::METHOD) {
            return Err(teller.left_out());
        }
        let params = call.params().map_err(|error| teller.unsendable(&error))?;
        let answer = self.answer(&teller, task, C::METHOD, params.into_payload());
        let answer = answer.await.inspect_err(|failure| {
            if failure.kind == Kind::LeftOut {
                self.left_out().insert(C::METHOD.to_owned());
            }
        })?;
        read(call, &answer).map_err(|error| teller.unreadable(&error))
    }

    async fn answer(
        &self,
        teller: &Teller<'_>,
        task: Task,
        method: &'static str,
        params: Payload,
    ) -> Result<Payload, Failure> {
        let lease = self.lease(teller, task).await?;
        if task.needs_config {
            let configured = self.ensure_configured(&lease, teller).await;
            let said = configured.map_err(|failure| teller.not_sent(failure))?;
            if has_errors(&said) {
                lease.release();
                let refused = teller.of(Configure::METHOD).not_configured(&said);
                return Err(teller.not_sent(refused));
            }
        }
        let plugin = lease.plugin();
        let outcome = match task.may_be_given_up {
            true => {
                let peer = plugin.peer();
                let call = self.in_time(peer.call_raw(method, Some(params)));
                let call = plugin.while_alive(call);
                tokio::select! {
                    biased;
                    outcome = call => outcome,
                    () = self.interruption.cancelled() => return Err(teller.interrupted()),
                }
            }
            false => self.mutate(&lease, method, params, task).await,
        };
        match outcome {
            Ok(answer) => {
                lease.release();
                Ok(answer)
            }
            Err(error) => {
                // It has ended, or it may be busy with the call for ever.
                let is_lost = matches!(error, CallError::Closed(_) | CallError::TimedOut(_));
                let failure = teller.failed(lease.plugin(), error).await;
                if !is_lost {
                    lease.release();
                }
                Err(failure)
            }
        }
    }

    /// Waits for a call for as long as the user lets it take.
    async fn in_time<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        match self.time_limit {
            Some(limit) => { tokio::time::timeout(limit, call).await }
                .unwrap_or(Err(CallError::TimedOut(limit))),
            None => call.await,
        }
    }

    /// Makes a call that changes something. When Terraform is interrupted, or the time is over, the plugin
    /// is asked to cancel it; only the plugin knows what it has done so far, so its answer is waited for.
    async fn mutate(
        &self,
        lease: &Lease<(), Extra>,
        method: &'static str,
        params: Payload,
        task: Task,
    ) -> Result<Payload, CallError> {
        let (plugin, peer) = (lease.plugin(), lease.plugin().peer());
        let started = Instant::now();
        let too_late = async {
            match self.time_limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => pending().await,
            }
        };
        let mut call = std::pin::pin!(plugin.while_alive(async {
            let mut asked = peer.ask(method, Some(params)).await?;
            let is_late = tokio::select! {
                biased;
                outcome = &mut asked => return outcome,
                () = self.interruption.cancelled(), if !task.cleans_up => false,
                () = too_late => true,
            };
            asked.cancel();
            let Some(limit) = self.time_limit else {
                return asked.await;
            };
            let end = (started + limit).max(Instant::now() + GRACE);
            let answered = tokio::time::timeout_at(end, asked).await;
            match answered.unwrap_or(Err(CallError::TimedOut(limit))) {
                Err(CallError::Answered(error)) if is_late => {
                    Err(CallError::Answered(failure::of_late_call(error, limit)))
                }
                outcome => outcome,
            }
        }));
        tokio::select! {
            biased;
            outcome = &mut call => outcome,
            () = self.pool.ended() => Err(CallError::Closed(tenon_rpc::CloseReason::ClosedHere)),
        }
    }

    async fn lease(&self, teller: &Teller<'_>, task: Task) -> Result<Lease<(), Extra>, Failure> {
        if self.interruption.is_cancelled() && !task.cleans_up {
            return Err(teller.interrupted());
        }
        let start = || {
            let (manifest, expected) = (self.manifest.clone(), self.expected.clone());
            let secrets = self.secrets.clone();
            async move { process::start(&manifest, expected, &secrets).await }
        };
        let lease = self.pool.lease(&(), None, |_| true, start);
        tokio::select! {
            biased;
            lease = lease => lease.map_err(|error| match error {
                PoolError::Start(error) => teller.cannot_start(&error),
                _ => teller.interrupted(),
            }),
            () = self.interruption.cancelled(), if !task.cleans_up => Err(teller.interrupted()),
        }
    }

    /// Configures a process, unless it has been with the current configuration.
    async fn ensure_configured(
        &self,
        lease: &Lease<(), Extra>,
        teller: &Teller<'_>,
    ) -> Result<Vec<Said>, Failure> {
        let Configuration { generation, config } = self.configuration().clone();
        let Extra {
            welcome,
            configured,
        } = lease.extra();
        let mut configured = configured.lock().await;
        let Some((offer, config)) = config else {
            return Ok(Vec::new());
        };
        if *configured == generation || !welcome.capabilities.has(Level::Resources) {
            return Ok(Vec::new());
        }
        let call = Configure {
            body: &offer.config.body,
            config: &config,
        };
        let plugin = lease.plugin();
        let teller = teller.of(Configure::METHOD);
        let params = call.params().map_err(|error| teller.unsendable(&error))?;
        let payload = Some(params.into_payload());
        let peer = plugin.peer();
        let asked = plugin.while_alive(self.in_time(peer.call_raw(Configure::METHOD, payload)));
        let said = match asked.await {
            Ok(answer) => {
                let done = read(&call, &answer).map_err(|error| teller.unreadable(&error))?;
                done.diagnostics
            }
            Err(CallError::Answered(error)) if calls::is_left_out(&error.code) => Vec::new(),
            Err(error) => return Err(teller.failed(plugin, error).await),
        };
        if !has_errors(&said) {
            *configured = generation;
        }
        Ok(said)
    }

    fn teller(&self, task: Task, method: &'static str) -> Teller<'_> {
        Teller {
            plugin: self.name(),
            what: task.what,
            only_reads: task.only_reads,
            method,
            secrets: &self.secrets,
        }
    }

    /// Terraform was interrupted. Calls that only read are abandoned, the plugin is asked to cancel the rest,
    /// and nothing new begins.
    pub(crate) fn interrupt(&self) {
        self.interruption.cancel();
        self.pool.abandon_starts();
    }

    /// The failure of what is not begun or kept because Terraform was interrupted; `None` if it was not.
    pub(crate) fn interrupted(&self, task: Task, method: &'static str) -> Option<Failure> {
        let is_interrupted = self.interruption.is_cancelled();
        is_interrupted.then(|| self.teller(task, method).interrupted())
    }

    /// Ends every process.
    pub(crate) async fn end(&self) {
        self.interruption.cancel();
        if tokio::time::timeout(END, self.pool.end()).await.is_err() {
            tracing::warn!("the plugin did not end in time and is killed");
        }
    }
}
