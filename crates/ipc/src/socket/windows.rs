//! Named pipes. They are compiled for Windows, but have not been run there.
//!
//! The pipe's permissions are the system's own: its creator, administrators and the system may
//! write, which connecting requires. Clients from other machines are rejected.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenon_rpc::Io;
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeServer, ServerOptions};
use tokio::sync::Mutex;

use super::Arrival;
use crate::users::{Credentials, Users};

/// All instances of the pipe serve clients already; one is free again in a moment.
const PIPE_BUSY: i32 = 231;

/// How long a client waits for a free instance.
const PATIENCE: Duration = Duration::from_secs(2);

/// Connects to a pipe.
///
/// # Errors
/// No server listens there.
pub async fn connect(path: impl AsRef<Path>, _server: &Users) -> io::Result<Io> {
    let path = path.as_ref();
    let opening = async {
        loop {
            match ClientOptions::new().open(path) {
                Err(error) if error.raw_os_error() == Some(PIPE_BUSY) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                opened => return opened,
            }
        }
    };
    let opened = match tokio::time::timeout(PATIENCE, opening).await {
        Ok(opened) => opened,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    };
    let pipe = opened.map_err(|error| {
        let problem = match error.kind() {
            io::ErrorKind::NotFound => "there is no such pipe; is the server running?".to_owned(),
            _ => format!("could not connect: {error}"),
        };
        explain(error.kind(), path, &problem)
    })?;
    let (reader, writer) = tokio::io::split(pipe);
    Ok(Io::new(reader, writer))
}

/// A pipe that clients connect to.
#[derive(Debug)]
pub struct Listener {
    path: PathBuf,
    /// The instance for the next client: there must be one at any time, or clients would find no
    /// pipe.
    next: Mutex<NamedPipeServer>,
}

impl Listener {
    /// Listens at `path`. The mode is for Unix sockets and means nothing here.
    ///
    /// # Errors
    /// Another server listens there.
    pub fn bind(path: impl Into<PathBuf>, mode: u32) -> io::Result<Listener> {
        Listener::bind_for(path, mode, &Users::Own)
    }

    /// Listens at `path`. The trusted users are for Unix sockets too, and mean nothing here.
    ///
    /// # Errors
    /// As [`bind`](Listener::bind).
    pub fn bind_for(
        path: impl Into<PathBuf>,
        _mode: u32,
        _trusted: &Users,
    ) -> io::Result<Listener> {
        let path = path.into();
        let first = ServerOptions::new().first_pipe_instance(true).create(&path);
        let first = first.map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => {
                let problem = "another server listens there already";
                explain(io::ErrorKind::AddrInUse, &path, problem)
            }
            kind => explain(kind, &path, &format!("could not listen: {error}")),
        })?;
        Ok(Listener {
            path,
            next: Mutex::new(first),
        })
    }

    /// Waits for the next client.
    ///
    /// # Errors
    /// The system has no room for another connection.
    pub async fn accept(&self) -> io::Result<(Io, Option<Credentials>)> {
        let Arrival {
            io, credentials, ..
        } = self.arrival().await?;
        Ok((io, credentials))
    }

    /// Waits for the next client. Handles are not as scarce here.
    pub(crate) async fn arrival(&self) -> io::Result<Arrival> {
        let mut next = self.next.lock().await;
        next.connect().await?;
        let fresh = ServerOptions::new().create(&self.path)?;
        let (reader, writer) = tokio::io::split(std::mem::replace(&mut *next, fresh));
        Ok(Arrival {
            io: Io::new(reader, writer),
            credentials: None,
            is_crowded: false,
        })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether another client would be accepted. Handles are not scarce here.
pub fn has_room_for_clients() -> bool {
    true
}

fn explain(kind: io::ErrorKind, path: &Path, problem: &str) -> io::Error {
    io::Error::new(kind, format!("{}: {problem}", path.display()))
}
