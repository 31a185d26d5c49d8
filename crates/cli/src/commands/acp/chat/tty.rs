//! Answers to questions, from the terminal itself: single keys, or lines.
//!
//! The line editor of the prompt cannot be interrupted when the agent withdraws its question, so it is not used here.

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

/// The terminal while a question is open. Dropping it restores the terminal, and forgets what was typed but not read.
struct Tty {
    input: Receiver,
    before: Termios,
}

impl Tty {
    /// What was typed before is thrown away: it was not meant as an answer.
    ///
    /// # Errors
    /// There is no terminal.
    fn open(change: impl FnOnce(&mut LocalModes)) -> Result<Tty, Failure> {
        let open = || -> io::Result<Tty> {
            // Opened anew: that it does not block must not hold for stdin, which others share.
            let terminal = OpenOptions::new()
                .read(true)
                .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
                .open("/dev/tty")?;
            let input = Receiver::from_file_unchecked(terminal)?;
            let before = tcgetattr(&input)?;
            let mut during = before.clone();
            change(&mut during.local_modes);
            tcflush(&input, QueueSelector::IFlush)?;
            tcsetattr(&input, OptionalActions::Now, &during)?;
            Ok(Tty { input, before })
        };
        open()
            .map_err(|error| Failure::cannot_start(format!("the terminal cannot be used: {error}")))
    }

    /// What was typed, as soon as there is something; nothing at the end of the input.
    async fn read(&mut self, typed: &mut [u8]) -> io::Result<usize> {
        loop {
            self.input.readable().await?;
            match self.input.try_read(typed) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        let _gone = tcflush(&self.input, QueueSelector::IFlush);
        let _gone = tcsetattr(&self.input, OptionalActions::Now, &self.before);
    }
}

/// Reads keys one by one, without an Enter.
pub(super) struct Keys {
    tty: Tty,
    /// Keys that were read together with the one before them.
    more: VecDeque<char>,
}

impl Keys {
    /// # Errors
    /// There is no terminal.
    pub(super) fn open() -> Result<Keys, Failure> {
        // Ctrl-C stays a signal.
        let tty = Tty::open(|modes| modes.remove(LocalModes::ICANON | LocalModes::ECHO))?;
        Ok(Keys {
            tty,
            more: VecDeque::new(),
        })
    }

    /// The next key. Sequences of keys that have no character are skipped.
    pub(super) async fn next(&mut self) -> io::Result<char> {
        loop {
            if let Some(key) = self.more.pop_front() {
                return Ok(key);
            }
            let mut typed = [0; 32];
            let count = match self.tty.read(&mut typed).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => count,
            };
            let typed = String::from_utf8_lossy(&typed[..count]);
            if !typed.starts_with('\u{1b}') {
                self.more.extend(typed.chars());
            }
        }
    }
}

/// Reads lines, which the terminal edits: Backspace, Ctrl-W and Ctrl-U work.
pub(super) struct Lines {
    tty: Tty,
    begun: Vec<u8>,
}

impl Lines {
    /// # Errors
    /// There is no terminal.
    pub(super) fn open() -> Result<Lines, Failure> {
        let tty = Tty::open(|modes| modes.insert(LocalModes::ICANON | LocalModes::ECHO))?;
        Ok(Lines {
            tty,
            begun: Vec::new(),
        })
    }

    /// The next line; nothing after Ctrl-D.
    pub(super) async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.begun.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line);
                return Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()));
            }
            let mut typed = [0; 1024];
            match self.tty.read(&mut typed).await? {
                0 => return Ok(None),
                count => self.begun.extend(&typed[..count]),
            }
        }
    }
}
