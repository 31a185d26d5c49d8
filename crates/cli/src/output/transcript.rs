//! What an agent says and does: as text, or as events.
//!
//! The answer goes to stdout, everything else to stderr. So the answer can be used by another program while a person
//! sees what happens.

use std::collections::HashSet;
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};
use tenon_acp::client::{ToolCalls, ToolState};
use tenon_protocols::acp::{
    Chunk, ContentBlock, PermissionParams, Plan, PlanEntry, PlanStatus, SessionUpdate, ToolContent,
    ToolStatus, Usage,
};

use super::diff::{Line, diff};
use super::question::Question;
use super::screen::Stream;
use super::{is_colored, json_data, on_one_line, write_line, write_part};
use crate::exit::Failure;

const RESET: &str = "\u{1b}[0m";

/// Colours on stderr.
#[derive(Clone, Copy)]
pub(crate) enum Paint {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Bold => "\u{1b}[1m",
            Paint::Dim => "\u{1b}[2m",
            Paint::Red => "\u{1b}[31m",
            Paint::Green => "\u{1b}[32m",
            Paint::Yellow => "\u{1b}[33m",
            Paint::Cyan => "\u{1b}[36m",
        }
    }

    /// Text in this colour, if stderr shows colours. Hidden characters in it are escaped.
    pub(crate) fn on(self, text: impl Display) -> String {
        let text = tenon_text::lines(&text.to_string()).into_owned();
        match is_colored() {
            true => format!("{}{text}{RESET}", self.code()),
            false => text,
        }
    }
}

/// Whose text is being printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    Answer,
    Thought,
    /// What was said in an earlier turn.
    History,
    User,
}

impl Voice {
    fn stream(self) -> Stream {
        match self {
            Voice::Answer => Stream::Data,
            _ => Stream::Talk,
        }
    }
}

/// Lines of a diff and of a tool's output that are shown.
const DIFF_LINES: usize = 60;
const DIFF_LINE: usize = 400;
const OUTPUT_LINES: usize = 6;

