//! What the agent asks, on its way to the loop that talks to the user.

use std::sync::Arc;

use tenon_acp::client::{Answer, User};
use tenon_acp::policy::Decision;
use tenon_protocols::acp::{
    ElicitationParams, ElicitationResult, Empty, PermissionParams, PermissionResult,
};
use tokio::sync::{mpsc, oneshot};

/// Something that the user should see or answer.
pub(super) enum News {
    Permission(Box<PermissionParams>, oneshot::Sender<PermissionResult>),
    Question(Box<ElicitationParams>, oneshot::Sender<ElicitationResult>),
    /// The page of a question is done.
    Complete(String),
    /// A rule has decided.
    Decided(Box<PermissionParams>, Box<Decision>),
    /// A file was written for the agent.
    Wrote {
        session_id: String,
        path: String,
        bytes: usize,
    },
}

/// Sends questions to the loop.
pub(super) struct Desk(mpsc::Sender<News>);

/// More than this wait only if the agent floods; then what needs no answer is not shown.
const WAITING: usize = 256;

impl News {
    pub(super) fn new() -> (Arc<Desk>, mpsc::Receiver<News>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Arc::new(Desk(sender)), receiver)
    }
}

impl User for Desk {
    fn permission(&self, request: PermissionParams) -> Answer<PermissionResult> {
        let sender = self.0.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let news = News::Permission(Box::new(request), answer);
            match sender.send(news).await {
                Ok(()) => answered
                    .await
                    .unwrap_or_else(|_| PermissionResult::cancelled()),
                Err(_) => PermissionResult::cancelled(),
            }
        })
    }

    fn elicitation(&self, question: ElicitationParams) -> Answer<ElicitationResult> {
        let sender = self.0.clone();
        Box::pin(async move {
            let cancelled = || ElicitationResult::Cancel(Empty::default());
            let (answer, answered) = oneshot::channel();
            let news = News::Question(Box::new(question), answer);
            match sender.send(news).await {
                Ok(()) => answered.await.unwrap_or_else(|_| cancelled()),
                Err(_) => cancelled(),
            }
        })
    }

    fn elicitation_complete(&self, elicitation_id: &str) {
        let _not_shown = self.0.try_send(News::Complete(elicitation_id.to_owned()));
    }

    fn decided(&self, request: &PermissionParams, decision: &Decision) {
        let news = News::Decided(Box::new(request.clone()), Box::new(decision.clone()));
        let _not_shown = self.0.try_send(news);
    }

    fn wrote(&self, session_id: &str, path: &str, bytes: usize) {
        let _not_shown = self.0.try_send(News::Wrote {
            session_id: session_id.to_owned(),
            path: path.to_owned(),
            bytes,
        });
    }
}
