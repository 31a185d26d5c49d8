//! Why something failed.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tenon_host::PluginError;
use tenon_protocols::acp::{AuthMethod, Failure, LoadSession, ResumeSession, VERSION};
use tenon_rpc::{CallError, Method, RpcError};

use crate::paths::PathError;

/// Why a call to an agent, or a turn, failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The agent could not be started, or ended; with what it printed.
    #[error(transparent)]
    Agent(Box<PluginError>),
    /// A call failed.
    #[error("{method}: {error}")]
    Call {
        /// The method.
        method: &'static str,
        /// Why.
        error: Box<CallError>,
    },
    /// The user has to log in first.
    #[error("the agent requires a login: {error}{}", Ways(methods))]
    LoginRequired {
        /// The ways to log in.
        methods: Vec<AuthMethod>,
        /// What the agent answered.
        error: Box<RpcError>,
    },
    /// The agent does not know the session.
    #[error("the agent does not know this session: {0}")]
    UnknownSession(Box<RpcError>),
    /// The agent has not said that it supports this.
    #[error("the agent does not support {0} (it does not state `{1}`)")]
    Unsupported(&'static str, &'static str),
    /// The agent speaks another version of the protocol.
    #[error("the agent speaks version {0} of ACP; this client speaks version {VERSION}")]
    Version(u16),
    /// What was to be sent is larger than the protocol allows. Nothing was sent.
    #[error(
        "{method}: {} {size} bytes, and the limit is {limit}",
        if *.is_media { "the images and sounds have" } else { "it has" }
    )]
    TooLarge {
        /// The method.
        method: &'static str,
        /// The images and sounds of a prompt, and not its text.
        is_media: bool,
        /// Its size in bytes.
        size: usize,
        /// The most bytes.
        limit: usize,
    },
    /// A folder of the session cannot be used.
    #[error("the folder {}: {error}", tenon_text::path(path))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: PathError,
    },
    /// The session has a turn already.
    #[error("the session is busy with another turn")]
    Busy,
    /// Nothing happened in a turn for too long. It was cancelled.
    #[error("the agent was silent for {0:?}, and the turn was cancelled")]
    Inactive(Duration),
    /// The agent did not end a cancelled turn.
    #[error("the agent did not end the cancelled turn within {0:?}")]
    CancelIgnored(Duration),
}

impl ClientError {
    pub(super) fn call(method: &'static str, error: CallError) -> ClientError {
        ClientError::Call {
            method,
            error: Box::new(error),
        }
    }

    /// An error that the agent has answered, by what it means.
    pub(super) fn answered(
        method: &'static str,
        error: CallError,
        methods: &[AuthMethod],
    ) -> ClientError {
        let CallError::Answered(answer) = &error else {
            return ClientError::call(method, error);
        };
        let has_auth = !methods.is_empty();
        if Failure::is_authentication_required(answer, has_auth) {
            return ClientError::LoginRequired {
                methods: methods.to_vec(),
                error: Box::new(answer.clone()),
            };
        }
        // What the SDKs call a resource is the session here.
        let is_opening = [LoadSession::NAME, ResumeSession::NAME].contains(&method);
        match Failure::of(answer, has_auth) {
            Some(Failure::FileNotFound) if is_opening => {
                ClientError::UnknownSession(Box::new(answer.clone()))
            }
            Some(Failure::SessionNotFound | Failure::SessionExpired) => {
                ClientError::UnknownSession(Box::new(answer.clone()))
            }
            _ => ClientError::call(method, error),
        }
    }
}

/// A way to log in, for people.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[non_exhaustive]
pub struct LoginMethod {
    /// The id for [`Client::authenticate`](super::Client::authenticate).
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The user runs the agent in a terminal, with these arguments after its own, instead.
    #[serde(skip)]
    pub terminal: Option<Vec<String>>,
}

impl LoginMethod {
    /// What is known about a way; nothing if it has no id. A type that is not known is one of the agent: some still
    /// send types of earlier versions.
    pub fn of(method: &AuthMethod) -> Option<LoginMethod> {
        match method {
            AuthMethod::Terminal(terminal) => Some(LoginMethod {
                id: terminal.id.clone(),
                name: terminal.name.clone(),
                terminal: Some(terminal.args.clone().unwrap_or_default()),
            }),
            AuthMethod::Agent(agent) => Some(LoginMethod {
                id: agent.id.clone(),
                name: agent.name.clone(),
                terminal: None,
            }),
            AuthMethod::Other(raw) => raw.decode().ok(),
            _ => None,
        }
    }
}

/// The ways to log in, after the message.
struct Ways<'a>(&'a [AuthMethod]);

impl fmt::Display for Ways<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.0.iter().filter_map(LoginMethod::of);
        for LoginMethod { id, name, .. } in known {
            write!(f, "\n  {id}: {name}")?;
        }
        Ok(())
    }
}
