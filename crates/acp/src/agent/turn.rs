//! A turn: what the author of an agent uses while a prompt is worked on.

use std::ops::Deref;
use std::path::Path;
use std::pin::pin;

use serde_json::json;
use tenon_protocols::acp::{
    CreateElicitation, CreateTerminal, CreateTerminalParams, ElicitationParams, ElicitationResult,
    Failure, PermissionKind, PermissionOption, PermissionOutcome, PermissionParams, ReadTextFile,
    ReadTextFileParams, RequestPermission, ToolCallUpdate, WriteTextFile, WriteTextFileParams,
    method,
};
use tenon_rpc::calls::within;
use tenon_rpc::{CallError, Format, Method, Payload, Text};
use tokio_util::sync::CancellationToken;

use super::AgentError;
use super::retries::Retries;
use super::session::Session;
use super::terminal::Terminal;

/// A turn. Everything of its [`Session`] can be used too.
///
/// What waits for the client ends with [`AgentError::Cancelled`] when the client cancels the turn, so that `?` ends the
/// turn as it should end. Longer work of the agent itself watches [`cancelled`](Turn::cancelled).
#[derive(Clone, Debug)]
pub struct Turn {
    session: Session,
    cancelled: CancellationToken,
}

impl Deref for Turn {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Turn {
    pub(crate) fn new(session: Session, cancelled: CancellationToken) -> Turn {
        Turn { session, cancelled }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Is cancelled when the client cancels the turn, closes the session or disconnects.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// Waits for work of the agent, which is dropped when the turn is cancelled.
    ///
    /// # Errors
    /// The turn was cancelled.
    pub async fn or_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, AgentError> {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            () = self.cancelled.cancelled() => Err(AgentError::Cancelled),
            done = &mut work => Ok(done),
        }
    }

    /// Asks the user whether a tool call may be made, once.
    ///
    /// # Errors
    /// As for [`ask`](Turn::ask).
    pub async fn is_allowed(&self, call: ToolCallUpdate) -> Result<bool, AgentError> {
        let options = vec![
            PermissionOption::new("allow", "Allow", PermissionKind::AllowOnce),
            PermissionOption::new("reject", "Reject", PermissionKind::RejectOnce),
        ];
        let chosen = self.ask(call, options).await?;
        Ok(chosen.kind == PermissionKind::AllowOnce)
    }

    /// Asks the user to choose one of these answers to a tool call, and returns it.
    ///
    /// # Errors
    /// The turn was cancelled, the client has disconnected, or it chose something that was not offered.
    pub async fn ask(
        &self,
        call: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) -> Result<PermissionOption, AgentError> {
        let offered = options.clone();
        let params = PermissionParams::new(self.id(), call, options);
        let result = self.call(RequestPermission, params).await?;
        let chosen = match result.outcome {
            PermissionOutcome::Selected(chosen) => chosen.option_id,
            PermissionOutcome::Cancelled(_) => return Err(AgentError::Cancelled),
            // An outcome that is not known is never an approval.
            _ => String::new(),
        };
        let found = offered
            .into_iter()
            .find(|option| option.option_id == chosen);
        found.ok_or_else(|| {
            let problem = Text::from_static("it chose an answer that was not offered");
            AgentError::Client(CallError::Malformed(problem))
        })
    }

    /// Reads a text file through the client, which knows what is not saved yet. A path that is not absolute is one in the
    /// folder of the session.
    ///
    /// A client or a guard may limit how many files are read in a minute: then this waits, for two minutes at most. It is tried
    /// again if it is not answered in time.
    ///
    /// # Errors
    /// The client does not support it, cannot read the file, or has disconnected; or the turn was cancelled.
    pub async fn read_file(&self, path: impl AsRef<Path>) -> Result<String, AgentError> {
        let params = ReadTextFileParams::new("", self.absolute(path.as_ref())?);
        self.read_lines(params).await
    }

