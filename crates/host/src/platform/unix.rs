//! Unix: a plugin is a process group, with more around it where the system has it.

mod attendance;
pub(super) mod child;
mod descriptors;
pub(super) mod enforcement;
pub(super) mod family;
pub(crate) mod files;
pub(crate) mod folder;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only Linux has cgroups to tell it of")
)]
pub(super) mod guardian;
mod launch;
mod leader;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
mod spawner;
mod sweep;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::ExitStatus;

use rustix::io::Errno;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

use enforcement::Enforcement;
use family::Mark;
use launch::Launch;
use leader::Leader;
use system::Cgroup;

use crate::command::PluginCommand;
use crate::environment::Variables;
use crate::sandbox::{self, Sandbox};

pub(crate) use attendance::Attendance;
pub(crate) use descriptors::raise_descriptor_limit;
pub(crate) use family::Family;
pub(crate) use sweep::end;

/// Environment variables that every plugin inherits on this system, besides those of all systems.
pub(crate) const USUAL_VARIABLES: &[&str] = &[];

pub(crate) const SHELL: &str = "/bin/sh";

/// The arguments with which the shell runs a line.
pub(crate) fn shell_arguments(line: &str) -> [String; 2] {
    ["-c", line].map(str::to_owned)
}

/// What leads to a child and back.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Larger than the default of 64 KiB, so that a message of a megabyte takes fewer system calls; small enough
/// that a hundred plugins stay within the limit of one user.
const PIPE_SIZE: usize = 256 * 1024;

/// Starts a command with these variables.
pub(crate) fn start(
    command: &PluginCommand,
    mut environment: Variables,
) -> io::Result<(Family, Pipes)> {
    // It has to hear of cgroups before they are made.
    guardian::start();
    let mark = Mark::new();
    environment.set(family::VARIABLE, mark.value());
    let (enforcement, cgroups) = Enforcement::of(command)?;
    let can_kill = cgroups.home.as_ref().is_some_and(Cgroup::can_kill);
    let sandbox = Sandbox::of(command, can_kill)?;
    let is_confined = sandbox.is_some();
    let launch = Launch::new(command, environment, enforcement, sandbox)?;
    let started = spawner::start(launch)?;
    let id = started.id;
    let leader = Leader::new(id);
    let own_proc = is_confined.then(|| sandbox::pin(id)).flatten();
    let is_enclosed = can_kill
        && (started.is_inside || cgroups.home.as_ref().is_some_and(|home| home.contains(id)));
    for pipe in [started.stdin.as_fd(), started.stdout.as_fd()] {
        system::widen(pipe, PIPE_SIZE);
    }
    let pipes = Pipes {
        stdin: ChildStdin::from_std(started.stdin)?,
        stdout: ChildStdout::from_std(started.stdout)?,
        stderr: ChildStderr::from_std(started.stderr)?,
    };
    let family = Family {
        is_enclosed,
        cgroups,
        leader,
        mark,
        seen: Vec::new(),
        own_proc,
    };
    Ok((family, pipes))
}

/// The signal that ended a process, if one did.
pub(crate) fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// What ended a process, if it did not end itself: a signal.
pub(crate) fn ended_by(status: ExitStatus) -> Option<i32> {
    signal(status)
}

/// Whether a program is given with its path, so that it is not looked for.
pub(crate) fn is_path(program: &OsStr) -> bool {
    program.as_bytes().contains(&b'/')
}

/// Whether a name is that of a program in `PATH`.
pub(crate) fn is_in_path(program: &OsStr, environment: &Variables) -> bool {
    let path = launch::search_path(environment);
    std::env::split_paths(path).any(|folder| folder.join(program).is_file())
}

/// What to try when a program could not be started, as far as that depends on the system.
pub(crate) fn start_hint(program: &str, error: &io::Error) -> Option<String> {
    match error.kind() {
        _ if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => {
            Some("this process has too many files open: raise the limit with `ulimit -n`".into())
        }
        io::ErrorKind::NotFound => {
            Some("its first line names an interpreter that does not exist".into())
        }
        io::ErrorKind::PermissionDenied => Some(format!("make it executable: chmod +x {program}")),
        _ => None,
    }
}

/// The texts before and behind an ASCII character.
pub(crate) fn split_once(text: &OsStr, at: u8) -> Option<(OsString, OsString)> {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| *byte == at)?;
    let owned = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((owned(&bytes[..end]), owned(&bytes[end + 1..])))
}

/// The name of a variable as it is compared.
pub(crate) fn compared(name: &OsStr) -> Cow<'_, [u8]> {
    Cow::Borrowed(name.as_bytes())
}
