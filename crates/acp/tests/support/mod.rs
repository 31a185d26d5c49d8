//! What the tests of the client and of agents share.

use std::future::Future;
use std::time::Duration;

use serde_json::Value;
use tenon_rpc::{CallError, Format, Payload, Peer, RpcError};

/// Folders of sessions, which need not exist but must be absolute.
pub(crate) const ROOT: &str = if cfg!(windows) { "C:/" } else { "/" };
pub(crate) const W: &str = if cfg!(windows) { "C:/w" } else { "/w" };
pub(crate) const X: &str = if cfg!(windows) { "C:/x" } else { "/x" };

/// Nothing that a test waits for takes longer.
const WATCHDOG: Duration = Duration::from_secs(60);

pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(WATCHDOG, work).await;
    outcome.expect("in time")
}

pub(crate) fn payload(value: &Value) -> Payload {
    Payload::encode(Format::Json, value).unwrap()
}

/// Calls the other side, which has to answer.
pub(crate) async fn ask(peer: &Peer, method: &str, params: &Value) -> Result<Value, RpcError> {
    match peer
        .call_raw(method.to_owned(), Some(payload(params)))
        .await
    {
        Ok(result) => Ok(result.decode().unwrap()),
        Err(CallError::Answered(error)) => Err(error),
        Err(other) => panic!("{method}: {other}"),
    }
}
