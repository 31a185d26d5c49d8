//! Where the lines of a conversation come from: a person at a terminal, or a script.

use std::io::IsTerminal;

use tokio::io::{AsyncBufReadExt, BufReader, Stdin};

use super::terminal::{Editing, Entered, Prompt, Terminal};
use crate::exit::Failure;

pub(crate) enum Input {
    Script(Script),
    Terminal(Terminal),
}

pub(crate) struct Script {
    lines: BufReader<Stdin>,
    /// The part of a line that has been read, in case the rest comes later.
    begun: Vec<u8>,
    /// How many lines have been read.
    number: usize,
}

/// Whether there is a person to talk to.
pub(crate) fn is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

impl Input {
    pub(crate) fn new(editing: Editing<'_>) -> Result<Input, Failure> {
        match is_terminal() {
            true => Terminal::open(editing).map(Input::Terminal),
            false => Ok(Input::Script(Script {
                lines: BufReader::new(stdin()),
                begun: Vec::new(),
                number: 0,
            })),
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Input::Terminal(_))
    }

    /// The next line. If the future is dropped, the next call continues where it was, with the same
    /// prompt.
    pub(crate) async fn next(&mut self, prompt: Prompt<'_>) -> Result<Entered, Failure> {
        match self {
            Input::Terminal(terminal) => Ok(terminal.next(prompt).await),
            Input::Script(script) => script.next().await,
        }
    }

    /// The number of the line that was read last, where lines have numbers: in a script.
    pub(crate) fn line_number(&self) -> Option<usize> {
        match self {
            Input::Terminal(_) => None,
            Input::Script(script) => Some(script.number),
        }
    }
}

impl Script {
    async fn next(&mut self) -> Result<Entered, Failure> {
        let read = self.lines.read_until(b'\n', &mut self.begun).await;
        read.map_err(|error| Failure::usage(format!("stdin: {error}")))?;
        if self.begun.is_empty() {
            return Ok(Entered::End);
        }
        self.number += 1;
        // The blanks at the end of a line, its line break among them, mean nothing.
        let line = String::from_utf8(std::mem::take(&mut self.begun));
        Ok(line.map_or(Entered::Unreadable, Entered::Line))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "here stdin is a person or a script, not a protocol"
)]
fn stdin() -> Stdin {
    tokio::io::stdin()
}
