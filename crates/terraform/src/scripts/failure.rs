//! What errors say when a call of a script fails.

use std::fmt::Write;
use std::time::Duration;

use tenon_host::{PluginError, Problem};
use tenon_protocols::Secrets;
use tenon_protocols::denobridge;
use tenon_rpc::{CallError, ErrorCode, RpcError};
use tenon_tfplugin::Diagnostic;

use super::processes::Lease;
use super::words::{
    answer_or_thrown, missing_permission, no_answer, prop_path, refused_by_deno, sentence,
    sentence_start, stderr_line,
};
use crate::launch::Launch;
use crate::places::Places;

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) diagnostic: Diagnostic,
    /// Where the script says that the mistake is.
    pub(crate) prop_path: Option<Vec<String>>,
    /// The script has no such method.
    pub(crate) is_missing: bool,
    /// The script was called, and failed: it answered with an error or not at all.
    pub(crate) is_of_call: bool,
    /// The process died before it answered.
    pub(super) lost: Option<Lost>,
}

/// Which process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// One that has, or had, other calls, which may have ended it.
    ReusedProcess,
    /// One for this call alone.
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
            is_of_call: false,
            lost: None,
        }
    }
}

/// Once a script has answered with an error, what it wrote to stderr before may still be on its
/// way.
const STDERR_DELAY: Duration = Duration::from_millis(20);

/// What is added about a call that changes something and was not answered.
const UNCERTAIN: &str = " Its work may be done completely, done in part, or not done at all.";

/// How many lines of stderr are shown.
const LINES: usize = 20;

/// What a script wrote to stderr during a call.
enum Stderr<'a> {
    Lines(&'a [String]),
    /// Other calls ran in the same process, and the lines may be theirs.
    Mixed,
    /// The user does not want it in errors.
    Hidden,
}

impl Stderr<'_> {
    /// The lines that may be shown.
    fn lines(&self) -> &[String] {
        match self {
            Stderr::Lines(lines) => lines,
            Stderr::Mixed | Stderr::Hidden => &[],
        }
    }

    fn mixed(self) -> Self {
        match self {
            Stderr::Lines(_) | Stderr::Mixed => Stderr::Mixed,
            Stderr::Hidden => Stderr::Hidden,
        }
    }
}

/// Describes the failures of one call.
pub(super) struct Teller<'a> {
    pub(super) launch: &'a Launch,
    /// As in "Failed to create resource".
    pub(super) what: &'static str,
    pub(super) only_reads: bool,
    /// Whether what the script wrote to stderr may be shown.
    pub(super) shows_stderr: bool,
    pub(super) secrets: &'a Secrets,
}

