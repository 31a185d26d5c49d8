//! A gRPC client with as little in it as there can be: what it costs is counted as the bridge's.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bench_harness::section::fault;
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tenon_tfplugin::proto::plugin::Empty;
use tenon_tfplugin::proto::plugin::grpc_controller_client::GrpcControllerClient;
use tenon_tfplugin::proto::tfplugin6::provider_client::ProviderClient;
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::{Request, Response, Uri};

/// One connection to a provider.
#[derive(Clone)]
pub struct Client(SendRequest<Body>);

impl Client {
    pub async fn new(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) -> io::Result<Client> {
        let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = handshake.await.map_err(fault)?;
        tokio::spawn(connection);
        Ok(Client(sender))
    }

    pub fn provider(&self) -> ProviderClient<Client> {
        ProviderClient::with_origin(self.clone(), localhost())
    }

    /// Asks the provider to end.
    pub async fn shut_down(self) -> io::Result<()> {
        let mut controller = GrpcControllerClient::with_origin(self, localhost());
        controller.shutdown(Empty {}).await.map(drop).map_err(fault)
    }
}

fn localhost() -> Uri {
    Uri::from_static("http://localhost")
}

impl Service<Request<Body>> for Client {
    type Response = Response<Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), hyper::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        Box::pin(self.0.send_request(request))
    }
}