    /// Reads some lines of a text file through the client; the session in the params is set here.
    ///
    /// # Errors
    /// As for [`read_file`](Turn::read_file).
    pub async fn read_lines(&self, mut params: ReadTextFileParams) -> Result<String, AgentError> {
        params.session_id = self.id().to_owned();
        Ok(self.call(ReadTextFile, params).await?.content)
    }

    /// Writes a text file through the client. A missing one is created.
    ///
    /// # Errors
    /// As for [`read_file`](Turn::read_file).
    pub async fn write_file(
        &self,
        path: impl AsRef<Path>,
        content: impl Into<String>,
    ) -> Result<(), AgentError> {
        let path = self.absolute(path.as_ref())?;
        let params = WriteTextFileParams::new(self.id(), path, content);
        self.call(WriteTextFile, params).await?;
        Ok(())
    }

    /// Starts a program in a terminal of the client.
    ///
    /// # Errors
    /// As for [`read_file`](Turn::read_file).
    pub async fn run(
        &self,
        command: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Terminal, AgentError> {
        let mut params = CreateTerminalParams::new("", command);
        params.args = Some(args.into_iter().map(Into::into).collect());
        params.cwd = Some(self.absolute(Path::new(""))?);
        self.create_terminal(params).await
    }

    /// Starts a program in a terminal of the client; the session in the params is set here.
    ///
    /// # Errors
    /// As for [`read_file`](Turn::read_file).
    pub async fn create_terminal(
        &self,
        mut params: CreateTerminalParams,
    ) -> Result<Terminal, AgentError> {
        params.session_id = self.id().to_owned();
        let result = self.call(CreateTerminal, params).await?;
        Ok(Terminal::new(self.clone(), result.terminal_id))
    }

    /// Asks the user with a form or a page; the session in the params is set here.
    ///
    /// # Errors
    /// As for [`read_file`](Turn::read_file).
    pub async fn elicit(
        &self,
        mut params: ElicitationParams,
    ) -> Result<ElicitationResult, AgentError> {
        match &mut params {
            ElicitationParams::Form(form) => form.session_id = Some(self.id().to_owned()),
            ElicitationParams::Url(page) => page.session_id = Some(self.id().to_owned()),
            _ => {}
        }
        self.call(CreateElicitation, params).await
    }

    /// Calls the client, if it supports the method, within the time that the protocol has for it. Files that are asked for too
    /// often are waited for, and reading is tried again after a timeout.
    pub(crate) async fn call<M: Method>(
        &self,
        _method: M,
        params: M::Params,
    ) -> Result<M::Result, AgentError> {
        let params = Payload::encode(Format::Json, &params)?;
        self.link().check(M::NAME, &params)?;
        let entry = method(M::NAME);
        let size = params.bytes().len();
        if let Some(limit) = entry
            .and_then(|entry| entry.size)
            .filter(|limit| size > *limit)
        {
            let data = json!({ "method": M::NAME, "limit": limit, "size": size });
            return Err(AgentError::failure(Failure::FileTooLarge, data));
        }
        self.flush().await?;
        let limit = entry.and_then(|entry| entry.timeout);
        let mut retries = Retries::of(entry);
        loop {
            let calling = within(limit, self.peer().call_raw(M::NAME, Some(params.clone())));
            let error = match self.or_cancelled(calling).await? {
                Ok(result) => {
                    let decoded = result.decode_private();
                    return decoded
                        .map_err(|error| AgentError::Client(CallError::Undecodable(error)));
                }
                Err(error) => error,
            };
            let Some(pause) = retries.pause(&error) else {
                return Err(AgentError::Client(error));
            };
            self.or_cancelled(tokio::time::sleep(pause)).await?;
        }
    }

    /// A path of this session, as text.
    fn absolute(&self, path: &Path) -> Result<String, AgentError> {
        let path = match path.as_os_str().is_empty() {
            true => self.folder().to_owned(),
            false => self.folder().join(path),
        };
        let text = path.into_os_string().into_string();
        text.map_err(|path| {
            let details = format!("the path {} is not UTF-8", path.display());
            AgentError::failure(Failure::InvalidParams, json!({ "details": details }))
        })
    }
}
