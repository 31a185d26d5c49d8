//! A server on a local socket.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tenon_rpc::{CloseReason, Connection, ErrorCode, Options, Router, RpcError};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::clients::{Clients, Table};
use crate::name::socket_path;
use crate::session::{Inner, Session};
use crate::settings::Settings;
use crate::socket::{Arrival, Listener};
use crate::wrappers;

/// A running server. Dropping it ends it and all its connections immediately.
///
/// ```no_run
/// use tenon_ipc::{FromClient, Server};
/// use tenon_rpc::{Router, methods};
///
/// methods! {
///     /// Adds two numbers.
///     Add = "add" ((i64, i64)) -> i64;
/// }
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let router = Router::new(()).on(Add, |context, (a, b)| async move {
///     let session = context.session();
///     let notified = session.notify_raw("adding", None).await;
///     notified.ok(); // the client may have disconnected
///     Ok(a + b)
/// });
/// let server = Server::bind("calculator", router)?;       // $XDG_RUNTIME_DIR/calculator.sock
/// server.clients().broadcast_raw("ready", None);
/// tokio::signal::ctrl_c().await?;
/// server.stop(std::time::Duration::from_secs(5)).await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Server {
    path: PathBuf,
    clients: Arc<Table>,
    accepting: JoinHandle<()>,
    /// How long connections get to end; `None` while the server runs. The sender is dropped with it.
    stop: watch::Sender<Option<Duration>>,
    cut_off: Arc<AtomicUsize>,
}

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Connections that were cut off because the time was up.
    pub cut_off: usize,
}

impl Server {
    /// Listens under this name, for programs of the same user. Has to be called within a tokio
    /// runtime.
    ///
    /// # Errors
    /// Another server listens there, another file is there, or the folder cannot be written.
    pub fn bind<S>(name: &str, router: Router<S>) -> io::Result<Server>
    where
        S: Clone + Send + Sync + 'static,
    {
        Server::bind_with(name, router, Settings::default())
    }

