//! The errors that users get when a call of the plugin fails.

use std::time::Duration;

use tenon_host::{PluginError, Problem};
use tenon_protocols::Secrets;
use tenon_protocols::seasonings::{AnswerError, Diagnostic as Said, calls};
use tenon_rpc::{CallError, RpcError};
use tenon_tfplugin::Diagnostic;
use tenon_values::Error;

use crate::show::BUG;

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) diagnostic: Diagnostic,
}

/// How a call failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// The plugin leaves the method out.
    LeftOut,
    /// The plugin answered with an error.
    Answered(RpcError),
    /// The plugin answered, and the answer cannot be used.
    Unreadable,
    /// There was no answer.
    NoAnswer,
}

impl From<Failure> for Diagnostic {
    fn from(failure: Failure) -> Diagnostic {
        failure.diagnostic
    }
}

impl From<Failure> for Vec<Diagnostic> {
    fn from(failure: Failure) -> Vec<Diagnostic> {
        vec![failure.diagnostic]
    }
}

/// Tells of the failures of one call.
pub(super) struct Teller<'a> {
    /// The name of the plugin.
    pub(super) plugin: &'a str,
    /// As in "Could not create the resource".
    pub(super) what: &'static str,
    pub(super) only_reads: bool,
    pub(super) method: &'static str,
    pub(super) secrets: &'a Secrets,
}

impl Teller<'_> {
    fn failure(&self, kind: Kind, detail: &str) -> Failure {
        let Teller {
            plugin,
            what,
            method,
            ..
        } = self;
        let detail = format!("{detail}\n\nPlugin: {plugin}, method {method}");
        Failure {
            kind,
            diagnostic: Diagnostic::error(format!("Could not {what}"), detail),
        }
    }

    /// The same for another method that the call needs first. It changes nothing.
    pub(super) fn of(&self, method: &'static str) -> Self {
        Teller {
            method,
            only_reads: true,
            ..*self
        }
    }

    /// What came before the call has failed, so that it was not made: there is no answer to it.
    pub(super) fn not_sent(&self, failure: Failure) -> Failure {
        let Failure { mut diagnostic, .. } = failure;
        let note = format!("\n\n{} was not sent.", self.method);
        diagnostic.detail.push_str(&note);
        Failure {
            kind: Kind::NoAnswer,
            diagnostic,
        }
    }

    /// The plugin could not be started, or is not the one that was packed.
    pub(super) fn cannot_start(&self, error: &PluginError) -> Failure {
        let error = error.map_said(|said| self.secrets.hide(said));
        let text = match &error.problem {
            // Why it was refused, in a sentence of its own.
            Problem::Call(CallError::Malformed(problem)) => {
                format!("The plugin was refused: {}.", problem.trim_end_matches('.'))
            }
            _ => sentence(&error.to_string()),
        };
        self.failure(Kind::NoAnswer, &text)
    }

    /// The plugin leaves the method out.
    pub(super) fn left_out(&self) -> Failure {
        self.failure(Kind::LeftOut, "The plugin does not have this method.")
    }

    /// A call failed.
    pub(super) async fn failed(&self, plugin: &tenon_host::Plugin, error: CallError) -> Failure {
        if let CallError::Answered(error) = &error {
            if calls::is_left_out(&error.code) {
                return self.left_out();
            }
            let message = self.secrets.hide(&error.message);
            return self.failure(Kind::Answered(error.clone()), &message);
        }
        let mut text = match error {
            CallError::TimedOut(limit) => format!(
                "The plugin did not answer within {limit:?}, the time limit that it was packed with, and its \
                 process is ended. If the call needs more time, pack the plugin again with a longer \
                 `--timeout`; TF_LOG_PROVIDER=debug shows what the plugin logs."
            ),
            error => {
                let explained = plugin.explain(error).await;
                let explained = explained.map_said(|said| self.secrets.hide(said));
                sentence(&explained.to_string())
            }
        };
        if !self.only_reads {
            text.push_str(
                "\n\nWhether the change was made is unknown: it may be done, done in part, or not at \
                 all. Check the resource before you apply again.",
            );
        }
        self.failure(Kind::NoAnswer, &text)
    }

    /// The answer cannot be used.
    pub(super) fn unreadable(&self, error: &AnswerError) -> Failure {
        let text = self.secrets.hide(&error.to_string());
        let text = match error.path.is_empty() {
            true => sentence(&text),
            // The name of a member is not the first word of a sentence.
            false => text,
        };
        let text = format!("{text}. {BUG}");
        self.failure(Kind::Unreadable, &text)
    }

    /// A value does not fit the schema that it was decoded by.
    pub(super) fn unsendable(&self, error: &Error) -> Failure {
        let text = format!("The values could not be sent to the plugin: {error}.");
        self.failure(Kind::NoAnswer, &text)
    }

    /// The process that was to be called could not be configured.
    pub(super) fn not_configured(&self, said: &[Said]) -> Failure {
        let errors = said.iter().filter(|one| one.is_error());
        let texts = errors.map(|one| match one.detail.as_str() {
            "" => one.summary.clone(),
            detail => format!("{}: {detail}", one.summary),
        });
        let texts = self.secrets.hide(&texts.collect::<Vec<_>>().join("\n"));
        let text = format!("Another process of the plugin refused its configuration: {texts}");
        self.failure(Kind::NoAnswer, &text)
    }

    /// Terraform was interrupted.
    pub(super) fn interrupted(&self) -> Failure {
        self.failure(Kind::NoAnswer, "Terraform was interrupted.")
    }
}

/// The error of a call that was cancelled because of the time limit.
pub(super) fn of_late_call(error: RpcError, limit: Duration) -> RpcError {
    let message = format!(
        "{}\n\nThe call was cancelled after {limit:?}, the time limit that the plugin was packed with. If it needs more \
         time, pack the plugin again with a longer `--timeout`.",
        error.message
    );
    RpcError { message, ..error }
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
