//! Sessions that the agent has kept: the list of them, and going on with one.

use std::path::Path;

use serde_json::json;
use tenon_acp::client::Session;
use tenon_protocols::acp::SessionInfo;

use super::connecting::Prepared;
use super::talking::Talk;
use super::{Interrupts, local, unless_interrupted};
use crate::exit::{Code, Failure};
use crate::output::{self, on_one_line};

impl Talk<'_> {
    /// The sessions of the folder, the newest first.
    pub(super) async fn sessions(
        &mut self,
        interrupts: &mut Interrupts,
    ) -> Result<Vec<SessionInfo>, Failure> {
        let folder = self.args.cwd.as_deref().unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_default();
        let folder = folder.to_string_lossy();
        let listing = self.client.sessions(Some(&folder));
        let mut sessions = unless_interrupted(listing, interrupts, self.args).await?;
        // Not every agent filters them.
        sessions.retain(|session| session.cwd == *folder);
        sessions.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
        Ok(sessions)
    }

    pub(super) async fn open(
        &mut self,
        prepared: &Prepared,
        interrupts: &mut Interrupts,
    ) -> Result<Session, Failure> {
        let folder = prepared.folder.clone();
        let id = match self.args.resume.as_deref() {
            None => {
                let opening = self.client.new_session(folder);
                return unless_interrupted(opening, interrupts, self.args).await;
            }
            Some("") => {
                let sessions = self.sessions(interrupts).await?;
                let newest = sessions.into_iter().next().ok_or_else(|| {
                    Failure::new(Code::Failed, "the agent has kept no session of this folder")
                })?;
                newest.session_id
            }
            Some(id) => self.completed(id, interrupts).await?,
        };
        let capabilities = self.client.agent().agent_capabilities.as_ref();
        let resumes = capabilities
            .and_then(|all| all.session_capabilities.as_ref())
            .is_some_and(|all| all.resume.is_some());
        let loads = capabilities.and_then(|all| all.load_session) == Some(true);
        // For one prompt the history is not needed.
        if resumes && (prepared.prompt.is_some() || !loads) {
            let opening = self.client.resume_session(&id, folder);
            return unless_interrupted(opening, interrupts, self.args).await;
        }
        let loading = self.client.load_session(&id, folder);
        let mut loading = unless_interrupted(loading, interrupts, self.args).await?;
        self.transcript.set_history(true)?;
        while let Some(update) = unless_interrupted(loading.next(), interrupts, self.args).await? {
            if self.args.json || prepared.prompt.is_none() {
                self.transcript.update(&id, &update)?;
            }
        }
        self.transcript.set_history(false)?;
        unless_interrupted(loading.session(), interrupts, self.args).await
    }

    /// The id that begins so, if the agent lists one. An agent that lists none gets it as it is.
    async fn completed(
        &mut self,
        id: &str,
        interrupts: &mut Interrupts,
    ) -> Result<String, Failure> {
        let listed = match self.sessions(interrupts).await {
            Ok(listed) => listed,
            Err(failure) if failure.code == Code::Interrupted => return Err(failure),
            Err(_) => Vec::new(),
        };
        let ids = listed.iter().map(|session| session.session_id.as_str());
        let matching: Vec<&str> = ids.filter(|known| known.starts_with(id)).collect();
        match matching[..] {
            [only] => Ok(only.to_owned()),
            _ if matching.is_empty() || matching.contains(&id) => Ok(id.to_owned()),
            _ => Err(Failure::usage(format!(
                "--resume {id}: several sessions begin with this: {}",
                on_one_line(&matching.join(", "))
            ))),
        }
    }

    /// What `--mode`, `--model` and `--set` ask for.
    pub(super) async fn set_up(
        &mut self,
        session: &Session,
        prepared: &Prepared,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        if let Some(mode) = &self.args.mode {
            unless_interrupted(session.set_mode(mode), interrupts, self.args).await?;
        }
        if let Some(model) = &self.args.model {
            unless_interrupted(session.set_model(model), interrupts, self.args).await?;
        }
        for (id, value) in &prepared.settings {
            let value = local::value(session, id, value)?;
            let setting = session.set_config_option(id, value);
            unless_interrupted(setting, interrupts, self.args).await?;
        }
        Ok(())
    }
}

pub(super) fn line(session: &SessionInfo) -> String {
    let title = session.title.as_deref().unwrap_or_default();
    let updated = session.updated_at.as_deref().unwrap_or_default();
    let line = format!(
        "{}  {}  {}",
        on_one_line(&session.session_id),
        on_one_line(updated),
        on_one_line(title)
    );
    line.trim_end().to_owned()
}

/// `--list`.
pub(super) fn print(sessions: &[SessionInfo], is_json: bool) -> Result<(), Failure> {
    if is_json {
        return output::json_data(json!({ "event": "sessions", "sessions": sessions }));
    }
    if sessions.is_empty() {
        output::talk("the agent has kept no session of this folder");
    }
    sessions
        .iter()
        .try_for_each(|session| output::data(line(session)))
}
