//! `ipc-client CONTROL unix PATH`: the other end of `ipc-server`, with `tenon_ipc::Client`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bench_ipc::Stream;
use bench_ours::{EchoCall, Note};
use bench_workload::driver::{Caller, Fault, follow};
use bench_workload::place::Place;
use bench_workload::{Bound, Echo, Many};
use tenon_ipc::{Client, ClientSettings};
use tenon_rpc::Router;

#[derive(Clone)]
struct Connection {
    client: Client,
    /// Events that have come.
    notes: Arc<AtomicU64>,
}

impl Connection {
    async fn open(name: &str) -> Result<Connection, Fault> {
        let notes = Arc::<AtomicU64>::default();
        let counter = notes.clone();
        let router = Router::new(()).on_event(Note, move |_, note| {
            std::hint::black_box(note);
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let client = Client::connect_with(name, router, ClientSettings::default()).await?;
        Ok(Connection { client, notes })
    }
}

impl Caller for Connection {
    async fn echo(&self, echo: &Echo) -> Result<usize, Fault> {
        Ok(self.client.call(EchoCall, echo.clone()).await?.s.len())
    }

    async fn events(&self, echo: &Echo, bound: Bound) -> Result<Option<u64>, Fault> {
        let deadline = bound.deadline();
        let mut count = 0;
        while count < bound.calls && Instant::now() < deadline {
            self.client.notify(Note, echo.clone()).await?;
            count += 1;
        }
        // Events are handled in order, so the answer says that all of them have been.
        self.echo(echo).await?;
        Ok(Some(count))
    }

    async fn stream(&self, many: Many) -> Result<Option<u64>, Fault> {
        let before = self.notes.load(Ordering::Relaxed);
        self.client.call(Stream, many).await?;
        Ok(Some(self.notes.load(Ordering::Relaxed) - before))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let mut words = std::env::args().skip(1);
    let control = PathBuf::from(words.next().ok_or("no control socket")?);
    let path = Place::read(words)?.socket()?;
    follow(&control, async || {
        Connection::open(&path.to_string_lossy()).await
    })
    .await
}
