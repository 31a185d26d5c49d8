//! macOS and the BSDs: no cgroups, no descriptors of processes, no `/proc`. Plugins are found by their process
//! group only; the kernel announces their exits.

mod exit;

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::process::{Pid, Signal};

use crate::limits::Limits;
use crate::platform::unix::enforcement::Limiting;

pub(crate) use exit::ExitDescriptor;

/// There are none.
#[derive(Debug)]
pub(crate) enum Cgroup {}

impl Cgroup {
    pub(crate) fn folder(&self) -> &Path {
        match *self {}
    }

    pub(crate) fn contains(&self, _: Pid) -> bool {
        match *self {}
    }

    pub(crate) fn can_kill(&self) -> bool {
        match *self {}
    }

    pub(crate) fn end_all(&self) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn is_empty(&self) -> bool {
        match *self {}
    }

    pub(crate) fn ran_out_of_memory(&self) -> bool {
        match *self {}
    }
}

pub(crate) fn new_group() -> Option<Cgroup> {
    None
}

pub(crate) fn clone_into(_: BorrowedFd<'_>) -> io::Result<Option<Pid>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// # Errors
/// The number of processes is limited, which nothing here enforces.
pub(crate) fn limiting(limits: Limits) -> io::Result<Limiting> {
    match limits.processes {
        None => Ok(Limiting {
            left: limits,
            ..Limiting::default()
        }),
        Some(_) => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "the number of its processes cannot be limited: this needs a cgroup with the pids \
             controller, which only Linux has",
        )),
    }
}

/// A process. The time of its start is unknown, so no process is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) id: Pid,
    pub(crate) started: u64,
}

impl Identity {
    pub(crate) fn of(_: Pid) -> Option<Identity> {
        None
    }

    pub(crate) fn is_there(&self) -> bool {
        false
    }

    pub(crate) fn signal(&self, _: Signal) {}
}

pub(crate) fn ids() -> impl Iterator<Item = Pid> {
    std::iter::empty()
}

pub(crate) fn environment(_: Pid) -> Option<Vec<u8>> {
    None
}

pub(crate) fn descendants(_: Pid, _: &[Identity]) -> Vec<Identity> {
    Vec::new()
}

pub(crate) fn signal_if(_: Pid, _: Signal, _: impl Fn() -> bool) {}

/// Only the guardian ends plugins of a host that was killed.
pub(crate) fn die_with_parent() -> io::Result<()> {
    Ok(())
}

/// Their size is fixed.
pub(crate) fn widen(_: BorrowedFd<'_>, _: usize) {}
