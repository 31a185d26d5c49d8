//! Everything that is printed: stdout is data, stderr is talk.
//!
//! Text from outside reaches a terminal only through `tenon_text`: [`talk`] and [`data`] escape what
//! they print as text, [`json_data`] as JSON. Names and other labels are put on one line by the
//! caller, with [`on_one_line`], because only the caller knows where they end. The exceptions are
//! diagnostics, whose colours are our own, and results to a pipe, which are exact.

pub(crate) mod call;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod screen;
pub(crate) mod serve;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tenon_hcl::{Diagnostic, Style};
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::{
    Payload, RpcError,
    trace::{Direction, Record},
};

use crate::exit::{Code, Failure};
use screen::Stream;

/// How results and events are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    /// Everything goes to stdout as lines of JSON.
    pub(crate) json: bool,
    /// What the other side tells is what was asked for, and goes to stdout.
    pub(crate) events_are_data: bool,
}

impl Printer {
    /// The answer to a call: the data that was asked for.
    pub(crate) fn result(self, method: &str, result: &Payload) -> Result<(), Failure> {
        let result = to_json(result)?;
        if self.json {
            return json_data(line(&[("method", &json!(method)), ("result", &result)]));
        }
        laid_out(&result)
    }

    /// What went wrong.
    pub(crate) fn error(self, method: Option<&str>, failure: &Failure) -> Result<(), Failure> {
        let error = ErrorObject(failure);
        match method {
            Some(method) if self.json => {
                json_data(line(&[("method", &json!(method)), ("error", &error)]))
            }
            None if self.json => json_data(line(&[("error", &error)])),
            _ => {
                talk(format_args!("error: {}", failure.message));
                Ok(())
            }
        }
    }

    /// Something the other side sent by itself. What goes to stderr is masked.
    pub(crate) fn received(
        self,
        kind: &str,
        method: &str,
        params: Option<&Payload>,
        masked: &[String],
    ) {
        let params = params.and_then(|params| to_json(params).ok());
        if self.json {
            let said = match &params {
                Some(params) => line(&[("method", &json!(method)), ("params", params)]),
                None => json!({ "method": method }).to_string(),
            };
            // A reader that has gone shows when the result is printed.
            let _gone = json_data(format!("{{\"{kind}\":{said}}}"));
        } else {
            let shown = |json: &RawValue| match self.events_are_data {
                true => compact(json.get()),
                false => compact(&hidden(json.get(), masked)),
            };
            let params = params.map_or(String::new(), |params| format!(" {}", shown(&params)));
            let said = format!("{}{params}", on_one_line(method));
            match self.events_are_data {
                true => drop(data(said)),
                false => talk(format_args!("{kind} {said}")),
            }
        }
    }
}

/// Why stdout could not be written, the first time.
static UNWRITTEN: OnceLock<String> = OnceLock::new();

/// Text on stdout. A reader that has gone has seen all it wanted.
///
/// # Errors
/// It could not be written, which [`finish`] tells: not every caller can stop what it does.
pub(crate) fn data(text: impl Display) -> Result<(), Failure> {
    write_line(Stream::Data, &tenon_text::lines(&text.to_string()))
}

/// JSON on stdout that we wrote: its escapes do not change what a program reads.
///
/// # Errors
/// See [`data`].
pub(crate) fn json_data(json: impl Display) -> Result<(), Failure> {
    write_line(Stream::Data, &tenon_text::json(&json.to_string()))
}

/// Bytes of our own on stdout.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    written(io::stdout().lock().write_all(bytes))
}

fn written(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            UNWRITTEN.get_or_init(|| format!("stdout could not be written: {error}"));
            Err(Failure::told(Code::Failed))
        }
        _ => Ok(()),
    }
}

/// What the command comes to, once everything it printed is written: output that is lost is a
/// failure, whatever else was done.
pub(crate) fn finish(outcome: Result<(), Failure>) -> Result<(), Failure> {
    let flushed = written(io::stdout().flush());
    if let Some(problem) = UNWRITTEN.get() {
        talk(format_args!("error: {problem}"));
    }
    let is_lost = flushed.is_err() || UNWRITTEN.get().is_some();
    match outcome {
        Ok(()) if is_lost => Err(Failure::told(Code::Failed)),
        outcome => outcome,
    }
}

