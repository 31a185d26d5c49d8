//! The output of a Terraform that passes through this process: what is printed twice is left out, and errors are kept
//! for hooks.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

/// Where output of Terraform goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// stdout.
    Stdout,
    /// stderr.
    Stderr,
}

/// Is given output of Terraform that passes through this process, to print it as it is.
pub type Show = Arc<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// A longer line is passed on without a look at it.
const MAX_LINE: usize = 1024 * 1024;
/// So much of what Terraform writes about errors is kept.
const MAX_ERRORS: usize = 64 * 1024;
/// How often to look for new output. A file does not tell.
const INTERVAL: Duration = Duration::from_millis(50);

/// The lines that `apply` of a saved plan prints again.
const REPEATED: [&str; 3] = ["version", "planned_change", "resource_drift"];

/// What is done with the output of one command. Without any of it, Terraform has the user's own stdout and stderr.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Relay {
    /// The output is lines of JSON.
    pub(crate) is_json: bool,
    /// Errors are kept.
    pub(crate) keeps_errors: bool,
    /// The same command has shown the plan already.
    pub(crate) has_shown_plan: bool,
    /// The apply is a `destroy`, which Terraform cannot know.
    pub(crate) is_destroy: bool,
}

impl Relay {
    pub(crate) fn takes_stdout(&self) -> bool {
        self.is_destroy || (self.is_json && (self.keeps_errors || self.has_shown_plan))
    }

    pub(crate) fn takes_stderr(&self) -> bool {
        self.keeps_errors
    }

    /// Passes the output on until Terraform has ended. Returns how it ended, and its errors.
    pub(crate) async fn pass<T>(
        &self,
        mut stdout: Option<Outlet>,
        mut stderr: Option<Outlet>,
        show: &Show,
        ending: impl Future<Output = T>,
    ) -> (T, Vec<String>) {
        if stdout.is_none() && stderr.is_none() {
            return (ending.await, Vec::new());
        }
        let mut errors = Errors::default();
        let mut written = Vec::new();
        let mut pass_on = |is_end: bool| {
            if let Some(stdout) = &mut stdout {
                stdout.lines(is_end, |line| {
                    if let Some(line) = self.line(line, &mut errors) {
                        show(Stream::Stdout, &line);
                    }
                });
            }
            if let Some(stderr) = &mut stderr {
                stderr.lines(is_end, |line| {
                    show(Stream::Stderr, line);
                    let room = MAX_ERRORS.saturating_sub(written.len());
                    written.extend_from_slice(&line[..line.len().min(room)]);
                });
            }
        };
        let mut ending = std::pin::pin!(ending);
        let ended = loop {
            tokio::select! {
                ended = &mut ending => break ended,
                () = tokio::time::sleep(INTERVAL) => pass_on(false),
            }
        };
        pass_on(true);
        errors.of_text(&String::from_utf8_lossy(&written));
        (ended, errors.texts)
    }

    /// What is shown of a line; `None` for nothing.
    fn line<'a>(&self, line: &'a [u8], errors: &mut Errors) -> Option<Cow<'a, [u8]>> {
        if !self.is_json {
            return Some(match self.is_destroy {
                true => as_destroy(line),
                false => Cow::Borrowed(line),
            });
        }
        let Ok(event) = serde_json::from_slice::<Event>(line) else {
            return Some(Cow::Borrowed(line));
        };
        if let Some(diagnostic) = event.diagnostic {
            errors.diagnostic(diagnostic);
        }
        let kind = event.kind.as_deref().unwrap_or_default();
        if self.has_shown_plan && REPEATED.contains(&kind) {
            return None;
        }
        Some(match self.is_destroy && kind == "change_summary" {
            true => {
                let (apply, destroy) = (br#""operation":"apply""#, br#""operation":"destroy""#);
                Cow::Owned(replaced(&as_destroy(line), apply, destroy).into_owned())
            }
            false => Cow::Borrowed(line),
        })
    }
}

/// A line of an error without the frame that Terraform draws on its left side.
pub(crate) fn unframed(line: &str) -> &str {
    let text = match line.strip_prefix(['╷', '│', '╵']) {
        Some(framed) => framed.strip_prefix(' ').unwrap_or(framed),
        None => line,
    };
    text.trim_end()
}

