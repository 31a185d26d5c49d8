//! What the user is told when a call of a script fails.

use std::fmt::Write;
use std::time::Duration;

use tenon_host::{PluginError, Problem};
use tenon_protocols::Secrets;
use tenon_protocols::denobridge;
use tenon_rpc::{CallError, CloseReason, ErrorCode, RpcError};

use super::table::Lease;
use crate::diagnostic::{self, Places};
use crate::launch::Launch;
use crate::proto::tfplugin6::Diagnostic;

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) diagnostic: Diagnostic,
    /// Where the script says that the mistake is.
    prop_path: Option<Vec<String>>,
    /// The script has no such method.
    pub(crate) is_missing: bool,
    /// The process died before it answered.
    pub(super) lost: Option<Lost>,
}

/// Whose process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// One that others use as well, and may have killed.
    SharedProcess,
    /// Its own.
    OwnProcess,
}

impl Failure {
    /// As Terraform shows it, at the attribute that the script named.
    pub(crate) fn show(self, places: &Places<'_>) -> Diagnostic {
        let place = self.prop_path.map(|path| {
            let said = denobridge::Diagnostic::error("", "").at(path);
            places.show(said).attribute
        });
        Diagnostic {
            attribute: place.flatten().or(self.diagnostic.attribute),
            ..self.diagnostic
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure {
            diagnostic,
            prop_path: None,
            is_missing: false,
            lost: None,
        }
    }
}

/// Once a script has answered with an error, what it wrote to stderr before may still be on its
/// way.
const STDERR_DELAY: Duration = Duration::from_millis(20);

/// How many lines of stderr are shown.
const LINES: usize = 20;

/// Tells of the failures of one call.
pub(super) struct Teller<'a> {
    pub(super) launch: &'a Launch,
    /// As in "Failed to create resource".
    pub(super) what: &'static str,
    pub(super) only_reads: bool,
    pub(super) secrets: &'a Secrets,
}

impl Teller<'_> {
    /// The script could not be started.
    pub(super) fn cannot_start(&self, error: &PluginError) -> Failure {
        let said = match &error.problem {
            Problem::CannotStart(error) => format!("It could not be started: {error}."),
            Problem::NoAnswer(limit) => {
                format!("It was started, and did not answer its first call within {limit:?}.")
            }
            Problem::Call(error) => format!("It was started, but {}", sentence(error)),
        };
        let failure = Failure::from(diagnostic::error(
            "Failed to start script",
            self.detail(&said, error, &error.stderr),
        ));
        self.place(failure)
    }

    /// A call of `method` failed. `before` is how many lines of stderr there were before it.
    pub(super) async fn failed(
        &self,
        lease: &Lease,
        method: &str,
        error: CallError,
        before: usize,
    ) -> Failure {
        let plugin = lease.plugin();
        let lost = match &error {
            CallError::Closed(_) if lease.is_shared() => Some(Lost::SharedProcess),
            CallError::Closed(_) => Some(Lost::OwnProcess),
            _ => None,
        };
        if lost.is_none() {
            tokio::time::sleep(STDERR_DELAY).await;
        }
        let explained = plugin.explain(error).await;
        let stderr = match lost {
            // What killed it may have been said before this call.
            Some(_) => plugin.process().stderr().lines(),
            None => plugin.process().stderr().lines_since(before),
        };
        let is_missing = |error: &RpcError| error.code == ErrorCode::METHOD_NOT_FOUND;
        let (mut said, answered) = match &explained.problem {
            Problem::Call(CallError::Answered(error)) if is_missing(error) => {
                (format!("The script has no method {method}."), Some(error))
            }
            Problem::Call(CallError::Answered(error)) => (answer(error), Some(error)),
            Problem::Call(error) => (sentence_start(&sentence(error)), None),
            problem => (format!("{problem:?}"), None),
        };
        if matches!(&explained.problem, Problem::Call(CallError::TimedOut(_))) && lease.others() > 0
        {
            let _ = write!(
                said,
                " {} other calls ran in the same process: let the script handle calls at the same \
                 time, set reuse = false, or allow more time.",
                lease.others()
            );
        }
        if answered.is_none() && !self.only_reads {
            said.push_str(" What it was doing may be done, done in part, or not at all.");
        }
        let summary = format!("Failed to {}", self.what);
        let failure = Failure {
            lost,
            is_missing: answered.is_some_and(is_missing),
            prop_path: answered.and_then(prop_path),
            ..Failure::from(diagnostic::error(
                summary,
                self.detail(&said, &explained, &stderr),
            ))
        };
        match lost.is_some() {
            true => self.place(failure),
            false => self.place_permission(failure),
        }
    }

    /// Terraform was told to stop before anybody was called.
    pub(super) fn refused(&self) -> Failure {
        Failure::from(diagnostic::error(
            format!("Failed to {}", self.what),
            format!(
                "Terraform was interrupted, and {} was not called.",
                self.launch.name
            ),
        ))
    }

    /// Terraform was told to stop while the script was at work.
    pub(super) fn interrupted(&self) -> Failure {
        Failure::from(diagnostic::error(
            format!("Failed to {}", self.what),
            format!(
                "Terraform was interrupted before {} had answered, and the script was stopped. \
                 What it was doing may be done, done in part, or not at all.",
                self.launch.name
            ),
        ))
    }

    /// What happened, with the evidence.
    fn detail(&self, said: &str, error: &PluginError, stderr: &[String]) -> String {
        let mut text = format!("{said}\n\nScript: {}", self.launch.name);
        // Writing to a string does not fail.
        if self.launch.command_line != self.launch.name {
            let _ = write!(text, "\nCommand: {}", self.launch.command_line);
        }
        if let Some(status) = &error.status {
            let _ = write!(text, "\nIt ended with {status}.");
        }
        if let Some(stray) = &error.stray {
            let _ = write!(
                text,
                "\nIt printed to stdout, which belongs to the protocol: {stray}"
            );
        }
        if !stderr.is_empty() {
            text.push_str("\n\nLast lines of its stderr:");
            for line in &stderr[stderr.len().saturating_sub(LINES)..] {
                let _ = write!(text, "\n  {}", plain(line));
            }
        }
        if let Some(permission) = missing_permission(&text) {
            let hint = format!(
                "\n\nThe script lacks a permission: add \"{permission}\" (or a narrower one, as in \
                 \"{permission}=…\") to permissions.allow."
            );
            text.push_str(&hint);
        } else if let Some(hint) = error.hint() {
            let _ = write!(text, "\n\nHint: {hint}");
        }
        self.secrets.hide_quoted(&text)
    }

    /// At the attribute that says what to run, or at the permissions.
    fn place(&self, failure: Failure) -> Failure {
        let at_script = Failure {
            diagnostic: diagnostic::at(failure.diagnostic, self.launch.attribute),
            ..failure
        };
        self.place_permission(at_script)
    }

    fn place_permission(&self, failure: Failure) -> Failure {
        match missing_permission(&failure.diagnostic.detail) {
            Some(_) => Failure {
                diagnostic: diagnostic::at(failure.diagnostic, "permissions"),
                ..failure
            },
            None => failure,
        }
    }
}

