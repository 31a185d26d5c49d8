//! A session, as the author of an agent sees it: what it is, and what is reported in it.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use tenon_protocols::acp::{
    AvailableCommands, Chunk, Command, ConfigOption, ConfigOptions, ContentBlock, CurrentMode,
    Failure, Models, Modes, Plan, PlanEntry, Profile, SessionInfoUpdate, SessionUpdate, Side,
    ToolCall, ToolCallUpdate, ToolStatus, UpdateParams, method,
};
use tenon_rpc::{Format, Payload, Peer, RpcError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::AgentError;
use super::settings::{Change, Settings, Setup};
use super::store::{Info, Log, Store, now};
use super::updates::{is_history, note_open, split, title_of};
use crate::gates::Gates;
use crate::merge::Merger;

/// What all sessions of a connection share.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) gates: Mutex<Gates>,
    pub(crate) profile: Profile,
    pub(crate) store: Option<Store>,
    pub(crate) started: Instant,
}

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

#[derive(Default)]
struct Writer {
    kept: Option<(Info, Log)>,
    merger: Option<Merger>,
    /// A task waits to send what the merger holds.
    is_scheduled: bool,
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

    /// Reports something. It is kept in the history of the session, if it belongs there.
    ///
    /// Clients may limit how many updates they take: chunks of text that come faster than that are joined. Text that is
    /// too long for one update is sent in several.
    ///
    /// # Errors
    /// The client does not support this kind of update, the session could not be stored, or the client is gone.
    pub async fn update(&self, update: SessionUpdate) -> Result<(), AgentError> {
        let mut writer = self.inner.writer.lock().await;
        for update in split(update) {
            let payload = self.payload(&update)?;
            if is_history(&update)
                && let Some((_, log)) = &mut writer.kept
            {
                log.append(&update)?;
            }
            let now = self.link().started.elapsed();
            let ready = match &mut writer.merger {
                Some(merger) => merger.push(payload, now),
                None => vec![payload],
            };
            self.send(ready).await?;
        }
        self.schedule(&mut writer);
        Ok(())
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

    /// What a client is told when the session is opened.
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

    /// Sends the history. Kinds of updates that this client does not support are left out. Tool calls that ran when the
    /// agent was killed have failed.
    pub(crate) async fn replay(&self) -> Result<(), AgentError> {
        let mut open = BTreeSet::new();
        {
            let writer = self.inner.writer.lock().await;
            let Some((_, log)) = &writer.kept else {
                return Ok(());
            };
            for update in log.read()? {
                let update = update?;
                note_open(&mut open, &update);
                if let Ok(payload) = self.payload(&update) {
                    self.send(vec![payload]).await?;
                }
            }
        }
        for id in open {
            let mut failed = ToolCallUpdate::new(id);
            failed.status = Some(ToolStatus::Failed);
            self.tool_update(failed).await?;
        }
        self.flush().await
    }

    /// Begins a turn, unless one runs.
    pub(crate) fn begin_turn(&self) -> Result<Running, RpcError> {
        let mut turn = self.turn();
        if turn.is_some() {
            let data = json!({ "sessionId": self.id(), "details": "a turn of this session runs" });
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

    /// Keeps what the user said. The first prompt gives the session its title.
    pub(crate) async fn hear(&self, prompt: &[ContentBlock]) -> Result<(), AgentError> {
        let title = {
            let mut writer = self.inner.writer.lock().await;
            let Some((info, log)) = &mut writer.kept else {
                return Ok(());
            };
            if log.is_full() {
                let data = json!({ "sessionId": self.id(), "details": "the history of the session is full; begin a new one" });
                return Err(AgentError::failure(Failure::SessionExpired, data));
            }
            for block in prompt {
                let chunk = Chunk::new(block.clone());
                log.append(&SessionUpdate::UserMessageChunk(chunk))?;
            }
            log.sync()?;
            match info.title {
                Some(_) => None,
                None => title_of(prompt),
            }
        };
        match title {
            Some(title) => self.set_title(title).await,
            None => Ok(()),
        }
    }

    /// Sends everything that waits: what follows must not overtake it.
    pub(crate) async fn flush(&self) -> Result<(), AgentError> {
        let mut writer = self.inner.writer.lock().await;
        let waiting = writer.merger.as_mut().map(Merger::flush);
        self.send(waiting.unwrap_or_default()).await
    }

    /// A turn is over: everything is sent and stored.
    pub(crate) async fn settle(&self) -> Result<(), AgentError> {
        self.flush().await?;
        let writer = self.inner.writer.lock().await;
        if let Some((_, log)) = &writer.kept {
            log.sync()?;
        }
        Ok(())
    }

    /// Gives the session back, so that others can open it. Nothing more is kept.
    pub(crate) async fn shut(&self) {
        self.inner.writer.lock().await.kept = None;
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

    /// The params of an update, if the client supports it.
    fn payload(&self, update: &SessionUpdate) -> Result<Payload, AgentError> {
        let params = UpdateParams::new(self.id(), update.clone());
        let payload = Payload::encode(Format::Json, &params)?;
        self.link().check("session/update", &payload)?;
        Ok(payload)
    }

    async fn send(&self, ready: Vec<Payload>) -> Result<(), AgentError> {
        for payload in ready {
            let sent = self.peer().send_raw("session/update", Some(payload)).await;
            sent.map_err(AgentError::Client)?;
        }
        Ok(())
    }

    /// Sends later what cannot be sent now.
    fn schedule(&self, writer: &mut Writer) {
        let next_at = writer.merger.as_ref().and_then(Merger::next_at);
        let Some(next_at) = next_at.filter(|_| !writer.is_scheduled) else {
            return;
        };
        writer.is_scheduled = true;
        let session = self.clone();
        let wait = next_at.saturating_sub(self.link().started.elapsed());
        tokio::spawn(async move {
            tokio::time::sleep(wait.max(Duration::from_millis(1))).await;
            let mut writer = session.inner.writer.lock().await;
            writer.is_scheduled = false;
            let now = session.link().started.elapsed();
            let ready = writer.merger.as_mut().map(|merger| merger.pull(now));
            if session.send(ready.unwrap_or_default()).await.is_ok() {
                session.schedule(&mut writer);
            }
        });
    }
}

impl Link {
    pub(crate) fn gates(&self) -> MutexGuard<'_, Gates> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the client supports a message.
    pub(crate) fn check(&self, name: &'static str, params: &Payload) -> Result<(), AgentError> {
        let Some(entry) = method(name) else {
            return Ok(());
        };
        let checked = self.gates().check(entry, Side::Client, Some(params));
        checked.map_err(|error| {
            let data: serde_json::Value = { error.data.as_ref() }
                .and_then(|data| data.decode().ok())
                .unwrap_or_default();
            let capability = data["capability"].as_str().unwrap_or("it");
            let details = format!("the client has not stated `{capability}`");
            AgentError::Unsupported {
                method: entry.name,
                details,
            }
        })
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({})", self.id())
    }
}