/// How much of a diff is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Its beginning: it was decided, or nobody is asked.
    Short,
    /// All of it.
    Whole,
}

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
            question: None,
            asked: String::new(),
        }
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

    /// A question of the agent. What is printed until it is answered belongs to it.
    pub(crate) fn begin_question(&mut self, message: &str) -> Result<(), Failure> {
        self.end_text()?;
        self.question = Some(Question::default());
        let message = on_one_line(message).into_owned();
        self.painted(&Paint::Bold.on(format_args!("? {message}")))
    }

    /// The beginning of a line that the user ends.
    pub(crate) fn ask(&mut self, prompt: &str) -> Result<(), Failure> {
        prompt.clone_into(&mut self.asked);
        write_part(Stream::Talk, prompt)
    }

    /// The user has ended the line.
    pub(crate) fn heard(&mut self, typed: &str) {
        let line = std::mem::take(&mut self.asked) + typed;
        if let Some(question) = &mut self.question {
            question.add(&line);
        }
    }

    /// Ends the line for the user.
    pub(crate) fn answered(&mut self, text: &str) -> Result<(), Failure> {
        self.heard(text);
        write_part(Stream::Talk, &format!("{text}\n"))
    }

    /// The question was answered: it stays on the screen.
    pub(crate) fn end_question(&mut self) {
        self.question = None;
        self.asked.clear();
    }

    /// The question is not open any more: it disappears, if the screen shows nothing but what is printed here.
    pub(crate) fn withdraw_question(&mut self, is_erased: bool) -> Result<(), Failure> {
        let asked = std::mem::take(&mut self.asked);
        match self.question.take() {
            Some(question) if is_erased => write_part(Stream::Talk, &question.erasure(&asked)),
            _ if asked.is_empty() => Ok(()),
            _ => write_part(Stream::Talk, "\n"),
        }
    }

    /// What is asked for, before the keys: the tool call with its diffs and input.
    pub(crate) fn request(&mut self, request: &PermissionParams) -> Result<(), Failure> {
        let (now, _) = self.tools.apply(&request.tool_call);
        let now = now.clone();
        self.begin_question(&format!("{}: {}", now.kind.as_str(), now.title))?;
        self.diffs(&now, Extent::Whole)?;
        if let Some(input) = &now.raw_input {
            self.input(&super::masked(input.text()), &now)?;
        }
        for location in &now.locations {
            let path = on_one_line(&location.path).into_owned();
            self.painted(&Paint::Dim.on(format_args!("  file: {path}")))?;
        }
        Ok(())
    }

    /// All that a tool is given: nobody can allow what is not shown.
    fn input(&mut self, input: &str, now: &ToolState) -> Result<(), Failure> {
        let mut rest: Value = serde_json::from_str(input).unwrap_or_default();
        let is_text = rest.get("command").is_some_and(Value::is_string);
        let members = rest.as_object_mut().filter(|_| is_text);
        let command = members.and_then(|members| members.remove("command"));
        if let Some(command) = command.as_ref().and_then(Value::as_str) {
            let mut lines = command.split('\n');
            let first = on_one_line(lines.next().unwrap_or_default()).into_owned();
            self.painted(&Paint::Bold.on(format_args!("  command: {first}")))?;
            for line in lines {
                let line = on_one_line(line).into_owned();
                self.painted(&Paint::Bold.on(format_args!("           {line}")))?;
            }
        }
        // The text of a file is in its diff.
        let has_diff = { now.content.iter() }.any(|item| matches!(item, ToolContent::Diff(_)));
        let input = match command {
            Some(_) => rest.to_string(),
            None => super::compact(input),
        };
        let input = on_one_line(&input);
        match input != "{}" && input != "null" && !has_diff {
            true => self.painted(&Paint::Dim.on(format_args!("  input: {input}"))),
            false => Ok(()),
        }
    }

    /// The diffs of a call that was allowed without asking. Some agents show them in the request alone.
    pub(crate) fn request_diffs(&mut self, request: &PermissionParams) -> Result<(), Failure> {
        let (now, _) = self.tools.apply(&request.tool_call);
        let now = now.clone();
        self.diffs(&now, Extent::Short)
    }

    fn chunk(&mut self, voice: Voice, chunk: &Chunk) -> Result<(), Failure> {
        match &chunk.content {
            ContentBlock::Text(content) => self.text(voice, &content.text),
            other => self.text(voice, &described(other)),
        }
    }

    fn text(&mut self, voice: Voice, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        if self.is_idle {
            // Above the line that is edited there is no room for parts of lines.
            return write_line(Stream::Talk, &Paint::Dim.on(text.trim_end()));
        }
        if self.open.is_some_and(|open| open != voice) {
            self.end_text()?;
        }
        let is_first = self.open.is_none();
        self.held.push_str(text);
        let end = self.held.len() - unsettled(&self.held);
        let settled: String = self.held.drain(..end).collect();
        let mut shown = match (voice, is_first) {
            (Voice::User, true) => "> ".to_owned(),
            _ => String::new(),
        };
        shown += &tenon_text::lines(&settled);
        self.open = Some(voice);
        self.write(voice, &shown)
    }

    fn write(&mut self, voice: Voice, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        self.is_in_line = !text.ends_with('\n');
        let painted = match (voice, is_colored()) {
            (Voice::Thought | Voice::History, true) => Some(Paint::Dim),
            (Voice::User, true) => Some(Paint::Cyan),
            _ => None,
        };
        match painted {
            Some(paint) => write_part(voice.stream(), &format!("{}{text}{RESET}", paint.code())),
            None => write_part(voice.stream(), text),
        }
    }

    /// Ends the line of the text that is being printed.
    fn end_text(&mut self) -> Result<(), Failure> {
        let Some(voice) = self.open.take() else {
            return Ok(());
        };
        let held = std::mem::take(&mut self.held);
        let held = tenon_text::lines(&held).into_owned();
        self.write(voice, &held)?;
        match self.is_in_line {
            true => self.write(voice, "\n"),
            false => Ok(()),
        }
    }

    fn tool(&mut self, now: &ToolState, before: Option<&ToolState>) -> Result<(), Failure> {
        let is_begun =
            |status: &ToolStatus| matches!(status, ToolStatus::Pending | ToolStatus::InProgress);
        let is_news = before.is_none_or(|before| {
            let has_moved = before.status != now.status;
            before.title != now.title
                || (has_moved && !(is_begun(&before.status) && is_begun(&now.status)))
        });
        if is_news {
            let kind = on_one_line(now.kind.as_str()).into_owned();
            let title = on_one_line(&now.title).into_owned();
            let line = match &now.status {
                ToolStatus::Completed => Paint::Green.on(format_args!("✓ {kind}: {title}")),
                ToolStatus::Failed => Paint::Red.on(format_args!("✗ {kind}: {title}")),
                _ => Paint::Cyan.on(format_args!("· {kind}: {title}")),
            };
            self.painted(&line)?;
        }
        self.diffs(now, Extent::Short)?;
        let is_over =
            before.is_none_or(|before| is_begun(&before.status)) && !is_begun(&now.status);
        match is_over {
            true => self.tool_output(now),
            false => Ok(()),
        }
    }

    fn tool_output(&mut self, now: &ToolState) -> Result<(), Failure> {
        for item in &now.content {
            let text = match item {
                ToolContent::Content(item) => described(&item.content),
                ToolContent::Terminal(item) => {
                    let terminals = self.terminals.as_ref();
                    let output = terminals.and_then(|output| output(&item.terminal_id));
                    output.unwrap_or_default()
                }
                _ => continue,
            };
            self.output_lines(&text)?;
        }
        Ok(())
    }

    /// The last lines, which say how it ended.
    fn output_lines(&mut self, text: &str) -> Result<(), Failure> {
        let text = tenon_text::without_colours(text).into_owned();
        // Many agents write output as a block of Markdown.
        let is_fence = |line: &&str| line.trim_start().starts_with("```");
        let lines: Vec<&str> = text.lines().filter(|line| !is_fence(line)).collect();
        let skipped = lines.len().saturating_sub(OUTPUT_LINES);
        if skipped > 0 {
            self.painted(&Paint::Dim.on(format_args!("  … {skipped} lines before")))?;
        }
        for line in &lines[skipped..] {
            let line = shortened(&on_one_line(line), 200);
            self.painted(&Paint::Dim.on(format_args!("  {line}")))?;
        }
        Ok(())
    }

    /// The diffs of a tool call that were not shown yet, or not to their end.
    fn diffs(&mut self, now: &ToolState, extent: Extent) -> Result<(), Failure> {
        for item in &now.content {
            let ToolContent::Diff(change) = item else {
                continue;
            };
            let old = change.old_text.as_deref().unwrap_or_default();
            let lines = diff(old, &change.new_text);
            let is_long =
                lines.len() > DIFF_LINES || lines.iter().any(|line| line.is_longer(DIFF_LINE));
            let is_whole = extent == Extent::Whole || !is_long;
            let is_new = self.is_new(&(&now.id, &change.path, &change.new_text, is_whole));
            if is_new {
                self.diff(&change.path, &lines, is_whole)?;
            }
        }
        Ok(())
    }

    fn diff(&mut self, path: &str, lines: &[Line<'_>], is_whole: bool) -> Result<(), Failure> {
        let path = on_one_line(path).into_owned();
        self.painted(&Paint::Bold.on(format_args!("  {path}")))?;
        let shown = if is_whole { lines.len() } else { DIFF_LINES };
        for line in lines.iter().take(shown) {
            let (paint, sign, text) = match line {
                Line::Same(text) => (Paint::Dim, " ", *text),
                Line::Removed(text) => (Paint::Red, "-", *text),
                Line::Added(text) => (Paint::Green, "+", *text),
                Line::Skipped(count) => {
                    self.painted(&Paint::Dim.on(format_args!("  … {count} equal lines")))?;
                    continue;
                }
            };
            // A tab is not dangerous, and indents code.
            let text = on_one_line(text).replace("\\t", "\t");
            let text = match is_whole {
                true => text,
                false => shortened(&text, DIFF_LINE),
            };
            self.painted(&paint.on(format_args!("  {sign} {text}")))?;
        }
        if lines.len() > shown {
            let more = lines.len() - shown;
            self.painted(&Paint::Dim.on(format_args!("  … {more} more lines")))?;
        }
        Ok(())
    }

    /// A plan as a whole, or what has changed in it.
    fn plan(&mut self, plan: &Plan) -> Result<(), Failure> {
        let before = std::mem::replace(&mut self.entries, plan.entries.clone());
        let is_same = before.len() == plan.entries.len() && { before.iter().zip(&plan.entries) }
            .all(|(old, new)| old.content == new.content);
        if !is_same && !plan.entries.is_empty() {
            self.painted(&Paint::Bold.on("plan:"))?;
        }
        for (at, entry) in plan.entries.iter().enumerate() {
            if is_same && before[at].status == entry.status {
                continue;
            }
            let text = on_one_line(&entry.content).into_owned();
            let line = match entry.status {
                PlanStatus::Completed => Paint::Green.on(format_args!("  ✓ {text}")),
                PlanStatus::InProgress => Paint::Yellow.on(format_args!("  ▸ {text}")),
                _ => Paint::Dim.on(format_args!("  ○ {text}")),
            };
            self.painted(&line)?;
        }
        Ok(())
    }

    /// Whether this was not printed before.
    fn is_new(&mut self, what: &impl Hash) -> bool {
        /// A long session must not fill the memory; then some things are printed twice.
        const MOST: usize = 10_000;
        if self.shown.len() > MOST {
            self.shown.clear();
        }
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        self.shown.insert(hasher.finish())
    }
}

