//! Calls that are not cancelled at the agent when their caller stops waiting.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tenon_rpc::forward::Passing;
use tenon_rpc::{CallError, Payload};

/// A forwarded call. Dropping it cancels the call, unless the agent does not know how to.
pub(super) struct Kept {
    passing: Option<Passing>,
    is_kept: bool,
}

impl Kept {
    pub(super) fn new(passing: Passing, is_kept: bool) -> Kept {
        Kept {
            passing: Some(passing),
            is_kept,
        }
    }
}

impl Future for Kept {
    type Output = Result<Payload, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(passing) = &mut self.passing else {
            return Poll::Pending;
        };
        let polled = Pin::new(passing).poll(cx);
        if polled.is_ready() {
            self.passing = None;
        }
        polled
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // A call that is answered later than anybody waits for has no effect.
        if let Some(passing) = self.passing.take().filter(|_| self.is_kept) {
            tokio::spawn(passing);
        }
    }
}
