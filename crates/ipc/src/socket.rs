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
pub use unix::{Listener, connect, has_room_for_clients};
#[cfg(windows)]
pub use windows::{Listener, connect, has_room_for_clients};

/// A client that has connected.
pub(crate) struct Arrival {
    pub(crate) io: tenon_rpc::Io,
    pub(crate) credentials: Option<crate::users::Credentials>,
    /// Whether the files that this process may have open are nearly used up. What is left is for
    /// others than clients.
    pub(crate) is_crowded: bool,
}
