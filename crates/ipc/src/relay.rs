//! A plugin on a socket: one process that many clients talk to.

mod callers;
mod forward;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tenon_host::{Down, Plugin, PluginCommand, PluginError, Restart, Start, Status, Supervisor};
use tenon_protocols::Protocol;
use tenon_rpc::Peer;
use tokio::sync::watch;

use crate::clients::Clients;
use crate::lane::Lane;
use crate::server::{Ended, Server};
use crate::settings::Settings;
use crate::wrappers::{self, Done};
use callers::Callers;

/// Who gets the events of a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventsTo {
    /// Every client.
    #[default]
    Everyone,
    /// The clients whose calls the plugin is working on; everyone while it works for nobody.
    Callers,
}

/// How a plugin is put on a socket.
#[derive(Clone)]
pub struct RelaySettings {
    /// What the server does about its clients.
    pub server: Settings,
    /// Who gets the plugin's events. `$/progress` goes to the caller who gave its token.
    pub events: EventsTo,
    /// What is done when the plugin has ended.
    pub restart: Restart,
    /// How long a call waits for a plugin that is being started again.
    pub patience: Duration,
    /// How long the plugin may work on a call; `None` is forever.
    pub timeout: Option<Duration>,
    /// Called for every call that has been answered.
    pub on_call: Option<CallHook>,
}

/// What is done for each call that has been answered.
pub type CallHook = Arc<dyn Fn(Done<'_>) + Send + Sync>;

impl fmt::Debug for RelaySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelaySettings")
            .field("server", &self.server)
            .field("events", &self.events)
            .field("restart", &self.restart)
            .field("patience", &self.patience)
            .field("timeout", &self.timeout)
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
            on_call: None,
        }
    }
}

/// Why a plugin could not be put on a socket.
#[derive(Debug, thiserror::Error)]
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

/// A plugin on a socket. Dropping it kills the plugin and ends every connection at once.
///
/// Calls of clients become calls of the plugin with numbers of their own; params, results and
/// errors are put into the dialect of the other side, and back.
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
    /// Set once there is a supervisor.
    plugin: OnceLock<watch::Receiver<Status>>,
    /// The way of clients' events to the plugin.
    lane: Arc<Lane>,
    events: EventsTo,
    patience: Duration,
    timeout: Option<Duration>,
}

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
        let hub = Arc::new(Hub {
            callers: Callers::default(),
            clients: OnceLock::new(),
            plugin: OnceLock::new(),
            lane: Arc::new(Lane::new(Settings::default().patience())),
            events: settings.events,
            patience: settings.patience,
            timeout: settings.timeout,
        });
        // What is wrong with the socket should show before anything is started. Who comes early
        // waits for the plugin.
        let router = forward::to_plugin(hub.clone());
        let router = match settings.on_call {
            Some(hook) => router.wrap(wrappers::logging(move |done| hook(done))),
            None => router,
        };
        let server =
            Server::bind_with(name, router, settings.server).map_err(RelayError::Socket)?;
        let _first = hub.clients.set(server.clients());
        let router = Arc::new(forward::to_clients(hub.clone()));
        let supervisor = Supervisor::new(settings.restart, move || {
            let (command, start, router) = (command.clone(), start.clone(), router.clone());
            async move {
                let first = |peer: Peer| async move {
                    match protocol {
                        Some(protocol) => protocol.begin(&peer).await.map(drop),
                        None => Ok(()),
                    }
                };
                let started = Plugin::start(&command, start, router, first).await;
                started.map(|(plugin, ())| plugin)
            }
        });
        let mut status = supervisor.status();
        let _first = hub.plugin.set(status.clone());
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

    /// What the plugin is doing; the receiver tells when that changes.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.supervisor.status()
    }

    /// Ends it in order: calls that run are finished within `budget`, then the plugin is stopped in
    /// steps, the first of which is its protocol's goodbye.
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
