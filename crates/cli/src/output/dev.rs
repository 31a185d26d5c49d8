//! What `tenon dev` prints: for people on stderr, for tools as lines of JSON on stdout.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_ipc::wrappers::Done;

use super::json::{compact, to_json};
use super::paint::Paint;
use super::screen::Stream;
use super::{json_data, on_one_line, write_line};

/// How it is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    pub(crate) json: bool,
}

/// Something that was checked.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) elapsed: Duration,
}

/// What came of a step, in words.
pub(crate) enum Outcome {
    Ok(String),
    Skipped(String),
    /// The first line says what failed; the others are the evidence.
    Failed(String),
}

/// How much of a result is shown.
const RESULT: usize = 100;

impl Reporter {
    pub(crate) fn started(self, name: &str, command: &str) {
        let title = Paint::Bold.on(name);
        let text = format!("{title}  {}", on_one_line(command));
        self.print(
            &text,
            json!({ "event": "started", "name": name, "command": command }),
        );
    }

    pub(crate) fn warning(self, text: &str) {
        self.print(
            &format!("warning: {text}"),
            json!({ "event": "warning", "message": text }),
        );
    }

    pub(crate) fn step(self, step: &Step) {
        let (word, paint, text) = match &step.outcome {
            Outcome::Ok(text) => ("ok", Paint::Green, text),
            Outcome::Skipped(text) => ("skipped", Paint::Dim, text),
            Outcome::Failed(text) => ("failed", Paint::Red, text),
        };
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let time = match &step.outcome {
            Outcome::Skipped(_) => String::new(),
            _ => format!("  {}", Paint::Dim.on(seconds(step.elapsed))),
        };
        let word_shown = paint.on(format_args!("{word:<7}"));
        let mut shown = format!(
            "  {word_shown}  {:<9}  {}{time}",
            step.name,
            on_one_line(first)
        );
        for line in rest.lines() {
            shown += &format!("\n      {}", on_one_line(line));
        }
        let event = json!({
            "event": "step", "step": step.name, "outcome": word, "message": text,
            "milliseconds": milliseconds(step.elapsed),
        });
        self.print(&shown, event);
    }

    pub(crate) fn done(self, is_good: bool, elapsed: Duration) {
        let event = json!({
            "event": "done", "outcome": if is_good { "ok" } else { "failed" },
            "milliseconds": milliseconds(elapsed),
        });
        if self.json {
            self.print("", event);
        }
    }

    pub(crate) fn waiting(self) {
        let text = Paint::Dim.on("watching for changes; press Ctrl-C to stop");
        self.print(&text, json!({ "event": "waiting" }));
    }

    pub(crate) fn changed(self, files: &[PathBuf]) {
        let names: Vec<String> = files.iter().map(|file| tenon_text::path(file)).collect();
        let shown = match names.len() {
            0..=3 => names.join(", "),
            more => format!("{} and {} more", names[..2].join(", "), more - 2),
        };
        let time = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        let text = format!("\n{}  changed {shown}", Paint::Bold.on(time));
        self.print(&text, json!({ "event": "changed", "files": names }));
    }

    /// A line that the plugin wrote to stderr.
    pub(crate) fn plugin_says(self, line: &str) {
        let text = format!(
            "  {}",
            Paint::Dim.on(format_args!("plugin: {}", on_one_line(line)))
        );
        self.print(&text, json!({ "event": "plugin", "message": line }));
    }

    /// A call on the socket has been answered. A result that is declared sensitive is not shown.
    pub(crate) fn called(self, done: &Done<'_>, is_secret: bool) {
        let method = done.method.as_str();
        let (arrow, said, error) = match done.reply {
            Ok(_) if is_secret => (Paint::Green.on("->"), "(sensitive)".to_owned(), None),
            Ok(result) => {
                let json = to_json(result).map(|json| compact(json.get()));
                (Paint::Green.on("->"), json.unwrap_or_default(), None)
            }
            Err(error) => (
                Paint::Red.on("failed:"),
                error.to_string(),
                Some(error.to_string()),
            ),
        };
        let said = on_one_line(&said);
        let cut = said
            .char_indices()
            .nth(RESULT)
            .map_or(said.len(), |(position, _)| position);
        let more = if cut < said.len() { "..." } else { "" };
        let time = Paint::Dim.on(format_args!("{:.1} ms", milliseconds(done.elapsed)));
        let text = format!(
            "  {}  {} {arrow} {}{more}  {time}",
            Paint::Cyan.on("call"),
            on_one_line(method),
            &said[..cut]
        );
        let event = json!({
            "event": "called", "method": method, "error": error, "milliseconds": milliseconds(done.elapsed),
        });
        self.print(&text, event);
    }

    pub(crate) fn stopped(self) {
        self.print("stopped", json!({ "event": "stopped" }));
    }

    /// Every part of the text is escaped by the caller, who has coloured some of them.
    fn print(self, text: &str, event: Value) {
        match self.json {
            // A closed pipe is noticed at the end.
            true => drop(json_data(event)),
            false => drop(write_line(Stream::Talk, text)),
        }
    }
}

fn milliseconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 10_000.0).round() / 10.0
}

fn seconds(elapsed: Duration) -> String {
    match elapsed.as_millis() {
        few @ 0..1000 => format!("{few} ms"),
        _ => format!("{:.1} s", elapsed.as_secs_f64()),
    }
}