/// Names of members whose values stderr does not show, in lower case.
static MASKED: OnceLock<Vec<String>> = OnceLock::new();

/// Remembers which members are masked on stderr.
pub(crate) fn choose_masked(names: &[String]) {
    let names = names.iter().map(|name| name.to_lowercase()).collect();
    let _are_chosen = MASKED.set(names);
}

/// JSON for stderr, with members masked as the command line says.
pub(crate) fn masked(json: &str) -> String {
    hidden(json, MASKED.get().map_or(&[], Vec::as_slice))
}

/// JSON with the values of members of these names masked. What cannot be masked is not shown.
fn hidden(json: &str, masked: &[String]) -> String {
    if masked.is_empty() {
        return json.to_owned();
    }
    tenon_rpc::trace::mask_json(json, masked).unwrap_or_else(|| "\"***\"".to_owned())
}

/// A name or a message from outside on one line, so that it cannot look like several.
pub(crate) fn on_one_line(text: &str) -> Cow<'_, str> {
    tenon_text::line(text)
}

/// A message from outside, with the lines after the first indented: none of them can pass for a
/// line of ours.
pub(crate) fn indented_below(text: &str) -> String {
    text.trim_end().replace('\n', "\n    ")
}

/// JSON from outside on one line. Only blanks change.
fn compact(json: &str) -> String {
    tenon_text::json(&json.replace(['\n', '\r'], " ")).into_owned()
}

/// Text on stderr.
pub(crate) fn talk(text: impl Display) {
    let _never_fails = write_line(Stream::Talk, &tenon_text::lines(&text.to_string()));
}

/// A line as it is, above the one that is being edited if there is one.
fn write_line(stream: Stream, line: &str) -> Result<(), Failure> {
    if is_taken_by_screen(stream, line) {
        return Ok(());
    }
    match stream {
        Stream::Data => written(writeln!(io::stdout().lock(), "{line}")),
        Stream::Talk => {
            // If even stderr has gone, there is nobody to tell.
            let _nobody_left = writeln!(io::stderr().lock(), "{line}");
            Ok(())
        }
    }
}

/// Hands a line to whoever edits another one on the terminal it would be written to.
fn is_taken_by_screen(stream: Stream, line: &str) -> bool {
    let is_terminal = || match stream {
        Stream::Data => io::stdout().is_terminal(),
        Stream::Talk => io::stderr().is_terminal(),
    };
    // Without a prompt there is nothing to find out, and no system call to make.
    screen::is_there() && is_terminal() && screen::offer(stream, line)
}

static HAS_NO_COLOR: AtomicBool = AtomicBool::new(false);

/// Remembers whether colours are wanted.
pub(crate) fn choose_color(has_none: bool) {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    HAS_NO_COLOR.store(has_none || is_set("NO_COLOR"), Ordering::Relaxed);
}

/// Whether stderr shows colours.
fn is_colored() -> bool {
    io::stderr().is_terminal() && !HAS_NO_COLOR.load(Ordering::Relaxed)
}

/// A failure as an event, for those who read events.
pub(crate) fn failure_event(failure: Failure) -> Failure {
    if !failure.message.is_empty() {
        let _gone = json_data(json!({
            "event": "error",
            "message": failure.message,
            "exit_code": failure.code as u8,
        }));
    }
    Failure::told(failure.code)
}

/// What is wrong with files: for a person on stderr, for tools as lines of JSON.
pub(crate) fn diagnostics(diagnostics: &[Diagnostic], is_json: bool) {
    let style = match is_colored() {
        true => Style::Colored,
        false => Style::Plain,
    };
    for diagnostic in diagnostics {
        if is_json {
            let _gone = json_data(json!({ "event": "diagnostic", "diagnostic": diagnostic }));
        } else {
            // What is from outside is escaped by the renderer; the colours are its own.
            let rendered = format!("{}\n", diagnostic.render(style));
            let _never_fails = write_line(Stream::Talk, &rendered);
        }
    }
}

