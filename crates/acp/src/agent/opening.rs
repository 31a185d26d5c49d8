//! Sessions: how they are begun, opened again, listed, closed and deleted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    Empty, Failure, ListSessionsParams, ListSessionsResult, McpServer, NewSessionParams,
    NewSessionResult, OpenSessionParams, OpenSessionResult, SessionParams,
};
use tenon_rpc::{Context, Id, RpcError};

use super::handlers::Shared;
use super::session::Session;
use super::store::{Info, Kept, Opened, Store, StoreError, new_id, now};
use super::{Agent, AgentError, Opening};

impl<A: Agent> Shared<A> {
    pub(super) async fn list(
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

    pub(super) async fn close(self: Arc<Self>, params: SessionParams) -> Result<Empty, RpcError> {
        let session = self.session(&params.session_id)?;
        self.close_session(&session).await;
        Ok(Empty::default())
    }

    pub(super) async fn delete(self: Arc<Self>, params: SessionParams) -> Result<Empty, RpcError> {
        let open = self.sessions().get(&params.session_id).cloned();
        if let Some(session) = open {
            self.close_session(&session).await;
        }
        match self.store()?.delete(&params.session_id) {
            Ok(()) => Ok(Empty::default()),
            Err(error) => Err(self.not_opened(error, &params.session_id)),
        }
    }

    pub(super) fn store(&self) -> Result<&Store, RpcError> {
        let store = self.link.store.as_ref();
        store.ok_or_else(|| self.failure(Failure::MethodNotFound, Value::Null))
    }

    /// The folders of a session.
    pub(super) fn folders(
        &self,
        cwd: &str,
        more: Option<&Vec<String>>,
    ) -> Result<Vec<PathBuf>, RpcError> {
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
    pub(super) fn not_opened(&self, error: StoreError, id: &str) -> RpcError {
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
    pub(super) async fn close_session(&self, session: &Session) {
        if let Some(running) = session.running() {
            running.cancelled.cancel();
            // The turn itself sees to it that this does not take longer than it may.
            running.over.cancelled().await;
        }
        self.agent.close(session).await;
        session.shut().await;
        self.sessions().remove(session.id());
    }

    pub(super) fn cancel_turns(&self) {
        self.sessions().values().for_each(Session::cancel);
    }

    pub(super) async fn close_all(&self) {
        self.cancel_turns();
        let open: Vec<Session> = self.sessions().values().cloned().collect();
        for session in open {
            self.close_session(&session).await;
        }
    }

    /// Lets the client use a session, and shows its commands once the client knows it.
    pub(super) fn opened(&self, id: &Id, session: &Session) {
        self.sessions()
            .insert(session.id().to_owned(), session.clone());
        let answered = self.followers.answered(id);
        let session = session.clone();
        tokio::spawn(async move {
            if answered.await.is_ok() {
                // A client that has disconnected needs no commands.
                let _gone = session.tell_commands().await;
            }
        });
    }
}

/// `session/new`.
pub(super) async fn begin<A: Agent>(
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
                tracing::warn!(%error, "a session that could not be opened was not removed");
            }
            return shared.answered(Err(error));
        }
    };
    session.set_up(setup).await;
    shared.opened(&context.id, &session);
    let mut result = NewSessionResult::new(id);
    (result.modes, result.models, result.config_options) = session.offered();
    Ok(result)
}

/// `session/load` and `session/resume`.
pub(super) async fn resume<A: Agent>(
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
    let (modes, models, config_options) = session.offered();
    Ok(OpenSessionResult {
        modes,
        models,
        config_options,
        ..OpenSessionResult::default()
    })
}

fn opening(is_new: bool, servers: Option<Vec<McpServer>>) -> Opening {
    let servers = servers.unwrap_or_default().into_iter();
    Opening {
        is_new,
        mcp_servers: servers.map(McpServer::into_v1).collect(),
    }
}
