//! Ephemeral resources.

use prost_types::Timestamp;
use tenon_values::Type;

use super::{Adapter, client_of, deferred, find, said};
use crate::diagnostic::{Diagnostics, all_into_proto};
use crate::proto::tfplugin6::*;
use crate::requests::{CloseRequest, ConfigRequest, OpenRequest, RenewRequest};
use crate::{Provider, wire};

impl<P: Provider> Adapter<P> {
    async fn ephemeral_type(&self, name: &str) -> Result<Type, Diagnostics> {
        let offer = self.offer().await?;
        Ok(find(&offer.ephemeral_resources, name)?.implied_type())
    }

    pub(super) async fn validate_ephemeral(
        &self,
        request: validate_ephemeral_resource_config::Request,
    ) -> validate_ephemeral_resource_config::Response {
        let checked = async {
            let ty = self.ephemeral_type(&request.type_name).await?;
            let request = ConfigRequest {
                config: wire::decode(request.config.as_ref(), &ty)?,
                type_name: request.type_name,
                client: client_of(None),
            };
            Ok(self
                .call(|provider| provider.validate_ephemeral(request))
                .await?)
        };
        validate_ephemeral_resource_config::Response {
            diagnostics: said(checked.await),
        }
    }

    pub(super) async fn open(
        &self,
        request: open_ephemeral_resource::Request,
    ) -> open_ephemeral_resource::Response {
        let opened = async {
            let ty = self.ephemeral_type(&request.type_name).await?;
            let request = OpenRequest {
                config: wire::decode(request.config.as_ref(), &ty)?,
                type_name: request.type_name,
                client: client_of(request.client_capabilities),
            };
            let answer = self.call(|provider| provider.open(request)).await??;
            Ok(open_ephemeral_resource::Response {
                result: Some(wire::encode(&answer.result, &ty)?),
                renew_at: answer.renew_at.map(timestamp),
                private: Some(answer.private),
                deferred: answer.deferred.map(deferred),
                diagnostics: all_into_proto(answer.diagnostics),
            })
        };
        let opened: Result<_, Diagnostics> = opened.await;
        opened.unwrap_or_else(|errors| open_ephemeral_resource::Response {
            diagnostics: all_into_proto(errors),
            ..Default::default()
        })
    }

    pub(super) async fn renew(
        &self,
        request: renew_ephemeral_resource::Request,
    ) -> renew_ephemeral_resource::Response {
        let renewed = async {
            self.ephemeral_type(&request.type_name).await?;
            let asked = RenewRequest {
                type_name: request.type_name.clone(),
                private: request.private.clone().unwrap_or_default(),
            };
            let answer = self.call(|provider| provider.renew(asked)).await??;
            Ok(renew_ephemeral_resource::Response {
                renew_at: answer.renew_at.map(timestamp),
                private: answer.private.or_else(|| request.private.clone()),
                diagnostics: all_into_proto(answer.diagnostics),
            })
        };
        let renewed: Result<_, Diagnostics> = renewed.await;
        renewed.unwrap_or_else(|errors| renew_ephemeral_resource::Response {
            renew_at: None,
            private: request.private,
            diagnostics: all_into_proto(errors),
        })
    }

    pub(super) async fn close(
        &self,
        request: close_ephemeral_resource::Request,
    ) -> close_ephemeral_resource::Response {
        let closed = async {
            self.ephemeral_type(&request.type_name).await?;
            let request = CloseRequest {
                type_name: request.type_name,
                private: request.private.unwrap_or_default(),
            };
            Ok(self.call(|provider| provider.close(request)).await?)
        };
        close_ephemeral_resource::Response {
            diagnostics: said(closed.await),
        }
    }
}

fn timestamp(seconds: i64) -> Timestamp {
    /// The last second of the year 9999, after which there is no timestamp.
    const LAST: i64 = 253_402_300_799;
    Timestamp {
        seconds: seconds.clamp(0, LAST),
        nanos: 0,
    }
}
