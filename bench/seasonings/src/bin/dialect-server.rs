//! `dialect-server lines|msgpack pipe`: the same handlers in one dialect or the other, on stdin and stdout.

use bench_workload::Echo;
use bench_workload::document::Resource;
use bench_workload::driver::Fault;
use serde::{Deserialize, Serialize};
use tenon_rpc::{Connection, Dialect, Io, Router, methods};

#[derive(Serialize, Deserialize)]
struct Document {
    resources: Vec<Resource>,
}

methods! {
    /// Sends its params back.
    EchoCall = "echo" (Echo) -> Echo;
    /// The same with a large value.
    DocumentCall = "document" (Document) -> Document;
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let dialect = match std::env::args().nth(1).as_deref() {
        Some("lines") => Dialect::JsonRpcLines,
        Some("msgpack") => Dialect::MsgpackRpc,
        _ => return Err("expected: lines or msgpack".into()),
    };
    let router = Router::new(())
        .on(EchoCall, |_, echo| async move { Ok(echo) })
        .on(DocumentCall, |_, document| async move { Ok(document) });
    Connection::start(Io::stdio()?, dialect, router)
        .closed()
        .await;
    Ok(())
}
