//! The ways to carry a connection to the plugin of `tenon echo`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_host::{PluginCommand, Process};
use tenon_ipc::Listener;
use tenon_rpc::{CloseReason, Connection, Dialect, Io, Options, Peer, Router, options::Cancel};
use tokio::task::JoinHandle;

/// How the other side is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Carrier {
    /// In this process, through memory.
    Memory,
    /// In a child, through its stdin and stdout.
    Pipe,
    /// In this process, over a Unix socket, or a named pipe on Windows.
    Socket,
}

/// The other side, and what keeps it there.
pub(crate) struct Other {
    connection: Connection,
    keeper: Keeper,
}

/// Ends the other side when it is dropped.
pub(crate) enum Keeper {
    Task(JoinHandle<CloseReason>),
    Child(Process),
}

fn options() -> Options {
    Options {
        cancel: Some(Cancel {
            method: "$/cancelRequest",
            field: "id",
        }),
        ..Options::default()
    }
}

impl Carrier {
    pub(crate) fn reach<S>(self, dialect: Dialect, router: Router<S>) -> Other
    where
        S: Clone + Send + Sync + 'static,
    {
        let (io, keeper) = match self {
            Carrier::Memory => {
                let (here, there) = Io::pair();
                (here, serve(there, dialect))
            }
            Carrier::Socket => {
                let folder = tempfile::tempdir().unwrap();
                let listener = Listener::bind(place(folder.path()), 0o600).unwrap();
                let here = connect(listener.path());
                let task = tokio::spawn(async move {
                    let (there, credentials) = listener.accept().await.unwrap();
                    let process = credentials.and_then(|client| client.process);
                    let own = i32::try_from(std::process::id()).ok();
                    // On Windows, who may open the pipe is all that is known.
                    assert_eq!(process, own.filter(|_| cfg!(unix)));
                    let router = Arc::new(tenon::echo::router());
                    let connection = Connection::start_with(there, dialect, router, options());
                    let reason = connection.closed().await;
                    drop(folder);
                    reason
                });
                (here, Keeper::Task(task))
            }
            Carrier::Pipe => {
                let command = PluginCommand::new(env!("CARGO_BIN_EXE_tenon")).args([
                    "echo",
                    "--dialect",
                    dialect.name(),
                ]);
                let (process, here) = Process::spawn(&command).unwrap();
                (here, Keeper::Child(process))
            }
        };
        Other {
            connection: Connection::start_with(io, dialect, Arc::new(router), options()),
            keeper,
        }
    }
}

/// Where the socket of a test with this folder is.
#[cfg(unix)]
fn place(folder: &Path) -> PathBuf {
    folder.join("echo.sock")
}

#[cfg(windows)]
fn place(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap().to_string_lossy();
    format!(r"\\.\pipe\tenon-echo{name}-{}", std::process::id()).into()
}

#[cfg(unix)]
fn connect(path: &Path) -> Io {
    let stream = std::os::unix::net::UnixStream::connect(path).unwrap();
    stream.set_nonblocking(true).unwrap();
    Io::from(tokio::net::UnixStream::from_std(stream).unwrap())
}

#[cfg(windows)]
fn connect(path: &Path) -> Io {
    let pipe = tokio::net::windows::named_pipe::ClientOptions::new().open(path);
    Io::from(pipe.unwrap())
}

fn serve(io: Io, dialect: Dialect) -> Keeper {
    let router = Arc::new(tenon::echo::router());
    let connection = Connection::start_with(io, dialect, router, options());
    Keeper::Task(tokio::spawn(async move { connection.closed().await }))
}

impl Other {
    pub(crate) fn peer(&self) -> Peer {
        self.connection.peer()
    }

    /// The other side goes away without a word.
    pub(crate) async fn vanish(self) -> Connection {
        let Other {
            connection,
            mut keeper,
        } = self;
        if let Keeper::Task(task) = &mut keeper {
            task.abort();
            let _aborted = task.await;
        }
        drop(keeper);
        connection
    }

    pub(crate) fn has_running_handlers(&self) -> bool {
        self.connection.running() > 0
    }

    pub(crate) async fn close(self) -> (CloseReason, Keeper) {
        (self.connection.close().await, self.keeper)
    }

    /// Our side closes; the other side ends as soon as it has nothing left to do.
    pub(crate) async fn ends_after_our_side_closes(self) {
        self.connection.close().await;
        let mut keeper = self.keeper;
        match &mut keeper {
            Keeper::Task(task) => {
                task.await.unwrap();
            }
            Keeper::Child(process) => {
                assert!(process.exited().await.success());
            }
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Keeper::Task(task) = self {
            task.abort();
        }
    }
}
