//! A gRPC client on a stream that the test has made.

#![allow(
    dead_code,
    reason = "two suites share this, and neither of them uses all of it"
)]

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tenon_tfplugin::proto::plugin::Empty;
use tenon_tfplugin::proto::plugin::grpc_controller_client::GrpcControllerClient;
use tenon_tfplugin::proto::tfplugin6::provider_client::ProviderClient;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{Service, StdError, http};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

/// The largest message that the provider accepts and sends.
const LARGEST: usize = 256 << 20;

/// A call without an answer fails its test instead of blocking it.
const WATCHDOG: Duration = Duration::from_secs(90);

/// One connection. A clone is another handle to it.
#[derive(Clone)]
pub(crate) struct Client(SendRequest<Body>);

impl Client {
    pub(crate) async fn plain(address: &str) -> Client {
        let stream = UnixStream::connect(address).await.unwrap();
        Client::on(stream).await.unwrap()
    }

    pub(crate) async fn on(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Client, hyper::Error> {
        let (sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Client(sender))
    }

    pub(crate) fn provider(&self) -> ProviderClient<Client> {
        ProviderClient::with_origin(self.clone(), origin())
            .max_decoding_message_size(LARGEST)
            .max_encoding_message_size(LARGEST)
    }

    /// Asks the process to end.
    pub(crate) async fn shut_down(&self) -> Result<(), Status> {
        let mut controller = GrpcControllerClient::with_origin(self.clone(), origin());
        controller.shutdown(Empty {}).await.map(drop)
    }

    /// The status of the service of this name.
    pub(crate) async fn health(&self, service: &str) -> Result<i32, Status> {
        let mut health = HealthClient::with_origin(self.clone(), origin());
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let response = health.check(request).await?;
        Ok(response.into_inner().status)
    }
}

fn origin() -> http::Uri {
    http::Uri::from_static("http://localhost")
}

impl Service<http::Request<Body>> for Client {
    type Response = http::Response<Incoming>;
    type Error = StdError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        self.0.poll_ready(context).map_err(StdError::from)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let answer = self.0.send_request(request);
        Box::pin(async move { Ok(tokio::time::timeout(WATCHDOG, answer).await??) })
    }
}
