//! Windows.

use std::fs;
use std::fs::Metadata;
use std::io;
use std::path::Path;

use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

use super::Place;

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

/// Extensions decide what can be executed.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(crate) fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a symbolic link to a folder, for which the user needs a right or the developer mode.
pub(crate) fn link(target: &str, path: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, path)
}

/// Renames a folder. The system does not replace a folder.
pub(crate) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match to.exists() {
        true => Err(io::ErrorKind::AlreadyExists.into()),
        false => fs::rename(from, to),
    }
}

/// Creates a folder, and the folders that it is in. Those of a user are for that user alone.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
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
