//! From the clients to the plugin, and from the plugin to the clients.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenon_protocols::Protocol;
use tenon_rpc::forward::{Forward, Passing, Target, reply};
use tenon_rpc::{
    Call, CallError, Event, EventKind, Format, Payload, Peer, Reply, Router, RpcError,
    calls::{Prepared, within},
};

use super::plugin::RelayPlugin;
use super::tokens::Owner;
use super::{EventsTo, Hub, conversations, withdrawals};
use crate::progress::Progress;
use crate::session::{FromClient, Session};

/// The progress event of MCP.
const MCP_PROGRESS: &str = "notifications/progress";

/// Forwards calls and events of clients to the plugin.
pub(super) fn to_plugin(hub: Arc<Hub>) -> Router<()> {
    let events = hub.clone();
    Router::new(())
        .fallback(move |call, ()| {
            let hub = hub.clone();
            async move { hub.ask_plugin(call).await }
        })
        .event_fallback(move |context, event| events.tell_plugin(&context.session(), event))
}

/// Forwards calls and events of the plugin to clients.
pub(super) fn to_clients(hub: Arc<Hub>) -> Router<()> {
    let events = hub.clone();
    Router::new(())
        .fallback(move |call, ()| {
            let hub = hub.clone();
            async move { hub.ask_client(call).await }
        })
        .event_fallback(move |context, event| events.tell_clients(context.peer, event))
}

/// Whether a call of this method begins a conversation, in a protocol where that is possible only once. The protocol
/// of a plugin need not be known for it.
fn initializes(method: &str) -> bool {
    let mut once = Protocol::ALL.iter().filter(|one| one.begins_once());
    once.any(|one| one.first_call() == Some(method))
}

impl Hub {
    /// Makes the first call of the plugin's protocol, and keeps its answer.
    pub(super) async fn begin(&self, plugin: &Peer) -> Result<(), CallError> {
        let Some(protocol) = self.protocol else {
            return Ok(());
        };
        if let Some(announcement) = protocol.announcement() {
            plugin.send_raw(announcement, None).await?;
        }
        *lock(&self.begun) = protocol.begin(plugin).await?;
        Ok(())
    }

    /// The answer to a client that makes the first call of the protocol, where it may be made only once:
    /// what the plugin has answered here.
    async fn begun(&self, method: &str, client: &Peer) -> Option<Reply> {
        let protocol = self.protocol.filter(|protocol| protocol.begins_once())?;
        if protocol.first_call() != Some(method) {
            return None;
        }
        // Clients may come before the plugin has answered.
        tokio::select! {
            _ready = self.plugin.ready() => {}
            error = self.plugin.absence(self.patience) => return Some(Err(error)),
        }
        let answer = lock(&self.begun).clone()?;
        Some(reply(Ok(answer), client))
    }

    /// The answer to a client that leaves and would end the plugin, which others still use. The relay
    /// says goodbye to the plugin when it stops.
    fn goodbye(&self, method: &str) -> Option<Payload> {
        self.protocol?.goodbye(method, Format::Json)
    }

    async fn ask_plugin(&self, mut call: Call) -> Reply {
        let (session, method) = (call.session(), call.method.clone());
        let _running = self.callers.enter(session.clone());
        if initializes(&method) {
            *lock(&self.initializer) = Some(session.clone());
        }
        if let Some(reply) = self.begun(&method, session.peer()).await {
            return reply;
        }
        if let Some(answer) = self.goodbye(&method) {
            return Ok(answer);
        }
        let (params, mut given) = self.tokens.replace(&session, call.params.take());
        let name = params
            .as_ref()
            .filter(|_| conversations::is_about_one(&method));
        let conversation = name.and_then(|params| params.member(conversations::ID));
        // Its place among the client's events and calls is taken before anything is waited for.
        let mut passing = self.forward(&session).ask(Call { params, ..call });
        let mut sent = Ok(());
        if !passing.is_sent() {
            let limit = self.timeout.map(|limit| match self.plugin.now() {
                Some(_) => limit,
                None => limit + self.patience,
            });
            let sending = async {
                passing.sent().await;
                Ok(())
            };
            sent = tokio::select! {
                sent = within(limit, sending) => sent,
                error = self.plugin.absence(self.patience) => return Err(error),
            };
        }
        let outcome = match sent {
            Ok(()) => within(self.timeout, self.noticing_silence(passing)).await,
            Err(error) => Err(error),
        };
        given.answered();
        // Events that the plugin sent before its answer come before the answer.
        session.caught_up().await;
        let reply = match outcome {
            Err(CallError::Closed(reason)) => Err(self.plugin.told_why(reason).await),
            Err(CallError::TooLong(limit)) => Err(RpcError::internal(format!(
                "the plugin's answer is longer than {limit} bytes, the limit for one message; \
                 `tenon serve --max-message` raises it"
            ))),
            Err(CallError::TimedOut(limit)) => {
                let problem = format!("the plugin did not answer within {limit:?}");
                Err(RpcError::internal(problem))
            }
            outcome => reply(outcome, session.peer()),
        };
        if let Ok(result) = &reply {
            let conversation = conversation.as_ref();
            self.conversations
                .note(&session, &method, conversation, result);
        }
        reply
    }

