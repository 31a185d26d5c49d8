//! Managed resources and data sources.

use tenon_schema::{Body, Resource};
use tenon_values::{Type, Value};

use super::{Adapter, client_of, deferred, find, said};
use crate::diagnostic::{Diagnostic, Diagnostics, all_into_proto, has_errors};
use crate::proto::tfplugin6::*;
use crate::requests::*;
use crate::{Provider, state, wire};

/// The types of the values of a resource.
struct Types {
    state: Type,
    identity: Option<Type>,
    version: u64,
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
    fn read_identity(
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

    fn write_identity(
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

    /// The identity that a provider answers with; the one that was sent if it has nothing to say.
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

fn json_of(raw: Option<&RawState>) -> &[u8] {
    raw.map(|raw| raw.json.as_slice()).unwrap_or_default()
}

impl<P: Provider> Adapter<P> {
    async fn types(&self, name: &str) -> Result<Types, Diagnostics> {
        let offer = self.offer().await?;
        Ok(Types::of(find(&offer.resources, name)?))
    }

    async fn data_type(&self, name: &str) -> Result<Type, Diagnostics> {
        let offer = self.offer().await?;
        Ok(find(&offer.data_sources, name)?.implied_type())
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

    pub(super) async fn upgrade(
        &self,
        request: upgrade_resource_state::Request,
    ) -> upgrade_resource_state::Response {
        let upgraded = async {
            let types = self.types(&request.type_name).await?;
            state::check_version(request.version, types.version)?;
            let json = json_of(request.raw_state.as_ref());
            let version = u64::try_from(request.version).unwrap_or_default();
            let state = match version == types.version {
                true => state::read(json, &types.state)?,
                false => {
                    let request = UpgradeRequest {
                        type_name: request.type_name.clone(),
                        version,
                        json: json.to_vec(),
                    };
                    self.call(|provider| provider.upgrade(request)).await??
                }
            };
            Ok(wire::encode(&state, &types.state)?)
        };
        let upgraded: Result<DynamicValue, Diagnostics> = upgraded.await;
        match upgraded {
            Ok(state) => upgrade_resource_state::Response {
                upgraded_state: Some(state),
                diagnostics: Vec::new(),
            },
            Err(errors) => upgrade_resource_state::Response {
                upgraded_state: None,
                diagnostics: all_into_proto(errors),
            },
        }
    }

    /// Identities have no versions here: those that a state holds are of the current form.
    pub(super) async fn upgrade_identity(
        &self,
        request: upgrade_resource_identity::Request,
    ) -> upgrade_resource_identity::Response {
        let upgraded = async {
            let types = self.types(&request.type_name).await?;
            state::check_version(request.version, 0)?;
            let json = request.raw_identity.as_ref().map(|raw| raw.json.as_slice());
            let Some(ty) = &types.identity else {
                return Ok(None);
            };
            let identity = state::read(json.unwrap_or(b"null"), ty)?;
            Ok(types.write_identity(Some(&identity))?)
        };
        let upgraded: Result<Option<ResourceIdentityData>, Diagnostics> = upgraded.await;
        match upgraded {
            Ok(upgraded_identity) => upgrade_resource_identity::Response {
                upgraded_identity,
                diagnostics: Vec::new(),
            },
            Err(errors) => upgrade_resource_identity::Response {
                upgraded_identity: None,
                diagnostics: all_into_proto(errors),
            },
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
                requires_replace: replaced.map(|path| path.into_proto()).collect(),
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
                // What is gone has no identity.
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

    pub(super) async fn import(
        &self,
        request: import_resource_state::Request,
    ) -> import_resource_state::Response {
        let imported = async {
            let types = self.types(&request.type_name).await?;
            let asked = ImportRequest {
                identity: types.read_identity(request.identity.as_ref())?,
                type_name: request.type_name,
                id: request.id,
                client: client_of(request.client_capabilities),
            };
            let (found, diagnostics) = self.call(|provider| provider.import(asked)).await??;
            let mut imported = Vec::new();
            for one in found {
                let types = self.types(&one.type_name).await?;
                imported.push(import_resource_state::ImportedResource {
                    state: Some(wire::encode(&one.state, &types.state)?),
                    type_name: one.type_name,
                    private: one.private,
                    identity: types.write_identity(one.identity.as_ref())?,
                });
            }
            Ok(import_resource_state::Response {
                imported_resources: imported,
                diagnostics: all_into_proto(diagnostics),
                ..Default::default()
            })
        };
        let imported: Result<_, Diagnostics> = imported.await;
        imported.unwrap_or_else(|errors| import_resource_state::Response {
            diagnostics: all_into_proto(errors),
            ..Default::default()
        })
    }

    pub(super) async fn move_state(
        &self,
        request: move_resource_state::Request,
    ) -> move_resource_state::Response {
        let moved = async {
            let types = self.types(&request.target_type_name).await?;
            let asked = MoveRequest {
                source_provider: request.source_provider_address,
                source_type: request.source_type_name,
                source_version: request.source_schema_version,
                source_json: json_of(request.source_state.as_ref()).to_vec(),
                source_private: request.source_private,
                type_name: request.target_type_name,
            };
            let answer = self.call(|provider| provider.move_state(asked)).await??;
            Ok(move_resource_state::Response {
                target_state: Some(wire::encode(&answer.state, &types.state)?),
                target_private: answer.private,
                target_identity: types.write_identity(answer.identity.as_ref())?,
                diagnostics: all_into_proto(answer.diagnostics),
            })
        };
        let moved: Result<_, Diagnostics> = moved.await;
        moved.unwrap_or_else(|errors| move_resource_state::Response {
            diagnostics: all_into_proto(errors),
            ..Default::default()
        })
    }

    pub(super) async fn generate_config(
        &self,
        request: generate_resource_config::Request,
    ) -> generate_resource_config::Response {
        let generated = async {
            let types = self.types(&request.type_name).await?;
            let state = wire::decode(request.state.as_ref(), &types.state)?;
            let name = request.type_name;
            let generated = self.call(|provider| provider.generate_config(name, state));
            Ok(wire::encode(&generated.await??, &types.state)?)
        };
        let generated: Result<DynamicValue, Diagnostics> = generated.await;
        match generated {
            Ok(config) => generate_resource_config::Response {
                config: Some(config),
                diagnostics: Vec::new(),
            },
            Err(errors) => generate_resource_config::Response {
                config: None,
                diagnostics: all_into_proto(errors),
            },
        }
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
