//! What the server under test does, and the client that is there to be killed.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenon_ipc::{FromClient, Server, Settings};
use tenon_rpc::{Format, Payload, Router, RpcError, events, methods};

methods! {
    /// Never answers.
    Hang = "hang" (Option<serde_json::Value>) -> ();
    /// Answers with a text of this many bytes.
    Text = "text" ((usize,)) -> String;
    /// Answers after this many milliseconds.
    Wait = "wait" ((u64,)) -> ();
    /// Sends `news` with the numbers from the first up to the second to everybody.
    Shout = "shout" ((u64, u64)) -> ();
    /// Sends `tick` with the numbers up to this one to the caller, before it answers.
    Emit = "emit" ((u64,)) -> ();
    /// How many `tick` events have come from the caller.
    Ticks = "ticks" (()) -> u64;
    /// How the server is.
    ReadStatus = "status" (()) -> Status;
}

events! {
    /// Something for everybody: a number, and a text that makes it a kilobyte.
    News = "news" ((u64, String));
    /// One of many.
    Tick = "tick" ((u64,));
}

/// How the server is.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Status {
    pub(crate) connections: usize,
    /// Handlers of [`Hang`] that have begun and have not been dropped.
    pub(crate) handlers: usize,
    /// Calls of `echo` so far.
    pub(crate) echoes: u64,
    /// Events that clients missed because they do not read.
    pub(crate) missed: u64,
}

#[derive(Clone, Default)]
struct Counts {
    handlers: Arc<AtomicUsize>,
    echoes: Arc<AtomicU64>,
}

/// Counted as long as it lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Counted {
        count.fetch_add(1, Ordering::AcqRel);
        Counted(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn router() -> Router<Counts> {
    Router::new(Counts::default())
        .on_raw("echo", |context, params| async move {
            context.state.echoes.fetch_add(1, Ordering::AcqRel);
            Ok(params.unwrap_or_else(|| Payload::null(Format::Json)))
        })
        .on(Hang, |context, _params| async move {
            let _counted = Counted::new(&context.state.handlers);
            std::future::pending().await
        })
        .on(Text, |_, (length,)| async move { Ok("x".repeat(length)) })
        .on(Wait, |_, (milliseconds,)| async move {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            Ok(())
        })
        .on(Shout, |context, (first, end)| async move {
            let text = "x".repeat(1000);
            for number in first..end {
                let clients = context.session().clients();
                let sent = clients.broadcast(News, &(number, text.clone()));
                sent.map_err(|error| RpcError::internal(error.to_string()))?;
                // Everybody else gets a turn.
                tokio::task::yield_now().await;
            }
            Ok(())
        })
        .on(Emit, |context, (count,)| async move {
            for number in 0..count {
                let sent = context.session().notify(Tick, (number,)).await;
                sent.map_err(|error| RpcError::internal(error.to_string()))?;
            }
            Ok(())
        })
        .on_event(Tick, |context, (number,)| {
            let session = context.session();
            let seen = session.kept::<AtomicU64>().unwrap_or_else(|| {
                session.keep(AtomicU64::new(0));
                session.kept().unwrap_or_default()
            });
            // Only those that come in order are counted.
            let _counts =
                seen.compare_exchange(number, number + 1, Ordering::AcqRel, Ordering::Acquire);
        })
        .on(Ticks, |context, ()| async move {
            let seen = context.session().kept::<AtomicU64>();
            Ok(seen.map_or(0, |seen| seen.load(Ordering::Acquire)))
        })
        .on(ReadStatus, |context, ()| async move {
            let clients = context.session().clients();
            Ok(Status {
                connections: clients.count(),
                handlers: context.state.handlers.load(Ordering::Acquire),
                echoes: context.state.echoes.load(Ordering::Acquire),
                missed: clients.all().iter().map(tenon_ipc::Session::missed).sum(),
            })
        })
}

/// Serves until the process ends.
pub(super) fn serve(socket: &str, connections: usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let settings = Settings {
            connections,
            ..Settings::default()
        };
        let _server = Server::bind_with(socket, router(), settings).unwrap();
        std::future::pending::<()>().await;
    });
}

/// How much the client that is killed has asked for.
pub(super) const ASKED_BY_THE_VICTIM: usize = 1000;

/// Asks for what takes forever, and waits for it.
pub(super) fn ask_and_wait(socket: &Path) {
    let mut stream = UnixStream::connect(socket).unwrap();
    for id in 0..ASKED_BY_THE_VICTIM {
        writeln!(
            stream,
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"hang\"}}"
        )
        .unwrap();
    }
    std::thread::sleep(super::PATIENCE * 10);
}
