//! Answers to questions, from the terminal itself: single keys, or lines.
//!
//! The line editor of the prompt cannot be interrupted when the agent withdraws its question, so it is not used here.

use std::collections::VecDeque;
use std::io;

use crate::exit::Failure;
use crate::platform::Tty;

fn cannot_open(error: io::Error) -> Failure {
    Failure::cannot_start(format!("the terminal cannot be used: {error}"))
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
        Ok(Keys {
            tty: Tty::for_keys().map_err(cannot_open)?,
            more: VecDeque::new(),
        })
    }

    /// The next key. Sequences of keys that have no character are skipped.
    pub(super) async fn next(&mut self) -> io::Result<char> {
        loop {
            if let Some(key) = self.more.pop_front() {
                return Ok(key);
            }
            let typed = self.tty.read().await?;
            if typed.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let typed = String::from_utf8_lossy(&typed);
            if !typed.starts_with('\u{1b}') {
                self.more.extend(typed.chars());
            }
        }
    }
}

/// Reads lines, which the terminal edits: Backspace, Ctrl-W and Ctrl-U work (on Windows Backspace).
pub(super) struct Lines {
    tty: Tty,
    begun: Vec<u8>,
}

impl Lines {
    /// # Errors
    /// There is no terminal.
    pub(super) fn open() -> Result<Lines, Failure> {
        Ok(Lines {
            tty: Tty::for_lines().map_err(cannot_open)?,
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
            match self.tty.read().await? {
                typed if typed.is_empty() => return Ok(None),
                typed => self.begun.extend(typed),
            }
        }
    }
}
