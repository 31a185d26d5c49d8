//! What the provider has, and how it is configured.

use std::collections::BTreeMap;

use tenon_schema::Schema;

use super::{Adapter, client_of, said};
use crate::Provider;
use crate::diagnostic::all_into_proto;
use crate::proto::tfplugin6::*;
use crate::requests::ConfigureRequest;
use crate::{schema, wire};

type Schemas = std::collections::HashMap<String, crate::proto::tfplugin6::Schema>;

fn schemas<'a>(named: impl IntoIterator<Item = (&'a String, &'a Schema)>) -> Schemas {
    let named = named.into_iter();
    named
        .map(|(name, one)| (name.clone(), schema::of(one)))
        .collect()
}

/// The names of everything, each in its own message.
fn names<T, M>(known: &BTreeMap<String, T>, message: impl Fn(String) -> M) -> Vec<M> {
    known.keys().cloned().map(message).collect()
}

impl<P: Provider> Adapter<P> {
    fn capabilities(&self) -> ServerCapabilities {
        let capabilities = self.provider.capabilities();
        ServerCapabilities {
            plan_destroy: capabilities.plans_destroy,
            // Terraform may keep the schema from one process to the next: it stays the same.
            get_provider_schema_optional: true,
            move_resource_state: capabilities.moves_states,
            generate_resource_config: capabilities.generates_config,
        }
    }

    pub(super) async fn metadata(&self, _: get_metadata::Request) -> get_metadata::Response {
        let offer = match self.offer().await {
            Ok(offer) => offer,
            Err(errors) => {
                return get_metadata::Response {
                    diagnostics: all_into_proto(errors),
                    ..Default::default()
                };
            }
        };
        get_metadata::Response {
            server_capabilities: Some(self.capabilities()),
            data_sources: names(&offer.data_sources, |type_name| {
                get_metadata::DataSourceMetadata { type_name }
            }),
            resources: names(&offer.resources, |type_name| {
                get_metadata::ResourceMetadata { type_name }
            }),
            functions: names(&offer.functions, |name| get_metadata::FunctionMetadata {
                name,
            }),
            ephemeral_resources: names(&offer.ephemeral_resources, |type_name| {
                get_metadata::EphemeralMetadata { type_name }
            }),
            actions: names(&offer.actions, |type_name| get_metadata::ActionMetadata {
                type_name,
            }),
            ..Default::default()
        }
    }

    pub(super) async fn schemas(
        &self,
        _: get_provider_schema::Request,
    ) -> get_provider_schema::Response {
        let offer = match self.offer().await {
            Ok(offer) => offer,
            Err(errors) => {
                return get_provider_schema::Response {
                    diagnostics: all_into_proto(errors),
                    ..Default::default()
                };
            }
        };
        let resources = offer.resources.iter();
        let actions = offer.actions.iter().map(|(name, action)| {
            let schema = schema::of(&action.input.clone().into());
            let schema = Some(schema);
            (name.clone(), ActionSchema { schema })
        });
        let functions = offer.functions.iter();
        get_provider_schema::Response {
            provider: Some(schema::of(&offer.config)),
            resource_schemas: schemas(resources.map(|(name, one)| (name, &one.schema))),
            data_source_schemas: schemas(&offer.data_sources),
            ephemeral_resource_schemas: schemas(&offer.ephemeral_resources),
            action_schemas: actions.collect(),
            functions: functions
                .map(|(name, one)| (name.clone(), schema::function(one)))
                .collect(),
            server_capabilities: Some(self.capabilities()),
            ..Default::default()
        }
    }

    pub(super) async fn functions(&self, _: get_functions::Request) -> get_functions::Response {
        match self.offer().await {
            Ok(offer) => get_functions::Response {
                functions: { offer.functions.iter() }
                    .map(|(name, one)| (name.clone(), schema::function(one)))
                    .collect(),
                diagnostics: Vec::new(),
            },
            Err(errors) => get_functions::Response {
                diagnostics: all_into_proto(errors),
                ..Default::default()
            },
        }
    }

    pub(super) async fn identity_schemas(
        &self,
        _: get_resource_identity_schemas::Request,
    ) -> get_resource_identity_schemas::Response {
        match self.offer().await {
            Ok(offer) => get_resource_identity_schemas::Response {
                identity_schemas: { offer.resources.iter() }
                    .filter_map(|(name, one)| {
                        let identity = one.identity.as_ref()?;
                        Some((name.clone(), schema::identity(identity)))
                    })
                    .collect(),
                diagnostics: Vec::new(),
            },
            Err(errors) => get_resource_identity_schemas::Response {
                diagnostics: all_into_proto(errors),
                ..Default::default()
            },
        }
    }

    pub(super) async fn validate_provider(
        &self,
        request: validate_provider_config::Request,
    ) -> validate_provider_config::Response {
        let checked = async {
            let ty = self.offer().await?.config.implied_type();
            let config = wire::decode(request.config.as_ref(), &ty)?;
            Ok(self
                .call(|provider| provider.validate_provider(config))
                .await?)
        };
        validate_provider_config::Response {
            diagnostics: said(checked.await),
        }
    }

    pub(super) async fn configure(
        &self,
        request: configure_provider::Request,
    ) -> configure_provider::Response {
        let configured = async {
            let ty = self.offer().await?.config.implied_type();
            let request = ConfigureRequest {
                config: wire::decode(request.config.as_ref(), &ty)?,
                terraform_version: request.terraform_version,
                client: client_of(request.client_capabilities),
            };
            Ok(self.call(|provider| provider.configure(request)).await?)
        };
        configure_provider::Response {
            diagnostics: said(configured.await),
        }
    }

    pub(super) async fn stop(&self, _: stop_provider::Request) -> stop_provider::Response {
        let stopped = self.call(|provider| async { provider.stop() }).await;
        stop_provider::Response {
            error: stopped.err().map_or_else(String::new, |error| {
                tenon_text::lines(&error.detail).into_owned()
            }),
        }
    }
}
