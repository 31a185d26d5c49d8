//! From the clients to the plugin, and from the plugin to the clients.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use tenon_host::{Down, Status};
use tenon_rpc::{
    Asked, Call, CallError, CloseReason, ErrorCode, Event, EventKind, Format, Payload, Peer,
    Prepared, Reply, Router, RpcError, Text, within,
};

use super::onward::Onward;
use super::tokens::Owner;
use super::{EventsTo, Hub, conversations, withdrawals};
use crate::progress::Progress;
use crate::session::{FromClient, Session};

/// How MCP tells of progress.
const MCP_PROGRESS: &str = "notifications/progress";

/// What clients ask and tell goes to the plugin.
pub(super) fn to_plugin(hub: Arc<Hub>) -> Router<()> {
    let events = hub.clone();
    Router::new(())
        .fallback(move |call, ()| {
            let hub = hub.clone();
            async move { hub.ask_plugin(call).await }
        })
        .event_fallback(move |context, event| events.tell_plugin(&context.session(), event))
}

/// What the plugin asks and tells goes to clients.
pub(super) fn to_clients(hub: Arc<Hub>) -> Router<()> {
    let events = hub.clone();
    Router::new(())
        .fallback(move |call, ()| {
            let hub = hub.clone();
            async move { hub.ask_client(call).await }
        })
        .event_fallback(move |_, event| events.tell_clients(event))
}

impl Hub {
    async fn ask_plugin(self: &Arc<Hub>, call: Call) -> Reply {
        let session = call.session();
        let running = self.callers.enter(session.clone(), call.id);
        if call.method == "initialize" {
            *lock(&self.initializer) = Some(session.clone());
        }
        let (params, mut given) = self.tokens.replace(&session, call.params);
        let name = params
            .as_ref()
            .filter(|_| conversations::is_about_one(&call.method));
        let conversation = name.and_then(|params| params.member(conversations::ID));
        // Its place among the client's events and calls is taken before anything is waited for.
        let onward = self.onward(&session);
        let method = call.method.clone();
        let sent = match onward.call(self, &session, running.number(), call.method, params) {
            Ok(sent) => sent,
            Err(turn) => {
                let limit = self.timeout.map(|limit| match self.running() {
                    Some(_) => limit,
                    None => limit + self.patience,
                });
                tokio::select! {
                    sent = within(limit, turn.sent()) => sent,
                    error = self.absence() => return Err(error),
                }
            }
        };
        let outcome = match sent {
            Ok(asked) => within(self.timeout, self.noticing_silence(asked)).await,
            Err(error) => Err(error),
        };
        given.answered();
        // What the plugin told before it answered comes before the answer.
        session.caught_up().await;
        match outcome {
            Ok(result) => {
                let result = answer(result, call.peer.format())?;
                let conversation = conversation.as_ref();
                self.conversations
                    .note(&session, &method, conversation, &result);
                Ok(result)
            }
            Err(CallError::Closed(reason)) => Err(self.told_why(reason).await),
            Err(error) => Err(refusal(error, call.peer.format())),
        }
    }

