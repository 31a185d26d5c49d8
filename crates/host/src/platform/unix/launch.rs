//! Starts a program as `std::process::Command` does, but inside its cgroup, so that nothing it starts can
//! be outside. The child is a copy of this process that must be careful: see [`child`].

use std::ffi::{CStr, CString, OsStr};
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, Resource, Rlimit, WaitOptions, chdir, getpid, getppid, setpgid, setrlimit, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::child::{self, Block};
use super::enforcement::Enforcement;
use super::{descriptors, system};
use crate::command::PluginCommand;
use crate::environment::Variables;
use crate::sandbox::{self, Sandbox};

/// Where programs are looked for without a `PATH`, as by `execvp`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Runs programs that are neither binaries nor name their interpreter, as with `execvp`.
const SHELL: &CStr = c"/bin/sh";

/// A program with all that its process needs before the program starts.
pub(crate) struct Launch {
    /// Where the program may be, in the order in which they are tried.
    paths: Vec<CString>,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    folder: Option<CString>,
    enforcement: Enforcement,
    sandbox: Option<Sandbox>,
    /// What it writes to stderr goes to stdout.
    is_merged: bool,
}

/// A process that was started. It must be reaped.
pub(crate) struct Started {
    pub(crate) id: Pid,
    /// It was started in the cgroup, without having to enter it.
    pub(crate) is_inside: bool,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// What the child was doing when it failed.
#[derive(Clone, Copy)]
enum Step {
    Preparing = 1,
    Folder = 2,
    Limits = 3,
    Sandbox = 4,
    Program = 5,
}

/// What the child tells its parent if it fails: the step, and the number of the error.
type Report = [u8; 5];

/// The ends of its pipes that the child uses.
struct ChildEnds {
    stdin: PipeReader,
    stdout: PipeWriter,
    stderr: PipeWriter,
}

/// What the child gets from the parent's memory.
struct Prepared<'a> {
    arguments: Block<'a>,
    /// The arguments if the program must be run by a shell. The program's path is the second.
    for_shell: Block<'a>,
    environment: Block<'a>,
    parent: Pid,
    descriptors: Option<Rlimit>,
}

impl Launch {
    /// # Errors
    /// A text contains a zero byte, which ends texts for the system.
    pub(crate) fn new(
        command: &PluginCommand,
        mut environment: Variables,
        enforcement: Enforcement,
        sandbox: Option<Sandbox>,
    ) -> io::Result<Launch> {
        if let Some(path) = sandbox.as_ref().and_then(Sandbox::path) {
            environment.set("PATH", path);
        }
        let path = search_path(&environment);
        let arguments = [&command.program].into_iter().chain(&command.args);
        let variables = environment.iter().map(|(name, value)| {
            let parts = [name.as_bytes(), value.as_bytes()];
            text(OsStr::from_bytes(&parts.join(&b'=')))
        });
        let folder = { command.folder.as_ref() }.map(|folder| text(folder.as_os_str()));
        Ok(Launch {
            paths: paths(&command.program, path)?,
            arguments: { arguments }
                .map(|one| text(one))
                .collect::<Result<_, _>>()?,
            environment: variables.collect::<Result<_, _>>()?,
            folder: folder.transpose()?,
            enforcement,
            sandbox,
            is_merged: command.is_merged,
        })
    }

    /// Starts the program. The kernel kills it when the thread that called this ends.
    ///
    /// # Errors
    /// There is no such program, or a step before its start failed.
    pub(crate) fn start(&self) -> io::Result<Started> {
        let (child_stdin, stdin) = io::pipe()?;
        let (stdout, child_stdout) = io::pipe()?;
        let (stderr, child_stderr) = io::pipe()?;
        let (mut reports, reporter) = io::pipe()?;
        let ends = ChildEnds {
            stdin: child_stdin,
            stdout: child_stdout,
            stderr: child_stderr,
        };
        let shell = SHELL.to_owned();
        let mut prepared = Prepared {
            arguments: Block::new(&self.arguments),
            for_shell: Block::new([&shell].into_iter().chain(&self.arguments)),
            environment: Block::new(&self.environment),
            parent: getpid(),
            descriptors: descriptors::limit_for_children(),
        };
        let forked = child::fork(self.enforcement.home())?;
        let Some(id) = forked.child else {
            let (step, error) = self.become_program(&ends, &mut prepared, forked.is_inside);
            let _nobody_reads = rustix::io::write(&reporter, &report(step, error));
            child::exit();
        };
        // The child has its own. When those close, the end of ours is seen.
        drop((ends, reporter));
        let mut failed: Report = [0; 5];
        if reports.read_exact(&mut failed).is_ok() {
            let _no_longer_there = retry_on_intr(|| waitpid(Some(id), WaitOptions::empty()));
            return Err(self.failure(failed));
        }
        Ok(Started {
            id,
            is_inside: forked.is_inside,
            stdin: OwnedFd::from(stdin).into(),
            stdout: OwnedFd::from(stdout).into(),
            stderr: OwnedFd::from(stderr).into(),
        })
    }

