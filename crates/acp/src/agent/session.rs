//! A session, as the author of an agent sees it: what it is, and what is reported in it.

mod writing;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tenon_protocols::acp::{
    AvailableCommands, Chunk, Command, ConfigOption, ConfigOptions, ContentBlock, CurrentMode,
    Failure, Models, Modes, Plan, PlanEntry, SessionInfoUpdate, SessionUpdate, Side, ToolCall,
    ToolCallUpdate, method,
};
use tenon_rpc::{Peer, RpcError};
use tokio_util::sync::CancellationToken;

use super::AgentError;
use super::link::Link;
use super::settings::{Change, Settings, Setup};
use super::store::{Info, Log, now};
use crate::merge::Merger;
use writing::Writer;

/// A session. Clones are the same session.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    id: String,
    folders: Vec<PathBuf>,
    peer: Peer,
    link: Arc<Link>,
    settings: Mutex<Settings>,
    /// Updates are kept and sent one after the other, so that both have the same order.
    writer: tokio::sync::Mutex<Writer>,
    turn: Mutex<Option<Running>>,
}

/// A turn that runs.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) cancelled: CancellationToken,
    pub(crate) over: CancellationToken,
}

impl Session {
    pub(crate) fn new(
        id: String,
        folders: Vec<PathBuf>,
        peer: Peer,
        link: Arc<Link>,
        kept: Option<(Info, Log)>,
    ) -> Session {
        let rate = method("session/update").and_then(|entry| entry.rate);
        let writer = Writer {
            kept,
            merger: rate.map(Merger::new),
            is_scheduled: false,
        };
        Session {
            inner: Arc::new(Inner {
                id,
                folders,
                peer,
                link,
                settings: Mutex::default(),
                writer: tokio::sync::Mutex::new(writer),
                turn: Mutex::default(),
            }),
        }
    }

    /// Its id, a UUID.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// The folder that it works in, as an absolute path.
    pub fn folder(&self) -> &Path {
        &self.inner.folders[0]
    }

