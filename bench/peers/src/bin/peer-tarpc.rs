//! tarpc over a Unix socket, with bincode or JSON: its own client and server.

use std::path::{Path, PathBuf};

use bench_peers::run;
use bench_workload::Echo;
use bench_workload::driver::{Caller, Fault, follow};
use bench_workload::place::Place;
use futures::StreamExt;
use tarpc::serde_transport::unix;
use tarpc::server::{BaseChannel, Channel};
use tarpc::tokio_serde::formats::{Bincode, Json};
use tarpc::{client, context};

#[tarpc::service]
trait Bench {
    async fn echo(echo: Echo) -> Echo;
}

#[derive(Clone)]
struct Service;

impl Bench for Service {
    async fn echo(self, _: context::Context, echo: Echo) -> Echo {
        echo
    }
}

#[derive(Clone)]
struct Connection(BenchClient);

impl Caller for Connection {
    async fn echo(&self, echo: &Echo) -> Result<usize, Fault> {
        Ok(self.0.echo(context::current(), echo.clone()).await?.s.len())
    }
}

#[derive(Clone, Copy)]
enum Codec {
    Bincode,
    Json,
}

fn main() -> Result<(), Fault> {
    let mut words = std::env::args().skip(1);
    let codec = match words.next().as_deref() {
        Some("bincode") => Codec::Bincode,
        Some("json") => Codec::Json,
        _ => return Err("expected: bincode or json".into()),
    };
    run(words.next().as_deref(), program(codec, words))
}

async fn program(codec: Codec, mut words: impl Iterator<Item = String>) -> Result<(), Fault> {
    match words.next().as_deref() {
        Some("server") => serve(codec, &Place::read(words)?.socket()?).await,
        Some("client") => {
            let control = PathBuf::from(words.next().ok_or("no control socket")?);
            let path = Place::read(words)?.socket()?;
            follow(&control, async || connect(codec, &path).await).await
        }
        _ => Err("expected: server or client".into()),
    }
}

async fn connect(codec: Codec, path: &Path) -> Result<Connection, Fault> {
    let config = client::Config::default();
    Ok(Connection(match codec {
        Codec::Bincode => {
            BenchClient::new(config, unix::connect(path, Bincode::default).await?).spawn()
        }
        Codec::Json => BenchClient::new(config, unix::connect(path, Json::default).await?).spawn(),
    }))
}

async fn serve(codec: Codec, path: &Path) -> Result<(), Fault> {
    match codec {
        Codec::Bincode => {
            let mut incoming = unix::listen(path, Bincode::default).await?;
            while let Some(Ok(transport)) = incoming.next().await {
                let requests = BaseChannel::with_defaults(transport).execute(Service.serve());
                tokio::spawn(requests.for_each(async |answer| drop(tokio::spawn(answer))));
            }
        }
        Codec::Json => {
            let mut incoming = unix::listen(path, Json::default).await?;
            while let Some(Ok(transport)) = incoming.next().await {
                let requests = BaseChannel::with_defaults(transport).execute(Service.serve());
                tokio::spawn(requests.for_each(async |answer| drop(tokio::spawn(answer))));
            }
        }
    }
    Ok(())
}
