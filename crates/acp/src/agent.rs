//! What the author of an agent writes, and what serves it.
//!
//! An agent is a value that implements [`Agent`]: it says who it is and works on prompts. [`serve`] does the rest: it
//! answers `initialize`, keeps sessions and their order, checks states and capabilities, stores histories and replays
//! them, and turns every failure into an answer.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use tenon_acp::agent::acp::{ContentBlock, StopReason};
//! use tenon_acp::agent::{About, Agent, AgentError, Settings, Turn, serve_stdio};
//!
//! struct Echo;
//!
//! impl Agent for Echo {
//!     fn about(&self) -> About {
//!         About::new("echo", env!("CARGO_PKG_VERSION"))
//!     }
//!
//!     async fn prompt(&self, turn: Turn, prompt: Vec<ContentBlock>) -> Result<StopReason, AgentError> {
//!         for text in prompt.iter().filter_map(ContentBlock::as_text) {
//!             turn.say(format!("you said: {text}")).await?;
//!         }
//!         Ok(StopReason::EndTurn)
//!     }
//! }
//!
//! fn main() -> ExitCode {
//!     serve_stdio(Echo, Settings::default())
//! }
//! ```
//!
//! [`serve`] takes any [`Io`], such as a socket or the memory of a test.
//!
//! With a [`Store`] in its settings, an agent can load, resume, list and delete sessions, also after it was killed.

mod error;
mod fitting;
mod gate;
mod handlers;
mod link;
mod opening;
mod prompting;
mod retries;
mod session;
mod settings;
mod sharing;
mod store;
mod terminal;
mod turn;
mod updates;

use std::future::ready;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenon_protocols::acp::{
    AgentCapabilities, AuthMethod, ContentBlock, Failure, Implementation, InitializeParams,
    McpServer, Profile, Raw, StopReason,
};
use tenon_rpc::{CloseReason, Tap};

pub use error::AgentError;
pub use session::Session;
pub use settings::{Change, Setup};
pub use store::{Page, Store, StoreError};
/// The messages of the protocol.
pub use tenon_protocols::acp;
pub use tenon_rpc::Io;
pub use terminal::Terminal;
pub use turn::Turn;

/// An agent. Only [`about`](Agent::about) and [`prompt`](Agent::prompt) have to be written.
///
/// One value serves all sessions of its connections. Turns of different sessions run at the same time; in one session
/// there is one at a time. The functions can be written as `async fn`.
pub trait Agent: Send + Sync + 'static {
    /// Who the agent is and what it can do.
    fn about(&self) -> About;

    /// Works on a prompt, and returns why the turn ended.
    ///
    /// Content that [`About::capabilities`] does not name does not get here. When the client cancels, the turn
    /// [is cancelled](Turn::cancelled): whatever is returned then, the client is answered with `cancelled`. An agent that
    /// does not return within [`Settings::grace`] is stopped: its future is dropped.
    ///
    /// # Errors
    /// The prompt is answered with an error; the session continues. So it does after a panic.
    fn prompt(
        &self,
        turn: Turn,
        prompt: Vec<ContentBlock>,
    ) -> impl Future<Output = Result<StopReason, AgentError>> + Send;

    /// A client has connected.
    ///
    /// # Errors
    /// The client is refused.
    fn initialize(
        &self,
        _client: &InitializeParams,
    ) -> impl Future<Output = Result<(), AgentError>> + Send {
        ready(Ok(()))
    }

    /// Logs the user in, by one of the ways in [`About::auth_methods`].
    ///
    /// Where a login is missing, return [`AgentError::authentication_required`].
    ///
    /// # Errors
    /// It failed.
    fn authenticate(
        &self,
        method: &AuthMethod,
    ) -> impl Future<Output = Result<(), AgentError>> + Send {
        let _not_needed = method;
        ready(Ok(()))
    }

    /// Logs the user out. Only called if [`About::capabilities`] has `auth.logout`.
    ///
    /// # Errors
    /// It failed.
    fn logout(&self) -> impl Future<Output = Result<(), AgentError>> + Send {
        ready(Ok(()))
    }

    /// Begins a session, or continues one, and returns what it offers. Updates that are sent here arrive before the
    /// client knows the session; some clients drop them.
    ///
    /// # Errors
    /// There is no such session then.
    fn open(
        &self,
        session: &Session,
        opening: Opening,
    ) -> impl Future<Output = Result<Setup, AgentError>> + Send {
        let _not_needed = (session, opening);
        ready(Ok(Setup::default()))
    }

    /// The client has chosen a mode, a model or the value of an option that the session offers.
    ///
    /// # Errors
    /// Nothing is changed.
    fn change(
        &self,
        session: &Session,
        change: &Change,
    ) -> impl Future<Output = Result<(), AgentError>> + Send {
        let _not_needed = (session, change);
        ready(Ok(()))
    }

    /// A session is closed. Its turn is over.
    fn close(&self, session: &Session) -> impl Future<Output = ()> + Send {
        let _not_needed = session;
        ready(())
    }

    /// Answers a method of the agent's own, whose name begins with `_`.
    ///
    /// # Errors
    /// There is no such method, or it failed.
    fn extension(
        &self,
        method: &str,
        params: Option<Raw>,
    ) -> impl Future<Output = Result<Raw, AgentError>> + Send {
        let _unknown = params;
        let data = json!({ "method": method });
        ready(Err(AgentError::failure(Failure::MethodNotFound, data)))
    }
}

