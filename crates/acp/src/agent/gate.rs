//! What is checked of every call of the client before the agent sees it, and what is counted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tenon_protocols::acp::{Entry, Failure, Rate, Side, method, view};
use tenon_rpc::trace::{Content, Seen};
use tenon_rpc::{Call, Event, Id, Message, Next, Payload, Reply, RpcError, Tap};
use tokio::sync::oneshot;

use super::link::Link;
use crate::merge::Bucket;
use crate::sizes;
use crate::turns::{Step, Turns};

/// Errors that are answered immediately. Further errors of the client are answered with a delay.
const ERRORS: Rate = Rate { per_minute: 600 };

/// The state of a connection: which calls may be made in it.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) link: Arc<Link>,
    /// Refuse what is too large.
    pub(super) sizes: bool,
    /// Refuse what comes too fast.
    pub(super) rates: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    turns: Turns,
    errors: Bucket,
    prompts: HashMap<String, Bucket>,
}

impl Gate {
    pub(super) fn new(link: Arc<Link>, sizes: bool, rates: bool) -> Gate {
        let state = State {
            turns: Turns::new(link.profile),
            errors: Bucket::new(ERRORS),
            prompts: HashMap::new(),
        };
        Gate {
            link,
            sizes,
            rates,
            state: Mutex::new(state),
        }
    }

    /// Runs a call, if it may be made now.
    pub(super) async fn pass(self: Arc<Gate>, call: Call, next: Next) -> Reply {
        let step = match self.admit(&call) {
            Ok(step) => step,
            Err(error) => return self.refuse(error).await,
        };
        let mut pending = Pending {
            gate: self.clone(),
            step: Some(step),
        };
        let reply = next.run(call).await;
        pending.finish(reply.as_ref());
        match reply {
            Ok(result) => Ok(result),
            Err(error) => self.refuse(error).await,
        }
    }

    /// Whether an event of the client means something.
    pub(super) fn hears(&self, event: &Event) -> bool {
        let mut state = self.state();
        state
            .turns
            .client_sends(&event.method, event.params.as_ref())
    }

    fn admit(&self, call: &Call) -> Result<Step, RpcError> {
        let params = call.params.as_ref();
        let Some(entry) = method(&call.method) else {
            return self.state().turns.client_calls(&call.method, params);
        };
        if call.id == Id::Null {
            let data = json!({ "details": "a request needs an id that is not null" });
            return Err(Failure::InvalidRequest.error(self.link.profile, data));
        }
        self.check(entry, params)?;
        let session: Option<view::OfSession<'_>> =
            params.and_then(|params| params.decode_borrowed().ok());
        let mut state = self.state();
        let step = state.turns.client_calls(&call.method, params)?;
        if let (Some(rate), Some(session), true) = (entry.rate, session, self.rates) {
            let now = self.link.started.elapsed();
            let bucket = state.prompts.entry(session.session_id.into_owned());
            let bucket = bucket.or_insert_with(|| Bucket::whole_minute(rate));
            if !bucket.take(now) {
                let wait = bucket.next_at().saturating_sub(now).as_millis();
                let wait = u64::try_from(wait).unwrap_or(u64::MAX);
                let data = json!({ "retryAfterMs": wait, "perMinute": rate.per_minute });
                let error = Failure::RateLimited.error(self.link.profile, data);
                state.turns.agent_answers(step, Err(&error));
                return Err(error);
            }
        }
        Ok(step)
    }

    /// Checks what does not depend on the state.
    fn check(&self, entry: &'static Entry, params: Option<&Payload>) -> Result<(), RpcError> {
        let profile = self.link.profile;
        if self.sizes {
            let checked = sizes::check_params(entry, params, profile);
            checked.map_err(|too_large| too_large.error(entry, profile))?;
        }
        if let Err(problem) = entry.check_params(params) {
            let data = json!({ "method": entry.name, "details": problem.to_string() });
            return Err(Failure::InvalidParams.error(profile, data));
        }
        self.link.gates().check(entry, Side::Agent, params)
    }

    /// The answer to what is refused. Whoever causes many of them waits.
    pub(super) async fn refuse(&self, error: RpcError) -> Reply {
        loop {
            let wait = {
                let mut state = self.state();
                let now = self.link.started.elapsed();
                match state.errors.take(now) {
                    true => break,
                    false => state.errors.next_at().saturating_sub(now),
                }
            };
            tokio::time::sleep(wait).await;
        }
        Err(error)
    }

    fn settle(&self, step: Step, answer: Result<&Payload, &RpcError>) {
        let mut state = self.state();
        if let (Step::Close(id), Ok(_)) = (&step, answer) {
            state.prompts.remove(id);
        }
        state.turns.agent_answers(step, answer);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that was not answered yet. If it is dropped, because the client has cancelled it, it counts as failed.
struct Pending {
    gate: Arc<Gate>,
    step: Option<Step>,
}

impl Pending {
    fn finish(&mut self, answer: Result<&Payload, &RpcError>) {
        if let Some(step) = self.step.take() {
            self.gate.settle(step, answer);
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let cancelled = Failure::Cancelled.error(self.gate.link.profile, Value::Null);
        self.finish(Err(&cancelled));
    }
}

/// What follows answers: the commands of a session are sent when the client knows the session.
#[derive(Default)]
pub(super) struct Followers {
    waiting: Mutex<HashMap<Id, oneshot::Sender<()>>>,
    inner: Option<Arc<dyn Tap>>,
}

impl Followers {
    pub(super) fn new(inner: Option<Arc<dyn Tap>>) -> Followers {
        Followers {
            waiting: Mutex::default(),
            inner,
        }
    }

    /// Is ready when the call with this id has been answered.
    pub(super) fn answered(&self, id: &Id) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.waiting().insert(id.clone(), sender);
        receiver
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Id, oneshot::Sender<()>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tap for Followers {
    fn see(&self, seen: Seen<'_>) {
        if let Some(inner) = &self.inner {
            inner.see(seen);
        }
        if let Content::Outbound(Message::Response(response)) = seen.content
            && let Some(sender) = self.waiting().remove(&response.id)
        {
            let _nobody_waits = sender.send(());
        }
    }
}
