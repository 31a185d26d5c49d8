//! A running plugin: whether it is configured, what runs, whether it is shut down.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tenon_rpc::{CloseReason, Connection};
use tenon_schema::Offer;
use tenon_values::{Error, Value};
use tokio::sync::{Notify, RwLock, RwLockReadGuard};

use crate::parts::{Kinds, Parts, Refusal, Run, Work};
use crate::plugin::{Around, Setup};
use crate::results::Results;
use crate::{Failure, Plugin};

/// How long the author's shutdown may take once the host is gone, because nothing would end a
/// plugin that hangs.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);

/// How long calls that still run may take once the host has said goodbye.
const GOODBYE_LIMIT: Duration = Duration::from_secs(5);

type Configure = dyn Fn(Value) -> Work<Result<Parts, Refusal>> + Send + Sync;

pub(crate) enum Stage {
    /// `configure` has not succeeded yet.
    Waiting,
    /// The host knows only a part of the configuration yet.
    Deferred,
    Ready(Arc<Parts>),
    Ended,
}

/// Why the plugin was not configured.
pub(crate) enum Unconfigured {
    Ended,
    Twice,
    Invalid(Vec<Error>),
    Failed(Failure),
}

pub(crate) struct Session {
    pub(crate) offer: Offer,
    /// The functions that need no state.
    functions: BTreeMap<String, Arc<Run>>,
    pub(crate) results: Results,
    pub(crate) kinds: Kinds,
    pub(crate) around: Around,
    /// If there is nothing to configure, the plugin is ready from the start.
    configure: Option<Box<Configure>>,
    /// Actions of Orchard hold it for reading while they run, so that `configure` and `shutdown`
    /// wait for those that came before, and those that come later wait for them.
    stage: RwLock<Stage>,
    ended: Notify,
}

