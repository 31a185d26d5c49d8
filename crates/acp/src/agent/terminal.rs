//! Programs in terminals of the client.

use tenon_protocols::acp::{
    ExitStatus, KillTerminal, ReleaseTerminal, TerminalItem, TerminalOutput, TerminalOutputs,
    TerminalParams, ToolContent, WaitForExit,
};

use super::AgentError;
use super::turn::Turn;

/// A program in a terminal of the client. It is released when this is dropped, which ends a program that still runs.
#[derive(Debug)]
pub struct Terminal {
    turn: Turn,
    id: String,
    is_released: bool,
}

impl Terminal {
    pub(crate) fn new(turn: Turn, id: String) -> Terminal {
        Terminal {
            turn,
            id,
            is_released: false,
        }
    }

    /// The name that the client has given it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The terminal as content of a tool call: the client shows its output there as it comes.
    pub fn content(&self) -> ToolContent {
        ToolContent::Terminal(TerminalItem::new(self.id.clone()))
    }

    /// What the program has printed, and how it ended, if it has.
    ///
    /// # Errors
    /// The client answered with an error or has disconnected, or the turn was cancelled.
    pub async fn output(&self) -> Result<TerminalOutput, AgentError> {
        self.turn.call(TerminalOutputs, self.params()).await
    }

    /// Waits for the end of the program.
    ///
    /// # Errors
    /// As for [`output`](Terminal::output).
    pub async fn wait(&self) -> Result<ExitStatus, AgentError> {
        self.turn.call(WaitForExit, self.params()).await
    }

    /// Ends the program. Its output can still be read.
    ///
    /// # Errors
    /// As for [`output`](Terminal::output).
    pub async fn kill(&self) -> Result<(), AgentError> {
        self.turn.call(KillTerminal, self.params()).await.map(drop)
    }

    /// Ends the program if it runs, and gives the terminal back.
    ///
    /// # Errors
    /// As for [`output`](Terminal::output).
    pub async fn release(mut self) -> Result<(), AgentError> {
        self.is_released = true;
        let params = self.params();
        self.turn.call(ReleaseTerminal, params).await.map(drop)
    }

    fn params(&self) -> TerminalParams {
        TerminalParams::new(self.turn.id(), self.id.clone())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if !self.is_released {
            let (peer, params) = (self.turn.peer().clone(), self.params());
            // Also in a turn that was cancelled, where `Turn::call` would not send it.
            runtime.spawn(async move { peer.call(ReleaseTerminal, params).await });
        }
    }
}