/// A frame on its way, on stderr.
pub(crate) fn trace(record: &Record) {
    let arrow = match record.direction {
        Direction::Out => "→",
        Direction::In => "←",
    };
    match (&record.frame, &record.unreadable) {
        (Some(frame), _) => talk(format_args!("{arrow} {}", compact(frame.get()))),
        (None, Some(unreadable)) => {
            let unreadable = on_one_line(unreadable);
            talk(format_args!("{arrow} (no message) {unreadable}"));
        }
        (None, None) => {}
    }
}

/// Tells why something failed, unless that has been told.
pub(crate) fn talk_of(failure: &Failure) {
    if !failure.message.is_empty() {
        talk(format_args!("error: {}", failure.message));
    }
}

/// Tells why the command failed, and gives its exit code.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    talk_of(failure);
    ExitCode::from(failure.code as u8)
}

/// Shows help, or what is wrong with the command line.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    if error.exit_code() != 0 {
        return ExitCode::from(Code::Usage as u8);
    }
    // Help and versions are data.
    match finish(written(printed)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => self::failure(&failure),
    }
}

/// The value as JSON, in the order and with the numbers in which it came.
fn to_json(payload: &Payload) -> Result<Box<RawValue>, Failure> {
    payload
        .to_format_with(tenon_rpc::Format::Json, EXT_NAMES)
        .and_then(|json| json.decode())
        .map_err(|error| Failure::new(Code::BrokenProtocol, format!("the answer: {error}")))
}

/// An object whose members keep their order.
fn line(members: &[(&str, &dyn ToJson)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("\"{name}\":{}", value.to_json()))
        .collect();
    format!("{{{}}}", members.join(","))
}

trait ToJson {
    fn to_json(&self) -> String;
}

impl ToJson for Value {
    fn to_json(&self) -> String {
        self.to_string()
    }
}

impl ToJson for Box<RawValue> {
    fn to_json(&self) -> String {
        // A line has to stay one.
        compact(self.get())
    }
}

/// A failure as `--json` shows it. The data of an error keeps the digits of its numbers.
struct ErrorObject<'a>(&'a Failure);

impl ToJson for ErrorObject<'_> {
    fn to_json(&self) -> String {
        let Some(RpcError {
            code,
            message,
            data,
        }) = &self.0.answered
        else {
            return line(&[("message", &json!(self.0.message))]);
        };
        let code = match code {
            tenon_rpc::ErrorCode::Number(number) => json!(number),
            tenon_rpc::ErrorCode::Name(name) => json!(name.as_str()),
        };
        let message = json!(message);
        match data.as_ref().and_then(|data| to_json(data).ok()) {
            Some(data) => line(&[("code", &code), ("data", &data), ("message", &message)]),
            None => line(&[("code", &code), ("message", &message)]),
        }
    }
}

/// JSON on stdout: over several lines for people, as it is for programs.
fn laid_out(json: &RawValue) -> Result<(), Failure> {
    match io::stdout().is_terminal() {
        true => json_data(indented(json.get())),
        // Whoever reads the pipe gets what was sent.
        false => write_line(Stream::Data, json.get()),
    }
}

/// JSON over several lines, for people. Nothing but blanks changes.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    let mut characters = json.chars().peekable();
    let new_line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(character) = characters.next() {
        if in_string {
            out.push(character);
            in_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        match character {
            ' ' | '\t' | '\n' | '\r' => {}
            '{' | '[' => {
                while characters.next_if(char::is_ascii_whitespace).is_some() {}
                out.push(character);
                if let Some(close) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = character == '"';
                out.push(character);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(on_one_line("a\nb\tc\u{1b}"), "a\\nb\\tc\\u{1b}");
    }

    #[test]
    fn a_message_stays_below_its_first_line() {
        assert_eq!(indented_below("a\nhint: b\n"), "a\n    hint: b");
    }

    #[test]
    fn only_blanks_change_when_json_is_indented() {
        assert_eq!(
            indented(r#"{"b":[1.0,{}, [ ] ],"a":"x\"{,y"}"#),
            "{\n  \"b\": [\n    1.0,\n    {},\n    []\n  ],\n  \"a\": \"x\\\"{,y\"\n}"
        );
    }
}
