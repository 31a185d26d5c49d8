//! tonic over a Unix socket: its own client and server.
//!
//! Messages are prost derives and the service is written by hand against tonic's generic codec, so
//! that no protocol compiler is needed. What is generated elsewhere does the same calls.

use std::convert::Infallible;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use bench_peers::run;
use bench_workload::driver::{Caller, Fault, follow};
use bench_workload::place::Place;
use bench_workload::{Bound, Echo, Many, Size};
use futures::{Stream, StreamExt};
use http::uri::PathAndQuery;
use hyper_util::rt::TokioIo;
use tokio::net::{UnixListener, UnixStream};
use tokio_stream::wrappers::UnixListenerStream;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

const ECHO: PathAndQuery = PathAndQuery::from_static("/bench.Bench/Echo");
const NOTES: PathAndQuery = PathAndQuery::from_static("/bench.Bench/Notes");
const STREAM: PathAndQuery = PathAndQuery::from_static("/bench.Bench/Stream");

#[derive(Clone, PartialEq, prost::Message)]
struct Note {
    #[prost(int64, tag = "1")]
    a: i64,
    #[prost(int64, tag = "2")]
    b: i64,
    #[prost(string, tag = "3")]
    s: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Count {
    #[prost(uint64, tag = "1")]
    count: u64,
}

impl From<&Echo> for Note {
    fn from(echo: &Echo) -> Self {
        Note {
            a: echo.a,
            b: echo.b,
            s: echo.s.clone(),
        }
    }
}

#[derive(Clone)]
struct Service;

impl NamedService for Service {
    const NAME: &'static str = "bench.Bench";
}

impl tower::Service<http::Request<Body>> for Service {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<http::Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        if request.uri().path() == ECHO.path() {
            return Box::pin(async move {
                let echo = tower::service_fn(async |request: Request<Note>| {
                    Ok::<_, Status>(Response::new(request.into_inner()))
                });
                Ok(
                    tonic::server::Grpc::new(ProstCodec::<Note, Note>::default())
                        .unary(echo, request)
                        .await,
                )
            });
        }
        if request.uri().path() == STREAM.path() {
            return Box::pin(async move {
                let stream = tower::service_fn(stream);
                let codec = ProstCodec::<Note, Count>::default();
                Ok(tonic::server::Grpc::new(codec)
                    .server_streaming(stream, request)
                    .await)
            });
        }
        Box::pin(async move {
            let notes = tower::service_fn(count);
            let codec = ProstCodec::<Count, Note>::default();
            Ok(tonic::server::Grpc::new(codec)
                .client_streaming(notes, request)
                .await)
        })
    }
}

async fn count(request: Request<Streaming<Note>>) -> Result<Response<Count>, Status> {
    let mut notes = request.into_inner();
    let mut count = 0;
    while let Some(note) = notes.message().await? {
        std::hint::black_box(note);
        count += 1;
    }
    Ok(Response::new(Count { count }))
}

async fn stream(
    request: Request<Count>,
) -> Result<Response<impl Stream<Item = Result<Note, Status>>>, Status> {
    let note = Note::from(&Size::Tiny.echo());
    let notes = std::iter::repeat_n(Ok(note), request.into_inner().count as usize);
    Ok(Response::new(futures::stream::iter(notes)))
}

#[derive(Clone)]
struct Connection(tonic::client::Grpc<Channel>);

impl Connection {
    async fn open(path: &Path) -> Result<Self, Fault> {
        let path = path.to_owned();
        let connector = tower::service_fn(move |_| {
            let path = path.clone();
            async { UnixStream::connect(path).await.map(TokioIo::new) }
        });
        // The address is not used, but it has to be one.
        let channel = Endpoint::from_static("http://bench")
            .connect_with_connector(connector)
            .await?;
        Ok(Connection(tonic::client::Grpc::new(channel)))
    }
}

impl Caller for Connection {
    async fn echo(&self, echo: &Echo) -> Result<usize, Fault> {
        let mut client = self.0.clone();
        client.ready().await?;
        let codec = ProstCodec::<Note, Note>::default();
        let response = client
            .unary(Request::new(Note::from(echo)), ECHO, codec)
            .await?;
        Ok(response.into_inner().s.len())
    }

    /// gRPC has no one-way message; the nearest is a stream from the client with one answer.
    async fn events(&self, echo: &Echo, bound: Bound) -> Result<Option<u64>, Fault> {
        let mut client = self.0.clone();
        client.ready().await?;
        let (note, deadline) = (Note::from(echo), bound.deadline());
        let sent = Arc::new(AtomicU64::new(0));
        let counter = sent.clone();
        let notes = futures::stream::iter(std::iter::from_fn(move || {
            let more = std::time::Instant::now() < deadline
                && counter.fetch_add(1, Ordering::Relaxed) < bound.calls;
            more.then(|| note.clone())
        }));
        let codec = ProstCodec::<Note, Count>::default();
        let response = client
            .client_streaming(Request::new(notes.fuse()), NOTES, codec)
            .await?;
        Ok(Some(response.into_inner().count))
    }

    async fn stream(&self, many: Many) -> Result<Option<u64>, Fault> {
        let mut client = self.0.clone();
        client.ready().await?;
        let codec = ProstCodec::<Count, Note>::default();
        let request = Request::new(Count { count: many.count });
        let response = client.server_streaming(request, STREAM, codec).await?;
        let mut notes = response.into_inner();
        let mut count = 0;
        while let Some(note) = notes.message().await? {
            std::hint::black_box(note);
            count += 1;
        }
        Ok(Some(count))
    }
}

fn main() -> Result<(), Fault> {
    let mut words = std::env::args().skip(1);
    run(words.next().as_deref(), program(words))
}

async fn program(mut words: impl Iterator<Item = String>) -> Result<(), Fault> {
    match words.next().as_deref() {
        Some("server") => {
            let listener = UnixListener::bind(Place::read(words)?.socket()?)?;
            let incoming = UnixListenerStream::new(listener);
            Ok(Server::builder()
                .add_service(Service)
                .serve_with_incoming(incoming)
                .await?)
        }
        Some("client") => {
            let control = PathBuf::from(words.next().ok_or("no control socket")?);
            let path = Place::read(words)?.socket()?;
            follow(&control, async || Connection::open(&path).await).await
        }
        _ => Err("expected: server or client".into()),
    }
}
