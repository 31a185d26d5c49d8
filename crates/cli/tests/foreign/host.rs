//! What foreign plugins find when they call us back.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tenon_rpc::{CallError, ErrorCode, Router, RpcError};

/// The params of the events that came, in their order.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<Value>>>);

impl Seen {
    pub(crate) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.0.lock().expect("no panic elsewhere"))
    }
}

/// Answers, and keeps the events that come.
pub(crate) fn host() -> (Router<Seen>, Seen) {
    let seen = Seen::default();
    let router = answering(seen.clone()).event_fallback(|context, event| {
        let params = event.params.expect("params");
        let params = params.decode().expect("what JSON has a form for");
        let mut seen = context.state.0.lock().expect("no panic elsewhere");
        seen.push(params);
    });
    (router, seen)
}

/// Has a method that calls the plugin back in turn, and one that refuses.
pub(crate) fn answering<S: Clone + Send + Sync + 'static>(state: S) -> Router<S> {
    Router::new(state)
        .on_raw("nested", |context, params| async move {
            // The plugin waits for us, and has to answer us nevertheless.
            let answer = context.peer.call_raw("echo", params).await;
            answer.map_err(|error| RpcError::internal(error.to_string()))
        })
        .on_raw("refuse", |_, _| async move {
            Err(RpcError::new(ErrorCode::Number(7), "ask again later"))
        })
}

/// The error the other side answered with.
pub(crate) fn refused<T: Debug>(outcome: Result<T, CallError>) -> RpcError {
    match outcome {
        Err(CallError::Answered(error)) => error,
        other => panic!("not an error answer: {other:?}"),
    }
}
