//! A forwarded call, from its place in the queue to its outcome.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use super::lane::Lane;
use super::passed::Entry;
use crate::asked::Asked;
use crate::error::{CallError, CloseReason};
use crate::payload::Payload;

/// A forwarded call: a future of its outcome. Dropping it earlier cancels the call.
#[must_use]
pub struct Passing {
    stage: Stage,
    /// Keeps the ids as long as the call may be cancelled.
    entry: Entry,
}

enum Stage {
    Waiting {
        lane: Arc<Lane>,
        sent: oneshot::Receiver<Result<Asked, CallError>>,
    },
    Sent(Asked),
    Failed(CallError),
    Over,
}

impl From<Result<Asked, CallError>> for Stage {
    fn from(sent: Result<Asked, CallError>) -> Stage {
        match sent {
            Ok(asked) => Stage::Sent(asked),
            Err(error) => Stage::Failed(error),
        }
    }
}

impl Passing {
    /// A call that was sent immediately, or could not be sent.
    pub(super) fn begun(entry: Entry, sent: Result<Asked, CallError>) -> Passing {
        let stage = Stage::from(sent);
        Passing { stage, entry }
    }

    /// A call that waits in `lane`; `sent` completes when it has been sent.
    pub(super) fn waiting(
        entry: Entry,
        lane: Arc<Lane>,
        sent: oneshot::Receiver<Result<Asked, CallError>>,
    ) -> Passing {
        let stage = Stage::Waiting { lane, sent };
        Passing { stage, entry }
    }

    /// Whether the call has been sent, or never will be.
    pub fn is_sent(&self) -> bool {
        !matches!(self.stage, Stage::Waiting { .. })
    }

    /// Waits until the call has been sent, or never will be.
    pub async fn sent(&mut self) {
        std::future::poll_fn(|cx| self.poll_sent(cx)).await;
    }

    fn poll_sent(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Stage::Waiting { sent, .. } = &mut self.stage {
            let sent = std::task::ready!(Pin::new(sent).poll(cx));
            // The task that sends it has ended, with the runtime.
            let closed = Err(CallError::Closed(CloseReason::ClosedHere));
            self.stage = sent.unwrap_or(closed).into();
        }
        Poll::Ready(())
    }
}

impl Future for Passing {
    type Output = Result<Payload, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        std::task::ready!(self.poll_sent(cx));
        if let Stage::Sent(asked) = &mut self.stage {
            return Pin::new(asked).poll(cx);
        }
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Failed(error) => Poll::Ready(Err(error)),
            Stage::Waiting { .. } | Stage::Sent(_) | Stage::Over => Poll::Pending,
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // The task that sends it right now notices by itself.
        if let Stage::Waiting { lane, .. } = &self.stage {
            lane.give_up(self.entry.number());
        }
    }
}

impl fmt::Debug for Passing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Passing({})", self.entry.number())
    }
}