/// Output of Terraform on its way: a file that no other process can open. A pipe would end Terraform in the middle of its work
/// when this process is killed; it has a state to save then.
pub(crate) struct Outlet {
    file: File,
    /// How much of it has been read.
    at: u64,
    /// A line that has not ended.
    held: Vec<u8>,
}

impl Outlet {
    pub(crate) fn new() -> io::Result<Outlet> {
        Ok(Outlet {
            file: in_memory()?,
            at: 0,
            held: Vec::new(),
        })
    }

    /// What Terraform writes to.
    pub(crate) fn end(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Calls `pass` with each line that has come, its end included; at the end also with what is left.
    fn lines(&mut self, is_end: bool, mut pass: impl FnMut(&[u8])) {
        let mut chunk = [0; 16 * 1024];
        // Reading at a place leaves the place where Terraform writes as it is.
        while let Ok(count @ 1..) = self.file.read_at(&mut chunk, self.at) {
            self.at += count as u64;
            self.held.extend_from_slice(&chunk[..count]);
            let mut begin = 0;
            while let Some(length) = self.held[begin..].iter().position(|byte| *byte == b'\n') {
                pass(&self.held[begin..=begin + length]);
                begin += length + 1;
            }
            self.held.drain(..begin);
            if self.held.len() > MAX_LINE {
                pass(&self.held);
                self.held.clear();
            }
        }
        if is_end && !self.held.is_empty() {
            pass(&self.held);
            self.held.clear();
        }
    }
}

#[cfg(target_os = "linux")]
fn in_memory() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    match memfd_create("tenon-output", MemfdFlags::CLOEXEC) {
        Ok(file) => Ok(File::from(file)),
        Err(_) => tempfile::tempfile(),
    }
}

#[cfg(not(target_os = "linux"))]
fn in_memory() -> io::Result<File> {
    tempfile::tempfile()
}

/// The last line of an apply, as `terraform destroy` writes it.
fn as_destroy(line: &[u8]) -> Cow<'_, [u8]> {
    replaced(
        line,
        b"Apply complete! Resources: 0 added, 0 changed, ",
        b"Destroy complete! Resources: ",
    )
}

fn replaced<'a>(line: &'a [u8], from: &[u8], to: &[u8]) -> Cow<'a, [u8]> {
    let place = line.windows(from.len()).position(|part| part == from);
    match place {
        Some(place) => {
            let behind = &line[place + from.len()..];
            Cow::Owned([&line[..place], to, behind].concat())
        }
        None => Cow::Borrowed(line),
    }
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: Option<String>,
    diagnostic: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    severity: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    detail: String,
    address: Option<String>,
}

/// The errors of a command.
#[derive(Default)]
struct Errors {
    texts: Vec<String>,
}

