//! The client's side: starts an agent or connects to one, and holds sessions with it.
//!
//! - [`Client`] is a connection to an agent that has answered `initialize`.
//! - [`Session`] is a conversation in a folder; [`Turn`] is a prompt that is being answered, as a stream of updates.
//! - [`User`] answers what the agent asks: permissions and questions. [`Setup::policies`] decide before it. [`Form`] is
//!   a question with fields, and checks what the user types.
//! - Files and terminals are served here, if [`Setup`] offers them: files only below the folders of the session
//!   ([`paths`](crate::paths)), terminals as processes that end with their session.
//!
//! ```no_run
//! use std::sync::Arc;
//! use tenon_acp::client::{Client, Folder, Setup};
//! use tenon_host::PluginCommand;
//! use tenon_protocols::acp::{ContentBlock, SessionUpdate};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let command = PluginCommand::new("opencode").arg("acp");
//! let client = Client::start(&command, Setup::default()).await?;
//! let session = client.new_session(Folder::new("/home/me/project")).await?;
//! let mut turn = session.prompt(vec![ContentBlock::text("What is here?")]).await?;
//! while let Some(update) = turn.next().await? {
//!     if let SessionUpdate::AgentMessageChunk(chunk) = update {
//!         print!("{}", chunk.content.as_text().unwrap_or_default());
//!     }
//! }
//! println!("{:?}", turn.result().map(|result| &result.stop_reason));
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! What agents do that the protocol does not say is expected: updates before the answer that names their session and
//! after the end of a turn, tool calls that are announced twice or by a change ([`ToolCalls`]), errors without an id,
//! unknown kinds of updates, output that is not a message, and agents that do not end when their input does.

mod answering;
mod attendant;
mod connection;
mod deciding;
mod error;
mod form;
mod opening;
mod output;
mod session;
mod session_state;
mod setup;
mod state;
mod terminals;
mod tools;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use tenon_host::{Plugin, PluginCommand, Start, StopLimits, Stopped};
use tenon_protocols::Protocol;
use tenon_protocols::acp::{
    AuthMethod, Authenticate, AuthenticateParams, DeleteSession, Empty, Implementation, Initialize,
    InitializeParams, InitializeResult, ListSessionsParams, ListSessionsResult, Logout,
    SessionInfo, SessionParams, VERSION,
};
use tenon_rpc::options::{Stray, Unclaimed};
use tenon_rpc::{CallError, Connection, Io, Method, Options, Payload, Peer};

use crate::quirks::Quirks;
use attendant::Attendant;
use connection::{Core, Link};
pub use error::{ClientError, LoginMethod};
pub use form::{Choice, Field, FieldKind, Form, FormError, Format as TextFormat};
pub use opening::{Folder, Loading};
pub use session::{About, Session};
pub use setup::{Answer, Launch, Offered, Setup, User};
use state::Shared;
pub use tools::{ToolCalls, ToolState};
pub use turn::{Canceller, Turn};

/// How long an agent gets to end after its input has ended. Some never do by themselves.
const STOP: StopLimits = StopLimits {
    asked: Duration::from_secs(3),
    terminated: Duration::from_secs(2),
};

/// A connection to an agent that has answered `initialize`. Dropping it, and all sessions of it, ends the agent.
#[derive(Clone, Debug)]
pub struct Client {
    core: Arc<Core>,
}

impl Client {
    /// Starts an agent and makes the first call.
    ///
    /// # Errors
    /// The agent could not be started, did not answer in time, or speaks another version.
    pub async fn start(command: &PluginCommand, setup: Setup) -> Result<Client, ClientError> {
        let start = Start {
            dialect: Protocol::Acp.dialect(),
            limit: setup.start_limit,
            options: options(&setup),
            stop: STOP,
        };
        let first = hello(&setup);
        let shared = Arc::new(Shared::new(setup));
        let router = Arc::new(answering::router(&shared));
        let (plugin, agent) = Plugin::start(command, start, router, |peer| async move {
            peer.call(Initialize, first).await
        })
        .await
        .map_err(|error| ClientError::Agent(Box::new(error)))?;
        let peer = plugin.peer();
        let link = Link::Process(Attendant::new(plugin));
        Client::begun(peer, shared, agent, link)
    }

    /// Makes the first call on a connection that is there already.
    ///
    /// # Errors
    /// The agent did not answer in time, answered with an error, or speaks another version.
    pub async fn connect(io: Io, setup: Setup) -> Result<Client, ClientError> {
        let (options, limit, first) = (options(&setup), setup.start_limit, hello(&setup));
        let shared = Arc::new(Shared::new(setup));
        let router = Arc::new(answering::router(&shared));
        let connection = Connection::start_with(io, Protocol::Acp.dialect(), router, options);
        let peer = connection.peer();
        let agent = peer.call_within(limit, Initialize, first).await;
        let agent = agent.map_err(|error| ClientError::call(Initialize::NAME, error))?;
        let link = Link::Connection(std::sync::Mutex::new(Some(connection)));
        Client::begun(peer, shared, agent, link)
    }

    fn begun(
        peer: Peer,
        shared: Arc<Shared>,
        agent: InitializeResult,
        link: Link,
    ) -> Result<Client, ClientError> {
        if agent.protocol_version != VERSION {
            return Err(ClientError::Version(agent.protocol_version));
        }
        shared.quirks.get_or_init(|| Quirks::of_agent(&agent));
        let core = Arc::new(Core {
            peer,
            shared,
            agent,
            link,
        });
        Ok(Client { core })
    }

