//! The few calls to the system that have no safe wrapper. All `unsafe` of the bench is here.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal};

/// Makes the kernel end the child when this process ends, however it ends.
///
/// The signal is bound to the thread that starts the child, so children are started on the main
/// thread only.
pub fn die_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let bind = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have gone before the line above took effect.
        if rustix::process::getppid() != Some(parent) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    };
    // SAFETY: between fork and exec only two system calls are made; nothing is allocated.
    unsafe { command.pre_exec(bind) };
}

/// Runs the calling process only when a core has nothing else to do.
pub fn become_idle_class() -> io::Result<()> {
    // SAFETY: an all-zero sched_param is the priority that SCHED_IDLE asks for.
    let done = unsafe {
        let parameters: libc::sched_param = std::mem::zeroed();
        libc::sched_setscheduler(0, libc::SCHED_IDLE, &parameters)
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Keeps all memory that was once allocated, instead of giving back what is free at the end of the
/// heap. After this, what is measured has no page faults in it.
pub fn keep_memory() {
    #[cfg(target_env = "gnu")]
    for option in [libc::M_TRIM_THRESHOLD, libc::M_MMAP_THRESHOLD] {
        // SAFETY: sets a number within the allocator, which locks for that.
        unsafe { libc::mallopt(option, 1 << 30) };
    }
}

/// Time on a core of all children that have ended and been waited for, and of theirs.
pub fn cpu_of_children() -> io::Result<Duration> {
    // SAFETY: an all-zero rusage is one, and the call writes nothing but it.
    let (done, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage), usage)
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    Ok(duration(usage.ru_utime) + duration(usage.ru_stime))
}

/// Ends a process that has not been waited for yet, so its id cannot belong to anyone else.
pub fn kill(pid: u32) {
    if let Some(pid) = Pid::from_raw(pid as i32) {
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
}
