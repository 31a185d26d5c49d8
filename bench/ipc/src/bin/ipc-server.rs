//! `ipc-server unix PATH`: the service with `tenon_ipc::Server`, on one thread.

use std::hint::black_box;

use bench_ipc::{Broadcast, Stream};
use bench_ours::{EchoCall, Note};
use bench_workload::driver::Fault;
use bench_workload::place::Place;
use bench_workload::{Many, Size};
use tenon_ipc::{FromClient, Server};
use tenon_rpc::{Router, RpcError};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let path = Place::read(std::env::args().skip(1))?.socket()?;
    let router = Router::new(())
        .on(EchoCall, |_, echo| async move { Ok(echo) })
        .on_event(Note, |_, note| {
            black_box(note);
        })
        .on(Stream, |context, Many { count }| async move {
            let (session, echo) = (context.session(), Size::Tiny.echo());
            for _ in 0..count {
                let sent = session.notify(Note, echo.clone()).await;
                sent.map_err(|error| RpcError::internal(error.to_string()))?;
            }
            Ok(count)
        })
        .on(Broadcast, |context, Many { count }| async move {
            let (clients, echo) = (context.session().clients(), Size::Tiny.echo());
            for _ in 0..count {
                let sent = clients.broadcast(Note, &echo);
                sent.map_err(|error| RpcError::internal(error.to_string()))?;
            }
            Ok(count)
        });
    let _server = Server::bind(&path.to_string_lossy(), router)?;
    // The bench ends it.
    std::future::pending().await
}
