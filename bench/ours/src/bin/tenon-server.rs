//! `tenon-server DIALECT HANDLER pipe|unix [PATH]`
//!
//! - `ready`: typed params, a handler that is done when it is first polled.
//! - `spawned`: the same, but it waits once.
//! - `raw`: the payload goes back as it came.

use std::hint::black_box;
use std::sync::Arc;

use bench_ours::{EchoCall, Note, dialect};
use bench_workload::driver::Fault;
use bench_workload::place::Place;
use tenon_rpc::{Connection, Dialect, Io, Options, Router, RpcError};
use tokio::net::UnixListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let mut words = std::env::args().skip(1);
    let dialect = dialect(words.next())?;
    let router = Arc::new(router(words.next().as_deref())?);
    match Place::read(words)? {
        Place::Stdio => {
            start(Io::stdio()?, dialect, &router).closed().await;
            Ok(())
        }
        Place::Socket(path) => {
            let listener = UnixListener::bind(path)?;
            loop {
                let (stream, _) = listener.accept().await?;
                let connection = start(stream.into(), dialect, &router);
                tokio::spawn(async move { connection.closed().await });
            }
        }
    }
}

fn start(io: Io, dialect: Dialect, router: &Arc<Router>) -> Connection {
    Connection::start_with(io, dialect, router.clone(), Options::default())
}

fn router(handler: Option<&str>) -> Result<Router, Fault> {
    let router = Router::new(());
    let typed = |router: Router| {
        router.on_event(Note, |_, note| {
            black_box(note);
        })
    };
    match handler {
        Some("ready") => Ok(typed(router).on(EchoCall, |_, echo| async move { Ok(echo) })),
        Some("spawned") => Ok(typed(router).on(EchoCall, |_, echo| async move {
            tokio::task::yield_now().await;
            Ok(echo)
        })),
        Some("raw") => Ok(router
            .on_raw("echo", |_, params| async move {
                params.ok_or_else(|| RpcError::invalid_params("echo needs params"))
            })
            .event_fallback(|_, event| {
                black_box(event);
            })),
        _ => Err("expected: ready, spawned or raw".into()),
    }
}
