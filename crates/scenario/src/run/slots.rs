//! The providers of a run, each in its process.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures_util::future::join_all;
use tenon_values::Value;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::event::{Event, Watch};
use crate::planning::declarations::{Configured, Declaration, DeclarationId};
use crate::providers::failure::{FailureKind, ProviderFailure};
use crate::providers::launcher::Launcher;
use crate::providers::provider::Provider;
use crate::run::task::{Attempt, Task};

/// The providers of a run.
pub(crate) struct Slots {
    launcher: Launcher,
    slots: HashMap<DeclarationId, Slot>,
}

struct Slot {
    declaration: Declaration,
    config: Value,
    state: RefCell<State>,
}

enum State {
    Ready(Rc<Provider>),
    /// It hung and was ended; another is started when it is needed. Whoever needs it while it
    /// starts waits for the same start.
    Ended(Rc<Restart>),
    /// It broke its protocol; it is not trusted with anything more.
    Broken(ProviderFailure),
}

type Restart = OnceCell<Result<Rc<Provider>, ProviderFailure>>;

/// Why the providers are not started.
pub(crate) enum NotStarted {
    /// These could not be started or configured.
    Failed(Vec<ProviderFailure>),
    /// The run was interrupted.
    Interrupted,
}

impl Slots {
    /// Starts every provider at the same time, each with its configuration.
    ///
    /// # Errors
    /// What went wrong with those that could not be started; all others are stopped again.
    pub(crate) async fn start(
        launcher: &Launcher,
        declarations: Vec<Configured>,
        interrupt: &CancellationToken,
        watch: Watch<'_>,
    ) -> Result<Slots, NotStarted> {
        let starting = declarations
            .into_iter()
            .map(|(id, declaration, config)| async move {
                let started = Provider::start(&declaration, &config, launcher).await;
                if started.is_ok() {
                    let provider = declaration.label();
                    watch(Event::ProviderReady { provider });
                }
                (id, declaration, config, started)
            });
        let started = tokio::select! {
            started = join_all(starting) => started,
            // Dropping those that start, and those that have, kills them.
            () = interrupt.cancelled() => return Err(NotStarted::Interrupted),
        };
        let mut slots = HashMap::new();
        let mut failures = Vec::new();
        for (id, declaration, config, started) in started {
            match started {
                Ok(provider) => {
                    let state = RefCell::new(State::Ready(Rc::new(provider)));
                    let slot = Slot {
                        declaration,
                        config,
                        state,
                    };
                    slots.insert(id, slot);
                }
                Err(failure) => failures.push(failure),
            }
        }
        let slots = Slots {
            launcher: launcher.clone(),
            slots,
        };
        if failures.is_empty() {
            return Ok(slots);
        }
        failures.extend(slots.stop().await);
        failures.sort_by(|a, b| a.message.cmp(&b.message));
        Err(NotStarted::Failed(failures))
    }

    /// How many actions a provider accepts at the same time.
    pub(crate) fn limit(&self, id: DeclarationId) -> usize {
        let slot = self.slots.get(&id);
        let limit = slot.and_then(|slot| slot.declaration.schema.max_in_flight);
        limit.unwrap_or(1).max(1)
    }

    pub(crate) async fn execute(&self, task: &Task) -> Attempt {
        let Some(slot) = self.slots.get(&task.declaration) else {
            unreachable!("a provider is started for every action that is to be run");
        };
        let provider = match self.provider(slot).await {
            Ok(provider) => provider,
            Err(failure) => {
                return Attempt {
                    result: Err(failure),
                    was_sent: false,
                };
            }
        };
        let attributes = task.attributes.clone();
        let limit = task.settings.timeout;
        let result = provider.execute(&task.action, attributes, limit).await;
        let after = match &result {
            Err(failure) if failure.kind == FailureKind::TimedOut => {
                Some(State::Ended(Rc::default()))
            }
            Err(failure) if failure.kind != FailureKind::Answered => {
                Some(State::Broken(failure.clone()))
            }
            _ => None,
        };
        let mut state = slot.state.borrow_mut();
        if let Some(after) = after
            && matches!(&*state, State::Ready(current) if Rc::ptr_eq(current, &provider))
        {
            *state = after;
        }
        Attempt {
            result,
            was_sent: true,
        }
    }

    async fn provider(&self, slot: &Slot) -> Result<Rc<Provider>, ProviderFailure> {
        let restart = match &*slot.state.borrow() {
            State::Ready(provider) => return Ok(provider.clone()),
            State::Broken(failure) => {
                // The error of the action it happened to has the details.
                let first = failure.message.lines().next().unwrap_or_default();
                return Err(ProviderFailure {
                    message: format!("its provider has ended: {first}"),
                    ..failure.clone()
                });
            }
            State::Ended(restart) => restart.clone(),
        };
        let start = async || {
            let started = Provider::start(&slot.declaration, &slot.config, &self.launcher).await;
            started.map(Rc::new)
        };
        let started = restart.get_or_init(start).await.clone();
        let mut state = slot.state.borrow_mut();
        if matches!(&*state, State::Ended(current) if Rc::ptr_eq(current, &restart)) {
            *state = match &started {
                Ok(provider) => State::Ready(provider.clone()),
                // The next attempt may have more luck.
                Err(_) => State::Ended(Rc::default()),
            };
        }
        started
    }

    /// Says goodbye to all of them at the same time, and sees them end. Tells who did not do so as
    /// the protocol has it.
    pub(crate) async fn stop(self) -> Vec<ProviderFailure> {
        let slots = self.slots.into_values();
        let ready = slots.filter_map(|slot| match slot.state.into_inner() {
            State::Ready(provider) => Rc::into_inner(provider),
            State::Ended(_) | State::Broken(_) => None,
        });
        let stopped = join_all(ready.map(Provider::stop)).await;
        let mut failures: Vec<ProviderFailure> =
            { stopped.into_iter() }.filter_map(Result::err).collect();
        failures.sort_by(|a, b| a.message.cmp(&b.message));
        failures
    }
}
