//! `tenon-client DIALECT CONTROL pipe|unix [PATH]`: the other end of `tenon-server`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bench_ours::{EchoCall, Note, connect, dialect};
use bench_workload::driver::{Caller, Fault, follow};
use bench_workload::place::Place;
use bench_workload::{Bound, Echo};
use tenon_rpc::{Connection, Peer, Router};

#[derive(Clone)]
struct Client {
    peer: Peer,
    /// The connection ends when its last holder is gone.
    _connection: Arc<Connection>,
}

impl Caller for Client {
    async fn echo(&self, echo: &Echo) -> Result<usize, Fault> {
        Ok(self.peer.call(EchoCall, echo.clone()).await?.s.len())
    }

    async fn events(&self, echo: &Echo, bound: Bound) -> Result<Option<u64>, Fault> {
        let deadline = bound.deadline();
        let mut count = 0;
        while count < bound.calls && Instant::now() < deadline {
            self.peer.send(Note, echo.clone()).await?;
            count += 1;
        }
        // Events are handled in order, so the answer says that all of them have been.
        self.echo(echo).await?;
        Ok(Some(count))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let mut words = std::env::args().skip(1);
    let dialect = dialect(words.next())?;
    let control = PathBuf::from(words.next().ok_or("no control socket")?);
    let place = Place::read(words)?;
    follow(&control, async || {
        let connection = Connection::start(connect(&place).await?, dialect, Router::new(()));
        Ok(Client {
            peer: connection.peer(),
            _connection: Arc::new(connection),
        })
    })
    .await
}
