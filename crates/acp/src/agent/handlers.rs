//! What answers each method.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tenon_protocols::Protocol;
use tenon_protocols::acp::{
    AgentAuth, AuthMethod, Authenticate, AuthenticateParams, Cancel, CloseSession, ConfigOptions,
    DeleteSession, Empty, Failure, Initialize, InitializeParams, InitializeResult, ListSessions,
    ListSessionsParams, ListSessionsResult, LoadSession, Logout, McpServer, NewSession,
    NewSessionParams, NewSessionResult, OpenSessionParams, OpenSessionResult, Profile, Prompt, Raw,
    ResumeSession, SessionCapabilities, SessionParams, SetConfigOption, SetConfigOptionParams,
    SetMode, SetModel,
};
use tenon_rpc::options::{EventOrder, Limits, Oversized, Stray};
use tenon_rpc::{
    Call, CloseReason, Connection, Context, Event, Format, Id, Io, Options, Payload, Reply, Router,
    RpcError, Text,
};
use tokio::time::{Instant, timeout};

use super::gate::{Followers, Gate};
use super::session::{Link, Session};
use super::settings::Change;
use super::store::{Info, Kept, Opened, Store, StoreError, new_id, now};
use super::{About, Agent, AgentError, Opening, Settings};
use crate::gates::Gates;
use crate::guard::ending::Ending;

/// What the handlers of a connection share.
pub(super) struct Shared<A> {
    pub(super) agent: A,
    about: About,
    pub(super) settings: Settings,
    link: Arc<Link>,
    gate: Arc<Gate>,
    followers: Arc<Followers>,
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
    let options = Protocol::Acp.host_options();
    Options {
        limits: Limits {
            // A line that is too long must not end a session.
            oversized: Oversized::Skip,
            // Version 1 has no batches.
            batch: 0,
            ..options.limits
        },
        stray: Stray::Answer,
        // A prompt is not overtaken by what cancels it.
        events: EventOrder::InTurn {
            except: &["$/cancel_request"],
        },
        tap: Some(followers.clone()),
        ..options
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
        let prompts = about.capabilities.prompt_capabilities.as_ref();
        let takes_media = prompts
            .is_some_and(|prompts| prompts.image == Some(true) || prompts.audio == Some(true));
        let link = Arc::new(Link {
            gates: Mutex::new(Gates::new(settings.profile)),
            profile: settings.profile,
            store: settings.store.clone(),
            started: Instant::now(),
        });
        let gate = Gate::new(link.clone(), settings.sizes, settings.rates, takes_media);
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

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn session(&self, id: &str) -> Result<Session, RpcError> {
        let found = self.sessions().get(id).cloned();
        found.ok_or_else(|| self.failure(Failure::SessionNotFound, json!({ "sessionId": id })))
    }

    fn failure(&self, failure: Failure, data: Value) -> RpcError {
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
            let data = json!({ "methodId": params.method_id, "details": "there is no such way to log in" });
            return Err(self.failure(Failure::InvalidParams, data));
        };
        let outcome = self.agent.authenticate(method).await;
        self.answered(outcome.map(|()| Empty::default()))
    }

    async fn list(
        self: Arc<Self>,
        params: ListSessionsParams,
    ) -> Result<ListSessionsResult, RpcError> {
        let store = self.store()?.clone();
        if let Some(cwd) = &params.cwd {
            self.folders(cwd, None)?;
        }
        let listing = tokio::task::spawn_blocking(move || {
            store.list(params.cwd.as_deref(), params.cursor.as_deref())
        });
        let page = match listing.await {
            Ok(listed) => self.answered(listed.map_err(AgentError::from))?,
            Err(error) => return self.answered(Err(error.into())),
        };
        let mut result = ListSessionsResult::new(page.sessions);
        result.next_cursor = page.next_cursor;
        Ok(result)
    }

    async fn close(self: Arc<Self>, params: SessionParams) -> Result<Empty, RpcError> {
        let session = self.session(&params.session_id)?;
        self.close_session(&session).await;
        Ok(Empty::default())
    }

