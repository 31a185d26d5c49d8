//! Single keys from the terminal.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;

use rustix::fs::OFlags;
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr,
};
use tokio::net::unix::pipe::Receiver;

use crate::exit::Failure;

/// Reads keys one by one, without an Enter. Dropping it restores the terminal.
pub(super) struct Keys {
    input: Receiver,
    before: Termios,
    /// Keys that were read together with the one before them.
    more: VecDeque<char>,
}

impl Keys {
    /// What was typed before is thrown away: it was not meant as an answer.
    ///
    /// # Errors
    /// There is no terminal.
    pub(super) fn open() -> Result<Keys, Failure> {
        let opened = Keys::open_terminal();
        opened
            .map_err(|error| Failure::cannot_start(format!("the terminal cannot be used: {error}")))
    }

    fn open_terminal() -> io::Result<Keys> {
        // Opened anew: that it does not block must not hold for stdin, which others share.
        let terminal = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open("/dev/tty")?;
        let input = Receiver::from_file_unchecked(terminal)?;
        let before = tcgetattr(&input)?;
        let mut single = before.clone();
        // Ctrl-C stays a signal.
        single
            .local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO);
        tcflush(&input, QueueSelector::IFlush)?;
        tcsetattr(&input, OptionalActions::Now, &single)?;
        Ok(Keys {
            input,
            before,
            more: VecDeque::new(),
        })
    }

    /// The next key. Sequences of keys that have no character are skipped.
    pub(super) async fn next(&mut self) -> io::Result<char> {
        loop {
            if let Some(key) = self.more.pop_front() {
                return Ok(key);
            }
            self.input.readable().await?;
            let mut typed = [0; 32];
            let count = match self.input.try_read(&mut typed) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error),
            };
            let typed = String::from_utf8_lossy(&typed[..count]);
            if !typed.starts_with('\u{1b}') {
                self.more.extend(typed.chars());
            }
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _gone = tcsetattr(&self.input, OptionalActions::Now, &self.before);
    }
}
