//! Starting a process in a cgroup, for which neither std nor libc has a function.

#![expect(
    unsafe_code,
    reason = "a system call without a safe wrapper, see the comment there"
)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::process::Pid;

/// Handlers of signals are not the child's: they would run in it with what they share with the parent.
const CLEAR_SIGNAL_HANDLERS: u64 = 0x1_0000_0000;
const INTO_CGROUP: u64 = 0x2_0000_0000;

/// As the kernel reads it since Linux 5.7.
#[repr(C)]
#[derive(Default)]
struct Arguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// Makes a child process as `fork` does, but in a cgroup of version 2, whose folder this is. Returns its
/// id, and none in the child. The child may do only what [`child`](crate::platform::unix::child) describes.
///
/// A process that moves into a cgroup waits until every processor has taken notice, which takes
/// milliseconds. One that is started in it waits for nothing.
pub(crate) fn clone_into(cgroup: BorrowedFd<'_>) -> io::Result<Option<Pid>> {
    let arguments = Arguments {
        flags: CLEAR_SIGNAL_HANDLERS | INTO_CGROUP,
        exit_signal: u64::from(libc::SIGCHLD.unsigned_abs()),
        cgroup: u64::from(cgroup.as_raw_fd().unsigned_abs()),
        ..Arguments::default()
    };
    // SAFETY: the kernel reads a struct of just this layout. The child gets a copy of all memory, like that
    // of `fork`, so nothing that it does changes ours; what libc does around a fork it does not need, since
    // it only makes system calls.
    let id = unsafe {
        libc::syscall(
            libc::SYS_clone3,
            &raw const arguments,
            size_of::<Arguments>(),
        )
    };
    match i32::try_from(id) {
        Ok(id @ 0..) => Ok(Pid::from_raw(id)),
        _ => Err(io::Error::last_os_error()),
    }
}