    async fn delete(self: Arc<Self>, params: SessionParams) -> Result<Empty, RpcError> {
        let open = self.sessions().get(&params.session_id).cloned();
        if let Some(session) = open {
            self.close_session(&session).await;
        }
        match self.store()?.delete(&params.session_id) {
            Ok(()) => Ok(Empty::default()),
            Err(error) => Err(self.not_opened(error, &params.session_id)),
        }
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

    fn store(&self) -> Result<&Store, RpcError> {
        let store = self.link.store.as_ref();
        store.ok_or_else(|| self.failure(Failure::MethodNotFound, Value::Null))
    }

    /// The folders of a session.
    fn folders(&self, cwd: &str, more: Option<&Vec<String>>) -> Result<Vec<PathBuf>, RpcError> {
        let folders = std::iter::once(cwd).chain(more.into_iter().flatten().map(String::as_str));
        let wrong = folders
            .clone()
            .find(|folder| !Path::new(folder).is_absolute() || folder.contains('\0'));
        match wrong {
            None => Ok(folders.map(PathBuf::from).collect()),
            Some(wrong) => {
                let data = json!({ "path": wrong, "details": "a folder is an absolute path" });
                Err(self.failure(Failure::InvalidParams, data))
            }
        }
    }

    /// Why a session cannot be opened or deleted.
    fn not_opened(&self, error: StoreError, id: &str) -> RpcError {
        let data = json!({ "sessionId": id });
        match error {
            StoreError::NotFound => self.failure(Failure::SessionNotFound, data),
            StoreError::Busy => {
                let data =
                    json!({ "sessionId": id, "details": "another process has the session open" });
                self.failure(Failure::SessionLocked, data)
            }
            error => AgentError::from(error).into_answer(self.profile()),
        }
    }

    /// Ends the turn of a session, then the session.
    async fn close_session(&self, session: &Session) {
        if let Some(running) = session.running() {
            running.cancelled.cancel();
            // The turn itself sees to it that this does not take longer than it may.
            running.over.cancelled().await;
        }
        self.agent.close(session).await;
        session.shut().await;
        self.sessions().remove(session.id());
    }

    fn cancel_turns(&self) {
        self.sessions().values().for_each(Session::cancel);
    }

    async fn close_all(&self) {
        self.cancel_turns();
        let open: Vec<Session> = self.sessions().values().cloned().collect();
        for session in open {
            self.close_session(&session).await;
        }
    }

    /// Lets the client use a session, and shows its commands once the client knows it.
    fn opened(&self, id: &Id, session: &Session) {
        self.sessions()
            .insert(session.id().to_owned(), session.clone());
        let answered = self.followers.answered(id);
        let session = session.clone();
        tokio::spawn(async move {
            if answered.await.is_ok() {
                // Whoever is gone needs no commands.
                let _gone = session.tell_commands().await;
            }
        });
    }
}

/// `session/new`.
async fn begin<A: Agent>(
    context: Context<Arc<Shared<A>>>,
    params: NewSessionParams,
) -> Result<NewSessionResult, RpcError> {
    let shared = context.state;
    let folders = shared.folders(&params.cwd, params.additional_directories.as_ref())?;
    let id = shared.answered(new_id().map_err(AgentError::from))?;
    let info = Info {
        format: Info::FORMAT,
        session_id: id.clone(),
        cwd: params.cwd,
        additional_directories: params.additional_directories.unwrap_or_default(),
        created_at: now(),
        title: None,
        settings: Kept::default(),
    };
    let kept = match &shared.link.store {
        Some(store) => {
            let opened = store.create(info).map_err(AgentError::from);
            let Opened { info, log } = shared.answered(opened)?;
            Some((info, log))
        }
        None => None,
    };
    let session = Session::new(id.clone(), folders, context.peer, shared.link.clone(), kept);
    let opening = opening(true, params.mcp_servers);
    let setup = match shared.agent.open(&session, opening).await {
        Ok(setup) => setup,
        Err(error) => {
            session.shut().await;
            if let Some(store) = &shared.link.store
                && let Err(error) = store.delete(&id)
            {
                tracing::warn!(%error, "a session that did not begin is left behind");
            }
            return shared.answered(Err(error));
        }
    };
    session.set_up(setup).await;
    shared.opened(&context.id, &session);
    let mut result = NewSessionResult::new(id);
    result.modes = session.settings().modes();
    result.models = session.settings().models();
    result.config_options = session.config_options();
    Ok(result)
}

/// `session/load` and `session/resume`.
async fn resume<A: Agent>(
    context: Context<Arc<Shared<A>>>,
    params: OpenSessionParams,
    replays: bool,
) -> Result<OpenSessionResult, RpcError> {
    let shared = context.state;
    let id = params.session_id;
    let folders = shared.folders(&params.cwd, params.additional_directories.as_ref())?;
    let store = shared.store()?;
    let open = shared.sessions().get(&id).cloned();
    if let Some(session) = open {
        shared.close_session(&session).await;
    }
    let opened = store.reopen(&id);
    let Opened { mut info, log } = opened.map_err(|error| shared.not_opened(error, &id))?;
    let more = params.additional_directories.unwrap_or_default();
    if info.cwd != params.cwd || info.additional_directories != more {
        (info.cwd, info.additional_directories) = (params.cwd, more);
        shared.answered(store.save(&info).map_err(AgentError::from))?;
    }
    let kept = Some((info, log));
    let session = Session::new(id, folders, context.peer, shared.link.clone(), kept);
    let opening = opening(false, params.mcp_servers);
    let opened = async {
        let setup = shared.agent.open(&session, opening).await?;
        session.set_up(setup).await;
        match replays {
            true => session.replay().await,
            false => Ok(()),
        }
    };
    if let Err(error) = opened.await {
        session.shut().await;
        return shared.answered(Err(error));
    }
    shared.opened(&context.id, &session);
    let mut result = OpenSessionResult::default();
    result.modes = session.settings().modes();
    result.models = session.settings().models();
    result.config_options = session.config_options();
    Ok(result)
}

fn opening(is_new: bool, servers: Option<Vec<McpServer>>) -> Opening {
    let servers = servers.unwrap_or_default().into_iter();
    Opening {
        is_new,
        mcp_servers: servers.map(McpServer::into_v1).collect(),
    }
}
