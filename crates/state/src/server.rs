//! A server on a loopback address.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::{Access, USER};
use crate::backend::Backend;
use crate::locks::HeldLocks;
use crate::notice::Notice;
use crate::path::{Root, StatePath};
use crate::request::answer;
use crate::storage::Storage;

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The largest state, in bytes.
    pub max_state: usize,
    /// How long the storage may take for a request. `None` if it sets a limit itself, as
    /// [`PluginStorage`](crate::PluginStorage) does: only it knows which calls wait for others.
    pub time_limit: Option<Duration>,
    /// How many connections there may be at the same time; others wait.
    pub max_connections: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            // What fits into one message of a plugin, with some room for the rest of it.
            max_state: 63 * 1024 * 1024,
            time_limit: Some(Duration::from_secs(300)),
            max_connections: 256,
        }
    }
}

/// How long a client may take to send the headers of a request.
const HEADER_TIME: Duration = Duration::from_secs(30);

/// How long a client may take to send the body of a request, which comes from the same machine.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(300);

/// How much of a connection is read ahead. Headers of Terraform take less than 1 KiB.
const BUFFER_BYTES: usize = 64 * 1024;

/// How long requests that are under way may take once the server ends.
const ENDING_TIME: Duration = Duration::from_secs(10);

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// States hold secrets, and the connection is not encrypted.
    #[error("{0} is not a loopback address")]
    NotLoopback(SocketAddr),
    /// The address cannot be used.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, #[source] io::Error),
    /// There is no random source.
    #[error("cannot make a password: {0}")]
    Random(getrandom::Error),
}

/// Terraform's `http` backend in front of a storage.
pub struct Server<S> {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared<S>>,
}

pub(crate) struct Shared<S> {
    pub(crate) backend: Backend<S>,
    pub(crate) access: Access,
    pub(crate) settings: Settings,
    pub(crate) notify: Box<dyn Fn(Notice) + Send + Sync>,
    /// Connections, and requests that are carried out.
    pub(crate) tasks: TaskTracker,
}

impl<S: Storage> Server<S> {
    /// Listens on a loopback address; port 0 picks a free one. Requests that are refused or fail are passed
    /// to `notify`.
    ///
    /// # Errors
    /// The address is not a loopback address, or cannot be used.
    pub async fn bind(
        address: SocketAddr,
        storage: Arc<S>,
        settings: Settings,
        notify: impl Fn(Notice) + Send + Sync + 'static,
    ) -> Result<Server<S>, BindError> {
        if !address.ip().is_loopback() {
            return Err(BindError::NotLoopback(address));
        }
        let failed = |error| BindError::Listen(address, error);
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        Ok(Server {
            address: listener.local_addr().map_err(failed)?,
            listener,
            shared: Arc::new(Shared {
                backend: Backend::new(storage),
                access: Access::random().map_err(BindError::Random)?,
                settings,
                notify: Box::new(notify),
                tasks: TaskTracker::new(),
            }),
        })
    }

    /// The variables that make Terraform and OpenTofu keep this state here. One of them is the password. The methods
    /// are among them, so that those of another server, which the environment may have, do not count.
    pub fn variables(&self, path: &StatePath) -> [(&'static str, String); 8] {
        let address = |root| format!("http://{}{}", self.address, path.to_request(root));
        [
            ("TF_HTTP_ADDRESS", address(Root::State)),
            ("TF_HTTP_LOCK_ADDRESS", address(Root::Lock)),
            ("TF_HTTP_UNLOCK_ADDRESS", address(Root::Unlock)),
            ("TF_HTTP_USERNAME", USER.to_owned()),
            ("TF_HTTP_PASSWORD", self.shared.access.password().to_owned()),
            ("TF_HTTP_UPDATE_METHOD", "POST".to_owned()),
            ("TF_HTTP_LOCK_METHOD", "LOCK".to_owned()),
            ("TF_HTTP_UNLOCK_METHOD", "UNLOCK".to_owned()),
        ]
    }

    /// The locks that clients hold, also while it serves.
    pub fn locks(&self) -> HeldLocks {
        HeldLocks(Arc::clone(&self.shared.backend.locks))
    }

    /// Serves until `end` is ready, then finishes the requests that are under way, for at most 10 seconds.
    ///
    /// Returns the locks that clients still hold: the state and the id that the client chose.
    pub async fn serve(self, end: impl Future<Output = ()>) -> Vec<(StatePath, String)> {
        let Server {
            listener, shared, ..
        } = self;
        let ending = CancellationToken::new();
        tokio::select! {
            () = accept(&listener, &shared, &ending) => {}
            () = end => {}
        }
        drop(listener);
        ending.cancel();
        shared.tasks.close();
        // What is not done by then is given up.
        let _in_time = tokio::time::timeout(ENDING_TIME, shared.tasks.wait()).await;
        shared.backend.locks.all()
    }
}

/// Accepts connections for ever.
async fn accept<S: Storage>(
    listener: &TcpListener,
    shared: &Arc<Shared<S>>,
    ending: &CancellationToken,
) {
    let places = Arc::new(Semaphore::new(shared.settings.max_connections));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, for example: there may be some again soon.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let shared_here = Arc::clone(shared);
        let ending = ending.clone();
        shared.tasks.spawn(async move {
            connection(stream, shared_here, ending).await;
            drop(place);
        });
    }
}

async fn connection<S: Storage>(
    stream: TcpStream,
    shared: Arc<Shared<S>>,
    ending: CancellationToken,
) {
    // Answers are small and awaited.
    let _slower = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(answer(shared, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    // A client that breaks off, or sends something else than HTTP, does not affect others.
    let _broken = tokio::select! {
        result = &mut connection => result,
        () = ending.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
}
