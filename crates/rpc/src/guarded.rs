//! Handlers whose panics affect only their caller.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::RpcError;
use crate::reply::Reply;
use crate::router::Work;

/// A handler whose panic becomes an error for its caller.
pub(crate) struct Guarded(pub(crate) Work);

impl Future for Guarded {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Reply> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx))) {
            Ok(polled) => polled,
            Err(panic) => Poll::Ready(Err(panicked(&*panic))),
        }
    }
}

/// The error that a caller gets for a panic. The panic's text goes only to the log of this process: it
/// may contain something that the caller should not know.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> RpcError {
    let text = panic_text(panic);
    tracing::error!(panic = text, "a handler panicked");
    RpcError::internal("Internal error: the handler panicked")
}

/// The text of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