    /// Listens with the given settings.
    ///
    /// # Errors
    /// As [`bind`](Server::bind).
    pub fn bind_with<S>(name: &str, router: Router<S>, settings: Settings) -> io::Result<Server>
    where
        S: Clone + Send + Sync + 'static,
    {
        if name.is_empty() {
            let problem = "a socket needs a name, such as `myapp` or `./myapp.sock`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let options = settings.connection();
        Server::bind_as(socket_path(name)?, router, settings, options)
    }

    /// Listens with options of connections that settings do not include.
    pub(crate) fn bind_as<S>(
        path: PathBuf,
        router: Router<S>,
        settings: Settings,
        options: Options,
    ) -> io::Result<Server>
    where
        S: Clone + Send + Sync + 'static,
    {
        let listener = Listener::bind_for(path, settings.mode, &settings.users)?;
        let router = match settings.requests_per_second {
            Some(rate) => router.wrap(wrappers::rate_limit(rate)),
            None => router,
        };
        let (stop, stopping) = watch::channel(None);
        let clients = Arc::<Table>::default();
        let cut_off = Arc::<AtomicUsize>::default();
        let path = listener.path().to_owned();
        let reception = Reception {
            router: Arc::new(router),
            settings: Arc::new(settings),
            options,
            clients: clients.clone(),
            stopping,
            cut_off: cut_off.clone(),
            refusals: Arc::new(Semaphore::new(REFUSALS)),
            last: 0,
        };
        let accepting = tokio::spawn(reception.accept_from(listener));
        Ok(Server {
            path,
            clients,
            accepting,
            stop,
            cut_off,
        })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its clients, to count them and to send to all of them.
    pub fn clients(&self) -> Clients {
        Clients::from(self.clients.clone())
    }

    /// Stops the server: no new clients and requests are accepted, running requests are finished and
    /// answered. Connections that take longer than `budget` are closed.
    pub async fn stop(mut self, budget: Duration) -> Ended {
        self.stop.send_replace(Some(budget));
        self.accepting.abort();
        // The listener is gone, and its file with it, before this returns.
        let _aborted = (&mut self.accepting).await;
        self.clients.emptied().await;
        Ended {
            cut_off: self.cut_off.load(Ordering::Acquire),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// How many refused clients are answered in their own framing at the same time; further ones are
/// answered in lines immediately.
const REFUSALS: usize = 32;

/// Accepts clients.
struct Reception<S> {
    router: Arc<Router<S>>,
    settings: Arc<Settings>,
    options: Options,
    clients: Arc<Table>,
    stopping: watch::Receiver<Option<Duration>>,
    cut_off: Arc<AtomicUsize>,
    /// Slots for refused clients that are answered in their own framing.
    refusals: Arc<Semaphore>,
    /// The number of the last one.
    last: u64,
}

impl<S: Clone + Send + Sync + 'static> Reception<S> {
    async fn accept_from(mut self, listener: Listener) {
        /// The system has no room for another connection; one that ends makes some.
        const PAUSE: Duration = Duration::from_millis(50);
        let mut is_out_of_room = false;
        loop {
            match listener.arrival().await {
                Ok(arrival) => {
                    is_out_of_room = false;
                    self.receive(arrival);
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_out_of_room, true) {
                        tracing::warn!(%error, "a client could not be accepted");
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    fn receive(&mut self, arrival: Arrival) {
        let clients = Clients::from(self.clients.clone());
        if !self.settings.users.admit(arrival.credentials) {
            return self.refuse(arrival, "this server is for another user");
        }
        if clients.count() >= self.settings.connections {
            return self.refuse(arrival, "this server has too many clients already");
        }
        if arrival.is_crowded {
            return self.refuse(arrival, "this server has reached its limit of open files");
        }
        let Arrival {
            io, credentials, ..
        } = arrival;
        self.last += 1;
        let patience = self.settings.patience();
        let clients = Arc::downgrade(&self.clients);
        let inner = Arc::new(Inner::new(self.last, credentials, patience, clients));
        let mut options = self.options.clone();
        options.attachment = Some(inner.clone());
        let io = match self.settings.bytes_per_second {
            Some(rate) => io.map_reader(|reader| crate::pace::Paced::new(reader, rate)),
            None => io,
        };
        let enter = |peer| {
            let session = Session::new(peer, inner.clone());
            self.clients.enter(session.clone());
            if let Some(hook) = &self.settings.on_connect
                && !survives("on_connect", || hook(&session))
            {
                session.close();
            }
        };
        let router = self.router.clone();
        let dialect = self.settings.framing.dialect();
        let connection = Connection::start_after(io, dialect, router, options, enter);
        let session = Session::new(connection.peer(), inner);
        tokio::spawn(attend(
            connection,
            session,
            self.clients.clone(),
            self.settings.clone(),
            self.stopping.clone(),
            self.cut_off.clone(),
        ));
    }
}

impl<S> Reception<S> {
    fn refuse(&self, arrival: Arrival, problem: &str) {
        /// How long a refused client may take to show its framing.
        const FIRST_BYTES: Duration = Duration::from_millis(100);
        let Arrival {
            io,
            credentials,
            is_crowded,
        } = arrival;
        tracing::warn!(?credentials, problem, "a client was refused");
        let error = RpcError::new(ErrorCode::Number(crate::REFUSED), problem);
        let dialect = self.settings.framing.dialect();
        match self.refusals.clone().try_acquire_owned() {
            Ok(permit) if !is_crowded => {
                let detect = self.options.detect;
                tokio::spawn(async move {
                    io.turn_away(dialect, detect, error, FIRST_BYTES).await;
                    drop(permit);
                });
            }
            _ => io.refuse(dialect, error),
        }
        if let Some(hook) = &self.settings.on_refuse {
            survives("on_refuse", || hook(credentials, problem));
        }
    }
}

/// Runs a connection to its end.
async fn attend(
    connection: Connection,
    session: Session,
    clients: Arc<Table>,
    settings: Arc<Settings>,
    mut stopping: watch::Receiver<Option<Duration>>,
    cut_off: Arc<AtomicUsize>,
) {
    let (reason, left) = tokio::select! {
        reason = connection.closed() => (reason, None),
        budget = stopped(&mut stopping) => {
            let started = Instant::now();
            let reason = close(connection, budget, &cut_off).await;
            (reason, Some(budget.saturating_sub(started.elapsed())))
        }
    };
    // It counts as a client until its events have been forwarded. Otherwise clients could connect and
    // disconnect without limit, each leaving events behind.
    let time_is_up = async {
        let left = match left {
            Some(left) => left,
            None => stopped(&mut stopping).await,
        };
        tokio::time::sleep(left).await;
    };
    tokio::select! {
        biased;
        () = session.drained() => {}
        () = time_is_up => {}
    }
    clients.leave(&session);
    if let Some(hook) = &settings.on_disconnect {
        survives("on_disconnect", || hook(&session, &reason));
    }
}

/// Calls a hook and logs its panic. Returns whether there was none.
fn survives(name: &str, hook: impl FnOnce()) -> bool {
    let has_survived = catch_unwind(AssertUnwindSafe(hook)).is_ok();
    if !has_survived {
        tracing::error!(name, "a hook panicked");
    }
    has_survived
}

/// Waits until the server stops, and returns how long that may take: no time if it was dropped.
async fn stopped(stopping: &mut watch::Receiver<Option<Duration>>) -> Duration {
    let budget = stopping.wait_for(Option::is_some).await;
    budget.ok().and_then(|budget| *budget).unwrap_or_default()
}

async fn close(connection: Connection, budget: Duration, cut_off: &AtomicUsize) -> CloseReason {
    let peer = connection.peer();
    match tokio::time::timeout(budget, connection.close()).await {
        Ok(reason) => reason,
        Err(_) => {
            cut_off.fetch_add(1, Ordering::AcqRel);
            peer.closed().await
        }
    }
}