/// Who an agent is and what it can do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct About {
    /// Its name and version.
    pub info: Implementation,
    /// What it can do. The methods of sessions are added by [`serve`].
    pub capabilities: AgentCapabilities,
    /// Ways to log in.
    pub auth_methods: Vec<AuthMethod>,
}

impl About {
    /// An agent that takes text and links, and needs no login.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> About {
        About {
            info: Implementation::new(name, version),
            capabilities: AgentCapabilities::default(),
            auth_methods: Vec::new(),
        }
    }
}

/// How a session is opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Opening {
    /// Whether it is new.
    pub is_new: bool,
    /// MCP servers that the agent is to use, in the form of version 1.
    pub mcp_servers: Vec<McpServer>,
}

/// How an agent is served.
#[derive(Clone)]
pub struct Settings {
    /// Where sessions are kept. Without one they end with the connection.
    pub store: Option<Store>,
    /// Which reading of the protocol errors follow.
    pub profile: Profile,
    /// Whether calls that are larger than the protocol allows are refused.
    pub sizes: bool,
    /// Whether prompts that come faster than the protocol allows are refused.
    pub rates: bool,
    /// How long a turn has to end after it was cancelled.
    pub grace: Duration,
    /// Sees every frame.
    pub tap: Option<Arc<dyn Tap>>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            store: None,
            profile: Profile::V1,
            sizes: true,
            rates: true,
            grace: Duration::from_secs(10),
            tap: None,
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("store", &self.store)
            .field("profile", &self.profile)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}

/// Serves an agent to one client until the client disconnects, and returns why it ended. Turns that still run then are
/// cancelled. Has to be called within a tokio runtime with time.
///
/// To serve several clients, share the agent: `Arc<A>` is an agent too.
pub async fn serve<A: Agent>(agent: A, io: Io, settings: Settings) -> CloseReason {
    handlers::serve(agent, io, settings).await
}

/// Serves an agent on stdin and stdout, in a runtime of its own: what `main` of an agent calls.
///
/// It ends when stdin does. Prints go to stderr from then on, so that they cannot break the protocol.
pub fn serve_stdio<A: Agent>(agent: A, settings: Settings) -> ExitCode {
    let runtime = { tokio::runtime::Builder::new_current_thread() }
        .enable_all()
        .build();
    let served = runtime.and_then(|runtime| {
        runtime.block_on(async { Ok(serve(agent, Io::stdio()?, settings).await) })
    });
    match served {
        Ok(CloseReason::PeerClosed | CloseReason::ClosedHere) => ExitCode::SUCCESS,
        Ok(reason) => {
            tracing::error!(%reason, "the connection broke");
            ExitCode::FAILURE
        }
        Err(error) => {
            let text = format!("error: the agent could not be started: {error}\n");
            let _unheard = io::stderr().write_all(text.as_bytes());
            ExitCode::FAILURE
        }
    }
}
