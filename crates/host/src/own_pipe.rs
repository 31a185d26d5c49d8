//! Named pipes of Windows that only their owner can open.

use std::ffi::OsStr;
use std::io;
use std::os::windows::io::AsHandle;

use tokio::net::windows::named_pipe::{NamedPipeClient, NamedPipeServer, ServerOptions};

/// Creates an end of a pipe that only the user of this process can open: by default every user may read from a pipe.
///
/// # Errors
/// As [`ServerOptions::create`].
pub fn create(options: &ServerOptions, name: &OsStr) -> io::Result<NamedPipeServer> {
    crate::platform::own_pipe(options, name)
}

/// Whether the other end of a pipe was created by the user of this process, by an administrator or by the system: another
/// user may have created a pipe to get the messages of those who connect.
///
/// # Errors
/// The system does not tell.
pub fn is_own(pipe: &NamedPipeClient) -> io::Result<bool> {
    crate::platform::is_own_pipe(pipe.as_handle())
}
