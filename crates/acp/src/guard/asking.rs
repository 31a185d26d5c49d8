//! What the agent waits for: questions to the user that are open, and programs that run.

use std::sync::Arc;
use std::time::Duration;

use tenon_protocols::acp::TerminalParams;
use tenon_rpc::Payload;
use tokio::sync::watch;
use tokio::time::Instant;

use super::state::Shared;

/// How long a client has to answer its open questions after it has cancelled a turn.
const OPEN_QUESTIONS: Duration = Duration::from_secs(2);

/// A call of the agent, until it is answered. While it waits for the user or for the end of a program, its turn may be
/// silent.
pub(super) struct Waiting {
    shared: Arc<Shared>,
    session: String,
    what: What,
    /// How often the turn was cancelled before a question.
    cancels: Option<watch::Receiver<u64>>,
    /// It was cancelled while the question was looked at, which its next change would not say.
    is_cancelled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    User,
    /// The program of a terminal.
    Program(String),
    /// Only the client, which has a time limit.
    Client,
}

impl Waiting {
    pub(super) fn begin(
        shared: &Arc<Shared>,
        session: &str,
        method: &str,
        params: Option<&Payload>,
    ) -> Waiting {
        let what = match method {
            "session/request_permission" | "elicitation/create" => What::User,
            "terminal/wait_for_exit" => match params.map(Payload::decode_private::<TerminalParams>)
            {
                Some(Ok(params)) => What::Program(params.terminal_id),
                _ => What::Client,
            },
            _ => What::Client,
        };
        let mut state = shared.state();
        let is_cancelled = { state.turns.session(session) }.is_some_and(|one| one.is_cancelled());
        if what == What::User && session.is_empty() {
            state.asking += 1;
        }
        let pace = state.paces.get_mut(session);
        let cancels = pace.and_then(|pace| match &what {
            What::User => {
                pace.asking += 1;
                Some(pace.cancels.subscribe())
            }
            What::Program(terminal) => {
                *pace.running.entry(terminal.clone()).or_default() += 1;
                None
            }
            What::Client => None,
        });
        drop(state);
        Waiting {
            shared: shared.clone(),
            session: session.to_owned(),
            what,
            cancels,
            is_cancelled,
        }
    }

    /// Waits until the turn is cancelled and the client has had time to answer.
    pub(super) async fn given_up(&self) {
        let Some(mut cancels) = self.cancels.clone() else {
            return std::future::pending().await;
        };
        if !self.is_cancelled && cancels.changed().await.is_err() {
            // The session is closed, and what it has asked is answered by the client.
            return std::future::pending().await;
        }
        tokio::time::sleep(OPEN_QUESTIONS).await;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        if self.what == What::User && self.session.is_empty() {
            state.asking = state.asking.saturating_sub(1);
            state.answered = Some(Instant::now());
        }
        let Some(pace) = state.paces.get_mut(&self.session) else {
            return;
        };
        pace.active = Instant::now();
        match &self.what {
            What::User => pace.asking = pace.asking.saturating_sub(1),
            What::Program(terminal) => {
                // A terminal that was released is waited for no longer.
                if let Some(count) = pace.running.get_mut(terminal) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        pace.running.remove(terminal);
                    }
                }
            }
            What::Client => {}
        }
    }
}