    /// All its folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.inner.folders
    }

    /// The mode that is on.
    pub fn mode(&self) -> Option<String> {
        self.settings().current_mode().map(str::to_owned)
    }

    /// The model in use.
    pub fn model(&self) -> Option<String> {
        self.settings().current_model().map(str::to_owned)
    }

    /// Whether the client answers a method, such as `fs/read_text_file` or `terminal/create`.
    pub fn supports(&self, name: &str) -> bool {
        let gates = self.link().gates();
        method(name).is_some_and(|entry| gates.check(entry, Side::Client, None).is_ok())
    }

    /// Says something.
    ///
    /// # Errors
    /// As for [`update`](Session::update).
    pub async fn say(&self, text: impl Into<String>) -> Result<(), AgentError> {
        let chunk = Chunk::new(ContentBlock::text(text));
        self.update(SessionUpdate::AgentMessageChunk(chunk)).await
    }

    /// Shows what the agent thinks.
    ///
    /// # Errors
    /// As for [`update`](Session::update).
    pub async fn think(&self, text: impl Into<String>) -> Result<(), AgentError> {
        let chunk = Chunk::new(ContentBlock::text(text));
        self.update(SessionUpdate::AgentThoughtChunk(chunk)).await
    }

    /// Announces a tool call.
    ///
    /// # Errors
    /// As for [`update`](Session::update).
    pub async fn tool_call(&self, call: ToolCall) -> Result<(), AgentError> {
        self.update(SessionUpdate::ToolCall(call)).await
    }

    /// Reports how far a tool call is. What is not stated stays as it is.
    ///
    /// # Errors
    /// As for [`update`](Session::update).
    pub async fn tool_update(&self, call: ToolCallUpdate) -> Result<(), AgentError> {
        self.update(SessionUpdate::ToolCallUpdate(call)).await
    }

    /// Shows a plan, which replaces the last one.
    ///
    /// # Errors
    /// As for [`update`](Session::update).
    pub async fn plan(&self, entries: Vec<PlanEntry>) -> Result<(), AgentError> {
        self.update(SessionUpdate::Plan(Plan::new(entries))).await
    }

    /// Gives the session a title.
    ///
    /// # Errors
    /// As for [`update`](Session::update).
    pub async fn set_title(&self, title: impl Into<String>) -> Result<(), AgentError> {
        let title: String = title.into();
        {
            let mut writer = self.inner.writer.lock().await;
            if let (Some((info, _)), Some(store)) = (&mut writer.kept, &self.link().store) {
                info.title = Some(title.clone());
                store.save(info)?;
            }
        }
        let update = SessionInfoUpdate {
            title: Some(title),
            updated_at: Some(now()),
            ..SessionInfoUpdate::default()
        };
        self.update(SessionUpdate::SessionInfoUpdate(update)).await
    }

    /// Replaces the commands that the client shows.
    ///
    /// # Errors
    /// As for [`update`](Session::update).
    pub async fn set_commands(&self, commands: Vec<Command>) -> Result<(), AgentError> {
        let update = AvailableCommands::new(commands);
        self.update(SessionUpdate::AvailableCommandsUpdate(update))
            .await
    }

    /// Changes the mode, the model or an option, and tells the client.
    ///
    /// # Errors
    /// It is not offered; or as for [`update`](Session::update).
    pub async fn change(&self, change: Change) -> Result<(), AgentError> {
        let profile = self.link().profile;
        let checked = match change {
            Change::Mode(id) => self.settings().mode(&id, profile),
            Change::Model(id) => self.settings().model(&id, profile),
            Change::Option(id, value) => self.settings().option(&id, value, profile),
        };
        let change = checked.map_err(AgentError::Refused)?;
        self.apply(&change).await?;
        if let Change::Mode(mode) = change {
            self.tell_mode(mode).await?;
        }
        self.tell_options().await
    }

    /// Makes a change that was checked, and keeps it.
    pub(crate) async fn apply(&self, change: &Change) -> Result<(), AgentError> {
        let mut writer = self.inner.writer.lock().await;
        let kept = {
            let mut settings = self.settings();
            settings.apply(change);
            settings.kept()
        };
        if let (Some((info, _)), Some(store)) = (&mut writer.kept, &self.link().store) {
            info.settings = kept;
            store.save(info)?;
        }
        Ok(())
    }

    pub(crate) async fn tell_mode(&self, mode: String) -> Result<(), AgentError> {
        let update = CurrentMode::new(mode);
        self.update(SessionUpdate::CurrentModeUpdate(update)).await
    }

    pub(crate) async fn tell_options(&self) -> Result<(), AgentError> {
        let Some(options) = self.config_options() else {
            return Ok(());
        };
        let update = ConfigOptions::new(options);
        self.update(SessionUpdate::ConfigOptionUpdate(update)).await
    }

    /// Shows the commands, if there are some.
    pub(crate) async fn tell_commands(&self) -> Result<(), AgentError> {
        let commands = self.settings().commands().to_vec();
        match commands.is_empty() {
            true => Ok(()),
            false => self.set_commands(commands).await,
        }
    }

    /// What a client gets when the session is opened.
    pub(crate) fn offered(&self) -> (Option<Modes>, Option<Models>, Option<Vec<ConfigOption>>) {
        let (modes, models) = {
            let settings = self.settings();
            (settings.modes(), settings.models())
        };
        (modes, models, self.config_options())
    }

    pub(crate) fn config_options(&self) -> Option<Vec<ConfigOption>> {
        let path = ["session", "configOptions", "boolean"];
        let has_booleans = self.link().gates().states(Side::Client, &path);
        self.settings().config_options(has_booleans)
    }

    /// Takes what the agent offers in this session, with what was chosen earlier.
    pub(crate) async fn set_up(&self, setup: Setup) {
        let writer = self.inner.writer.lock().await;
        let kept = writer.kept.as_ref().map(|(info, _)| info.settings.clone());
        *self.settings() = Settings::new(setup, &kept.unwrap_or_default());
    }

    /// Begins a turn, unless one runs.
    pub(crate) fn begin_turn(&self) -> Result<Running, RpcError> {
        let mut turn = self.turn();
        if turn.is_some() {
            let data = json!({ "sessionId": self.id(), "details": "a turn is already in progress in this session" });
            return Err(Failure::SessionLocked.error(self.link().profile, data));
        }
        let running = Running {
            cancelled: CancellationToken::new(),
            over: CancellationToken::new(),
        };
        *turn = Some(running.clone());
        Ok(running)
    }

    pub(crate) fn end_turn(&self) {
        if let Some(running) = self.turn().take() {
            running.over.cancel();
        }
    }

    /// The turn that runs.
    pub(crate) fn running(&self) -> Option<Running> {
        self.turn().clone()
    }

    pub(crate) fn cancel(&self) {
        if let Some(running) = self.running() {
            running.cancelled.cancel();
        }
    }

    pub(crate) fn peer(&self) -> &Peer {
        &self.inner.peer
    }

    pub(crate) fn link(&self) -> &Link {
        &self.inner.link
    }

    pub(crate) fn settings(&self) -> MutexGuard<'_, Settings> {
        { self.inner.settings.lock() }.unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> MutexGuard<'_, Option<Running>> {
        { self.inner.turn.lock() }.unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({})", self.id())
    }
}
