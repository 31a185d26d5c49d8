//! Named pipes that only their owner can open.
//!
//! The access list of a pipe names the user of the server alone. A server is the first to create its pipe, or does not
//! start: another process may have created one of that name to get its clients. A client gives the server no right to act
//! in its name.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenon_host::own_pipe;
use tenon_rpc::Io;
use tokio::net::windows::named_pipe::{
    ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions,
};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{Arrival, STUCK};
use crate::users::{Credentials, Users};

/// All instances of the pipe serve clients already; one is free again in a moment.
const PIPE_BUSY: i32 = 231;

/// The server learns nothing about the user of a client, and cannot act as that user. The flags are those of
/// `SECURITY_ANONYMOUS`.
const ANONYMOUS: u32 = 0;

/// [`connect`](super::connect), with another limit on how long to wait while the server accepts no connections.
pub(crate) async fn connect_within(
    path: &Path,
    server: &Users,
    patience: Duration,
) -> io::Result<Io> {
    check_path(path)?;
    let pipe = patiently_open(path, patience).await.map_err(|error| {
        if is_busy(&error) {
            return explain(io::ErrorKind::WouldBlock, path, STUCK);
        }
        let problem = match error.kind() {
            io::ErrorKind::NotFound => "there is no such pipe; is the server running?".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied: it is another user's".to_owned(),
            _ => format!("could not connect: {error}"),
        };
        explain(error.kind(), path, &problem)
    })?;
    if *server != Users::Anyone && !own_pipe::is_own(&pipe)? {
        let problem = "the server runs as another user, who is not trusted";
        return Err(explain(io::ErrorKind::PermissionDenied, path, problem));
    }
    Ok(Io::from(pipe))
}

/// Opens the pipe, and waits while all its instances serve other clients.
async fn patiently_open(path: &Path, patience: Duration) -> io::Result<NamedPipeClient> {
    const PAUSE: Duration = Duration::from_millis(50);
    let started = Instant::now();
    loop {
        match options().open(path) {
            Err(error) if is_busy(&error) && started.elapsed() < patience => {
                tokio::time::sleep(PAUSE).await;
            }
            opened => return opened,
        }
    }
}

fn options() -> ClientOptions {
    let mut options = ClientOptions::new();
    options.security_qos_flags(ANONYMOUS);
    options
}

fn is_busy(error: &io::Error) -> bool {
    error.raw_os_error() == Some(PIPE_BUSY)
}

/// Whether a pipe cannot be created because there is one of its name: of another user, or with as many instances as it may
/// have.
fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied || is_busy(error)
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
    /// Listens at `path`, for the user of this process alone. The mode is for Unix sockets and means nothing here.
    ///
    /// # Errors
    /// Another server listens there, or the path is not that of a pipe on this machine.
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
        check_path(&path)?;
        let first = instance(&path, true).map_err(|error| {
            if is_taken(&error) {
                let problem =
                    "another server listens there already; stop it, or choose another name";
                return explain(io::ErrorKind::AddrInUse, &path, problem);
            }
            explain(error.kind(), &path, &format!("could not listen: {error}"))
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
        let fresh = instance(&self.path, false)?;
        Ok(Arrival {
            io: Io::from(std::mem::replace(&mut *next, fresh)),
            credentials: None,
            is_crowded: false,
        })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// An end of the pipe for one client. The first one fails if there is a pipe of that name already.
fn instance(path: &Path, is_first: bool) -> io::Result<NamedPipeServer> {
    let mut options = ServerOptions::new();
    options
        .first_pipe_instance(is_first)
        .reject_remote_clients(true);
    own_pipe::create(&options, path.as_os_str())
}

/// Whether another client would be accepted. Handles are not scarce here.
pub fn has_room_for_clients() -> bool {
    true
}

/// Only pipes of this machine. Another path could lead to a file, to a device, or to another machine, which would learn
/// who connects.
fn check_path(path: &Path) -> io::Result<()> {
    crate::name::check_pipe(&path.to_string_lossy())
        .map_err(|problem| explain(io::ErrorKind::InvalidInput, path, problem))
}

fn explain(kind: io::ErrorKind, path: &Path, problem: &str) -> io::Error {
    io::Error::new(kind, format!("{}: {problem}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the system is given: Wine lets every server act as its clients, so that a server cannot tell.
    #[test]
    fn servers_cannot_act_as_their_clients() {
        // SECURITY_SQOS_PRESENT, and SECURITY_ANONYMOUS, which is 0; without it, a server could at least learn who the user is.
        let shown = format!("{:?}", options());
        assert!(shown.contains("security_qos_flags: 1048576,"), "{shown}");
    }
}
