//! Every exit code, and what leads to it.

use std::fmt;
use std::io;

use tenon_host::{PluginError, Problem};
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::{CallError, CloseReason, Format, RpcError};

use crate::output::{self, indented_below};

/// The exit codes of a command that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The work failed: an action, an assert, an error answer.
    Failed = 1,
    /// Wrong usage, or an invalid file.
    Usage = 2,
    /// A plugin or socket could not be started or reached.
    Unreachable = 3,
    /// The other side violated its protocol.
    BrokenProtocol = 4,
    /// Timed out.
    TimedOut = 5,
    /// Interrupted.
    Interrupted = 130,
}

/// Why the command failed.
#[derive(Debug)]
pub struct Failure {
    /// Its exit code.
    pub code: Code,
    /// The message for the user; empty if it has been printed already.
    pub message: String,
    /// The error a peer answered with, for `--json`.
    pub answered: Option<RpcError>,
}

impl Failure {
    /// A failure that is explained by `message`.
    pub fn new(code: Code, message: impl fmt::Display) -> Failure {
        Failure {
            code,
            message: message.to_string(),
            answered: None,
        }
    }

    /// The command line or a file is wrong.
    pub fn usage(message: impl fmt::Display) -> Failure {
        Failure::new(Code::Usage, message)
    }

    /// Something could not be started or reached.
    pub fn cannot_start(message: impl fmt::Display) -> Failure {
        Failure::new(Code::Unreachable, message)
    }

    /// Ctrl-C, SIGTERM or SIGHUP.
    pub fn interrupted() -> Failure {
        Failure::new(Code::Interrupted, "interrupted")
    }

    /// A failure that has been printed already.
    pub fn printed(code: Code) -> Failure {
        Failure::new(code, "")
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Failure {
        let code = match &error {
            CallError::Answered(_) => Code::Failed,
            CallError::TimedOut(_) => Code::TimedOut,
            CallError::Malformed(_) | CallError::Undecodable(_) | CallError::TooLong(_) => {
                Code::BrokenProtocol
            }
            CallError::Closed(CloseReason::BrokenStream(_)) => Code::BrokenProtocol,
            CallError::Closed(_) => Code::Unreachable,
            CallError::Unsendable(_) => Code::Usage,
            _ => Code::Failed,
        };
        let mut message = indented_below(&error.to_string());
        let answered = match error {
            CallError::Answered(error) => Some(error),
            _ => None,
        };
        let data = answered.as_ref().and_then(|error| error.data.as_ref());
        if let Some(data) = data.and_then(|data| data.to_format_with(Format::Json, EXT_NAMES).ok())
        {
            let data = String::from_utf8_lossy(data.bytes()).replace(['\n', '\r'], " ");
            let data = output::masked(&data);
            message += &format!("\n  data: {}", tenon_text::json(&data));
        }
        Failure {
            code,
            message,
            answered,
        }
    }
}

impl From<PluginError> for Failure {
    fn from(error: PluginError) -> Failure {
        Failure::from(&error)
    }
}

impl From<&PluginError> for Failure {
    fn from(error: &PluginError) -> Failure {
        let mut message = error.to_string();
        if let Problem::Call(CallError::Answered(answer)) = &error.problem {
            // The plugin's text must not look like the evidence that follows.
            let answer = answer.to_string();
            message = message.replacen(&answer, &indented_below(&answer), 1);
        }
        match &error.problem {
            _ if error.broke_protocol() => Failure::new(Code::BrokenProtocol, message),
            Problem::NoAnswer(_) => Failure::new(Code::TimedOut, message),
            Problem::CannotStart(error) if is_invalid(error) => Failure::usage(message),
            Problem::CannotStart(_) => Failure::cannot_start(message),
            Problem::Call(error) => Failure {
                message,
                ..Failure::from(error.clone())
            },
            _ => Failure::new(Code::Failed, message),
        }
    }
}

/// Whether a command was refused because of what the user wrote, such as an invalid port. Errors of the
/// system have a number.
fn is_invalid(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput && error.raw_os_error().is_none()
}
