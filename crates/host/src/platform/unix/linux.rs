//! Linux: cgroups, descriptors of processes, `/proc`.

mod cgroup;
mod clone;
mod exit;
mod limiting;
mod processes;

use std::io;
use std::os::fd::BorrowedFd;

use rustix::process::{Signal, set_parent_process_death_signal};

pub(crate) use cgroup::{Cgroup, new_group};
pub(crate) use clone::clone_into;
pub(crate) use exit::ExitDescriptor;
pub(crate) use limiting::limiting;
pub(crate) use processes::{Identity, descendants, environment, ids, signal_if};

/// Has the kernel kill this process when the thread that started it ends.
pub(crate) fn die_with_parent() -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Makes a pipe hold more.
pub(crate) fn widen(pipe: BorrowedFd<'_>, size: usize) {
    // Only makes things faster; the system may refuse.
    let _refused = rustix::pipe::fcntl_setpipe_size(pipe, size);
}
