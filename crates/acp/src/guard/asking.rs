//! Questions to the user that are open.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::state::Shared;

/// How long a client has to answer its open questions after it has cancelled a turn.
const OPEN_QUESTIONS: Duration = Duration::from_secs(2);

/// A question to the user, until it is answered.
pub(super) struct Asking(Option<Question>);

struct Question {
    shared: Arc<Shared>,
    session: String,
    /// How often the turn was cancelled before the question.
    cancels: watch::Receiver<u64>,
}

impl Asking {
    pub(super) fn begin(shared: &Arc<Shared>, session: Option<&str>) -> Asking {
        let question = session.and_then(|session| {
            let mut state = shared.state();
            let pace = state.paces.get_mut(session)?;
            pace.asking += 1;
            Some(Question {
                shared: shared.clone(),
                session: session.to_owned(),
                cancels: pace.cancels.subscribe(),
            })
        });
        Asking(question)
    }

    /// Waits until the turn is cancelled and the client has had time to answer.
    pub(super) async fn given_up(&self) {
        let Some(question) = &self.0 else {
            return std::future::pending().await;
        };
        let mut cancels = question.cancels.clone();
        if cancels.changed().await.is_err() {
            // The session is closed, and what it has asked is answered by the client.
            return std::future::pending().await;
        }
        tokio::time::sleep(OPEN_QUESTIONS).await;
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(question) = &self.0
            && let Some(pace) = question.shared.state().paces.get_mut(&question.session)
        {
            pace.asking = pace.asking.saturating_sub(1);
            pace.active = Instant::now();
        }
    }
}
