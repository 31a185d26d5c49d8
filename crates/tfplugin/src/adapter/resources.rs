//! Managed resources: validated, planned, changed and read.

use tenon_schema::{Body, Resource};
use tenon_values::{Type, Value};

use super::{Adapter, client_of, deferred, find, said};
use crate::diagnostic::{AttributePath, Diagnostic, Diagnostics, all_into_proto};
use crate::proto::tfplugin6::*;
use crate::requests::*;
use crate::{Provider, wire};

/// The types of the values of a resource.
pub(super) struct Types {
    pub(super) state: Type,
    pub(super) identity: Option<Type>,
    pub(super) version: u64,
}

impl Types {
    fn of(resource: &Resource) -> Types {
        let identity = resource.identity.as_ref();
        Types {
            state: resource.schema.implied_type(),
            identity: identity.map(|attributes| Body::new(attributes.clone()).implied_type()),
            version: resource.schema.version,
        }
    }

    /// The identity that was sent, if there is one.
    pub(super) fn read_identity(
        &self,
        sent: Option<&ResourceIdentityData>,
    ) -> Result<Option<Value>, Diagnostic> {
        let sent = sent.and_then(|sent| sent.identity_data.as_ref());
        let (Some(sent), Some(ty)) = (sent, &self.identity) else {
            return Ok(None);
        };
        let identity = wire::decode(Some(sent), ty)?;
        Ok(Some(identity).filter(|identity| !identity.is_null()))
    }

    pub(super) fn write_identity(
        &self,
        identity: Option<&Value>,
    ) -> Result<Option<ResourceIdentityData>, Diagnostic> {
        let (Some(identity), Some(ty)) = (identity, &self.identity) else {
            return Ok(None);
        };
        Ok(Some(ResourceIdentityData {
            identity_data: Some(wire::encode(identity, ty)?),
        }))
    }

    /// The identity that a provider answers with, or else the one that was sent.
    fn identity_or(
        &self,
        identity: Option<&Value>,
        sent: Option<&ResourceIdentityData>,
    ) -> Result<Option<ResourceIdentityData>, Diagnostic> {
        match identity {
            None => Ok(sent.cloned()),
            identity => self.write_identity(identity),
        }
    }
}

impl<P: Provider> Adapter<P> {
    pub(super) async fn types(&self, name: &str) -> Result<Types, Diagnostics> {
        let offer = self.offer().await?;
        Ok(Types::of(find(&offer.resources, name)?))
    }

    pub(super) async fn validate_resource(
        &self,
        request: validate_resource_config::Request,
    ) -> validate_resource_config::Response {
        let checked = async {
            let types = self.types(&request.type_name).await?;
            let request = ConfigRequest {
                config: wire::decode(request.config.as_ref(), &types.state)?,
                type_name: request.type_name,
                client: client_of(request.client_capabilities),
            };
            Ok(self
                .call(|provider| provider.validate_resource(request))
                .await?)
        };
        validate_resource_config::Response {
            diagnostics: said(checked.await),
        }
    }

    pub(super) async fn read(&self, request: read_resource::Request) -> read_resource::Response {
        let read = async {
            let types = self.types(&request.type_name).await?;
            let asked = ReadRequest {
                type_name: request.type_name.clone(),
                state: wire::decode(request.current_state.as_ref(), &types.state)?,
                private: request.private.clone(),
                identity: types.read_identity(request.current_identity.as_ref())?,
                client: client_of(request.client_capabilities),
            };
            let answer = self.call(|provider| provider.read(asked)).await??;
            let sent = request.current_identity.as_ref();
            Ok(read_resource::Response {
                new_state: Some(wire::encode(&answer.state, &types.state)?),
                private: { answer.private }.unwrap_or_else(|| request.private.clone()),
                new_identity: types.identity_or(answer.identity.as_ref(), sent)?,
                deferred: answer.deferred.map(deferred),
                diagnostics: all_into_proto(answer.diagnostics),
            })
        };
        let read: Result<_, Diagnostics> = read.await;
        read.unwrap_or_else(|errors| read_resource::Response {
            new_state: request.current_state,
            private: request.private,
            new_identity: request.current_identity,
            deferred: None,
            diagnostics: all_into_proto(errors),
        })
    }

    pub(super) async fn plan(
        &self,
        request: plan_resource_change::Request,
    ) -> plan_resource_change::Response {
        let planned = async {
            let types = self.types(&request.type_name).await?;
            let asked = PlanRequest {
                type_name: request.type_name.clone(),
                prior: wire::decode(request.prior_state.as_ref(), &types.state)?,
                proposed: wire::decode(request.proposed_new_state.as_ref(), &types.state)?,
                config: wire::decode(request.config.as_ref(), &types.state)?,
                private: request.prior_private.clone(),
                identity: types.read_identity(request.prior_identity.as_ref())?,
                client: client_of(request.client_capabilities),
            };
            let answer = self.call(|provider| provider.plan(asked)).await??;
            let sent = request.prior_identity.as_ref();
            let replaced = answer.requires_replace.into_iter();
            Ok(plan_resource_change::Response {
                planned_state: Some(wire::encode(&answer.planned, &types.state)?),
                requires_replace: replaced.map(AttributePath::into_proto).collect(),
                planned_private: { answer.private }
                    .unwrap_or_else(|| request.prior_private.clone()),
                planned_identity: types.identity_or(answer.identity.as_ref(), sent)?,
                deferred: answer.deferred.map(deferred),
                diagnostics: all_into_proto(answer.diagnostics),
                ..Default::default()
            })
        };
        let planned: Result<_, Diagnostics> = planned.await;
        planned.unwrap_or_else(|errors| plan_resource_change::Response {
            planned_state: request.proposed_new_state,
            planned_private: request.prior_private,
            planned_identity: request.prior_identity,
            diagnostics: all_into_proto(errors),
            ..Default::default()
        })
    }

    pub(super) async fn apply(
        &self,
        request: apply_resource_change::Request,
    ) -> apply_resource_change::Response {
        let applied = async {
            let types = self.types(&request.type_name).await?;
            let asked = ApplyRequest {
                type_name: request.type_name.clone(),
                prior: wire::decode(request.prior_state.as_ref(), &types.state)?,
                planned: wire::decode(request.planned_state.as_ref(), &types.state)?,
                config: wire::decode(request.config.as_ref(), &types.state)?,
                private: request.planned_private.clone(),
                identity: types.read_identity(request.planned_identity.as_ref())?,
            };
            let answer = self.call(|provider| provider.apply(asked)).await??;
            let sent = request.planned_identity.as_ref();
            Ok(apply_resource_change::Response {
                new_state: Some(wire::encode(&answer.state, &types.state)?),
                private: { answer.private }.unwrap_or_else(|| request.planned_private.clone()),
                // A deleted resource has no identity.
                new_identity: match answer.state.is_null() {
                    true => None,
                    false => types.identity_or(answer.identity.as_ref(), sent)?,
                },
                diagnostics: all_into_proto(answer.diagnostics),
                ..Default::default()
            })
        };
        let applied: Result<_, Diagnostics> = applied.await;
        // Nothing is known to have changed.
        applied.unwrap_or_else(|errors| apply_resource_change::Response {
            new_state: request.prior_state,
            private: request.planned_private,
            new_identity: request.planned_identity,
            diagnostics: all_into_proto(errors),
            ..Default::default()
        })
    }
}
