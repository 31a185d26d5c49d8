//! A plugin on a socket: one process that many clients talk to.

mod callers;
mod conversations;
mod forward;
mod plugin;
mod tokens;
mod withdrawals;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tenon_host::{Down, Plugin, PluginCommand, PluginError, Restart, Start, Status, Supervisor};
use tenon_protocols::Protocol;
use tenon_rpc::forward::Passed;
use tenon_rpc::{
    Dialect, Options, Payload, Peer,
    options::{Cancel, EventOrder, Oversized},
    trace::Quote,
};
use tokio::sync::watch;

use crate::clients::Clients;
use crate::name::socket_path;
use crate::server::{Ended, Server};
use crate::session::Session;
use crate::settings::Settings;
use crate::wrappers::{self, Done};
use callers::Callers;
use conversations::Conversations;
pub(crate) use plugin::RelayPlugin;
use tokens::Tokens;

/// Who gets the events of a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventsTo {
    /// Every client.
    #[default]
    Everyone,
    /// The clients whose calls the plugin is handling; all clients while it handles none.
    Callers,
}

/// How a plugin is put on a socket.
#[derive(Clone)]
pub struct RelaySettings {
    /// Settings of the server.
    pub server: Settings,
    /// Who gets the plugin's events. Progress goes to the caller who gave its token.
    pub events: EventsTo,
    /// What happens when the plugin has ended.
    pub restart: Restart,
    /// How long a call waits for a plugin that is being restarted.
    pub patience: Duration,
    /// How long the plugin may take to answer a call; `None` means no limit.
    pub timeout: Option<Duration>,
    /// How long a client may take to answer a call of the plugin; `None` means no limit. The default is
    /// long enough for a person to answer.
    pub question_timeout: Option<Duration>,
    /// Called for every call that has been answered.
    pub on_call: Option<CallHook>,
    /// Called once if the plugin has not answered anything and a call has waited for 5 seconds: it may
    /// speak another dialect.
    pub on_silence: Option<SilenceHook>,
}

/// Called for each answered call.
pub type CallHook = Arc<dyn Fn(Done<'_>) + Send + Sync>;

/// Called for a plugin that answers nothing, with the first output of it that is not a message, if
/// there was any.
pub type SilenceHook = Arc<dyn Fn(Option<Quote>) + Send + Sync>;

impl fmt::Debug for RelaySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelaySettings")
            .field("server", &self.server)
            .field("events", &self.events)
            .field("restart", &self.restart)
            .field("patience", &self.patience)
            .field("timeout", &self.timeout)
            .field("question_timeout", &self.question_timeout)
            .finish_non_exhaustive()
    }
}

impl Default for RelaySettings {
    fn default() -> RelaySettings {
        RelaySettings {
            server: Settings::default(),
            events: EventsTo::Everyone,
            restart: Restart::default(),
            patience: Duration::from_secs(10),
            timeout: None,
            question_timeout: Some(Duration::from_secs(300)),
            on_call: None,
            on_silence: None,
        }
    }
}

/// Why a plugin could not be put on a socket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RelayError {
    /// The plugin could not be started.
    #[error("{0}")]
    Plugin(Arc<PluginError>),
    /// The plugin ended as soon as it had started.
    #[error("the plugin: {0}")]
    Down(Down),
    /// The socket could not be listened on.
    #[error("{0}")]
    Socket(io::Error),
}

/// A plugin on a socket. Dropping it kills the plugin and ends every connection immediately.
///
/// Calls of clients are forwarded to the plugin with new ids; params, results and errors are converted
/// to the dialect of the other side.
#[derive(Debug)]
pub struct Relay {
    server: Server,
    supervisor: Supervisor,
    protocol: Option<Protocol>,
}

/// What both sides of a relay know.
struct Hub {
    callers: Callers,
    /// Set once the server listens.
    clients: OnceLock<Clients>,
    plugin: RelayPlugin,
    /// Calls of the plugin to clients.
    questions: Passed,
    tokens: Tokens,
    conversations: Conversations,
    /// The client that initialised the plugin last: LSP, MCP and ACP all have `initialize`.
    initializer: Mutex<Option<Session>>,
    protocol: Option<Protocol>,
    /// What the plugin answered to the first call of its protocol.
    begun: Mutex<Option<Payload>>,
    /// The event that cancels a call at the plugin, if there is one.
    cancel: Option<Cancel>,
    events: EventsTo,
    patience: Duration,
    timeout: Option<Duration>,
    question_timeout: Option<Duration>,
    /// Until the plugin has answered something, or this has been called.
    on_silence: Mutex<Option<SilenceHook>>,
    has_answered: AtomicBool,
}

/// Messages in the queue to the plugin. Further messages wait per client, so that a client that sends
/// little does not wait behind everything that another one has sent.
const QUEUE: u32 = 256;

/// Events of clients that do not wait behind requests: they are about requests that run.
const URGENT: &[&str] = &["session/cancel", "window/workDoneProgress/cancel"];