/// What the script answered. The codes that mean nothing in particular are left out.
fn answer(error: &RpcError) -> String {
    let message = match error.message.trim() {
        "" => "The script answered with an error that has no message.",
        message => message,
    };
    match error.code {
        ErrorCode::SERVER_ERROR | ErrorCode::INTERNAL_ERROR => message.to_owned(),
        _ => format!("{message} ({})", error.code),
    }
}

/// Where the script says that the mistake is.
fn prop_path(error: &RpcError) -> Option<Vec<String>> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Data {
        prop_path: Vec<String>,
    }
    let data: Data = error.data.as_ref()?.decode().ok()?;
    Some(data.prop_path)
}

/// Why there is no answer, as the end of a sentence.
fn sentence(error: &CallError) -> String {
    match error {
        CallError::Answered(error) => format!("it answered with an error: {}", answer(error)),
        CallError::Closed(CloseReason::PeerClosed) => {
            "the script ended before it had answered.".to_owned()
        }
        CallError::Closed(CloseReason::BrokenStream(error)) => {
            // What it began with may be a secret.
            format!(
                "the script could not be understood any more: {}.",
                error.problem
            )
        }
        CallError::Closed(reason) => {
            format!("the script could not be understood any more: {reason}.")
        }
        CallError::TimedOut(limit) => format!(
            "the script did not answer within {limit:?}, which timeout allows. Its process is not \
             used any more."
        ),
        CallError::Malformed(what) => {
            format!("the script's answer breaks the protocol: {what}.")
        }
        CallError::Undecodable(error) => {
            format!("the script's answer is not what it should be: {error}.")
        }
        other => format!("{other}."),
    }
}

fn sentence_start(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// A line without what only a terminal understands: colours, most often.
pub(super) fn plain(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let sequence = piece.strip_prefix('[').map(|rest| {
            let end = rest.find(|letter: char| ('@'..='~').contains(&letter));
            end.map_or("", |end| &rest[end + 1..])
        });
        text.push_str(sequence.unwrap_or(piece));
    }
    text.retain(|letter| !letter.is_control() || letter == '\t');
    text
}

/// The permission that a script in Deno misses, from the text of its error:
/// `NotCapable: Requires read access to "x", run again with the --allow-read flag`.
fn missing_permission(text: &str) -> Option<&str> {
    if !text.contains("Requires ") {
        return None;
    }
    let (_, flag) = text.split_once("--allow-")?;
    let end = flag.find(|letter: char| !letter.is_ascii_lowercase());
    Some(&flag[..end.unwrap_or(flag.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_permission_is_found() {
        let text =
            "NotCapable: Requires read access to \"/x\", run again with the --allow-read flag";
        assert_eq!(missing_permission(text), Some("read"));
        assert_eq!(missing_permission("use --allow-read"), None);
        assert_eq!(missing_permission("Requires care"), None);
    }

    #[test]
    fn codes_that_say_nothing_are_left_out() {
        let said = |code, message: &str| answer(&RpcError::new(code, message));
        assert_eq!(said(ErrorCode::SERVER_ERROR, "disk full"), "disk full");
        assert_eq!(said(ErrorCode::Number(7), "odd"), "odd (code 7)");
        assert!(said(ErrorCode::INTERNAL_ERROR, " ").contains("no message"));
    }

    #[test]
    fn lines_lose_their_colours() {
        assert_eq!(
            plain("\u{1b}[0m\u{1b}[1m\u{1b}[31merror\u{1b}[0m: no\u{7}"),
            "error: no"
        );
        assert_eq!(plain("\u{1b}[38;5;1mred"), "red");
        assert_eq!(plain("cut \u{1b}[3"), "cut ");
        assert_eq!(plain("a\tb"), "a\tb");
    }

    #[test]
    fn sentences_begin_large() {
        assert_eq!(sentence_start("the end."), "The end.");
        assert_eq!(sentence_start(""), "");
    }
}
