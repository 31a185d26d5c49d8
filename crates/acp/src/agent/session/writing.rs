//! What is reported in a session: written to its history, sent to the client, and sent again when it is loaded.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use tenon_protocols::acp::{
    Chunk, ContentBlock, Failure, SessionUpdate, ToolCallUpdate, ToolStatus, UpdateParams,
};
use tenon_rpc::{Format, Payload};

use super::Session;
use crate::agent::AgentError;
use crate::agent::store::{Info, Log};
use crate::agent::updates::{is_history, note_open, split, title_of};
use crate::merge::Merger;

#[derive(Default)]
pub(super) struct Writer {
    pub(super) kept: Option<(Info, Log)>,
    pub(super) merger: Option<Merger>,
    /// A task waits to send what the merger holds.
    pub(super) is_scheduled: bool,
}

impl Session {
    /// Reports something. It is kept in the history of the session, if it belongs there.
    ///
    /// Clients may limit how many updates they take: chunks of text that come faster than that are joined. Text that is
    /// too long for one update is sent in several.
    ///
    /// # Errors
    /// The client does not support this kind of update, the session could not be stored, or the client has disconnected.
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
