//! What answers each method.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tenon_protocols::Protocol;
use tenon_protocols::acp::{
    AgentAuth, AuthMethod, Authenticate, AuthenticateParams, Cancel, CloseSession, ConfigOptions,
    DeleteSession, Empty, Failure, Initialize, InitializeParams, InitializeResult, ListSessions,
    LoadSession, Logout, NewSession, Profile, Prompt, Raw, ResumeSession, SessionCapabilities,
    SessionParams, SetConfigOption, SetConfigOptionParams, SetMode, SetModel,
};
use tenon_rpc::options::{EventOrder, Stray};
use tenon_rpc::{
    Call, CloseReason, Connection, Event, Format, Id, Io, Options, Payload, Reply, Router,
    RpcError, Text,
};
use tokio::time::{Instant, timeout};

use super::gate::{Followers, Gate};
use super::link::Link;
use super::opening::{begin, resume};
use super::session::Session;
use super::settings::Change;
use super::{About, Agent, AgentError, Settings};
use crate::gates::Gates;
use crate::guard::ending::Ending;

/// What the handlers of a connection share.
pub(super) struct Shared<A> {
    pub(super) agent: A,
    about: About,
    pub(super) settings: Settings,
    pub(super) link: Arc<Link>,
    gate: Arc<Gate>,
    pub(super) followers: Arc<Followers>,
    sessions: Mutex<HashMap<String, Session>>,
}

pub(super) async fn serve<A: Agent>(agent: A, io: Io, settings: Settings) -> CloseReason {
    let shared = Arc::new(Shared::new(agent, settings));
    let (io, input) = Ending::of(io);
    let options = options(&shared.followers);
    let router = Arc::new(router(&shared));
    let connection = Connection::start_with(io, Protocol::Acp.dialect(), router, options);
    let reason = tokio::select! {
        reason = connection.closed() => reason,
        // A connection is not closed as long as something is to be answered.
        () = input.reached() => {
            shared.cancel_turns();
            let closed = timeout(shared.settings.grace, connection.closed()).await;
            closed.unwrap_or(CloseReason::PeerClosed)
        }
    };
    shared.close_all().await;
    reason
}

fn options(followers: &Arc<Followers>) -> Options {
    Options {
        stray: Stray::Answer,
        // A prompt is not overtaken by what cancels it.
        events: EventOrder::InTurn {
            except: &["$/cancel_request"],
        },
        tap: Some(followers.clone()),
        ..crate::options()
    }
}

fn router<A: Agent>(shared: &Arc<Shared<A>>) -> Router<Arc<Shared<A>>> {
    let gate = shared.gate.clone();
    let events = shared.clone();
    Router::new(shared.clone())
        .on(Initialize, |context, params| {
            context.state.initialize(params)
        })
        .on(Authenticate, |context, params| {
            context.state.authenticate(params)
        })
        .on(Logout, |context, _| async move {
            let outcome = context.state.agent.logout().await;
            context.state.answered(outcome.map(|()| Empty::default()))
        })
        .on(NewSession, begin)
        .on(LoadSession, |context, params| resume(context, params, true))
        .on(ResumeSession, |context, params| {
            resume(context, params, false)
        })
        .on(ListSessions, |context, params| context.state.list(params))
        .on(CloseSession, |context, params| context.state.close(params))
        .on(DeleteSession, |context, params| {
            context.state.delete(params)
        })
        .on(SetMode, |context, params| async move {
            let session = context.state.session(&params.session_id)?;
            context
                .state
                .offers(session.settings().modes().is_some(), "session/set_mode")?;
            let change = session
                .settings()
                .mode(&params.mode_id, context.state.profile())?;
            context.state.change(&session, &change).await?;
            context.state.answered(session.tell_options().await)?;
            Ok(Empty::default())
        })
        .on(SetModel, |context, params| async move {
            let session = context.state.session(&params.session_id)?;
            context
                .state
                .offers(session.settings().models().is_some(), "session/set_model")?;
            let change = session
                .settings()
                .model(&params.model_id, context.state.profile())?;
            context.state.change(&session, &change).await?;
            context.state.answered(session.tell_options().await)?;
            Ok(Empty::default())
        })
        .on(SetConfigOption, |context, params| {
            context.state.set_option(params)
        })
        .on(Prompt, |context, params| context.state.prompt(params))
        .on_event(Cancel, |context, params| {
            context.state.cancel(&params);
        })
        .fallback(|call, shared| shared.extension(call))
        .malformed(|_, error, shared| async move { shared.gate.refuse(error).await })
        .wrap(move |call, next| {
            let (gate, shared) = (gate.clone(), events.clone());
            async move {
                match shared.event_with_null(&call) {
                    Some(reply) => reply,
                    None => gate.pass(call, next).await,
                }
            }
        })
}

impl<A: Agent> Shared<A> {
    fn new(agent: A, mut settings: Settings) -> Shared<A> {
        let mut about = agent.about();
        let sessions = about
            .capabilities
            .session_capabilities
            .get_or_insert_default();
        let stated = || Raw::of(&json!({})).ok();
        sessions.close = stated();
        if settings.store.is_some() {
            about.capabilities.load_session = Some(true);
            *sessions = SessionCapabilities {
                list: stated(),
                delete: stated(),
                resume: stated(),
                ..sessions.clone()
            };
        }
        let link = Arc::new(Link {
            gates: Mutex::new(Gates::new(settings.profile)),
            profile: settings.profile,
            store: settings.store.clone(),
            started: Instant::now(),
        });
        let gate = Gate::new(link.clone(), settings.sizes, settings.rates);
        Shared {
            agent,
            about,
            link,
            gate: Arc::new(gate),
            followers: Arc::new(Followers::new(settings.tap.take())),
            sessions: Mutex::default(),
            settings,
        }
    }

