//! Windows: a plugin is a job object. The kernel ends all processes in it when the last handle to it is closed, also when
//! this process is killed.

mod family;
pub(crate) mod files;
pub(crate) mod folder;
mod kernel;
mod pipes;
mod program;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::process::ExitStatus;

use tokio::net::windows::named_pipe::NamedPipeServer;
use tokio::process::Command;

use kernel::Job;
use pipes::ChildPipes;
use program::Program;

use crate::command::PluginCommand;
use crate::environment::Variables;
use crate::sandbox::Sandbox;

pub(crate) use family::{Family, end};
pub(crate) use kernel::{console, is_own_pipe, own_pipe};
pub(crate) use program::{is_in_path, is_path};

/// Environment variables that every plugin inherits on this system, besides those of all systems: the user, and where the
/// system, its programs and the folders of programs are. Without SystemRoot, most programs do not start.
pub(crate) const USUAL_VARIABLES: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMPUTERNAME",
    "COMSPEC",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMMONPROGRAMW6432",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PSMODULEPATH",
    "PUBLIC",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

pub(crate) const SHELL: &str = "cmd.exe";

/// The arguments with which the shell runs a line. They are not quoted: with these options it removes the outer quotes and
/// takes the rest as it is.
pub(crate) fn shell_arguments(line: &str) -> [String; 4] {
    ["/d", "/s", "/c", &format!("\"{line}\"")].map(str::to_owned)
}

/// What leads to a child and back.
pub(crate) struct Pipes {
    pub(crate) stdin: NamedPipeServer,
    pub(crate) stdout: NamedPipeServer,
    pub(crate) stderr: NamedPipeServer,
}

/// Starts a command with these variables. It does not run before it is in its job.
pub(crate) fn start(
    command: &PluginCommand,
    environment: Variables,
) -> io::Result<(Family, Pipes)> {
    // Permissions cannot be enforced here, which is an error if there are any.
    match Sandbox::of(command, false)? {
        None => {}
        Some(never) => match never {},
    }
    let job = Job::new(command.limits)?;
    let program = Program::find(&command.program, command.folder.as_deref(), &environment)?;
    let (pipes, ends) = ChildPipes::new(command.is_merged)?;
    let mut starting = suspended(&program);
    for arg in &command.args {
        match command.is_shell_line {
            true => starting.raw_arg(arg),
            false => starting.arg(arg),
        };
    }
    starting
        .env_clear()
        .envs(environment.iter())
        .stdin(ends.stdin)
        .stdout(ends.stdout)
        .stderr(ends.stderr);
    if let Some(folder) = &command.folder {
        starting.current_dir(folder);
    }
    let child = starting.spawn().map_err(|error| match &command.folder {
        Some(folder) if !folder.is_dir() => {
            let folder = folder.display();
            io::Error::new(
                error.kind(),
                format!("it cannot run in the folder {folder}: {error}"),
            )
        }
        _ => error,
    })?;
    // The child's ends of the pipes: with ours alone, its end is seen.
    drop(starting);
    let family = Family::new(child, job)?;
    Ok((family, pipes))
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where plugins are started"
)]
fn suspended(program: &Program) -> Command {
    let mut command = Command::new(&program.path);
    command
        .args(&program.before)
        .creation_flags(kernel::flags())
        // It is ended with its job; until it is in it, it must not be left behind either.
        .kill_on_drop(true);
    command
}

/// There are none.
pub(crate) fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// What ended a process, if it did not end itself: an exception.
pub(crate) fn ended_by(status: ExitStatus) -> Option<i32> {
    /// Where the codes of errors begin among the system's status codes.
    const ERRORS: u32 = 0xc000_0000;
    status.code().filter(|code| code.cast_unsigned() >= ERRORS)
}

/// What to try when a program could not be started, as far as that depends on the system.
pub(crate) fn start_hint(program: &str, error: &io::Error) -> Option<String> {
    /// The file is not a program.
    const BAD_EXE_FORMAT: i32 = 193;
    let program_file = program.trim_matches('\'').to_ascii_lowercase();
    let is_batch = program_file.ends_with(".cmd") || program_file.ends_with(".bat");
    match error.kind() {
        _ if error.raw_os_error() == Some(BAD_EXE_FORMAT) => Some(format!(
            "Windows cannot start {program} by itself: name its interpreter, as in `python script.py`"
        )),
        io::ErrorKind::InvalidInput if is_batch => Some(
            "the arguments of a batch file must not have a line break or end with a backslash: cmd.exe would \
             take them for commands"
                .into(),
        ),
        io::ErrorKind::PermissionDenied => Some(format!("may this user execute {program}?")),
        _ => None,
    }
}

/// The texts before and behind an ASCII character.
pub(crate) fn split_once(text: &OsStr, at: u8) -> Option<(OsString, OsString)> {
    let units: Vec<u16> = text.encode_wide().collect();
    let end = units.iter().position(|unit| *unit == u16::from(at))?;
    Some((
        OsString::from_wide(&units[..end]),
        OsString::from_wide(&units[end + 1..]),
    ))
}

/// Handles are not limited as descriptors are.
pub(crate) fn raise_descriptor_limit() {}

/// There is none: nothing here could interrupt a process when this one is gone.
#[derive(Debug)]
pub(crate) enum Attendance {}

impl Attendance {
    pub(crate) fn new(_: u32) -> Option<Attendance> {
        None
    }
}

/// The name of a variable as it is compared: without regard to case.
pub(crate) fn compared(name: &OsStr) -> Cow<'_, [u8]> {
    Cow::Owned(name.as_encoded_bytes().to_ascii_uppercase())
}