    /// Waits for an answer. If it is the first and takes long, `on_silence` is called.
    async fn noticing_silence(&self, mut asked: Passing) -> Result<Payload, CallError> {
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
                    let stray = self.plugin.now().and_then(|plugin| plugin.stray());
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

    /// Forwards the messages of this client to the plugin.
    fn forward(&self, session: &Session) -> Forward<RelayPlugin> {
        let forward = &session.inner().forward;
        forward
            .get_or_init(|| Forward::to(self.plugin.clone()))
            .clone()
    }

    /// Forgets a client that has disconnected.
    pub(super) fn forget(&self, session: &Session) {
        self.tokens.forget(session);
        self.conversations.forget(session);
        let mut initializer = lock(&self.initializer);
        if initializer.as_ref().map(Session::number) == Some(session.number()) {
            *initializer = None;
        }
    }

    fn tell_plugin(&self, session: &Session, event: Event) {
        let confirmation = self.protocol.and_then(Protocol::confirmation);
        if confirmation == Some(event.method.as_str()) {
            // The plugin got it when it was initialised here.
            return;
        }
        if self.goodbye(&event.method).is_some() {
            return;
        }
        if let Some(cancel) = withdrawals::cancel_of(&event) {
            let is_passed_on = match self.cancel {
                Some(own) => own == cancel,
                None => cancel != withdrawals::GENERIC,
            };
            if !is_passed_on {
                // The plugin cancels calls by another event, or this one is sent by client libraries:
                // dropping the call does what is needed.
                return;
            }
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
            Some(event) => self.forward(session).event(session.peer(), event),
            None => tracing::debug!(
                session = session.number(),
                "a cancellation of another's work"
            ),
        }
    }

    fn tell_clients(&self, plugin: &Peer, event: Event) {
        if self.questions.cancel(plugin, &event) {
            return;
        }
        let Some(clients) = self.clients.get() else {
            return;
        };
        let Ok(params) = to_json(event.params, plugin) else {
            tracing::warn!(method = ?event.method, "an event of the plugin cannot be expressed in JSON");
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

    /// The client that gets a call of the plugin: the one that it is about, else the one that has waited
    /// longest for the plugin, else the one that initialised it. Language servers ask for their settings
    /// while no call runs.
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

    /// Forwards a call of the plugin to a client, or answers routine calls.
    async fn ask_client(&self, mut call: Call) -> Reply {
        let plugin = call.peer.clone();
        let params = to_json(call.params.take(), &plugin)?;
        let about = params
            .as_ref()
            .filter(|_| conversations::is_about_one(&call.method));
        let concerned = self.concerned(about);
        if concerned.is_none()
            && let Some(protocol) = self.protocol
            && let Some(answer) = protocol.answer(&call.method, params.as_ref(), plugin.format())
        {
            // With a protocol the plugin was initialised here, and no client knows of that.
            return Ok(answer);
        }
        let Some(session) = concerned.or_else(|| self.only_client()) else {
            return Err(RpcError::method_not_found(&call.method, plugin.format()));
        };
        let created = match call.method.as_str() {
            "window/workDoneProgress/create" => params.as_ref().and_then(|p| p.member(&["token"])),
            _ => None,
        };
        let asking = self.questions.call(Call { params, ..call }, session.peer());
        match within(self.question_timeout, asking).await {
            Err(CallError::TimedOut(limit)) => {
                let problem = format!("the client did not answer within {limit:?}");
                Err(RpcError::internal(problem))
            }
            Err(CallError::Closed(_)) => Err(RpcError::internal(
                "the client disconnected before it answered",
            )),
            outcome => {
                if let (Some(token), Ok(_)) = (created, &outcome) {
                    self.tokens.accept(&session, &token);
                }
                reply(outcome, &plugin)
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The plugin's params in the format of the clients.
fn to_json(params: Option<Payload>, plugin: &Peer) -> Result<Option<Payload>, RpcError> {
    let convert = |params: Payload| params.to_format_with(Format::Json, plugin.ext_names());
    params.map(convert).transpose().map_err(|error| {
        RpcError::invalid_params(format!("Invalid params: they cannot be forwarded: {error}"))
    })
}
