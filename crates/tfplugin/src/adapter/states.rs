//! States of resources that come from elsewhere: older versions, imports, other providers.

use super::{Adapter, client_of};
use crate::diagnostic::{Diagnostics, all_into_proto};
use crate::proto::tfplugin6::*;
use crate::requests::{ImportRequest, MoveRequest, UpgradeRequest};
use crate::{Provider, state, wire};

fn json_of(raw: Option<&RawState>) -> &[u8] {
    raw.map(|raw| raw.json.as_slice()).unwrap_or_default()
}

impl<P: Provider> Adapter<P> {
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
            let found = self.call(|provider| provider.import(asked)).await??;
            let mut imported = Vec::new();
            for one in found.resources {
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
                diagnostics: all_into_proto(found.diagnostics),
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
}
