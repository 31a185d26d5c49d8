//! Data sources.

use tenon_values::Type;

use super::{Adapter, client_of, deferred, find, said};
use crate::diagnostic::{Diagnostics, all_into_proto, has_errors};
use crate::proto::tfplugin6::*;
use crate::requests::{ConfigRequest, ReadDataRequest};
use crate::{Provider, wire};

impl<P: Provider> Adapter<P> {
    async fn data_type(&self, name: &str) -> Result<Type, Diagnostics> {
        let offer = self.offer().await?;
        Ok(find(&offer.data_sources, name)?.implied_type())
    }

    pub(super) async fn validate_data_source(
        &self,
        request: validate_data_resource_config::Request,
    ) -> validate_data_resource_config::Response {
        let checked = async {
            let ty = self.data_type(&request.type_name).await?;
            let request = ConfigRequest {
                config: wire::decode(request.config.as_ref(), &ty)?,
                type_name: request.type_name,
                client: client_of(None),
            };
            Ok(self
                .call(|provider| provider.validate_data_source(request))
                .await?)
        };
        validate_data_resource_config::Response {
            diagnostics: said(checked.await),
        }
    }

    pub(super) async fn read_data(
        &self,
        request: read_data_source::Request,
    ) -> read_data_source::Response {
        let read = async {
            let ty = self.data_type(&request.type_name).await?;
            let request = ReadDataRequest {
                config: wire::decode(request.config.as_ref(), &ty)?,
                type_name: request.type_name,
                client: client_of(request.client_capabilities),
            };
            let answer = self.call(|provider| provider.read_data(request)).await??;
            Ok(read_data_source::Response {
                state: match has_errors(&answer.diagnostics) {
                    true => None,
                    false => Some(wire::encode(&answer.state, &ty)?),
                },
                deferred: answer.deferred.map(deferred),
                diagnostics: all_into_proto(answer.diagnostics),
            })
        };
        let read: Result<_, Diagnostics> = read.await;
        read.unwrap_or_else(|errors| read_data_source::Response {
            diagnostics: all_into_proto(errors),
            ..Default::default()
        })
    }
}