impl Relay {
    /// Starts the plugin, makes its protocol's first call, and listens under `name`.
    ///
    /// # Errors
    /// The plugin could not be started, or the socket not be listened on.
    pub async fn start(
        name: &str,
        command: PluginCommand,
        start: Start,
        protocol: Option<Protocol>,
        settings: RelaySettings,
    ) -> Result<Relay, RelayError> {
        let path = socket_path(name).map_err(RelayError::Socket)?;
        Relay::start_at(path, command, start, protocol, settings).await
    }

    /// Like [`start`](Relay::start), with the path of the socket.
    ///
    /// # Errors
    /// As [`start`](Relay::start).
    pub async fn start_at(
        path: impl Into<PathBuf>,
        command: PluginCommand,
        mut start: Start,
        protocol: Option<Protocol>,
        mut settings: RelaySettings,
    ) -> Result<Relay, RelayError> {
        adapt(&mut start, protocol);
        let clients = settings.server.connection();
        let hub = Arc::new(Hub {
            callers: Callers::default(),
            clients: OnceLock::new(),
            plugin: RelayPlugin::default(),
            questions: Passed::default(),
            tokens: Tokens::default(),
            conversations: Conversations::default(),
            initializer: Mutex::default(),
            protocol,
            begun: Mutex::default(),
            cancel: start.options.cancel,
            events: settings.events,
            patience: settings.patience,
            timeout: settings.timeout,
            question_timeout: settings.question_timeout,
            on_silence: Mutex::new(settings.on_silence),
            has_answered: AtomicBool::new(false),
        });
        let clients = Options {
            cancel: start.options.cancel.or(Some(withdrawals::GENERIC)),
            // Codes that are names at the plugin are numbers at clients.
            error_names: start.options.error_names,
            ext_names: start.options.ext_names,
            withdrawals: withdrawals::KNOWN,
            events: EventOrder::InTurn { except: URGENT },
            ..clients
        };
        let (left, on_disconnect) = (hub.clone(), settings.server.on_disconnect.take());
        settings.server.on_disconnect = Some(Arc::new(move |session, reason| {
            left.forget(session);
            if let Some(hook) = &on_disconnect {
                hook(session, reason);
            }
        }));
        // Problems with the socket should show before anything is started. Clients that connect
        // early wait for the plugin.
        let router = forward::to_plugin(hub.clone());
        let router = match settings.on_call {
            Some(hook) => router.wrap(wrappers::logging(move |done| hook(done))),
            None => router,
        };
        let server = Server::bind_as(path.into(), router, settings.server, clients);
        let server = server.map_err(RelayError::Socket)?;
        let _first = hub.clients.set(server.clients());
        let router = Arc::new(forward::to_clients(hub.clone()));
        let relay = hub.clone();
        let supervisor = Supervisor::new(settings.restart, move || {
            let (command, start, router) = (command.clone(), start.clone(), router.clone());
            let relay = relay.clone();
            async move {
                let first = |peer: Peer| async move { relay.begin(&peer).await };
                let started = Plugin::start(&command, start, router, first).await;
                started.map(|(plugin, ())| plugin)
            }
        });
        let mut status = supervisor.status();
        hub.plugin.set(status.clone());
        let has_started = |status: &Status| !matches!(status, Status::Starting);
        match status.wait_for(has_started).await.as_deref() {
            Ok(Status::Waiting { down, .. } | Status::Ended(down)) => {
                return Err(match down {
                    Down::Failed(error) => RelayError::Plugin(error.clone()),
                    down => RelayError::Down(down.clone()),
                });
            }
            Ok(_) => {}
            Err(_) => return Err(RelayError::Down(Down::Stopped)),
        }
        Ok(Relay {
            server,
            supervisor,
            protocol,
        })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        self.server.path()
    }

    /// The clients.
    pub fn clients(&self) -> Clients {
        self.server.clients()
    }

    /// The status of the plugin; the receiver is notified when it changes.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.supervisor.status()
    }

    /// Stops it: running calls are finished within `budget`, then the plugin is stopped in steps, the
    /// first of which is the goodbye of its protocol.
    pub async fn stop(self, budget: Duration) -> Ended {
        let ended = self.server.stop(budget).await;
        let protocol = self.protocol;
        let goodbye = move |peer: Peer| async move {
            if let Some(protocol) = protocol {
                protocol.end(&peer).await;
            }
        };
        self.supervisor.stop(goodbye).await;
        ended
    }
}

/// What a relay needs of the connection to its plugin, whatever the protocol.
fn adapt(start: &mut Start, protocol: Option<Protocol>) {
    let options = &mut start.options;
    options.queue = options.queue.min(QUEUE);
    options.withdrawals = withdrawals::KNOWN;
    // One answer that is too long should not fail the calls of other clients.
    options.limits.oversized = Oversized::Skip;
    if protocol.is_none() && start.dialect == Dialect::JsonRpcHeaders {
        // Most likely a language server. A script that reads lines may not expect an event, and is sent
        // one only if its protocol has it.
        options.cancel = options.cancel.or(Some(withdrawals::GENERIC));
    }
}