impl Teller<'_> {
    /// The script could not be started.
    pub(super) fn cannot_start(&self, error: &PluginError) -> Failure {
        let error = error.map_said(|said| self.secrets.hide(said));
        let said = match &error.problem {
            Problem::CannotStart(error) => format!("It could not be started: {error}."),
            Problem::NoAnswer(limit) => no_answer(*limit, self.launch.is_deno),
            Problem::Call(error) => format!("It was started, but {}", sentence(error)),
            _ => "It did not begin to answer.".to_owned(),
        };
        let detail = self.detail(&said, &error, &self.shown(&error.stderr));
        let attribute = self.permissions(&detail, &error);
        let attribute = attribute.or_else(|| refused_by_deno(&error.stderr, self.launch));
        let diagnostic = Diagnostic::error("Failed to start script", detail);
        Failure::from(diagnostic.at(attribute.unwrap_or(self.launch.attribute)))
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
            CallError::Closed(_) if lease.is_reused() => Some(Lost::ReusedProcess),
            CallError::Closed(_) => Some(Lost::OwnProcess),
            _ => None,
        };
        let is_missing = |error: &RpcError| error.code == ErrorCode::METHOD_NOT_FOUND;
        match &error {
            CallError::Closed(_) => {}
            // Hardly ever shown, and other calls wait for the process.
            CallError::Answered(error) if is_missing(error) => {}
            _ => tokio::time::sleep(STDERR_DELAY).await,
        }
        // Only what the script said is masked: a secret may well be a word of ours.
        let hide = |said: &str| self.secrets.hide(said);
        let mut explained = plugin.explain(error).await.map_said(hide);
        let lines = plugin.process().stderr().lines_since(before);
        let lines: Vec<String> = { lines.iter() }
            .map(|line| stderr_line(line, self.secrets))
            .collect();
        let mut stderr = self.shown(&lines);
        if !lease.was_alone() {
            // What other calls wrote may hold their secrets, and nothing tells it apart.
            explained.stray = None;
            stderr = stderr.mixed();
        }
        let (mut said, answered) = match &explained.problem {
            Problem::Call(CallError::Answered(error)) if is_missing(error) => {
                (format!("The script has no method {method}."), Some(error))
            }
            Problem::Call(CallError::Answered(error)) => {
                (answer_or_thrown(error, stderr.lines()), Some(error))
            }
            Problem::Call(error) => (sentence_start(&sentence(error)), None),
            _ => (sentence_start(&explained.to_string()), None),
        };
        if matches!(&explained.problem, Problem::Call(CallError::TimedOut(_))) && lease.others() > 0
        {
            let _ = write!(
                said,
                " {} other calls ran in the same process: set a smaller max_in_flight, or allow \
                 more time.",
                lease.others()
            );
        }
        if lost.is_some() && lease.calls_before() > 0 {
            said.push_str(
                " The process had handled other calls before. If something they left running ended it, \
                 set reuse = false, which starts a process for each call.",
            );
        }
        if answered.is_none() && !self.only_reads {
            said.push_str(UNCERTAIN);
        }
        let detail = self.detail(&said, &explained, &stderr);
        let attribute = { self.permissions(&detail, &explained) }
            .or_else(|| lost.map(|_| self.launch.attribute));
        let diagnostic = Diagnostic::error(format!("Failed to {}", self.what), detail);
        let diagnostic = match attribute {
            Some(attribute) => diagnostic.at(attribute),
            None => diagnostic,
        };
        Failure {
            lost,
            is_of_call: true,
            is_missing: answered.is_some_and(is_missing),
            prop_path: answered.and_then(prop_path),
            ..Failure::from(diagnostic)
        }
    }

    /// Terraform was interrupted before the script was called.
    pub(super) fn refused(&self) -> Failure {
        Failure::from(Diagnostic::error(
            format!("Failed to {}", self.what),
            format!(
                "Terraform was interrupted, and {} was not called.",
                self.launch.name
            ),
        ))
    }

    /// Terraform was interrupted during the call.
    pub(super) fn interrupted(&self) -> Failure {
        let mut text = format!(
            "Terraform was interrupted before {} had answered, and the script was stopped.",
            self.launch.name
        );
        if !self.only_reads {
            text.push_str(UNCERTAIN);
        }
        Failure::from(Diagnostic::error(format!("Failed to {}", self.what), text))
    }

    /// The lines of stderr that may be shown.
    fn shown<'s>(&self, lines: &'s [String]) -> Stderr<'s> {
        match self.shows_stderr {
            true => Stderr::Lines(lines),
            false => Stderr::Hidden,
        }
    }

    /// What happened, with the evidence.
    fn detail(&self, said: &str, error: &PluginError, stderr: &Stderr<'_>) -> String {
        let mut text = format!("{said}\n\nScript: {}", self.launch.name);
        // Writing to a string does not fail.
        if self.launch.command_line != self.launch.name {
            let command = self.secrets.hide(&self.launch.command_line);
            let _ = write!(text, "\nCommand: {command}");
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
        if let Some(unclaimed) = &error.unclaimed {
            let _ = write!(
                text,
                "\nIt sent {unclaimed}, which belongs to no call: an answer has the id of its request."
            );
        }
        match stderr {
            Stderr::Lines([]) => {}
            Stderr::Lines(lines) => {
                text.push_str("\n\nLast lines of its stderr:");
                for line in &lines[lines.len().saturating_sub(LINES)..] {
                    let _ = write!(text, "\n  {}", stderr_line(line, self.secrets));
                }
            }
            Stderr::Mixed => text.push_str(
                "\n\nIts stderr is not shown, because other calls ran in the same process; \
                 TF_LOG=debug logs it.",
            ),
            Stderr::Hidden => {}
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
        text
    }

    /// The attribute `permissions`, if the script failed because it lacks one.
    fn permissions(&self, detail: &str, error: &PluginError) -> Option<&'static str> {
        let is_denied = || {
            let hint = error.hint().unwrap_or_default();
            self.launch.permissions.is_some() && hint.starts_with("its permissions ")
        };
        (missing_permission(detail).is_some() || is_denied()).then_some("permissions")
    }
}
