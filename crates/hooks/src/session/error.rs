//! Why a command could not be carried out, or not to its end.

use super::{Ended, Session};
use crate::launch::LaunchError;
use crate::program::ProgramError;

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A plugin cannot be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Terraform could not be asked something.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A value of a plan does not fit its schema.
    #[error("could not read the plan: {0}")]
    Value(#[from] tenon_values::Error),
    /// A file of ours cannot be used.
    #[error("{0}: {1}")]
    File(String, #[source] std::io::Error),
    /// The plan is not the one that was reviewed.
    #[error(
        "{0} has changed since it was reviewed, so it is not applied\n  \
         hint: plan again with `tenon terraform plan -out={0}`"
    )]
    PlanChanged(String),
    /// A command was carried out, and the state that it left cannot be read.
    #[error("`{command}` {}, but the state could not be read after it, so {effect}\n{error}", ended(*.code))]
    StateAfter {
        /// The command line.
        command: String,
        /// Its exit code.
        code: i32,
        /// What hooks did not get.
        effect: &'static str,
        /// Why.
        error: Box<SessionError>,
    },
    /// The user could not be asked.
    #[error("error asking for approval: {0}")]
    Approval(String),
    /// The user has interrupted it.
    #[error("interrupted: nothing was applied")]
    Interrupted,
}

fn ended(code: i32) -> String {
    match code {
        0 => "has completed".to_owned(),
        code => format!("has ended with exit code {code}"),
    }
}

impl Session {
    /// Why a command fails that was carried out: the state that it left cannot be read.
    pub(super) fn state_after_failed(
        &self,
        ended: &Ended,
        effect: &'static str,
        error: SessionError,
    ) -> SessionError {
        SessionError::StateAfter {
            command: format!("{} {}", self.program.name(), self.arguments.command),
            code: ended.code,
            effect,
            error: Box::new(error),
        }
    }
}
