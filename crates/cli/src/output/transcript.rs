//! What an agent says and does: as text, or as events.
//!
//! The answer goes to stdout, everything else to stderr. So the answer can be used by another program while a person
//! sees what happens.

mod questions;
mod text;
mod tools;

use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenon_acp::client::ToolCalls;
use tenon_protocols::acp::{PlanEntry, SessionUpdate, Usage};

use self::text::Voice;
use super::paint::Paint;
use super::question::Question;
use super::screen::Stream;
use super::{json_data, on_one_line, write_line};
use crate::exit::Failure;

/// What was printed of a session.
pub(crate) struct Transcript {
    is_json: bool,
    /// Whose text was printed last.
    open: Option<Voice>,
    /// It has not ended its line.
    is_in_line: bool,
    /// The end of a text, which may belong to what follows.
    held: String,
    is_history: bool,
    /// A line is being edited: only whole lines are printed.
    is_idle: bool,
    tools: ToolCalls,
    /// Diffs that were printed.
    shown: HashSet<u64>,
    /// The plan that was printed last.
    entries: Vec<PlanEntry>,
    usage: Option<Usage>,
    terminals: Option<Terminals>,
    /// The folder of the session: what paths are relative to.
    folder: PathBuf,
    /// The question that is open: nothing is printed below it.
    question: Option<Question>,
    /// The part of the question in whose line the cursor is.
    asked: String,
}

/// What the program of a terminal has printed.
type Terminals = Box<dyn Fn(&str) -> Option<String>>;

impl Transcript {
    pub(crate) fn new(is_json: bool) -> Transcript {
        Transcript {
            is_json,
            open: None,
            is_in_line: false,
            held: String::new(),
            is_history: false,
            is_idle: false,
            tools: ToolCalls::new(),
            shown: HashSet::new(),
            entries: Vec::new(),
            usage: None,
            terminals: None,
            folder: PathBuf::new(),
            question: None,
            asked: String::new(),
        }
    }

    /// The folder of the session.
    pub(crate) fn set_folder(&mut self, folder: &Path) {
        self.folder = folder.to_owned();
    }

    /// Where the output of terminals is found.
    pub(crate) fn set_terminals(&mut self, terminals: impl Fn(&str) -> Option<String> + 'static) {
        self.terminals = Some(Box::new(terminals));
    }

    /// Whether what follows was said in earlier turns.
    pub(crate) fn set_history(&mut self, is_history: bool) -> Result<(), Failure> {
        self.end_text()?;
        self.is_history = is_history;
        Ok(())
    }

    /// Whether a line is being edited.
    pub(crate) fn set_idle(&mut self, is_idle: bool) -> Result<(), Failure> {
        self.end_text()?;
        self.is_idle = is_idle;
        Ok(())
    }

    /// An event, if events are printed.
    pub(crate) fn event(&self, event: &Value) -> Result<(), Failure> {
        match self.is_json {
            true => json_data(event),
            false => Ok(()),
        }
    }

    /// Something for people, on a line of its own.
    pub(crate) fn note(&mut self, text: impl Display) -> Result<(), Failure> {
        self.end_text()?;
        let text = text.to_string();
        if let Some(question) = &mut self.question {
            question.add(&text);
        }
        super::talk(text);
        Ok(())
    }

    /// A line that has its colours already.
    pub(crate) fn painted(&mut self, line: &str) -> Result<(), Failure> {
        self.end_text()?;
        if let Some(question) = &mut self.question {
            question.add(line);
        }
        write_line(Stream::Talk, line)
    }

    /// An update of the agent.
    pub(crate) fn update(&mut self, session: &str, update: &SessionUpdate) -> Result<(), Failure> {
        if self.is_json {
            let event = if self.is_history { "history" } else { "update" };
            return self.event(&json!({ "event": event, "sessionId": session, "update": update }));
        }
        match update {
            SessionUpdate::AgentMessageChunk(chunk) if self.is_history => {
                self.chunk(Voice::History, chunk)
            }
            SessionUpdate::AgentMessageChunk(chunk) => self.chunk(Voice::Answer, chunk),
            SessionUpdate::AgentThoughtChunk(chunk) => self.chunk(Voice::Thought, chunk),
            // Some agents repeat the prompt, which the user has just typed.
            SessionUpdate::UserMessageChunk(chunk) if self.is_history => {
                self.chunk(Voice::User, chunk)
            }
            SessionUpdate::ToolCall(_) | SessionUpdate::ToolCallUpdate(_) => {
                let noted = self.tools.note(update);
                let Some((now, before)) = noted.map(|(now, before)| (now.clone(), before)) else {
                    return Ok(());
                };
                self.tool(&now, before.as_ref())
            }
            SessionUpdate::Plan(plan) => self.plan(plan),
            SessionUpdate::CurrentModeUpdate(mode) => {
                let mode = on_one_line(&mode.current_mode_id);
                self.painted(&Paint::Dim.on(format_args!("mode: {mode}")))
            }
            SessionUpdate::Notice(notice) => {
                let about = notice.description.as_deref().unwrap_or_default();
                let text = format!("{}: {} {about}", notice.severity, notice.title);
                self.painted(&Paint::Yellow.on(on_one_line(text.trim_end())))
            }
            SessionUpdate::CompactionUpdate(compaction) => {
                let status = on_one_line(compaction.status.as_str()).into_owned();
                self.painted(&Paint::Dim.on(format_args!("summary of the conversation: {status}")))
            }
            SessionUpdate::UsageUpdate(usage) => {
                self.usage = Some(usage.clone());
                Ok(())
            }
            // Commands, options and titles are shown when they are asked for; the rest is not known.
            _ => Ok(()),
        }
    }

    /// The end of a turn, for people.
    pub(crate) fn end_turn(&mut self, is_interactive: bool) -> Result<(), Failure> {
        self.end_text()?;
        if let (true, Some(usage)) = (is_interactive && !self.is_json, self.usage.take()) {
            let percent = usage.used.saturating_mul(100) / usage.size.max(1);
            let cost = usage.cost.map_or(String::new(), |cost| {
                let amount = cost.amount.text().to_owned();
                format!(", {} {}", on_one_line(&amount), on_one_line(&cost.currency))
            });
            let line = format!("context: {percent}% of {} tokens{cost}", usage.size);
            self.painted(&Paint::Dim.on(line))?;
        }
        Ok(())
    }
}
