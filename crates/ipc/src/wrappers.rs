//! Wrappers for the handlers of a server, for [`Router::wrap`](tenon_rpc::Router::wrap).
//!
//! Panics need no wrapper: the caller gets an internal error, and other calls are not affected.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tenon_rpc::{Call, ErrorCode, Format, Id, Next, Payload, Reply, RpcError, Text};

use crate::pace::Bucket;
use crate::session::{FromClient, Session};

/// The future of a wrapped call.
pub type Wrapped = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// Drops handlers that take longer, and answers with an error.
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

/// What [`logging`] reports about a call.
#[derive(Debug)]
pub struct Done<'a> {
    /// The name of the method.
    pub method: &'a Text,
    /// The id the caller chose.
    pub id: &'a Id,
    /// The client that called.
    pub session: &'a Session,
    /// How long it took.
    pub elapsed: Duration,
    /// Its outcome.
    pub reply: &'a Reply,
}

/// Reports every call when it has been answered, also if its handler panicked.
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

/// Handles a call only if `check` accepts it, for example if the client is allowed to make it or has
/// logged in ([`Session::keep`]).
pub fn guard<F>(check: F) -> impl Fn(Call, Next) -> Wrapped + Send + Sync + 'static
where
    F: Fn(&Session, &Call) -> Result<(), RpcError> + Send + Sync + 'static,
{
    move |call, next| match check(&call.session(), &call) {
        Ok(()) => Box::pin(next.run(call)),
        Err(error) => Box::pin(std::future::ready(Err(error))),
    }
}

/// Limits the requests of a client per second. Further ones are answered with the code -32005; the
/// error's data says after how many milliseconds to retry.
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
        let problem = format!("too many requests: the limit is {per_second} per second");
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
