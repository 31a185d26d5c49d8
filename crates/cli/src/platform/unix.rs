//! Unix.

mod tty;

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use tokio::io::Interest;
use tokio::net::unix::pipe;
use tokio::signal::unix::{SignalKind, signal};

use super::Place;

pub(crate) use tokio::signal::unix::Signal;
pub(crate) use tty::Tty;

/// SIGINT: Ctrl-C.
pub(crate) fn interrupt() -> io::Result<Signal> {
    signal(SignalKind::interrupt())
}

/// SIGTERM.
pub(crate) fn terminate() -> io::Result<Signal> {
    signal(SignalKind::terminate())
}

/// SIGHUP: the terminal is closed.
pub(crate) fn hang_up() -> io::Result<Signal> {
    signal(SignalKind::hangup())
}

/// How a terminal was.
pub(crate) struct TerminalState(Termios);

impl TerminalState {
    /// None if stdin is not a terminal.
    pub(crate) fn of_stdin() -> Option<TerminalState> {
        tcgetattr(io::stdin()).ok().map(TerminalState)
    }

    pub(crate) fn restore(&self) {
        let _gone = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

/// The rows and columns of the terminal, if stderr is one.
pub(crate) fn terminal_size() -> Option<(usize, usize)> {
    match tcgetwinsize(io::stderr()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            Some((usize::from(size.ws_row), usize::from(size.ws_col)))
        }
        _ => None,
    }
}

/// Whether terminals act on escape codes: here all do.
pub(crate) fn enable_escape_codes() -> bool {
    true
}

/// Whether stdout is a pipe, as in `. <(tenon ...)`.
pub(crate) fn is_stdout_pipe(stdout: &io::Stdout) -> bool {
    let status = rustix::fs::fstat(stdout);
    status.is_ok_and(|status| rustix::fs::FileType::from_raw_mode(status.st_mode).is_fifo())
}

/// Waits until the reader of stdout has closed it.
pub(crate) async fn reader_gone(stdout: &io::Stdout) {
    let stdout = stdout.as_fd().try_clone_to_owned();
    // A file that is not a pipe cannot be waited for.
    let pipe = stdout.and_then(|stdout| pipe::Sender::from_file_unchecked(stdout.into()));
    let is_gone = match &pipe {
        Ok(pipe) => pipe.ready(Interest::ERROR).await.is_ok(),
        Err(_) => false,
    };
    if !is_gone {
        std::future::pending::<()>().await;
    }
}

/// Ends stdout for its reader, while this process continues.
pub(crate) fn end_stdout() -> io::Result<()> {
    let nowhere = fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(nowhere)?)
}

/// Whether a file may be executed.
pub(crate) fn is_executable(file: &Metadata) -> bool {
    file.is_file() && file.permissions().mode() & 0o111 != 0
}

/// The names of files that a program's name may mean.
pub(crate) fn program_names(program: &str) -> Vec<String> {
    vec![program.to_owned()]
}

/// Whether a process has ended whose id is in the name of a file that it was writing.
pub(crate) fn has_ended(process: i32, _: &Metadata) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    Pid::from_raw(process).is_some_and(|id| test_kill_process(id) == Err(Errno::SRCH))
}

/// Where programs keep data of the user: the folder of a variable, or of the home folder.
pub(crate) fn data_folder(home: Option<PathBuf>) -> Option<PathBuf> {
    let chosen = std::env::var_os("XDG_DATA_HOME").filter(|folder| !folder.is_empty());
    chosen.map_or_else(
        || Some(home?.join(".local/share")),
        |folder| Some(folder.into()),
    )
}

/// Where Terraform and OpenTofu look for their configuration files, and what these are called.
pub(crate) fn terraform_configs(home: &Path) -> [PathBuf; 2] {
    [home.join(".terraformrc"), home.join(".tofurc")]
}

/// Whether there is a program of this name.
pub(crate) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| is_executable(&file))
}

/// What else changes with a file: its permissions, and its number when it is replaced.
pub(crate) fn version(file: &Metadata) -> (u32, u64) {
    (file.mode(), file.ino())
}

/// Lets those who may read a file execute it.
pub(crate) fn make_executable(path: &Path) -> io::Result<()> {
    let mode = path.metadata()?.permissions().mode();
    fs::set_permissions(path, Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Lets everyone read and execute a file.
pub(crate) fn set_executable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// Makes a symbolic link.
pub(crate) fn link(target: &str, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// Renames a folder unless there is something of the new name: not even an empty folder is replaced.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(crate) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // The file system cannot do that in one step.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if !to.exists() => fs::rename(from, to),
        done => Ok(done?),
    }
}

/// The same where the system cannot do it in one step: an empty folder that is made in between is replaced.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(crate) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match to.exists() {
        true => Err(io::ErrorKind::AlreadyExists.into()),
        false => fs::rename(from, to),
    }
}

/// Whether writing failed because the reader has closed its end.
pub(crate) fn is_reader_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Whether two paths lead to the same regular file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| {
        let there = fs::metadata(path).ok().filter(Metadata::is_file)?;
        Some((there.dev(), there.ino()))
    };
    file(one).is_some_and(|one| file(other) == Some(one))
}

/// Whether a folder of ours keeps other users out.
pub(crate) fn is_closed_to_others(folder: &Path) -> bool {
    let found = folder.metadata();
    found.is_ok_and(|found| Some(found.uid()) == own_user() && found.mode() & 0o011 == 0)
}

/// The user of this process, where users have numbers.
pub(crate) fn own_user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

/// What is at a path.
pub(crate) fn place(path: &Path) -> Place {
    match fs::metadata(path).map(|there| there.file_type()) {
        Ok(kind) if kind.is_char_device() => Place::Device,
        Ok(kind) if kind.is_fifo() || kind.is_socket() => Place::Stream,
        _ => Place::File,
    }
}
