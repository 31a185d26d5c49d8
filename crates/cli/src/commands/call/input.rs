//! Where the lines of a conversation come from: a person at a terminal, or a script.

use std::io::IsTerminal;

use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

use super::terminal::Terminal;
use crate::args::CallArgs;
use crate::exit::Failure;

pub(crate) enum Input {
    Script(Lines<BufReader<Stdin>>),
    Terminal(Terminal),
}

/// What is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Prompt<'a> {
    /// The next line of the conversation.
    Line,
    /// The answer to a question, which is shown. It is not remembered: it may be a secret.
    Question(&'a str),
}

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the end of the script.
    End,
}

/// Whether there is a person to talk to.
pub(crate) fn is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

impl Input {
    pub(crate) fn new(args: &CallArgs) -> Result<Input, Failure> {
        match is_terminal() {
            true => Terminal::open(args).map(Input::Terminal),
            false => Ok(Input::Script(BufReader::new(stdin()).lines())),
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Input::Terminal(_))
    }

    /// The next line. If the future is dropped, the next call goes on where it was, with the same
    /// prompt.
    pub(crate) async fn next(&mut self, prompt: Prompt<'_>) -> Result<Entered, Failure> {
        match self {
            Input::Terminal(terminal) => Ok(terminal.next(prompt).await),
            Input::Script(lines) => match lines.next_line().await {
                Ok(Some(line)) => Ok(Entered::Line(line)),
                Ok(None) => Ok(Entered::End),
                Err(error) => Err(Failure::usage(format!("stdin: {error}"))),
            },
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "here stdin is a person or a script, not a protocol"
)]
fn stdin() -> Stdin {
    tokio::io::stdin()
}
