//! What many servers put around their handlers, for [`Router::wrap`](tenon_rpc::Router::wrap).
//!
//! A handler that panics needs no wrapper: its caller gets an internal error, and nobody else
//! notices.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tenon_rpc::{Call, ErrorCode, Format, Id, Next, Payload, Reply, RpcError, Text};

use crate::pace::Bucket;
use crate::session::{FromClient, Session};

/// A call on its way through a wrapper.
pub type Wrapped = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// Gives up on handlers that take longer, and drops them.
pub fn timeout(limit: Duration) -> impl Fn(Call, Next) -> Wrapped + Send + Sync + 'static {
    move |call, next| {
        let format = call.peer.format();
        Box::pin(async move {
            match tokio::time::timeout(limit, next.run(call)).await {
                Ok(reply) => reply,
                Err(_) => {
                    let error = RpcError::internal("Internal error");
                    Err(with_data(error, format, &json!("request timeout")))
                }
            }
        })
    }
}

/// What [`logging`] tells of a call.
#[derive(Debug)]
pub struct Done<'a> {
    /// The name of the method.
    pub method: &'a Text,
    /// The id the caller chose.
    pub id: &'a Id,
    /// Who called.
    pub session: &'a Session,
    /// How long it took.
    pub elapsed: Duration,
    /// What it came to.
    pub reply: &'a Reply,
}

/// Tells of every call when it has been answered, by an error if its handler panicked.
pub fn logging<F>(log: F) -> impl Fn(Call, Next) -> Wrapped + Send + Sync + 'static
where
    F: Fn(Done<'_>) + Send + Sync + 'static,
{
    let log = Arc::new(log);
    move |call, next| {
        let log = log.clone();
        Box::pin(async move {
            let (method, id, session) = (call.method.clone(), call.id.clone(), call.session());
            let started = Instant::now();
            let reply = next.run(call).await;
            log(Done {
                method: &method,
                id: &id,
                session: &session,
                elapsed: started.elapsed(),
                reply: &reply,
            });
            reply
        })
    }
}

/// Lets a call through only if `check` has nothing against it: who may do what, or who has logged
/// in ([`Session::keep`]).
pub fn guard<F>(check: F) -> impl Fn(Call, Next) -> Wrapped + Send + Sync + 'static
where
    F: Fn(&Session, &Call) -> Result<(), RpcError> + Send + Sync + 'static,
{
    move |call, next| match check(&call.session(), &call) {
        Ok(()) => Box::pin(next.run(call)),
        Err(error) => Box::pin(std::future::ready(Err(error))),
    }
}

/// Answers requests of a client past so many a second with the code -32005. The error's data says
/// after how many milliseconds to try again.
pub fn rate_limit(per_second: u32) -> impl Fn(Call, Next) -> Wrapped + Send + Sync + 'static {
    move |call, next| {
        let session = call.session();
        let taken = {
            let bucket = &session.inner().bucket;
            let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
            let bucket = bucket.get_or_insert_with(|| Bucket::new(per_second));
            bucket.take_one()
        };
        let Err(wait) = taken else {
            return Box::pin(next.run(call));
        };
        let problem = format!("too many requests: {per_second} a second are let through");
        let error = RpcError::new(ErrorCode::Number(crate::TOO_MANY_REQUESTS), problem);
        let milliseconds = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX) + 1;
        let data = json!({ "retryAfterMilliseconds": milliseconds });
        let error = with_data(error, call.peer.format(), &data);
        Box::pin(std::future::ready(Err(error)))
    }
}

fn with_data(error: RpcError, format: Format, data: &serde_json::Value) -> RpcError {
    match Payload::encode(format, data) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}