    /// Runs in the child. Returns only if a step fails.
    fn become_program<'a>(
        &'a self,
        ends: &ChildEnds,
        prepared: &mut Prepared<'a>,
        is_inside: bool,
    ) -> (Step, Errno) {
        match self.prepare(ends, prepared, is_inside) {
            Ok(()) => (Step::Program, self.execute(prepared)),
            Err((step, error)) => (step, Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        }
    }

    fn prepare(
        &self,
        ends: &ChildEnds,
        prepared: &Prepared<'_>,
        is_inside: bool,
    ) -> Result<(), (Step, io::Error)> {
        let preparing = |error: Errno| (Step::Preparing, error.into());
        dup2_stdin(&ends.stdin).map_err(preparing)?;
        dup2_stdout(&ends.stdout).map_err(preparing)?;
        let stderr = match self.is_merged {
            true => &ends.stdout,
            false => &ends.stderr,
        };
        dup2_stderr(stderr).map_err(preparing)?;
        if let Some(folder) = &self.folder {
            chdir(folder.as_c_str()).map_err(|error| (Step::Folder, error.into()))?;
        }
        setpgid(None, None).map_err(preparing)?;
        child::reset_signals().map_err(|error| (Step::Preparing, error))?;
        let limited = self.enforcement.apply(is_inside);
        limited.map_err(|error| (Step::Limits, error))?;
        if let Some(sandbox) = &self.sandbox {
            sandbox.enter().map_err(|error| (Step::Sandbox, error))?;
        }
        // Our parent may have raised its own limit on open files.
        if let Some(limit) = prepared.descriptors {
            setrlimit(Resource::Nofile, limit).map_err(preparing)?;
        }
        system::die_with_parent().map_err(|error| (Step::Preparing, error))?;
        // If it has already died, it no longer sends that signal.
        match getppid() == Some(prepared.parent) {
            true => Ok(()),
            false => Err(preparing(Errno::PIPE)),
        }
    }

    /// Tries the paths as `execvp` does.
    fn execute<'a>(&'a self, prepared: &mut Prepared<'a>) -> Errno {
        let mut last = Errno::NOENT;
        let mut is_denied = false;
        for path in &self.paths {
            last = child::execute(path, &prepared.arguments, &prepared.environment);
            match last {
                Errno::NOEXEC => {
                    prepared.for_shell.set(1, path);
                    return child::execute(SHELL, &prepared.for_shell, &prepared.environment);
                }
                Errno::ACCESS => is_denied = true,
                Errno::NOENT | Errno::NOTDIR | Errno::STALE | Errno::NODEV | Errno::TIMEDOUT => {}
                _ => return last,
            }
        }
        if is_denied { Errno::ACCESS } else { last }
    }

    /// Why the program was not started.
    fn failure(&self, report: Report) -> io::Error {
        let [step, number @ ..] = report;
        let error = io::Error::from_raw_os_error(i32::from_le_bytes(number));
        let is = |one: Step| step == one as u8;
        if is(Step::Program) && self.sandbox.is_some() {
            return sandbox::explained(error);
        }
        if let Some(folder) = self.folder.as_ref().filter(|_| is(Step::Folder)) {
            let folder = Path::new(OsStr::from_bytes(folder.as_bytes())).display();
            return io::Error::other(format!("it cannot run in the folder {folder}: {error}"));
        }
        if is(Step::Limits) {
            return io::Error::other(format!("its limits cannot be enforced: {error}"));
        }
        if is(Step::Sandbox) {
            return io::Error::other(format!("its permissions cannot be enforced: {error}"));
        }
        error
    }
}

fn report(step: Step, error: Errno) -> Report {
    let [a, b, c, d] = error.raw_os_error().to_le_bytes();
    [step as u8, a, b, c, d]
}

/// Where programs are looked for that are given without a path.
pub(crate) fn search_path(environment: &Variables) -> &OsStr {
    environment.get("PATH").unwrap_or(DEFAULT_PATH.as_ref())
}

/// A program by its path or, if that is only a name, in each folder of `PATH`.
fn paths(program: &OsStr, path: &OsStr) -> io::Result<Vec<CString>> {
    if program.is_empty() {
        return Ok(Vec::new());
    }
    if super::is_path(program) {
        return Ok(vec![text(program)?]);
    }
    let folders = std::env::split_paths(path);
    folders
        .map(|folder| text(folder.join(program).as_os_str()))
        .collect()
}

fn text(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.to_owned().into_vec())?)
}
