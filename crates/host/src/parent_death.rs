//! Code that has to run in the child between fork and exec, and is unsafe for that reason. The only
//! other unsafe code of the project is in `sandbox/kernel.rs`.

use rustix::process::{Resource, Signal, getppid, set_parent_process_death_signal, setrlimit};

use crate::descriptors;

/// Has the kernel kill the child when the thread that started it ends, which the
/// [`spawner`](crate::spawner) sees to being the end of this process. The child gets back the limit
/// on open files that we may have raised for ourselves.
#[expect(unsafe_code, reason = "code between fork and exec, see below")]
pub(crate) fn die_with_us(command: &mut tokio::process::Command) {
    let us = rustix::process::getpid();
    let limit = descriptors::limit_for_children();
    let set_up = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if let Some(limit) = limit {
            setrlimit(Resource::Nofile, limit)?;
        }
        // If we died before the line above, nobody will send that signal any more.
        match getppid() {
            Some(parent) if parent == us => Ok(()),
            _ => Err(std::io::ErrorKind::BrokenPipe.into()),
        }
    };
    // SAFETY: after fork in a program with several threads only async-signal-safe functions may
    // be called. The closure makes plain system calls (prctl, setrlimit, getppid) and allocates
    // nothing: the error values are plain numbers.
    unsafe {
        command.pre_exec(set_up);
    }
}
