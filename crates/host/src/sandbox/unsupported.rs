//! Permissions where nothing enforces them.

use std::io;
use std::path::Path;

use crate::command::PluginCommand;
use crate::sandbox::{Permissions, Unenforceable};

/// There is none.
pub(crate) enum Sandbox {}

impl Sandbox {
    /// # Errors
    /// The command has permissions, which cannot be enforced, so it must not be started.
    pub(crate) fn of(command: &PluginCommand, _has_cgroup: bool) -> io::Result<Option<Sandbox>> {
        match &command.permissions {
            None => Ok(None),
            Some(_) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "its permissions cannot be enforced: that needs Landlock, which only Linux has",
            )),
        }
    }

    #[cfg(unix)]
    pub(crate) fn path(&self) -> Option<&std::ffi::OsStr> {
        match *self {}
    }

    #[cfg(unix)]
    pub(crate) fn enter(&self) -> io::Result<()> {
        match *self {}
    }
}

/// Nothing is enforced, so nothing cannot be; a plugin that has permissions is not started.
pub(super) fn check(_: &Permissions, _: &Path) -> Result<(), Unenforceable> {
    Ok(())
}

#[cfg(unix)]
pub(crate) fn explained(error: io::Error) -> io::Error {
    error
}

#[cfg(unix)]
pub(crate) fn pin(_: rustix::process::Pid) -> Option<std::os::fd::OwnedFd> {
    None
}