    pub(super) fn profile(&self) -> Profile {
        self.link.profile
    }

    pub(super) fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn session(&self, id: &str) -> Result<Session, RpcError> {
        let found = self.sessions().get(id).cloned();
        found.ok_or_else(|| self.failure(Failure::SessionNotFound, json!({ "sessionId": id })))
    }

    pub(super) fn failure(&self, failure: Failure, data: Value) -> RpcError {
        failure.error(self.profile(), data)
    }

    /// What the client is answered if the agent failed.
    pub(super) fn answered<T>(&self, outcome: Result<T, AgentError>) -> Result<T, RpcError> {
        outcome.map_err(|error| error.into_answer(self.profile()))
    }

    /// A method that a session does not have, because it has nothing to choose from.
    fn offers(&self, is_offered: bool, method: &str) -> Result<(), RpcError> {
        match is_offered {
            true => Ok(()),
            false => {
                let data = json!({ "method": method, "details": "the session offers nothing to choose from" });
                Err(self.failure(Failure::MethodNotFound, data))
            }
        }
    }

    /// Events are written with an id that is null by some clients. They are not refused.
    fn event_with_null(&self, call: &Call) -> Option<Reply> {
        let is_event = tenon_protocols::acp::method(&call.method).is_some_and(|one| one.is_event);
        if !is_event || call.id != Id::Null {
            return None;
        }
        if &*call.method == "session/cancel"
            && let Some(Ok(params)) = call.params.as_ref().map(Payload::decode_private)
        {
            self.cancel(&params);
        }
        Some(Ok(Payload::null(Format::Json)))
    }

    async fn initialize(
        self: Arc<Self>,
        params: InitializeParams,
    ) -> Result<InitializeResult, RpcError> {
        self.answered(self.agent.initialize(&params).await)?;
        let result = InitializeResult {
            agent_capabilities: Some(self.about.capabilities.clone()),
            auth_methods: Some(self.about.auth_methods.clone()),
            agent_info: Some(self.about.info.clone()),
            // Whatever the client speaks, this is the version that is spoken here.
            ..InitializeResult::default()
        };
        let learned = { Payload::encode(Format::Json, &params) }
            .and_then(|params| Ok((params, Payload::encode(Format::Json, &result)?)));
        match learned {
            Ok((params, result)) => {
                let mut gates = self.link.gates();
                gates.learn_client(&params);
                gates.learn_agent(&result);
            }
            Err(error) => return self.answered(Err(error.into())),
        }
        Ok(result)
    }

    async fn authenticate(self: Arc<Self>, params: AuthenticateParams) -> Result<Empty, RpcError> {
        let is_meant = |method: &&AuthMethod| match method {
            AuthMethod::Agent(AgentAuth { id, .. }) => *id == params.method_id,
            // The client runs the agent in a terminal for those.
            _ => false,
        };
        let Some(method) = self.about.auth_methods.iter().find(is_meant) else {
            let data = json!({ "methodId": params.method_id, "details": "unknown login method" });
            return Err(self.failure(Failure::InvalidParams, data));
        };
        let outcome = self.agent.authenticate(method).await;
        self.answered(outcome.map(|()| Empty::default()))
    }

    async fn set_option(
        self: Arc<Self>,
        params: SetConfigOptionParams,
    ) -> Result<ConfigOptions, RpcError> {
        let session = self.session(&params.session_id)?;
        let change =
            { session.settings() }.option(&params.config_id, params.value, self.profile())?;
        self.change(&session, &change).await?;
        // Clients of modes learn of it too.
        if let Change::Mode(mode) = change {
            self.answered(session.tell_mode(mode).await)?;
        }
        Ok(ConfigOptions::new(
            session.config_options().unwrap_or_default(),
        ))
    }

    async fn change(&self, session: &Session, change: &Change) -> Result<(), RpcError> {
        self.answered(self.agent.change(session, change).await)?;
        self.answered(session.apply(change).await)
    }

    /// Cancels the turn of a session.
    fn cancel(&self, params: &SessionParams) {
        let event = Event {
            method: Text::from_static("session/cancel"),
            params: Payload::encode(Format::Json, params).ok(),
        };
        let session = self.sessions().get(&params.session_id).cloned();
        if let Some(session) = session.filter(|_| self.gate.hears(&event)) {
            session.cancel();
        }
    }

    async fn extension(self: Arc<Self>, call: Call) -> Reply {
        if !call.method.starts_with('_') {
            return Err(RpcError::method_not_found(&call.method, Format::Json));
        }
        let params = call
            .params
            .map(|params| params.decode_private())
            .transpose();
        let outcome = match params {
            Ok(params) => self.agent.extension(&call.method, params).await,
            Err(error) => Err(error.into()),
        };
        let result = self.answered(outcome)?;
        Ok(Payload::new(Format::Json, result.text().to_owned()))
    }
}
