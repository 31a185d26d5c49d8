//! Everything that is printed: results go to stdout ([`data`]), messages to stderr ([`talk`]).
//!
//! Text from outside reaches a terminal only through `tenon_text`: [`talk`] and [`data`] escape what
//! they print as text, [`json_data`] as JSON. Names and other labels are put on one line by the
//! caller, with [`on_one_line`], because only the caller knows where they end. The exceptions are
//! diagnostics, whose colours are our own, and results to a pipe, which are exact.

#[cfg(unix)]
pub(crate) mod dev;
mod diff;
#[cfg(unix)]
mod findings;
mod json;
pub(crate) mod listing;
mod paint;
pub(crate) mod plan;
mod printer;
mod question;
pub(crate) mod run;
pub(crate) mod screen;
mod secrets;
pub(crate) mod serve;
mod transcript;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tenon_hcl::{Diagnostic, Style};
use tenon_rpc::trace::{Direction, Record};

use crate::exit::{Code, Failure};
use crate::platform;
#[cfg(unix)]
pub(crate) use findings::{diagnostic_as_json, findings, findings_as_json, summary_as_json};
use json::compact;
pub(crate) use json::{choose_masked, masked, without_sensitive};
pub(crate) use paint::Paint;
pub(crate) use printer::{Answered, Printer};
use screen::Stream;
pub(crate) use secrets::learn_sensitive;
pub(crate) use transcript::Transcript;

/// Why stdout could not be written, the first time.
static UNWRITTEN: OnceLock<String> = OnceLock::new();

/// Text on stdout. A closed pipe is not an error: its reader has seen what it wanted.
///
/// # Errors
/// It could not be written. [`finish`] reports that, because not every caller can stop its work.
pub(crate) fn data(text: impl Display) -> Result<(), Failure> {
    write_line(Stream::Data, &tenon_text::lines(&text.to_string()))
}

/// JSON on stdout, with escapes for hidden characters: they do not change what a program reads.
///
/// # Errors
/// See [`data`].
pub(crate) fn json_data(json: impl Display) -> Result<(), Failure> {
    write_line(Stream::Data, &tenon_text::json(&json.to_string()))
}

/// Bytes on stdout, unescaped.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    written(io::stdout().lock().write_all(bytes))
}

/// Bytes on stderr, unescaped.
pub(crate) fn error_bytes(bytes: &[u8]) {
    // If stderr is closed, there is no way to report it.
    let _closed = io::stderr().lock().write_all(bytes);
}

#[cfg(unix)]
/// Whether stdout is a pipe, as in `. <(tenon ...)`.
pub(crate) fn is_pipe() -> bool {
    platform::is_stdout_pipe(&io::stdout())
}

fn written(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Err(error) if !platform::is_reader_gone(&error) => {
            UNWRITTEN.get_or_init(|| format!("stdout could not be written: {error}"));
            Err(Failure::printed(Code::Failed))
        }
        _ => Ok(()),
    }
}

/// Waits until the reader of stdout has closed it. Only a pipe or a socket reports that, and none on Windows.
pub(crate) async fn reader_gone() {
    platform::reader_gone(&io::stdout()).await;
}

