//! Questions of the agent: what is asked for, and what becomes of it on the screen.

use serde_json::Value;
use tenon_acp::client::ToolState;
use tenon_acp::facts::Facts;
use tenon_protocols::acp::{PermissionParams, Raw, ToolCallUpdate, ToolContent};

use super::Transcript;
use super::tools::Extent;
use crate::exit::Failure;
use crate::output::paint::Paint;
use crate::output::question::Question;
use crate::output::screen::Stream;
use crate::output::{compact, has_escape_codes, masked, on_one_line, write_part};

impl Transcript {
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

    /// The question is no longer open: it disappears, if the screen shows nothing but what is printed here.
    pub(crate) fn withdraw_question(&mut self, is_erased: bool) -> Result<(), Failure> {
        let asked = std::mem::take(&mut self.asked);
        match self.question.take() {
            Some(question) if is_erased && has_escape_codes() => {
                write_part(Stream::Talk, &question.erasure(&asked))
            }
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
        let asked = ToolCallUpdate {
            kind: Some(now.kind.clone()),
            ..request.tool_call.clone()
        };
        let mut shown = asked.clone();
        if let Some(input) = &now.raw_input {
            let input = without_texts(&masked(input.text()), &now);
            self.input(&input)?;
            shown.raw_input = Raw::parse(input).ok();
        }
        for location in &now.locations {
            let path = on_one_line(&location.path).into_owned();
            self.painted(&Paint::Dim.on(format_args!("  file: {path}")))?;
        }
        self.not_shown(&asked, &shown)
    }

    /// What a permission would cover and the lines above do not have: it is in a text that is left out, or masked.
    fn not_shown(
        &mut self,
        request: &ToolCallUpdate,
        shown: &ToolCallUpdate,
    ) -> Result<(), Failure> {
        let facts_of = |call: &ToolCallUpdate| {
            let mut facts = Facts::default();
            facts.add_update(call, &self.folder);
            facts
        };
        let (all, shown) = (facts_of(request), facts_of(shown));
        for command in all.commands.difference(&shown.commands) {
            let command = on_one_line(command).into_owned();
            self.painted(&Paint::Bold.on(format_args!("  command: {command}")))?;
        }
        for path in all.paths.difference(&shown.paths) {
            let path = tenon_text::path(path);
            self.painted(&Paint::Bold.on(format_args!("  file: {path}")))?;
        }
        Ok(())
    }

    /// All that a tool is given: users must see what they allow.
    fn input(&mut self, input: &str) -> Result<(), Failure> {
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
        let input = match command {
            Some(_) => rest.to_string(),
            None => compact(input),
        };
        let input = on_one_line(&input);
        match input != "{}" && input != "null" {
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
}

/// An input without the texts of a file, if its change is shown as a diff. The names are those of common agents.
fn without_texts(input: &str, now: &ToolState) -> String {
    const TEXTS: [&str; 14] = [
        "content",
        "diff",
        "newContent",
        "newString",
        "newText",
        "new_content",
        "new_string",
        "new_text",
        "oldString",
        "oldText",
        "old_string",
        "old_text",
        "patch",
        "unified_diff",
    ];
    let has_diff = { now.content.iter() }.any(|item| matches!(item, ToolContent::Diff(_)));
    match serde_json::from_str(input) {
        Ok(Value::Object(mut members)) if has_diff => {
            members.retain(|name, value| !(value.is_string() && TEXTS.contains(&name.as_str())));
            Value::Object(members).to_string()
        }
        _ => input.to_owned(),
    }
}
