//! The calls that make a child process and turn it into its program, one function each. They are unsafe
//! because of what the child may do.
//!
//! A child of a process with several threads has only one of them. A lock that another thread held at the
//! fork stays locked, the one of the allocator included. So up to the program's start the child neither
//! allocates nor takes a lock nor panics: it makes system calls with what was prepared before the fork. All
//! of that is in [`Launch`](super::launch::Launch), and in what it calls of `Enforcement` and `Sandbox`.

#![expect(
    unsafe_code,
    reason = "fork, exec and what lies between, see the comment at each"
)]

use std::ffi::{CStr, CString, c_char};
use std::io;
use std::marker::PhantomData;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::process::Pid;

use super::system;

/// What a fork returns, once in the parent and once in the child.
pub(crate) struct Fork {
    /// The id of the child; none in the child.
    pub(crate) child: Option<Pid>,
    /// The child was started in the cgroup.
    pub(crate) is_inside: bool,
}

/// Makes a child process, in a cgroup where the system can. In the child, only what this module describes
/// may follow.
pub(crate) fn fork(cgroup: Option<BorrowedFd<'_>>) -> io::Result<Fork> {
    if let Some(cgroup) = cgroup {
        match system::clone_into(cgroup) {
            Ok(child) => {
                return Ok(Fork {
                    child,
                    is_inside: true,
                });
            }
            // Before Linux 5.7, or forbidden by a filter of system calls, as in some containers.
            Err(error) => tracing::debug!(%error, "a process could not be started in a cgroup"),
        }
    }
    // SAFETY: the child only does what this module describes.
    let id = unsafe { libc::fork() };
    match id {
        0.. => Ok(Fork {
            child: Pid::from_raw(id),
            is_inside: false,
        }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Gives the child the signals that programs expect: none is blocked, and a closed pipe ends the program.
pub(crate) fn reset_signals() -> io::Result<()> {
    // SAFETY: the set is on the stack and is filled before it is used. These functions may be called after
    // a fork.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        if libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut()) != 0
            || libc::signal(libc::SIGPIPE, libc::SIG_DFL) == libc::SIG_ERR
        {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Texts as a program gets them: pointers with a null after the last.
pub(crate) struct Block<'a> {
    pointers: Vec<*const c_char>,
    texts: PhantomData<&'a CStr>,
}

impl<'a> Block<'a> {
    pub(crate) fn new(texts: impl IntoIterator<Item = &'a CString>) -> Block<'a> {
        let pointers = texts.into_iter().map(|text| text.as_ptr());
        Block {
            pointers: pointers.chain([std::ptr::null()]).collect(),
            texts: PhantomData,
        }
    }

    /// Replaces one of the texts.
    pub(crate) fn set(&mut self, place: usize, text: &'a CStr) {
        // The last one is the null.
        if place + 1 < self.pointers.len() {
            self.pointers[place] = text.as_ptr();
        }
    }
}

/// Turns this process into a program. Returns only if that fails.
pub(crate) fn execute(path: &CStr, arguments: &Block<'_>, environment: &Block<'_>) -> Errno {
    // SAFETY: both lists end with a null, and the texts outlive this call.
    unsafe {
        libc::execve(
            path.as_ptr(),
            arguments.pointers.as_ptr(),
            environment.pointers.as_ptr(),
        );
    }
    let error = io::Error::last_os_error();
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

/// Ends the child without running anything of the parent's.
pub(crate) fn exit() -> ! {
    // SAFETY: this may be called after a fork.
    unsafe { libc::_exit(1) }
}