    /// Waits for an answer. If it is the first, and takes long, whoever runs the server is told.
    async fn noticing_silence(&self, mut asked: Asked) -> Result<Payload, CallError> {
        /// No plugin that is ready takes longer to say that it does not know a method.
        const LONG: Duration = Duration::from_secs(5);
        if self.has_answered.load(Ordering::Relaxed) {
            return asked.await;
        }
        let outcome = match tokio::time::timeout(LONG, &mut asked).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let has_answered = self.has_answered.load(Ordering::Relaxed);
                let hook = lock(&self.on_silence).take();
                if let Some(hook) = hook.filter(|_| !has_answered) {
                    let stray = self.running().and_then(|plugin| plugin.stray());
                    hook(stray);
                }
                asked.await
            }
        };
        if matches!(outcome, Ok(_) | Err(CallError::Answered(_))) {
            self.has_answered.store(true, Ordering::Relaxed);
        }
        outcome
    }

    /// The way of this client's messages to the plugin.
    fn onward(&self, session: &Session) -> Arc<Onward> {
        let onward = &session.inner().onward;
        let onward = onward.get_or_init(|| Arc::new(Onward::new(self.waiting)));
        onward.clone()
    }

    /// Forgets a client that has left.
    pub(super) fn forget(&self, session: &Session) {
        self.tokens.forget(session);
        self.conversations.forget(session);
        let mut initializer = lock(&self.initializer);
        if initializer.as_ref().map(Session::number) == Some(session.number()) {
            *initializer = None;
        }
    }

    /// The plugin, if it runs.
    fn running(&self) -> Option<Peer> {
        match &*self.plugin.get()?.borrow() {
            Status::Running(peer) if !peer.is_closed() => Some(peer.clone()),
            _ => None,
        }
    }

    /// The plugin, once it runs.
    async fn plugin(&self) -> Result<Peer, RpcError> {
        let Some(mut status) = self.plugin.get().cloned() else {
            return Err(unavailable("the plugin has not been started", None));
        };
        let is_settled = |status: &Status| match status {
            Status::Running(peer) => !peer.is_closed(),
            Status::Ended(_) => true,
            Status::Starting | Status::Ending | Status::Waiting { .. } => false,
        };
        let found = status.wait_for(is_settled).await.map(|found| found.clone());
        match found {
            Ok(Status::Running(peer)) => Ok(peer),
            Ok(Status::Ended(down)) => Err(unavailable(
                "the plugin has ended and is not started again",
                Some(&down),
            )),
            Ok(_) | Err(_) => Err(unavailable("the plugin has been stopped", None)),
        }
    }

    /// Waits until the plugin has not run for as long as calls wait for it.
    async fn absence(&self) -> RpcError {
        let Some(mut status) = self.plugin.get().cloned() else {
            return unavailable("the plugin has not been started", None);
        };
        loop {
            match tokio::time::timeout(self.patience, self.plugin()).await {
                Ok(Ok(plugin)) => {
                    plugin.closed().await;
                }
                Ok(Err(error)) => return error,
                Err(_) => {
                    let down = match &*status.borrow_and_update() {
                        Status::Waiting { down, .. } => Some(down.clone()),
                        _ => None,
                    };
                    let problem = format!("the plugin did not start within {:?}", self.patience);
                    return unavailable(&problem, down.as_ref());
                }
            }
        }
    }

    /// Sends an event of a client's to the plugin if it can be sent now.
    pub(super) fn try_send(&self, event: &Event) -> bool {
        let Some(plugin) = self.running() else {
            return false;
        };
        let Ok(params) = translate(event.params.clone(), plugin.format()) else {
            tracing::warn!(method = ?event.method, "an event of a client cannot be passed on");
            return true;
        };
        match plugin.try_send_raw(event.method.clone(), params) {
            Ok(is_sent) => is_sent,
            Err(CallError::Closed(_)) => false,
            Err(error) => {
                tracing::warn!(method = ?event.method, %error, "an event of a client was lost");
                true
            }
        }
    }

    /// Sends an event of a client's to the plugin, as soon as it runs and reads.
    pub(super) async fn send(&self, event: Event) {
        loop {
            let Ok(plugin) = self.plugin().await else {
                tracing::debug!(method = ?event.method, "an event was lost: the plugin has ended");
                return;
            };
            let Ok(params) = translate(event.params.clone(), plugin.format()) else {
                tracing::warn!(method = ?event.method, "an event of a client cannot be passed on");
                return;
            };
            match plugin.send_raw(event.method.clone(), params).await {
                Ok(()) => return,
                Err(CallError::Closed(_)) => {
                    // The next one gets it.
                    plugin.closed().await;
                }
                Err(error) => {
                    tracing::warn!(method = ?event.method, %error, "an event of a client was lost");
                    return;
                }
            }
        }
    }

    /// Sends a call to the plugin if it can be sent now.
    pub(super) fn try_ask(
        &self,
        number: u64,
        method: &Text,
        params: &Option<Payload>,
    ) -> Option<Result<Asked, CallError>> {
        let plugin = self.running()?;
        let params = match unsendable(params.clone(), plugin.format()) {
            Ok(params) => params,
            Err(error) => return Some(Err(error)),
        };
        match plugin.try_ask(method.clone(), params) {
            Ok(None) | Err(CallError::Closed(_)) => None,
            Ok(Some(asked)) => {
                self.callers.sent(number, &plugin, asked.id());
                Some(Ok(asked))
            }
            Err(error) => Some(Err(error)),
        }
    }

    /// Sends a call to the plugin, as soon as it runs and reads.
    pub(super) async fn ask(
        &self,
        number: u64,
        method: Text,
        params: Option<Payload>,
    ) -> Result<Asked, CallError> {
        loop {
            let Ok(plugin) = self.plugin().await else {
                return Err(CallError::Closed(CloseReason::ClosedHere));
            };
            let params = unsendable(params.clone(), plugin.format())?;
            match plugin.ask(method.clone(), params).await {
                // Nothing was sent: the next one gets it.
                Err(CallError::Closed(_)) => {
                    plugin.closed().await;
                }
                Ok(asked) => {
                    self.callers.sent(number, &plugin, asked.id());
                    return Ok(asked);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// What a caller is told whose call was lost with the plugin.
    async fn told_why(&self, reason: CloseReason) -> RpcError {
        /// The process ends a little later than its output, or has to be killed.
        const MOMENT: Duration = Duration::from_secs(2);
        let down = async {
            let mut status = self.plugin.get().cloned()?;
            let is_down = |status: &Status| match status {
                Status::Waiting { .. } | Status::Ended(_) => true,
                Status::Running(peer) => !peer.is_closed(),
                Status::Starting | Status::Ending => false,
            };
            match status.wait_for(is_down).await.ok()?.clone() {
                Status::Waiting { down, .. } | Status::Ended(down) => Some(down),
                Status::Running(_) | Status::Starting | Status::Ending => None,
            }
        };
        let down = tokio::time::timeout(MOMENT, down).await.ok().flatten();
        tracing::debug!(%reason, "a call was lost with its plugin");
        unavailable("the plugin ended before it answered", down.as_ref())
    }

    fn tell_plugin(self: &Arc<Hub>, session: &Session, event: Event) {
        if let Some(cancel) = withdrawals::cancel_of(&event) {
            let id = event.params.as_ref().and_then(|params| cancel.id(params));
            let known = id.and_then(|id| self.callers.known_as(session, &id));
            // Where the plugin's own way to say it is another, or this is what clients send by
            // themselves, dropping the call does what is to be done.
            let is_passed_on = match self.cancel {
                Some(own) => own == cancel,
                None => cancel != withdrawals::GENERIC,
            };
            if let Some((plugin, id)) = known.filter(|_| is_passed_on) {
                withdrawals::pass_on(cancel, &event, &plugin, &id);
            }
            return;
        }
        let event = match event.method.as_str() {
            "session/cancel" => {
                let params = event.params.as_ref();
                (!self.conversations.is_anothers(session, params)).then_some(event)
            }
            "window/workDoneProgress/cancel" => self.tokens.for_plugin(session, event, "token"),
            _ => Some(event),
        };
        match event {
            Some(event) => self.onward(session).event(self, session, event),
            None => tracing::debug!(
                session = session.number(),
                "a cancellation of another's work"
            ),
        }
    }

    fn tell_clients(&self, event: Event) {
        if let Some(cancel) = withdrawals::cancel_of(&event) {
            let id = event.params.as_ref().and_then(|params| cancel.id(params));
            if let Some((client, id)) = id.and_then(|id| self.questions.known_as(&id)) {
                let params = translate(event.params, Format::Json).unwrap_or_default();
                let event = Event { params, ..event };
                withdrawals::pass_on(cancel, &event, &client, &id);
            }
            return;
        }
        let Some(clients) = self.clients.get() else {
            return;
        };
        let Ok(params) = translate(event.params, Format::Json) else {
            tracing::warn!(method = ?event.method, "an event of the plugin has no form in JSON");
            return;
        };
        let event = Event { params, ..event };
        let owner = match event.method.as_str() {
            Progress::NAME => self.tokens.owner(event, "token"),
            MCP_PROGRESS => self.tokens.owner(event, "progressToken"),
            _ => Owner::Unknown(event),
        };
        let (sessions, event) = match owner {
            Owner::Client(session, event) => (vec![session], event),
            Owner::Gone => return,
            Owner::Unknown(event) => match self.events {
                EventsTo::Everyone => (Vec::new(), event),
                EventsTo::Callers => (self.callers.all(), event),
            },
        };
        if sessions.is_empty() {
            clients.broadcast_raw(event.method, event.params);
            return;
        }
        let event = Arc::new(Prepared::new(event.method, event.params));
        for session in sessions {
            session.offer(&event);
        }
    }

    /// Who has to do with what the plugin asks: the client that the question is about, else the one
    /// that has waited longest for the plugin, else the one that initialised it. Language servers ask
    /// for their settings while no call of anybody runs.
    fn concerned(&self, about: Option<&Payload>) -> Option<Session> {
        let owner = self.conversations.owners_of(about).into_iter().next();
        owner
            .or_else(|| self.callers.first())
            .or_else(|| lock(&self.initializer).clone())
    }

    fn only_client(&self) -> Option<Session> {
        match self.clients.get()?.all().as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// Asks a client what the plugin asks, or answers what every server asks.
    async fn ask_client(&self, call: Call) -> Reply {
        let format = call.peer.format();
        let params = translate(call.params, Format::Json)?;
        let about = params
            .as_ref()
            .filter(|_| conversations::is_about_one(&call.method));
        let concerned = self.concerned(about);
        if concerned.is_none()
            && let Some(protocol) = self.protocol
            && let Some(answer) = protocol.answer(&call.method, params.as_ref(), format)
        {
            // With a protocol the plugin was initialised here, and no client knows of that.
            return Ok(answer);
        }
        let Some(session) = concerned.or_else(|| self.only_client()) else {
            return Err(RpcError::method_not_found(&call.method, format));
        };
        let created = match call.method.as_str() {
            "window/workDoneProgress/create" => params.as_ref().and_then(|p| p.member(&["token"])),
            _ => None,
        };
        let client = session.peer();
        let asking = async {
            let asked = client.ask(call.method, params).await?;
            let _entered = self.questions.enter(call.id, client, asked.id());
            asked.await
        };
        match within(self.question_timeout, asking).await {
            Ok(result) => {
                if let Some(token) = created {
                    self.tokens.accept(&session, &token);
                }
                answer(result, format)
            }
            Err(CallError::TimedOut(limit)) => {
                let problem = format!("the client did not answer within {limit:?}");
                Err(RpcError::internal(problem))
            }
            Err(CallError::Closed(_)) => {
                Err(RpcError::internal("the client left before it answered"))
            }
            Err(error) => Err(refusal(error, format)),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A result in the format of whoever asked.
fn answer(result: Payload, format: Format) -> Reply {
    let answer = result.to_format(format);
    answer.map_err(|error| RpcError::internal(format!("the answer cannot be passed on: {error}")))
}

/// Params in the format of the other side.
fn translate(params: Option<Payload>, format: Format) -> Result<Option<Payload>, RpcError> {
    let params = params.map(|params| params.to_format(format)).transpose();
    params.map_err(|error| {
        RpcError::invalid_params(format!("Invalid params: they cannot be passed on: {error}"))
    })
}

/// Params in the format of the plugin, for a call.
fn unsendable(params: Option<Payload>, format: Format) -> Result<Option<Payload>, CallError> {
    let params = params.map(|params| params.to_format(format)).transpose();
    params.map_err(CallError::Unsendable)
}

/// Why a call that was passed on has no result.
fn refusal(error: CallError, format: Format) -> RpcError {
    match error {
        CallError::Answered(mut error) => {
            let data = error.data.take();
            error.data = data.and_then(|data| data.to_format(format).ok());
            error
        }
        CallError::Unsendable(error) => {
            RpcError::invalid_params(format!("Invalid params: they cannot be passed on: {error}"))
        }
        CallError::TooLong(limit) => RpcError::internal(format!(
            "the plugin's answer is longer than {limit} bytes, the limit for one message; \
             `tenon serve --max-message` raises it"
        )),
        CallError::TimedOut(limit) => {
            RpcError::internal(format!("the plugin did not answer within {limit:?}"))
        }
        error => RpcError::internal(error.to_string()),
    }
}

/// The error for a call that the plugin is not there to answer. Only how it ended is said: what it
/// wrote to stderr is for whoever runs it.
fn unavailable(problem: &str, down: Option<&Down>) -> RpcError {
    let error = RpcError::new(ErrorCode::Number(crate::PLUGIN_ENDED), problem);
    let why = match down {
        Some(Down::Exited(status)) => status.to_string(),
        // Without what it began with, which may be a secret.
        Some(Down::Lost(CloseReason::BrokenStream(error))) => error.problem.clone(),
        Some(Down::Lost(_)) => "it closed its stdout".to_owned(),
        Some(Down::Failed(_)) => "it could not be started".to_owned(),
        Some(Down::Stopped) => "it was stopped".to_owned(),
        None => return error,
    };
    match Payload::encode(Format::Json, &json!({ "plugin": why })) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}