impl Errors {
    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        let Diagnostic {
            severity,
            summary,
            detail,
            address,
        } = diagnostic;
        let kept: usize = self.texts.iter().map(String::len).sum();
        if severity != "error" || kept > MAX_ERRORS {
            return;
        }
        let place = address.map(|address| format!("with {address}"));
        let parts = [Some(summary), place, Some(detail)].into_iter().flatten();
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        self.texts.push(parts.join("\n"));
    }

    /// Reads the errors from what Terraform writes for people.
    fn of_text(&mut self, text: &str) {
        let text = tenon_text::without_colours(text);
        let mut current: Option<String> = None;
        for line in text.lines() {
            let line = unframed(line);
            if let Some(summary) = line.strip_prefix("Error: ") {
                self.texts.extend(current.replace(summary.to_owned()));
            } else if line.starts_with("Warning: ") {
                self.texts.extend(current.take());
            } else if let Some(text) = &mut current {
                text.push('\n');
                text.push_str(line);
            }
        }
        self.texts.extend(current);
        for text in &mut self.texts {
            text.truncate(text.trim_end().len());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn of_text(text: &str) -> Vec<String> {
        let mut errors = Errors::default();
        errors.of_text(text);
        errors.texts
    }

    #[test]
    fn errors_are_read_from_what_people_read() {
        let framed = "\u{1b}[31m╷\u{1b}[0m\u{1b}[0m\n\u{1b}[31m│\u{1b}[0m \u{1b}[0m\u{1b}[1m\u{1b}[31mError: \
            \u{1b}[0m\u{1b}[0m\u{1b}[1mNo such thing\u{1b}[0m\n│\n│   on main.tf line 1:\n╵\n╷\n│ Error: Second\n╵\n";
        let expected = ["No such thing\n\n  on main.tf line 1:", "Second"];
        assert_eq!(of_text(framed), expected);
        let plain = "\nWarning: Careful\n\nError: No such thing\n\n  on main.tf line 1:\n\nWarning: Late\nmore\n";
        assert_eq!(of_text(plain), expected[..1]);
        assert_eq!(of_text("Killed\n"), Vec::<String>::new());
    }

    fn relayed(relay: Relay, line: &str) -> (Option<String>, Vec<String>) {
        let mut errors = Errors::default();
        let shown = relay.line(line.as_bytes(), &mut errors);
        let shown = shown.map(|shown| String::from_utf8(shown.into_owned()).unwrap());
        (shown, errors.texts)
    }

    #[test]
    fn lines_of_a_plan_that_was_shown_are_left_out() {
        let relay = Relay {
            is_json: true,
            has_shown_plan: true,
            ..Relay::default()
        };
        for kind in REPEATED {
            let line = format!("{{\"type\":\"{kind}\"}}\n");
            assert_eq!(relayed(relay, &line), (None, Vec::new()));
        }
        for line in ["{\"type\":\"apply_start\"}\n", "not JSON\n"] {
            assert_eq!(relayed(relay, line), (Some(line.to_owned()), Vec::new()));
        }
        let line = r#"{"type":"diagnostic","diagnostic":{"severity":"error","summary":"S","detail":"D","address":"a.b"}}"#;
        let (shown, errors) = relayed(relay, line);
        assert_eq!(
            (shown.as_deref(), errors),
            (Some(line), vec!["S\nwith a.b\nD".to_owned()])
        );
    }

    #[test]
    fn the_end_of_a_destroy_is_that_of_a_destroy() {
        let relay = Relay {
            is_destroy: true,
            ..Relay::default()
        };
        let line = "\u{1b}[32mApply complete! Resources: 0 added, 0 changed, 2 destroyed.\n";
        let (shown, _) = relayed(relay, line);
        assert_eq!(
            shown.unwrap(),
            "\u{1b}[32mDestroy complete! Resources: 2 destroyed.\n"
        );
        let relay = Relay {
            is_json: true,
            ..relay
        };
        let line = r#"{"@message":"Apply complete! Resources: 0 added, 0 changed, 2 destroyed.","changes":{"add":0,"remove":2,"operation":"apply"},"type":"change_summary"}"#;
        let (shown, _) = relayed(relay, line);
        let expected = r#"{"@message":"Destroy complete! Resources: 2 destroyed.","changes":{"add":0,"remove":2,"operation":"destroy"},"type":"change_summary"}"#;
        assert_eq!(shown.unwrap(), expected);
    }

    #[test]
    fn lines_are_passed_on_whole_and_long_ones_in_pieces() {
        let mut outlet = Outlet::new().unwrap();
        let mut end = outlet.end().unwrap();
        let mut lines = Vec::new();
        end.write_all(b"one\ntw").unwrap();
        outlet.lines(false, |line| lines.push(line.to_vec()));
        assert_eq!(lines, [b"one\n".to_vec()]);
        end.write_all(b"o\n").unwrap();
        end.write_all(&vec![b'x'; MAX_LINE + 100_000]).unwrap();
        end.write_all(b"\nlast").unwrap();
        outlet.lines(false, |line| lines.push(line.to_vec()));
        assert_eq!(lines[1], b"two\n");
        assert_ne!(lines.last().unwrap(), b"last");
        outlet.lines(true, |line| lines.push(line.to_vec()));
        assert_eq!(lines.last().unwrap(), b"last");
        assert_eq!(lines.concat().len(), 8 + MAX_LINE + 100_000 + 5);
    }
}