/// The outcome of the command, once everything it printed is written: lost output is a failure, whatever
/// else was done.
pub(crate) fn finish(outcome: Result<(), Failure>) -> Result<(), Failure> {
    let flushed = written(io::stdout().flush());
    if let Some(problem) = UNWRITTEN.get() {
        talk(format_args!("error: {problem}"));
    }
    let is_lost = flushed.is_err() || UNWRITTEN.get().is_some();
    match outcome {
        Ok(()) if is_lost => Err(Failure::printed(Code::Failed)),
        outcome => outcome,
    }
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

/// Text on stderr, without the sensitive values that are known.
pub(crate) fn talk(text: impl Display) {
    let text = text.to_string();
    let _never_fails = write_line(Stream::Talk, &tenon_text::lines(&secrets::hidden(&text)));
}

/// A line as it is, above the one that is being edited if there is one.
fn write_line(stream: Stream, line: &str) -> Result<(), Failure> {
    if is_taken_by_screen(stream, line) {
        return Ok(());
    }
    match stream {
        Stream::Data => written(writeln!(io::stdout().lock(), "{line}")),
        Stream::Talk => {
            // If stderr is closed, there is no way to report it.
            let _closed = writeln!(io::stderr().lock(), "{line}");
            Ok(())
        }
    }
}

/// Prints a part of a line as it is, and flushes it.
fn write_part(stream: Stream, text: &str) -> Result<(), Failure> {
    match stream {
        Stream::Data => {
            let mut out = io::stdout().lock();
            written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
        }
        Stream::Talk => {
            // If stderr is closed, there is no way to report it.
            let _closed = io::stderr().lock().write_all(text.as_bytes());
            Ok(())
        }
    }
}

/// Passes a line to the line editor, if it edits another one on the same terminal.
fn is_taken_by_screen(stream: Stream, line: &str) -> bool {
    // Without a prompt there is nothing to find out, and no system call to make.
    screen::is_there() && is_terminal(stream) && screen::offer(stream, line)
}

fn is_terminal(stream: Stream) -> bool {
    match stream {
        Stream::Data => io::stdout().is_terminal(),
        Stream::Talk => io::stderr().is_terminal(),
    }
}

static HAS_NO_COLOR: AtomicBool = AtomicBool::new(false);
static HAS_NO_ESCAPE_CODES: AtomicBool = AtomicBool::new(false);

/// Stores whether output is coloured, and whether the cursor can be moved.
pub(crate) fn choose_color(has_none: bool) {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_no_codes = !platform::enable_escape_codes();
    HAS_NO_ESCAPE_CODES.store(has_no_codes, Ordering::Relaxed);
    let has_none = has_none || is_set("NO_COLOR") || has_no_codes;
    HAS_NO_COLOR.store(has_none, Ordering::Relaxed);
}

/// Whether the terminal acts on escape codes, which move its cursor.
fn has_escape_codes() -> bool {
    !HAS_NO_ESCAPE_CODES.load(Ordering::Relaxed)
}

/// Whether stderr shows colours.
fn is_colored() -> bool {
    is_terminal(Stream::Talk) && !HAS_NO_COLOR.load(Ordering::Relaxed)
}

/// Prints a failure as an event, for tools that read events.
pub(crate) fn failure_event(failure: Failure) -> Failure {
    if !failure.message.is_empty() {
        let _gone = json_data(json!({
            "event": "error",
            "message": failure.message,
            "exit_code": failure.code as u8,
        }));
    }
    Failure::printed(failure.code)
}

/// Prints diagnostics: for people on stderr, for tools as lines of JSON.
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

/// Prints why something failed, unless that has been printed.
pub(crate) fn talk_of(failure: &Failure) {
    if !failure.message.is_empty() {
        talk(format_args!("error: {}", failure.message));
    }
}

/// Prints why the command failed, and returns its exit code.
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

/// Writes a question to stdout, without a line break. That it cannot be shown is seen when the answer is read.
pub(crate) fn prompt(text: &str) {
    let mut out = io::stdout().lock();
    let _unseen = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Whether a [`prompt`] is visible to a user.
pub(crate) fn shows_prompts() -> bool {
    is_terminal(Stream::Data)
}

/// Whether text on stdout may have colours.
pub(crate) fn has_style() -> bool {
    is_terminal(Stream::Data) && std::env::var_os("NO_COLOR").is_none()
}

#[cfg(unix)]
/// Ends stdout while the command continues, so that a shell that reads it continues as well. A terminal stays open.
pub(crate) fn end() -> Result<(), Failure> {
    finish(Ok(()))?;
    if is_terminal(Stream::Data) {
        return Ok(());
    }
    platform::end_stdout()
        .map_err(|error| Failure::new(Code::Failed, format_args!("stdout: {error}")))
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
}
