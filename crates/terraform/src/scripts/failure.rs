//! What the user is told when a call of a script fails.

use std::fmt::Write;
use std::time::Duration;

use tenon_host::{PluginError, Problem};
use tenon_protocols::Secrets;
use tenon_protocols::denobridge;
use tenon_rpc::{CallError, ErrorCode, RpcError};

use super::table::Lease;
use super::words::{
    answer_or_thrown, missing_permission, no_answer, plain, prop_path, sentence, sentence_start,
};
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
    /// The script was called, and failed: it answered with an error or not at all.
    pub(crate) is_of_call: bool,
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
            is_of_call: false,
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
            Problem::NoAnswer(limit) => no_answer(*limit, self.launch.is_deno),
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
            Problem::Call(CallError::Answered(error)) => {
                (answer_or_thrown(error, &stderr), Some(error))
            }
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
            is_of_call: true,
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
