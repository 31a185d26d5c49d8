//! Actions, which report progress.

use tenon_values::Type;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::{Adapter, Replies, client_of, deferred, find, said};
use crate::diagnostic::{Diagnostics, all_into_proto};
use crate::proto::tfplugin6::invoke_action::event::{Completed, Progress, Type as Happened};
use crate::proto::tfplugin6::*;
use crate::requests::ConfigRequest;
use crate::{Provider, wire};

/// How much progress may wait to be shown.
const WAITING: usize = 1024;

impl<P: Provider> Adapter<P> {
    async fn action_type(&self, name: &str) -> Result<Type, Diagnostics> {
        let offer = self.offer().await?;
        Ok(find(&offer.actions, name)?.input.implied_type())
    }

    pub(super) async fn validate_action(
        &self,
        request: validate_action_config::Request,
    ) -> validate_action_config::Response {
        let checked = async {
            let ty = self.action_type(&request.type_name).await?;
            let request = ConfigRequest {
                config: wire::decode(request.config.as_ref(), &ty)?,
                type_name: request.type_name,
                client: client_of(None),
            };
            Ok(self
                .call(|provider| provider.validate_action(request))
                .await?)
        };
        validate_action_config::Response {
            diagnostics: said(checked.await),
        }
    }

    pub(super) async fn plan_invocation(
        &self,
        request: plan_action::Request,
    ) -> plan_action::Response {
        let planned = async {
            let ty = self.action_type(&request.action_type).await?;
            let request = ConfigRequest {
                config: wire::decode(request.config.as_ref(), &ty)?,
                type_name: request.action_type,
                client: client_of(request.client_capabilities),
            };
            self.call(|provider| provider.plan_action(request)).await?
        };
        match planned.await {
            Ok(planned) => plan_action::Response {
                deferred: planned.deferred.map(deferred),
                diagnostics: all_into_proto(planned.diagnostics),
            },
            Err(errors) => plan_action::Response {
                deferred: None,
                diagnostics: all_into_proto(errors),
            },
        }
    }

    /// Runs the action in its own task: it continues even if Terraform stops reading.
    pub(super) fn invoke(&self, request: invoke_action::Request) -> Replies<invoke_action::Event> {
        let (progress, heard) = mpsc::channel(WAITING);
        let (done, completed) = mpsc::channel(1);
        let adapter = self.clone();
        tokio::spawn(async move {
            let outcome = adapter.run_action(request, progress).await;
            let completed = Completed {
                diagnostics: said(outcome),
            };
            // Terraform may have gone.
            let _gone = done.send(Happened::Completed(completed)).await;
        });
        let told = ReceiverStream::new(heard).map(|message: String| {
            // Each is shown in its own line.
            let message = message.trim_end_matches(['\r', '\n']);
            let message = tenon_text::lines(message).into_owned();
            Happened::Progress(Progress { message })
        });
        let events = told.chain(ReceiverStream::new(completed));
        Box::pin(events.map(|event| {
            Ok(invoke_action::Event {
                r#type: Some(event),
            })
        }))
    }

    async fn run_action(
        &self,
        request: invoke_action::Request,
        progress: mpsc::Sender<String>,
    ) -> Result<Diagnostics, Diagnostics> {
        let ty = self.action_type(&request.action_type).await?;
        let request = ConfigRequest {
            config: wire::decode(request.config.as_ref(), &ty)?,
            type_name: request.action_type,
            client: client_of(request.client_capabilities),
        };
        Ok(self
            .call(|provider| provider.invoke(request, progress))
            .await?)
    }
}
