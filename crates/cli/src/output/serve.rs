//! What `tenon serve` prints: for people on stderr, for tools as lines of JSON on stdout.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_host::{Down, Status};
use tenon_ipc::wrappers::Done;
use tenon_ipc::{Credentials, Session};
use tenon_rpc::{CloseReason, Dialect, trace::Quote};

use super::{json_data, on_one_line, talk};

/// How much is printed, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    pub(crate) json: bool,
    pub(crate) verbose: bool,
}

impl Reporter {
    pub(crate) fn listening(self, path: &Path, command: &str) {
        let (shown, path) = (tenon_text::path(path), path.display());
        self.print(
            &format!("listening on {shown} for {}", on_one_line(command)),
            json!({ "event": "listening", "path": path.to_string(), "command": command }),
        );
    }

    /// Something will probably not work as intended.
    pub(crate) fn warning(self, text: &str) {
        self.print(
            &format!("warning: {}", on_one_line(text)),
            json!({ "event": "warning", "message": text }),
        );
    }

    /// Connections are always in the events; people see them only with `--verbose`.
    pub(crate) fn connected(self, session: &Session) {
        let number = session.number();
        let credentials = session.credentials();
        let process = credentials.and_then(|credentials| credentials.process);
        let user = credentials.map(|credentials| credentials.user);
        let who = process.map_or(String::new(), |process| format!(" (process {process})"));
        self.print_more(
            &format!("client {number} connected{who}"),
            json!({ "event": "connected", "client": number, "user": user, "process": process }),
        );
    }

    pub(crate) fn refused(self, credentials: Option<Credentials>, problem: &str) {
        let process = credentials.and_then(|credentials| credentials.process);
        let user = credentials.map(|credentials| credentials.user);
        let who = match (user, process) {
            (Some(user), Some(process)) => format!(" (user {user}, process {process})"),
            _ => String::new(),
        };
        self.print_more(
            &format!("a client was refused{who}: {}", on_one_line(problem)),
            json!({ "event": "refused", "user": user, "process": process, "reason": problem }),
        );
    }

    pub(crate) fn disconnected(self, session: &Session, reason: &CloseReason) {
        let (number, missed) = (session.number(), session.missed());
        let lost = match missed {
            0 => String::new(),
            _ => format!("; it missed {missed} events"),
        };
        let reason = reason.to_string();
        self.print_more(
            &on_one_line(&format!("client {number} left: {reason}{lost}")),
            json!({ "event": "disconnected", "client": number, "reason": reason, "missed": missed }),
        );
    }

    pub(crate) fn called(self, done: &Done<'_>) {
        let (number, method) = (done.session.number(), done.method.as_str());
        let milliseconds = done.elapsed.as_secs_f64() * 1000.0;
        let error = done.reply.as_ref().err().map(ToString::to_string);
        let outcome = error
            .as_ref()
            .map_or(String::new(), |error| format!(": {error}"));
        let text = format!("client {number}: {method} took {milliseconds:.1} ms{outcome}");
        self.print_more(
            &on_one_line(&text),
            json!({
                "event": "called", "client": number, "method": method,
                "milliseconds": milliseconds, "error": error,
            }),
        );
    }

    /// The plugin has not answered anything yet.
    pub(crate) fn silent(self, dialect: Dialect, stray: Option<Quote>) {
        let printed = stray.as_ref().map_or(String::new(), |stray| {
            format!("; it printed {stray}, which is not a message")
        });
        let hint = match (stray.and_then(|stray| stray.dialect()), dialect) {
            (Some(other), own) if other != own => looks_like(other),
            (_, Dialect::JsonRpcLines) => {
                "; language servers need --dialect json-rpc-headers".to_owned()
            }
            _ => String::new(),
        };
        let text = format!(
            "the plugin has not answered its first call within 5s; the call was sent as {dialect}{printed}{hint}"
        );
        self.print(
            &on_one_line(&text),
            json!({ "event": "plugin", "state": "silent", "message": text, "pause_seconds": null }),
        );
    }

    /// What the plugin is doing; its first start is not printed.
    pub(crate) fn plugin(self, dialect: Dialect, status: &Status) {
        let (text, state, pause) = match status {
            Status::Starting | Status::Ending => return,
            Status::Running(_) => ("the plugin is running again".to_owned(), "running", None),
            Status::Waiting { pause, down } => {
                let hint = match down {
                    Down::Lost(CloseReason::BrokenStream(error)) => error.quote.dialect(),
                    _ => None,
                };
                let hint = hint.filter(|other| *other != dialect);
                let hint = hint.map_or(String::new(), looks_like);
                let text = format!("the plugin: {down}; restarting in {pause:?}{hint}");
                (text, "waiting", Some(*pause))
            }
            Status::Ended(down) => (format!("the plugin: {down}"), "ended", None),
        };
        self.print(
            &text,
            json!({
                "event": "plugin", "state": state, "message": text,
                "pause_seconds": pause.as_ref().map(Duration::as_secs_f64),
            }),
        );
    }

    pub(crate) fn stopping(self, clients: usize) {
        let finishing = match clients {
            0 => String::new(),
            _ => format!(", with {clients} connected"),
        };
        self.print(
            &format!("stopping{finishing}; press Ctrl-C again to stop immediately"),
            json!({ "event": "stopping", "clients": clients }),
        );
    }

    pub(crate) fn stopped(self, cut_off: usize) {
        let lost = match cut_off {
            0 => String::new(),
            _ => format!("; {cut_off} connections were cut off"),
        };
        self.print(
            &format!("stopped{lost}"),
            json!({ "event": "stopped", "cut_off": cut_off }),
        );
    }

    fn print(self, text: &str, event: Value) {
        match self.json {
            // Without a reader, clients are still served.
            true => drop(json_data(event)),
            false => talk(text),
        }
    }

    fn print_more(self, text: &str, event: Value) {
        if self.json || self.verbose {
            self.print(text, event);
        }
    }
}

fn looks_like(dialect: Dialect) -> String {
    format!("; that looks like --dialect {dialect}")
}
