//! Beginning a session, and going on with one that the agent has kept.

use std::path::PathBuf;
use std::sync::Arc;

use tenon_protocols::acp::{
    LoadSession, McpServer, NewSession, NewSessionParams, OpenSessionParams, OpenSessionResult,
    ResumeSession, SessionUpdate,
};

use super::error::ClientError;
use super::session::{About, Session};
use super::session_state::State;
use super::state::Shared;
use super::terminals::Terminals;
use super::turn::Following;
use super::{Client, Core};
use crate::paths::Roots;

/// Where a session works, and with what.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// The folder, as an absolute path.
    pub path: PathBuf,
    /// More folders, if the agent supports them.
    pub more: Vec<PathBuf>,
    /// MCP servers that the agent connects to.
    pub mcp_servers: Vec<McpServer>,
}

impl Folder {
    /// One folder and nothing else.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder {
            path: path.into(),
            ..Folder::default()
        }
    }

    fn paths(&self) -> Vec<PathBuf> {
        [&self.path]
            .into_iter()
            .chain(&self.more)
            .cloned()
            .collect()
    }

    fn roots(&self) -> Result<Arc<Roots>, ClientError> {
        for path in self.paths() {
            Roots::open([&path]).map_err(|error| ClientError::Folder { path, error })?;
        }
        let path = self.path.clone();
        let roots = Roots::open(self.paths());
        roots
            .map(Arc::new)
            .map_err(|error| ClientError::Folder { path, error })
    }

    fn more(&self) -> Option<Vec<String>> {
        let more = self
            .more
            .iter()
            .map(|path| path.to_string_lossy().into_owned());
        (!self.more.is_empty()).then(|| more.collect())
    }
}

impl Client {
    /// Begins a session.
    ///
    /// # Errors
    /// A folder cannot be opened, the user has to log in first, or the call failed.
    pub async fn new_session(&self, folder: Folder) -> Result<Session, ClientError> {
        let core = &self.core;
        self.check(&folder)?;
        let roots = folder.roots()?;
        let params = NewSessionParams {
            mcp_servers: Some(folder.mcp_servers.clone()),
            additional_directories: folder.more(),
            ..NewSessionParams::new(folder.path.to_string_lossy())
        };
        let opening = core.shared.opening();
        let answer = core.call(NewSession, params).await?;
        let state = state(&core.shared, answer.session_id, &folder, roots);
        state.inner().about = About {
            modes: answer.modes,
            models: answer.models,
            config_options: answer.config_options,
            ..About::default()
        };
        core.shared.add(&state);
        drop(opening);
        Ok(Session::new(core.clone(), state))
    }

    /// Continues a session. The agent sends its history first, which is read from [`Loading`].
    ///
    /// # Errors
    /// The agent cannot load sessions, or a folder cannot be opened.
    pub async fn load_session(&self, id: &str, folder: Folder) -> Result<Loading, ClientError> {
        let stated = self.core.capabilities().and_then(|all| all.load_session);
        if stated != Some(true) {
            return Err(ClientError::Unsupported("loading sessions", "loadSession"));
        }
        self.check(&folder)?;
        let state = state(&self.core.shared, id.to_owned(), &folder, folder.roots()?);
        self.core.shared.add(&state);
        state.begin();
        let (core, params) = (self.core.clone(), params(id, &folder));
        match Following::begin(core, state, LoadSession, &params).await {
            Ok(follow) => Ok(Loading { follow }),
            Err(error) => {
                self.core.shared.forget(id);
                Err(error)
            }
        }
    }

    /// Continues a session without its history.
    ///
    /// # Errors
    /// The agent cannot resume sessions, does not know this one, or a folder cannot be opened.
    pub async fn resume_session(&self, id: &str, folder: Folder) -> Result<Session, ClientError> {
        if !self.core.can(|all| all.resume.is_some()) {
            let needed = "sessionCapabilities.resume";
            return Err(ClientError::Unsupported("resuming sessions", needed));
        }
        self.check(&folder)?;
        let state = state(&self.core.shared, id.to_owned(), &folder, folder.roots()?);
        self.core.shared.add(&state);
        match self.core.call(ResumeSession, params(id, &folder)).await {
            Ok(answer) => Ok(opened(self.core.clone(), state, answer)),
            Err(error) => {
                self.core.shared.forget(id);
                Err(error)
            }
        }
    }

    /// What the agent has not stated is not sent.
    fn check(&self, folder: &Folder) -> Result<(), ClientError> {
        let has_more = self.core.can(|all| all.additional_directories.is_some());
        if !folder.more.is_empty() && !has_more {
            return Err(ClientError::Unsupported(
                "more than one folder",
                "sessionCapabilities.additionalDirectories",
            ));
        }
        let stated = self.core.capabilities();
        let stated = stated.and_then(|all| all.mcp_capabilities.as_ref());
        let is = |member: Option<Option<bool>>| member.flatten() == Some(true);
        for server in &folder.mcp_servers {
            let (is_supported, what, needed) = match server {
                McpServer::Http(_) => (
                    is(stated.map(|all| all.http)),
                    "MCP servers at a URL",
                    "mcpCapabilities.http",
                ),
                McpServer::Sse(_) => (
                    is(stated.map(|all| all.sse)),
                    "MCP servers with server-sent events",
                    "mcpCapabilities.sse",
                ),
                _ => continue,
            };
            if !is_supported {
                return Err(ClientError::Unsupported(what, needed));
            }
        }
        Ok(())
    }
}

fn params(id: &str, folder: &Folder) -> OpenSessionParams {
    OpenSessionParams {
        mcp_servers: Some(folder.mcp_servers.clone()),
        additional_directories: folder.more(),
        ..OpenSessionParams::new(id, folder.path.to_string_lossy())
    }
}

fn state(shared: &Arc<Shared>, id: String, folder: &Folder, roots: Arc<Roots>) -> Arc<State> {
    let terminals = Terminals::new(shared.terminals.clone());
    Arc::new(State::new(id, roots, folder.paths(), terminals))
}

fn opened(core: Arc<Core>, state: Arc<State>, answer: OpenSessionResult) -> Session {
    {
        // The history may have named commands and other things that the answer does not.
        let about = &mut state.inner().about;
        about.modes = answer.modes.or(about.modes.take());
        about.models = answer.models.or(about.models.take());
        about.config_options = answer.config_options.or(about.config_options.take());
    }
    Session::new(core, state)
}

/// A session that is being loaded: its history, and then the session.
#[derive(Debug)]
pub struct Loading {
    follow: Following<OpenSessionResult>,
}

impl Loading {
    /// The next update of the history; nothing at its end.
    ///
    /// # Errors
    /// The agent does not know the session, or the call failed.
    pub async fn next(&mut self) -> Result<Option<SessionUpdate>, ClientError> {
        let (core, state) = (&self.follow.core, &self.follow.state);
        let (core, id) = (core.clone(), state.id.clone());
        let limit = core.shared.setup.inactivity;
        let next = self.follow.next(limit).await;
        if next.is_err() {
            core.shared.forget(&id);
        }
        next
    }

    /// The session. What is left of its history is skipped.
    ///
    /// # Errors
    /// As for [`next`](Loading::next).
    pub async fn session(mut self) -> Result<Session, ClientError> {
        while self.next().await?.is_some() {}
        let answer = self.follow.take_result().unwrap_or_default();
        let (core, state) = (self.follow.core.clone(), self.follow.state.clone());
        drop(self);
        Ok(opened(core, state, answer))
    }
}
