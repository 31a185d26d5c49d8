//! Questions of the agent: what is asked for, and what becomes of it on the screen.

use serde_json::Value;
use tenon_acp::client::ToolState;
use tenon_protocols::acp::{PermissionParams, ToolContent};

use super::Transcript;
use super::tools::Extent;
use crate::exit::Failure;
use crate::output::paint::Paint;
use crate::output::question::Question;
use crate::output::screen::Stream;
use crate::output::{compact, masked, on_one_line, write_part};

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
            self.input(&masked(input.text()), &now)?;
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
            None => compact(input),
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
}
