//! Permissions on Linux.
//!
//! Everything is prepared before the fork. The child then only makes system calls: it enters a
//! ruleset of Landlock (files, programs, TCP, signals), gives up capabilities and the right to gain
//! others, and puts a seccomp filter on itself for what Landlock does not see.

mod elf;
mod filter;
mod kernel;
mod landlock;
mod listener;
mod needed;
mod report;
mod rules;
mod shims;
mod syscalls;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::command::PluginCommand;
use filter::Instruction;
use landlock::{Ruleset, access};
use rules::Rules;
pub(super) use rules::check;

/// Everything that the child needs to confine itself.
pub(crate) struct Sandbox {
    ruleset: Ruleset,
    filter: Vec<Instruction>,
    /// Where to send the filter's listener, if denials are reported.
    asked: Option<UnixStream>,
    /// `PATH`, if it must be another one.
    path: Option<OsString>,
}

impl Sandbox {
    /// The sandbox for a command, if it has permissions. `has_cgroup`: it runs in a cgroup that is killed as a
    /// whole.
    ///
    /// # Errors
    /// The permissions cannot be enforced, so the command must not be started.
    pub(crate) fn of(command: &PluginCommand, has_cgroup: bool) -> io::Result<Option<Sandbox>> {
        let Some(permissions) = &command.permissions else {
            return Ok(None);
        };
        let (rules, needed) = Rules::of(command, permissions)?;
        let path = match needed.first_in_path.is_empty() {
            true => None,
            false => {
                let usual = needed::Finder::new(command).path();
                let folders = needed.first_in_path.into_iter();
                let folders = folders.chain(std::env::split_paths(&usual));
                std::env::join_paths(folders).ok()
            }
        };
        let ruleset = Ruleset::new(&rules)?;
        let filter = filter::program(&rules, command.on_denial.is_some(), has_cgroup)?;
        let asked = match &command.on_denial {
            Some(see) => {
                let (child, host) = UnixStream::pair()?;
                report::follow(host.into(), rules, see.clone())?;
                Some(child)
            }
            None => None,
        };
        Ok(Some(Sandbox {
            ruleset,
            filter,
            asked,
            path,
        }))
    }

    /// `PATH` for the program, if it must be another one.
    pub(crate) fn path(&self) -> Option<&OsStr> {
        self.path.as_deref()
    }

    /// Confines the process that calls this. Runs in the child: plain system calls, see [`kernel`].
    pub(crate) fn enter(&self) -> io::Result<()> {
        kernel::close_others_on_exec()?;
        rustix::process::setrlimit(
            Resource::Core,
            Rlimit {
                current: Some(0),
                maximum: Some(0),
            },
        )?;
        self.allow_own_proc()?;
        rustix::thread::set_no_new_privs(true)?;
        drop_capabilities()?;
        kernel::landlock_restrict_self(self.ruleset.descriptor.as_fd())?;
        let listener = kernel::seccomp_filter(&self.filter, self.asked.is_some())?;
        match (&self.asked, &listener) {
            (Some(asked), Some(listener)) => listener::send(asked.as_fd(), listener.as_fd()),
            _ => Ok(()),
        }
    }

    /// Runtimes look themselves up in `/proc/self`, whose real name is known only now.
    fn allow_own_proc(&self) -> io::Result<()> {
        let rights = access::READ & self.ruleset.handled;
        if rights == 0 {
            return Ok(());
        }
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        match rustix::fs::open(c"/proc/self", flags, Mode::empty()) {
            Ok(own) => {
                kernel::landlock_add_path(self.ruleset.descriptor.as_fd(), own.as_fd(), rights)
            }
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Of the rights of root, keeps only the one that Landlock restricts: opening files of other users.
fn drop_capabilities() -> io::Result<()> {
    kernel::drop_bounding_set(CapabilitySet::DAC_OVERRIDE.bits());
    // Old kernels do not have it, and ordinary users have none.
    let _nothing_to_clear = rustix::thread::clear_ambient_capability_set();
    let has = rustix::thread::capabilities(None)?;
    let keeps = CapabilitySet::DAC_OVERRIDE;
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            effective: has.effective & keeps,
            permitted: has.permitted & keeps,
            inheritable: CapabilitySet::empty(),
        },
    )?;
    Ok(())
}

/// Adds a hint to the error of a program that could not be started in a sandbox.
pub(crate) fn explained(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::PermissionDenied => io::Error::other(format!(
            "{error}\n  hint: is it executable? If it starts other programs to start itself, as version \
             managers do, name the program that they start, or allow `run`"
        )),
        _ => error,
    }
}

/// Keeps the folder of a process in `/proc` open. The kernel may recreate a folder that is not in use, and
/// the rule about it would not apply to the new one.
pub(crate) fn pin(process: Pid) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let folder = format!("/proc/{}", process.as_raw_nonzero());
    rustix::fs::open(folder, flags, Mode::empty()).ok()
}