impl Session {
    pub(crate) fn new<S: Send + Sync + 'static>(plugin: Plugin<S>) -> Arc<Session> {
        let all = Arc::new(plugin.parts);
        let build = move |state: S| {
            let (mut parts, state) = (Parts::default(), Arc::new(state));
            all.iter().for_each(|add| add(&state, &mut parts));
            parts
        };
        let (stage, configure): (_, Option<Box<Configure>>) = match plugin.setup {
            Setup::Ready(state) => (Stage::Ready(Arc::new(build(state))), None),
            Setup::Configure(start) => {
                let configure = move |given| -> Work<Result<Parts, Refusal>> {
                    let (work, build) = (start(given), build.clone());
                    Box::pin(async move { Ok(build(work.await?)) })
                };
                (Stage::Waiting, Some(Box::new(configure)))
            }
        };
        Arc::new(Session {
            offer: plugin.offer,
            functions: plugin.functions,
            results: plugin.results,
            kinds: plugin.kinds,
            around: plugin.around,
            configure,
            stage: RwLock::new(stage),
            ended: Notify::new(),
        })
    }

    /// The stage. It does not change while the guard exists.
    pub(crate) async fn stage(&self) -> RwLockReadGuard<'_, Stage> {
        self.stage.read().await
    }

    /// Configures the plugin. If there is nothing to configure, this may be repeated or left out.
    pub(crate) async fn configure(&self, given: &Value) -> Result<(), Unconfigured> {
        let mut stage = self.stage.write().await;
        let config = self.offer.config.body.complete(given);
        let config = config.map_err(Unconfigured::Invalid)?;
        let configure = match (&*stage, &self.configure) {
            (Stage::Ended, _) => return Err(Unconfigured::Ended),
            (_, None) => return Ok(()),
            (Stage::Waiting | Stage::Deferred, Some(configure)) => configure,
            (Stage::Ready(_), Some(_)) => return Err(Unconfigured::Twice),
        };
        let parts = configure(config.unmark_deep().0).await;
        let parts = parts.map_err(|refusal| match refusal {
            // It fits the schema, but not the Rust type.
            Refusal::Unfit(_, error) => Unconfigured::Invalid(vec![error]),
            Refusal::Failed(failure) => Unconfigured::Failed(failure),
        })?;
        *stage = Stage::Ready(Arc::new(parts));
        Ok(())
    }

    /// Waits for the rest of the configuration: parts of it are not known yet.
    pub(crate) async fn defer(&self) {
        let mut stage = self.stage.write().await;
        if matches!(&*stage, Stage::Waiting) {
            *stage = Stage::Deferred;
        }
    }

    /// The parts. If the host has not configured the plugin, they are made with the defaults.
    pub(crate) async fn parts(&self) -> Result<Arc<Parts>, Failure> {
        // The lock is released before `configure` takes it.
        let is_waiting = matches!(&*self.stage().await, Stage::Waiting);
        if is_waiting {
            match self.configure(&Value::object::<&str>([])).await {
                // Two calls may come at once, and one of them is first.
                Ok(()) | Err(Unconfigured::Twice) => {}
                Err(Unconfigured::Ended) => return Err(ended()),
                Err(Unconfigured::Failed(failure)) => return Err(failure),
                Err(Unconfigured::Invalid(errors)) => {
                    return Err(Failure::new(format!(
                        "the plugin needs a configuration, which this host cannot provide: {}",
                        join(&errors)
                    )));
                }
            }
        }
        match &*self.stage().await {
            Stage::Ready(parts) => Ok(parts.clone()),
            Stage::Deferred => Err(Failure::new(
                "the configuration of the plugin has values that are known only after apply; apply what they depend on first",
            )),
            Stage::Waiting | Stage::Ended => Err(ended()),
        }
    }

    /// Waits until the host ends the conversation or goes away. Once it has said goodbye, calls that
    /// still run have a few seconds left.
    pub(crate) async fn last(&self, connection: Connection) -> Result<(), CloseReason> {
        let reason = tokio::select! {
            reason = connection.closed() => reason,
            () = self.ended() => connection.close_within(GOODBYE_LIMIT).await,
        };
        self.abandon().await;
        match reason {
            CloseReason::PeerClosed | CloseReason::ClosedHere => Ok(()),
            _ => Err(reason),
        }
    }

    /// Notes that the host ended the conversation.
    pub(crate) fn end(&self) {
        self.ended.notify_one();
    }

    /// Waits until the host ends the conversation.
    pub(crate) async fn ended(&self) {
        self.ended.notified().await;
    }

    pub(crate) async fn shut_down(&self) {
        let mut stage = self.stage.write().await;
        let before = std::mem::replace(&mut *stage, Stage::Ended);
        if let Stage::Ready(parts) = before
            && let Some(stop) = &parts.stop
        {
            stop().await;
        }
    }

    /// Shuts down after the host is gone, unless that is already done.
    pub(crate) async fn abandon(&self) {
        let _over_in_any_case = tokio::time::timeout(SHUTDOWN_LIMIT, self.shut_down()).await;
    }

    /// A function of the offer. If it needs the state and the host has not configured the plugin, the state is made with
    /// the defaults.
    pub(crate) async fn function(&self, name: &str) -> Result<Arc<Run>, Failure> {
        match self.functions.get(name) {
            Some(function) => Ok(function.clone()),
            None => Ok(self.parts().await?.functions[name].clone()),
        }
    }

    /// The same for a host that may configure the plugin later: the defaults would keep it from doing so.
    pub(crate) async fn configured_function(&self, name: &str) -> Result<Arc<Run>, Failure> {
        let is_decided = matches!(
            &*self.stage().await,
            Stage::Ready(_) | Stage::Deferred | Stage::Ended
        );
        match is_decided || self.functions.contains_key(name) {
            true => self.function(name).await,
            false => Err(Failure::new(
                "the plugin needs a configuration, and is not configured yet",
            )),
        }
    }

    /// There is nothing of this kind and name; `names` are those that there are.
    pub(crate) fn missing<'a>(
        &self,
        kind: &str,
        name: &str,
        names: impl Iterator<Item = &'a String>,
    ) -> String {
        let hint = tenon_text::did_you_mean(name, names.map(String::as_str))
            .unwrap_or_else(|| format!("the plugin offers {}", self.summary()));
        format!("unknown {kind} `{name}`; {hint}")
    }

    /// What the plugin offers, in one line: `the actions add, fail and the function count`.
    pub(crate) fn summary(&self) -> String {
        fn kind<T>(name: &str, all: &BTreeMap<String, T>) -> Option<String> {
            let plural = if all.len() == 1 { "" } else { "s" };
            let names: Vec<&str> = all.keys().map(String::as_str).collect();
            (!all.is_empty()).then(|| format!("the {name}{plural} {}", names.join(", ")))
        }
        let kinds = [
            kind("action", &self.offer.actions),
            kind("function", &self.offer.functions),
            kind("resource", &self.offer.resources),
            kind("data source", &self.offer.data_sources),
            kind("ephemeral resource", &self.offer.ephemeral_resources),
        ];
        let kinds: Vec<String> = kinds.into_iter().flatten().collect();
        match kinds.is_empty() {
            true => "nothing".to_owned(),
            false => kinds.join(" and "),
        }
    }
}

fn ended() -> Failure {
    Failure::new("the plugin has been shut down")
}

/// All errors in one line.
pub(crate) fn join(errors: &[Error]) -> String {
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    errors.join("; ")
}
