//! The protocol of the bench, and what its server and its client have in common.

use bench_workload::Echo;
use bench_workload::driver::Fault;
use bench_workload::place::Place;
use tenon_rpc::{Dialect, Io, events, methods};
use tokio::net::UnixStream;

methods! {
    /// Sends its params back.
    pub EchoCall = "echo" (Echo) -> Echo;
}

events! {
    /// Is read and forgotten.
    pub Note = "note" (Echo);
}

pub fn dialect(word: Option<String>) -> Result<Dialect, Fault> {
    match word.as_deref() {
        Some("lines") => Ok(Dialect::JsonRpcLines),
        Some("msgpack") => Ok(Dialect::MsgpackRpc),
        _ => Err("expected: lines or msgpack".into()),
    }
}

/// The connecting end.
pub async fn connect(place: &Place) -> Result<Io, Fault> {
    Ok(match place {
        Place::Stdio => Io::stdio()?,
        Place::Socket(path) => Io::from(UnixStream::connect(path).await?),
    })
}