/// Content that is not text, in a few words.
fn described(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(content) => content.text.clone(),
        ContentBlock::Image(image) => format!("[image {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[sound {}]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[{} {}]", link.name, link.uri),
        ContentBlock::Resource(resource) => format!("[{}]", resource.resource.uri),
        _ => "[unknown content]".to_owned(),
    }
}

/// How many bytes at the end of a text may mean something else together with what follows: a carriage return before a
/// line feed, and characters that are joined.
fn unsettled(text: &str) -> usize {
    let mut end = text.len();
    for character in text.chars().rev().take(8) {
        if character.is_ascii() && character != '\r' {
            break;
        }
        end -= character.len_utf8();
        let is_selector = ('\u{fe00}'..='\u{fe0f}').contains(&character);
        if !tenon_text::is_hidden(character) && !is_selector {
            break;
        }
    }
    text.len() - end
}

/// At most so many characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_belong_together_are_printed_together() {
        assert_eq!(unsettled("plain"), 0);
        assert_eq!(unsettled("line\r"), 1);
        assert_eq!(unsettled("größe"), 0);
        assert_eq!(unsettled("ö"), 2);
        assert_eq!(unsettled("a👩\u{200d}"), "👩\u{200d}".len());
        assert_eq!(unsettled("a❤\u{fe0f}"), "❤\u{fe0f}".len());
    }
}
