//! Our own calls that wait for their answers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::error::CallError;
use crate::message::{Event, Id, Message, Text};
use crate::metrics::Timer;
use crate::pending::Outcome;
use crate::shared::Shared;

/// A call that has been sent: a future of its answer. Dropping it earlier cancels the call.
#[must_use]
pub struct Asked {
    pub(crate) shared: Arc<Shared>,
    pub(crate) number: u32,
    pub(crate) timer: Option<Timer>,
    /// The other side has been asked to cancel it.
    pub(crate) is_cancelled: bool,
}

impl Asked {
    /// The id that the request went out with.
    pub fn id(&self) -> Id {
        Id::from(self.number)
    }

    /// Asks the other side to cancel the call, once, and continues waiting for its answer. Nothing is sent in a protocol
    /// without cancellation.
    pub fn cancel(&mut self) {
        if std::mem::replace(&mut self.is_cancelled, true) {
            return;
        }
        let Some(cancel) = self.shared.options.cancel else {
            return;
        };
        let outbox = &self.shared.outbox;
        let (form, format) = (self.shared.options.params, outbox.dialect().format());
        if let Ok(params) = cancel.params(form, format, self.number) {
            let event = Message::Event(Event {
                method: Text::from_static(cancel.method),
                params,
            });
            // There are at most as many of these as calls, so they need no room of their own.
            // A connection that has ended needs no cancelling.
            let _ended = outbox.push(outbox.no_room_needed(), &event);
        }
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asked({})", self.number)
    }
}

impl Future for Asked {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        let polled = self.shared.pending().poll(self.number, cx.waker());
        let Some(outcome) = polled else {
            return Poll::Pending;
        };
        if let Some(timer) = self.timer.take() {
            timer.finish(match &outcome {
                Ok(_) => crate::metrics::Outcome::Ok,
                Err(CallError::Answered(_)) => crate::metrics::Outcome::Error,
                Err(_) => crate::metrics::Outcome::Lost,
            });
        }
        Poll::Ready(outcome)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.shared.pending().forget(self.number) {
            self.cancel();
        }
    }
}

/// Waits for a call at most for `limit`, if there is one. Then the call is dropped, which cancels it.
///
/// # Errors
/// [`CallError::TimedOut`], or those of the call.
pub async fn within<T>(
    limit: Option<Duration>,
    call: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    let Some(limit) = limit else {
        return call.await;
    };
    match tokio::time::timeout(limit, call).await {
        Ok(outcome) => outcome,
        Err(_) => Err(CallError::TimedOut(limit)),
    }
}
