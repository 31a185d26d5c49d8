//! Code that runs in the child between fork and exec, and is unsafe for that reason. The only other
//! unsafe code of the project is in `sandbox/linux/kernel.rs`.

use std::io;

use rustix::process::{Resource, getppid, setrlimit};
use tokio::process::Command;

use crate::{descriptors, platform};

/// Has the kernel kill the child when the thread that started it ends, if it can, which the
/// [`spawner`](crate::spawner) sees to being the end of this process. The child gets back the limit
/// on open files that we may have raised for ourselves.
pub(crate) fn die_with_us(command: &mut Command) {
    let us = rustix::process::getpid();
    let limit = descriptors::limit_for_children();
    before_exec(command, move || {
        platform::die_with_parent()?;
        if let Some(limit) = limit {
            setrlimit(Resource::Nofile, limit)?;
        }
        // If we died before the line above, nobody will send that signal any more.
        match getppid() {
            Some(parent) if parent == us => Ok(()),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    });
}

/// Runs something in the child between fork and exec. It neither allocates nor takes a lock nor panics:
/// it makes system calls with what was prepared before the fork.
#[expect(unsafe_code, reason = "code between fork and exec, see below")]
pub(crate) fn before_exec(
    command: &mut Command,
    run: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    // SAFETY: after fork in a program with several threads only async-signal-safe functions may be
    // called. The callers, [`die_with_us`], `Sandbox` and `Enforcement`, make plain system calls and
    // allocate nothing: the error values are plain numbers.
    unsafe {
        command.pre_exec(run);
    }
}
