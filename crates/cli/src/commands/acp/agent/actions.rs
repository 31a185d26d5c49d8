//! What all commands of the agent have in common: paths, tool calls, permission, and writing files.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tenon_acp::agent::{AgentError, Turn};
use tenon_protocols::acp::{
    ContentBlock, ContentItem, Diff, Location, PermissionKind, PermissionOption, Raw, ToolCall,
    ToolCallUpdate, ToolContent, ToolKind, ToolStatus,
};

use super::TenonAgent;
use crate::commands::init::{SCENARIO, files};
use crate::commands::new_file;

/// A tool call of this agent.
pub(super) struct Tool<'a> {
    turn: &'a Turn,
    call: ToolCallUpdate,
}

/// What a tool call is about.
pub(super) struct Subject {
    /// What it does, for people.
    pub(super) title: String,
    pub(super) kind: ToolKind,
    /// What it does, for programs: `command` is what rules of guards look at.
    pub(super) input: Value,
    /// Files.
    pub(super) locations: Vec<PathBuf>,
    pub(super) content: Vec<ToolContent>,
}

impl<'a> Tool<'a> {
    /// Announces a tool call.
    pub(super) async fn announce(turn: &'a Turn, subject: Subject) -> Result<Tool<'a>, AgentError> {
        // The keys of a hasher are random. An id only has to differ from the others of its session.
        let id = RandomState::new().build_hasher().finish();
        let mut call = ToolCall::new(format!("{id:016x}"), subject.title);
        call.kind = Some(subject.kind);
        call.status = Some(ToolStatus::Pending);
        call.raw_input = Some(Raw::of(&subject.input)?);
        let location = |path: PathBuf| Location::new(path.to_string_lossy());
        call.locations = Some(subject.locations.into_iter().map(location).collect());
        call.content = Some(subject.content);
        turn.tool_call(call.clone()).await?;
        let mut update = ToolCallUpdate::new(call.tool_call_id);
        update.title = Some(call.title);
        update.kind = call.kind;
        update.status = call.status;
        update.raw_input = call.raw_input;
        update.locations = call.locations;
        update.content = call.content;
        Ok(Tool { turn, call: update })
    }

    /// Asks whether it may be done, unless the user has said that this `thing` need not be asked for again.
    pub(super) async fn is_allowed(
        &self,
        agent: &TenonAgent,
        thing: &str,
    ) -> Result<bool, AgentError> {
        let session = self.turn.id();
        let is_known = |things: &HashSet<String>| things.contains(thing);
        let is_allowed = agent.allowed().get(session).is_some_and(is_known);
        if is_allowed {
            return Ok(true);
        }
        let options = vec![
            PermissionOption::new("once", "Allow", PermissionKind::AllowOnce),
            PermissionOption::new(
                "session",
                "Allow in this session",
                PermissionKind::AllowAlways,
            ),
            PermissionOption::new("reject", "Reject", PermissionKind::RejectOnce),
        ];
        let chosen = self.turn.ask(self.call.clone(), options).await;
        let chosen = match chosen {
            Ok(chosen) => chosen.kind,
            Err(error) => {
                self.end(ToolStatus::Failed, None).await?;
                return Err(error);
            }
        };
        if chosen == PermissionKind::AllowAlways {
            let mut allowed = agent.allowed();
            allowed
                .entry(session.to_owned())
                .or_default()
                .insert(thing.to_owned());
        }
        let is_allowed = matches!(
            chosen,
            PermissionKind::AllowOnce | PermissionKind::AllowAlways
        );
        if !is_allowed {
            self.end(ToolStatus::Failed, Some("rejected by the user".to_owned()))
                .await?;
            self.turn
                .say("It was rejected, so nothing was done.")
                .await?;
        }
        Ok(is_allowed)
    }

    /// Shows how far it is, with all of its output.
    pub(super) async fn show(&self, output: &str) -> Result<(), AgentError> {
        self.update(ToolStatus::InProgress, Some(output.to_owned()))
            .await
    }

    /// It is over.
    pub(super) async fn end(
        &self,
        status: ToolStatus,
        output: Option<String>,
    ) -> Result<(), AgentError> {
        self.update(status, output).await
    }

    async fn update(&self, status: ToolStatus, output: Option<String>) -> Result<(), AgentError> {
        let mut update = ToolCallUpdate::new(self.call.tool_call_id.clone());
        update.status = Some(status);
        update.content = output.map(|text| vec![code(&text)]);
        self.turn.tool_update(update).await
    }
}

/// Output as content of a tool call: in a block of code, as it was printed.
fn code(text: &str) -> ToolContent {
    let text = tenon_text::lines(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let block = ContentBlock::text(format!("{fence}\n{}\n{fence}", text.trim_end()));
    ToolContent::Content(ContentItem::new(block))
}

/// How many backticks follow each other at most.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

/// A path that the user wrote, if it is below one of the folders of the session.
pub(super) fn path(turn: &Turn, written: &str) -> Result<PathBuf, String> {
    let path = turn.folder().join(written);
    let shown = tenon_text::path(&path);
    let found = path
        .canonicalize()
        .map_err(|error| format!("{shown}: {error}"))?;
    let is_inside = { turn.folders().iter() }
        .filter_map(|folder| folder.canonicalize().ok())
        .any(|folder| found.starts_with(folder));
    match is_inside {
        true => Ok(found),
        false => Err(format!("{shown} is outside the folder of the session")),
    }
}

/// A path as people see it: relative to the folder of the session.
pub(super) fn shown(turn: &Turn, path: &Path) -> String {
    let folder = turn.folder().canonicalize();
    let folder = folder.as_deref().unwrap_or(turn.folder());
    tenon_text::path(path.strip_prefix(folder).unwrap_or(path))
}

/// `/init`: writes the files of `tenon init` that do not exist, one after the other.
pub(super) async fn init(agent: &TenonAgent, turn: &Turn) -> Result<(), AgentError> {
    for (name, text) in files() {
        let path = turn.folder().join(name);
        if path.symlink_metadata().is_ok() {
            turn.say(format!("`{name}` exists, so it is kept.\n"))
                .await?;
            continue;
        }
        let subject = Subject {
            title: format!("Write {name}"),
            kind: ToolKind::Edit,
            input: serde_json::json!({ "path": path }),
            locations: vec![path.clone()],
            content: vec![ToolContent::Diff(Diff::new(path.to_string_lossy(), &*text))],
        };
        let tool = Tool::announce(turn, subject).await?;
        if !tool.is_allowed(agent, "init").await? {
            return Ok(());
        }
        let written = match turn.supports("fs/write_text_file") {
            true => turn.write_file(&path, &*text).await,
            false => new_file::write(&path, &text)
                .map(drop)
                .map_err(|failure| AgentError::text(failure.message)),
        };
        // The diff stays.
        match written {
            Ok(()) => tool.end(ToolStatus::Completed, None).await?,
            Err(error) => {
                tool.end(ToolStatus::Failed, None).await?;
                return Err(error);
            }
        }
    }
    turn.say(format!("Next: `/plan {SCENARIO}`, then `/run {SCENARIO}`."))
        .await
}
