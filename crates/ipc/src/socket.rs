//! Local sockets: Unix sockets, and named pipes on Windows. The only module that knows which.

#[cfg(unix)]
mod trust;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use trust::runtime_folder;
#[cfg(unix)]
pub(crate) use unix::connect_within;
#[cfg(unix)]
pub use unix::{Listener, has_room_for_clients};
#[cfg(windows)]
pub(crate) use windows::connect_within;
#[cfg(windows)]
pub use windows::{Listener, has_room_for_clients};

use std::io;
use std::path::Path;
use std::time::Duration;

use tenon_rpc::Io;

use crate::users::{Credentials, Users};

/// How long to wait for a server that accepts no connections, where the caller has no limit of its own.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Connects to a socket, if its server runs as a trusted user: in a folder that all users may write to,
/// another user may have created the socket. Folders where others could replace the socket are refused.
/// On Windows it connects to a pipe. If the server accepts no connections for a while, it waits up to 10 seconds.
///
/// # Errors
/// No server listens there, or a server of an untrusted user, or on Windows the path is not that of a pipe on
/// this machine. The text says what is there instead, and what to do.
pub async fn connect(path: impl AsRef<Path>, server: &Users) -> io::Result<Io> {
    connect_within(path.as_ref(), server, PATIENCE).await
}

/// What is said of a server whose queue of clients stays full.
const STUCK: &str = "the server accepts no connections; is it stuck?";

/// A client that has connected.
pub(crate) struct Arrival {
    pub(crate) io: Io,
    pub(crate) credentials: Option<Credentials>,
    /// Whether the files that this process may have open are nearly used up. What is left is for
    /// others than clients.
    pub(crate) is_crowded: bool,
}
