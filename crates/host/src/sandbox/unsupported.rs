//! Permissions where nothing enforces them.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::process::Pid;

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

    pub(crate) fn path(&self) -> Option<&OsStr> {
        match *self {}
    }

    pub(crate) fn enter(&self) -> io::Result<()> {
        match *self {}
    }
}

/// Nothing is enforced, so nothing cannot be; a plugin that has permissions is not started.
pub(super) fn check(_: &Permissions, _: &Path) -> Result<(), Unenforceable> {
    Ok(())
}

pub(crate) fn explained(error: io::Error) -> io::Error {
    error
}

pub(crate) fn pin(_: Pid) -> Option<OwnedFd> {
    None
}
