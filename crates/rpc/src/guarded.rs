//! Handlers whose panics harm nobody else.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::RpcError;
use crate::reply::Reply;
use crate::router::Work;

/// A handler whose panic is an error for its caller and for nobody else.
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

/// The error that a caller gets for a panic. What the panic says is for whoever runs this process:
/// it may hold what no caller should know.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> RpcError {
    let text = panic_text(panic);
    tracing::error!(panic = text, "a handler panicked");
    RpcError::internal("Internal error: the handler panicked")
}

/// What a panic says.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
