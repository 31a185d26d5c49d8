//! Windows.

mod tty;

use std::fs;
use std::fs::Metadata;
use std::io;
use std::os::windows::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

use super::Place;

pub(crate) use tenon_host::console::{enable_escape_codes, size as terminal_size};
pub(crate) use tty::Tty;

/// An event of the console.
pub(crate) enum Signal {
    Interrupt(CtrlC),
    Terminate(CtrlBreak),
    HangUp(CtrlClose),
}

impl Signal {
    pub(crate) async fn recv(&mut self) -> Option<()> {
        match self {
            Signal::Interrupt(event) => event.recv().await,
            Signal::Terminate(event) => event.recv().await,
            Signal::HangUp(event) => event.recv().await,
        }
    }
}

/// Ctrl-C.
pub(crate) fn interrupt() -> io::Result<Signal> {
    ctrl_c().map(Signal::Interrupt)
}

/// Ctrl-Break, which is also how a host asks its plugins to end.
pub(crate) fn terminate() -> io::Result<Signal> {
    ctrl_break().map(Signal::Terminate)
}

/// The console is closed.
pub(crate) fn hang_up() -> io::Result<Signal> {
    ctrl_close().map(Signal::HangUp)
}

/// The line editor restores the console by itself.
pub(crate) enum TerminalState {}

impl TerminalState {
    pub(crate) fn of_stdin() -> Option<TerminalState> {
        None
    }

    pub(crate) fn restore(&self) {
        match *self {}
    }
}

/// Extensions decide what can be executed.
pub(crate) fn is_executable(file: &Metadata) -> bool {
    file.is_file()
}

/// The names of files that a program's name may mean: without an extension it is one of a program.
pub(crate) fn program_names(program: &str) -> Vec<String> {
    match Path::new(program).extension() {
        Some(_) => vec![program.to_owned()],
        None => { EXTENSIONS.iter() }
            .map(|extension| format!("{program}{extension}"))
            .collect(),
    }
}

/// Those of programs that the system starts.
const EXTENSIONS: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];

/// Whether the process has ended that was writing a file, by the age of the file: ids are soon given to others.
pub(crate) fn has_ended(_: i32, file: &Metadata) -> bool {
    const LONGEST_COPY: Duration = Duration::from_secs(3600);
    let age = file.modified().ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age > LONGEST_COPY)
}

/// Where programs keep data of the user that stays on this machine.
pub(crate) fn data_folder(home: Option<PathBuf>) -> Option<PathBuf> {
    let chosen = std::env::var_os("LOCALAPPDATA").filter(|folder| !folder.is_empty());
    chosen.map_or_else(
        || Some(home?.join(r"AppData\Local")),
        |folder| Some(folder.into()),
    )
}

/// Where Terraform and OpenTofu look for their configuration files, and what these are called.
pub(crate) fn terraform_configs(home: &Path) -> [PathBuf; 2] {
    let chosen = std::env::var_os("APPDATA").filter(|folder| !folder.is_empty());
    let folder = chosen.map_or_else(|| home.join(r"AppData\Roaming"), PathBuf::from);
    [folder.join("terraform.rc"), folder.join("tofu.rc")]
}

/// Whether there is a program of this name, which need not have its extension.
pub(crate) fn is_program(path: &Path) -> bool {
    let is_there = |extension: &&str| {
        let mut file = path.as_os_str().to_owned();
        file.push(extension);
        Path::new(&file).is_file()
    };
    EXTENSIONS.iter().any(is_there)
}

/// What else changes with a file: its attributes, and when it was created if it is replaced.
pub(crate) fn version(file: &Metadata) -> (u32, u64) {
    (file.file_attributes(), file.creation_time())
}

/// Extensions decide what can be executed.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(crate) fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The folder decides who can read a file, and its extension whether it can be executed.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(crate) fn set_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a symbolic link to a file, for which the user needs a right or the developer mode.
pub(crate) fn link(target: &str, path: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, path)
}

/// Renames a folder. The system does not replace a folder.
pub(crate) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match to.exists() {
        true => Err(io::ErrorKind::AlreadyExists.into()),
        false => fs::rename(from, to),
    }
}

/// Whether writing failed because the reader has closed its end.
pub(crate) fn is_reader_gone(error: &io::Error) -> bool {
    /// What the standard library has no name for.
    const PIPE_NOT_CONNECTED: i32 = 233;
    error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(PIPE_NOT_CONNECTED)
}

/// Whether two paths lead to the same file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| fs::canonicalize(path).ok().filter(|path| path.is_file());
    file(one).is_some_and(|one| file(other) == Some(one))
}

/// What is at a path.
pub(crate) fn place(_: &Path) -> Place {
    Place::File
}

/// Nothing tells.
pub(crate) async fn reader_gone(_: &io::Stdout) {
    std::future::pending().await
}

/// Users have no numbers.
pub(crate) fn own_user() -> Option<u32> {
    None
}

/// Not looked for.
pub(crate) fn is_closed_to_others(_: &Path) -> bool {
    false
}
