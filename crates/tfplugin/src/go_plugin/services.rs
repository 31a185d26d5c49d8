//! The gRPC services behind the socket: the provider, go-plugin's controller and the health check.

use std::convert::Infallible;
use std::task::{Context, Poll};

use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::NamedService;
use tonic::{Request, Response, Status};
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

use crate::Provider;
use crate::adapter::Adapter;
use crate::proto::plugin::Empty;
use crate::proto::plugin::grpc_controller_server::{GrpcController, GrpcControllerServer};
use crate::proto::tfplugin6::provider_server::ProviderServer;

/// A state can be large, and the limit that tonic sets by itself is 4 MiB.
const LARGEST_MESSAGE: usize = 256 * 1024 * 1024;

/// The name under which go-plugin asks for the health of any plugin.
const PLUGIN: &str = "plugin";

/// All services, chosen by the first part of a path. tonic's own router would bring a web framework
/// along for this.
pub(super) struct Services<P: Provider> {
    provider: ProviderServer<Adapter<P>>,
    controller: GrpcControllerServer<Controller>,
    health: HealthServer<HealthService>,
}

impl<P: Provider> Services<P> {
    /// `end` is cancelled when Terraform asks the plugin to end.
    pub(super) async fn new(provider: Adapter<P>, end: CancellationToken) -> Services<P> {
        let health = HealthReporter::new();
        health
            .set_service_status(PLUGIN, ServingStatus::Serving)
            .await;
        Services {
            provider: ProviderServer::new(provider)
                .max_decoding_message_size(LARGEST_MESSAGE)
                .max_encoding_message_size(LARGEST_MESSAGE),
            controller: GrpcControllerServer::new(Controller { end }),
            health: HealthServer::new(HealthService::from_health_reporter(health)),
        }
    }
}

impl<P: Provider> Clone for Services<P> {
    fn clone(&self) -> Services<P> {
        Services {
            provider: self.provider.clone(),
            controller: self.controller.clone(),
            health: self.health.clone(),
        }
    }
}

impl<P: Provider> Service<http::Request<Body>> for Services<P> {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = request.uri().path().split('/').nth(1).unwrap_or_default();
        if service == ProviderServer::<Adapter<P>>::NAME {
            self.provider.call(request)
        } else if service == GrpcControllerServer::<Controller>::NAME {
            self.controller.call(request)
        } else if service == HealthServer::<HealthService>::NAME {
            self.health.call(request)
        } else {
            // Terraform asks for two more, to copy stdout and to open streams of its own, and goes
            // on without them.
            let status = Status::unimplemented(format!("there is no service \"{service}\" here"));
            Box::pin(async move { Ok(status.into_http()) })
        }
    }
}

/// By which Terraform asks the plugin to end.
struct Controller {
    end: CancellationToken,
}

#[tonic::async_trait]
impl GrpcController for Controller {
    /// Answered immediately: Terraform counts its two seconds from the answer on.
    async fn shutdown(&self, _: Request<Empty>) -> Result<Response<Empty>, Status> {
        self.end.cancel();
        Ok(Response::new(Empty {}))
    }
}