    /// What the agent answered to `initialize`.
    pub fn agent(&self) -> &InitializeResult {
        &self.core.agent
    }

    /// The name of the agent, if it has stated one.
    pub fn agent_info(&self) -> Option<&Implementation> {
        self.core.agent.agent_info.as_ref()
    }

    /// The ways to log in.
    pub fn auth_methods(&self) -> &[AuthMethod] {
        self.core.auth_methods()
    }

    /// Logs in. Ways of the type `terminal` are not for this call: the user runs the agent in a terminal.
    ///
    /// # Errors
    /// The agent refuses.
    pub async fn authenticate(&self, method_id: &str) -> Result<(), ClientError> {
        let params = AuthenticateParams::new(method_id);
        // The user may have to do something in a browser.
        let answer = self.core.peer.call(Authenticate, params).await;
        self.core.explained(Authenticate::NAME, answer).await?;
        Ok(())
    }

    /// Logs out.
    ///
    /// # Errors
    /// The agent cannot log out, or refuses.
    pub async fn logout(&self) -> Result<(), ClientError> {
        let auth = self.core.capabilities().and_then(|all| all.auth.as_ref());
        if auth.is_none_or(|auth| auth.logout.is_none()) {
            return Err(ClientError::Unsupported("logging out", "auth.logout"));
        }
        self.core.call(Logout, Empty::default()).await.map(drop)
    }

    /// The sessions that the agent has kept, of one folder or of all: all pages.
    ///
    /// # Errors
    /// The agent cannot list sessions, or the call failed.
    pub async fn sessions(&self, folder: Option<&str>) -> Result<Vec<SessionInfo>, ClientError> {
        /// An agent whose pages never end must not fill the memory.
        const MOST: usize = 10_000;
        const NAME: &str = "session/list";
        if !self.core.can(|all| all.list.is_some()) {
            let needed = "sessionCapabilities.list";
            return Err(ClientError::Unsupported("listing sessions", needed));
        }
        let mut sessions = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let params = ListSessionsParams {
                cwd: folder.map(str::to_owned),
                cursor: cursor.take(),
                ..ListSessionsParams::default()
            };
            let page = self.core.call_raw(NAME, &params).await?;
            // Some agents answer `null` if there are none.
            if page.is_null() {
                return Ok(sessions);
            }
            let page: ListSessionsResult = page
                .decode()
                .map_err(|error| ClientError::call(NAME, CallError::Undecodable(error)))?;
            let is_empty = page.sessions.is_empty();
            sessions.extend(page.sessions);
            cursor = page.next_cursor;
            if cursor.is_none() || is_empty || sessions.len() >= MOST {
                sessions.truncate(MOST);
                return Ok(sessions);
            }
        }
    }

    /// Deletes a session that the agent has kept.
    ///
    /// # Errors
    /// The agent cannot delete sessions, or refuses.
    pub async fn delete_session(&self, id: &str) -> Result<(), ClientError> {
        if !self.core.can(|all| all.delete.is_some()) {
            let needed = "sessionCapabilities.delete";
            return Err(ClientError::Unsupported("deleting sessions", needed));
        }
        let params = SessionParams::new(id);
        self.core.call(DeleteSession, params).await?;
        self.core.shared.forget(id);
        Ok(())
    }

    /// Calls a method that this type has no function for, such as an extension.
    ///
    /// # Errors
    /// The call failed.
    pub async fn call_raw(&self, method: &str, params: &Payload) -> Result<Payload, ClientError> {
        let answer = self
            .core
            .peer
            .call_raw(method.to_owned(), Some(params.clone()));
        let answer = answer.await;
        self.core.explained("extension", answer).await
    }

    /// Waits until the connection to the agent has ended, and returns why.
    pub async fn ended(&self) -> ClientError {
        const WHAT: &str = "connection";
        let error = CallError::Closed(self.core.peer.closed().await);
        let explained = self.core.explained::<()>(WHAT, Err(error.clone())).await;
        explained.err().unwrap_or(ClientError::call(WHAT, error))
    }

    /// Ends the agent in order: its turns are cancelled and its terminals ended, its input is closed, and if it does
    /// not end, it and everything that it started is killed. Returns how it ended, if it is a process.
    pub async fn close(&self) -> Option<Stopped> {
        for session in self.core.shared.take_sessions() {
            if session.is_streaming() {
                turn::cancel(&self.core.peer, &session);
            }
            session.terminals.end_all().await;
        }
        match &self.core.link {
            Link::Process(attendant) => attendant.stop().await,
            Link::Connection(connection) => {
                let connection = connection.lock().ok().and_then(|mut held| held.take());
                if let Some(connection) = connection {
                    connection.close_within(STOP.asked).await;
                }
                None
            }
        }
    }
}

fn hello(setup: &Setup) -> InitializeParams {
    InitializeParams {
        client_capabilities: Some(setup.capabilities()),
        client_info: Some(setup.info.clone()),
        ..InitializeParams::default()
    }
}

fn options(setup: &Setup) -> Options {
    Options {
        // Agents print what is not a message, and send errors that belong to no call, and continue.
        stray: Stray::Skip,
        unclaimed: Unclaimed::Skip,
        tap: setup.tap.clone(),
        redact: setup.redact.clone(),
        ..crate::options()
    }
}
