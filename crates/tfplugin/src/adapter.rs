//! The service that Terraform calls: each of its calls, and who answers it.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

use crate::bridge::Bridge;
use crate::proto::tfplugin6::provider_server::Provider;
use crate::proto::tfplugin6::{self as proto, *};
use crate::schema::{
    ACTION, ACTION_SHAPE, Attribute, DATA_SOURCE, DATA_SOURCE_SHAPE, EPHEMERAL, EPHEMERAL_SHAPE,
    IDENTITY, PROVIDER_SHAPE, RESOURCE, RESOURCE_SHAPE,
};
use crate::settings::Settings;
use crate::unsupported::{self, STATE_STORES};
use crate::{action, data_source, deno, ephemeral, function, resource, validation, wire};

/// The provider `denobridge`. Cloning gives another handle to the same.
#[derive(Clone)]
pub struct Denobridge {
    bridge: Arc<Bridge>,
}

impl Denobridge {
    /// A provider that has not been configured yet.
    #[expect(
        clippy::new_without_default,
        reason = "it is not a value, but something that runs"
    )]
    pub fn new() -> Denobridge {
        Denobridge {
            bridge: Arc::new(Bridge::new()),
        }
    }

    /// Ends all scripts.
    pub async fn end(&self) {
        self.bridge.scripts.end().await;
    }
}

/// An answer, or why there is none.
type Reply<T> = Result<Response<T>, Status>;

/// A stream of answers.
type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        plan_destroy: true,
        get_provider_schema_optional: true,
        move_resource_state: true,
        generate_resource_config: true,
    }
}

fn schemas(of: &[(&str, Schema)]) -> HashMap<String, Schema> {
    let named = of
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()));
    named.collect()
}

#[tonic::async_trait]
impl Provider for Denobridge {
    async fn get_metadata(
        &self,
        _: Request<get_metadata::Request>,
    ) -> Reply<get_metadata::Response> {
        Ok(Response::new(get_metadata::Response {
            server_capabilities: Some(capabilities()),
            data_sources: vec![get_metadata::DataSourceMetadata {
                type_name: DATA_SOURCE.to_owned(),
            }],
            resources: vec![get_metadata::ResourceMetadata {
                type_name: RESOURCE.to_owned(),
            }],
            functions: vec![get_metadata::FunctionMetadata {
                name: function::NAME.to_owned(),
            }],
            ephemeral_resources: vec![get_metadata::EphemeralMetadata {
                type_name: EPHEMERAL.to_owned(),
            }],
            actions: vec![get_metadata::ActionMetadata {
                type_name: ACTION.to_owned(),
            }],
            ..get_metadata::Response::default()
        }))
    }

    async fn get_provider_schema(
        &self,
        _: Request<get_provider_schema::Request>,
    ) -> Reply<get_provider_schema::Response> {
        let action = ActionSchema {
            schema: Some(ACTION_SHAPE.to_proto()),
        };
        Ok(Response::new(get_provider_schema::Response {
            provider: Some(PROVIDER_SHAPE.to_proto()),
            resource_schemas: schemas(&[(RESOURCE, RESOURCE_SHAPE.to_proto())]),
            data_source_schemas: schemas(&[(DATA_SOURCE, DATA_SOURCE_SHAPE.to_proto())]),
            ephemeral_resource_schemas: schemas(&[(EPHEMERAL, EPHEMERAL_SHAPE.to_proto())]),
            action_schemas: HashMap::from([(ACTION.to_owned(), action)]),
            functions: function::all(),
            server_capabilities: Some(capabilities()),
            ..get_provider_schema::Response::default()
        }))
    }

    async fn get_functions(
        &self,
        _: Request<get_functions::Request>,
    ) -> Reply<get_functions::Response> {
        Ok(Response::new(get_functions::Response {
            functions: function::all(),
            diagnostics: Vec::new(),
        }))
    }

    async fn get_resource_identity_schemas(
        &self,
        _: Request<get_resource_identity_schemas::Request>,
    ) -> Reply<get_resource_identity_schemas::Response> {
        let identity = ResourceIdentitySchema {
            version: 0,
            identity_attributes: IDENTITY.iter().map(Attribute::to_identity).collect(),
        };
        Ok(Response::new(get_resource_identity_schemas::Response {
            identity_schemas: HashMap::from([(RESOURCE.to_owned(), identity)]),
            diagnostics: Vec::new(),
        }))
    }

    async fn validate_provider_config(
        &self,
        request: Request<validate_provider_config::Request>,
    ) -> Reply<validate_provider_config::Response> {
        let config = wire::decode(request.into_inner().config.as_ref(), &PROVIDER_SHAPE.ty);
        let checked = config.and_then(|config| Settings::of(&config, ""));
        Ok(Response::new(validate_provider_config::Response {
            diagnostics: checked.err().into_iter().collect(),
        }))
    }

    async fn configure_provider(
        &self,
        request: Request<configure_provider::Request>,
    ) -> Reply<configure_provider::Response> {
        let request = request.into_inner();
        let config = wire::decode(request.config.as_ref(), &PROVIDER_SHAPE.ty);
        let settings = config.and_then(|config| Settings::of(&config, &request.terraform_version));
        let diagnostics = match settings {
            Ok(settings) => {
                let warning = deno::check_version(&settings).await;
                self.bridge.configure(settings);
                warning.into_iter().collect()
            }
            Err(error) => vec![error],
        };
        Ok(Response::new(configure_provider::Response { diagnostics }))
    }

    async fn validate_resource_config(
        &self,
        request: Request<validate_resource_config::Request>,
    ) -> Reply<validate_resource_config::Response> {
        let request = request.into_inner();
        Ok(Response::new(resource::validate(&request)))
    }

    async fn upgrade_resource_state(
        &self,
        request: Request<upgrade_resource_state::Request>,
    ) -> Reply<upgrade_resource_state::Response> {
        Ok(Response::new(resource::upgrade(&request.into_inner())))
    }

    async fn upgrade_resource_identity(
        &self,
        request: Request<upgrade_resource_identity::Request>,
    ) -> Reply<upgrade_resource_identity::Response> {
        let request = request.into_inner();
        Ok(Response::new(resource::upgrade_identity(&request)))
    }

    async fn read_resource(
        &self,
        request: Request<read_resource::Request>,
    ) -> Reply<read_resource::Response> {
        let request = request.into_inner();
        Ok(Response::new(resource::read(&self.bridge, request).await))
    }

    async fn plan_resource_change(
        &self,
        request: Request<plan_resource_change::Request>,
    ) -> Reply<plan_resource_change::Response> {
        let request = request.into_inner();
        Ok(Response::new(resource::plan(&self.bridge, request).await))
    }

    async fn apply_resource_change(
        &self,
        request: Request<apply_resource_change::Request>,
    ) -> Reply<apply_resource_change::Response> {
        let request = request.into_inner();
        Ok(Response::new(resource::apply(&self.bridge, request).await))
    }

    async fn import_resource_state(
        &self,
        request: Request<import_resource_state::Request>,
    ) -> Reply<import_resource_state::Response> {
        Ok(Response::new(resource::import(request.into_inner())))
    }

    async fn move_resource_state(
        &self,
        request: Request<move_resource_state::Request>,
    ) -> Reply<move_resource_state::Response> {
        Ok(Response::new(resource::move_state(&request.into_inner())))
    }

    async fn generate_resource_config(
        &self,
        request: Request<generate_resource_config::Request>,
    ) -> Reply<generate_resource_config::Response> {
        let request = request.into_inner();
        Ok(Response::new(resource::generate_config(&request)))
    }

    async fn validate_data_resource_config(
        &self,
        request: Request<validate_data_resource_config::Request>,
    ) -> Reply<validate_data_resource_config::Response> {
        let request = request.into_inner();
        Ok(Response::new(validate_data_resource_config::Response {
            diagnostics: validation::sent(
                (&request.type_name, request.config.as_ref()),
                (DATA_SOURCE, &DATA_SOURCE_SHAPE),
            ),
        }))
    }

    async fn read_data_source(
        &self,
        request: Request<read_data_source::Request>,
    ) -> Reply<read_data_source::Response> {
        let request = request.into_inner();
        Ok(Response::new(
            data_source::read(&self.bridge, request).await,
        ))
    }

    async fn validate_ephemeral_resource_config(
        &self,
        request: Request<validate_ephemeral_resource_config::Request>,
    ) -> Reply<validate_ephemeral_resource_config::Response> {
        let request = request.into_inner();
        Ok(Response::new(
            validate_ephemeral_resource_config::Response {
                diagnostics: validation::sent(
                    (&request.type_name, request.config.as_ref()),
                    (EPHEMERAL, &EPHEMERAL_SHAPE),
                ),
            },
        ))
    }

    async fn open_ephemeral_resource(
        &self,
        request: Request<open_ephemeral_resource::Request>,
    ) -> Reply<open_ephemeral_resource::Response> {
        let request = request.into_inner();
        Ok(Response::new(ephemeral::open(&self.bridge, request).await))
    }

    async fn renew_ephemeral_resource(
        &self,
        request: Request<renew_ephemeral_resource::Request>,
    ) -> Reply<renew_ephemeral_resource::Response> {
        let request = request.into_inner();
        Ok(Response::new(ephemeral::renew(&self.bridge, request).await))
    }

    async fn close_ephemeral_resource(
        &self,
        request: Request<close_ephemeral_resource::Request>,
    ) -> Reply<close_ephemeral_resource::Response> {
        let request = request.into_inner();
        Ok(Response::new(ephemeral::close(&self.bridge, request).await))
    }

    async fn call_function(
        &self,
        request: Request<proto::call_function::Request>,
    ) -> Reply<proto::call_function::Response> {
        let request = request.into_inner();
        Ok(Response::new(function::call(&self.bridge, request).await))
    }

    async fn validate_action_config(
        &self,
        request: Request<validate_action_config::Request>,
    ) -> Reply<validate_action_config::Response> {
        let request = request.into_inner();
        Ok(Response::new(validate_action_config::Response {
            diagnostics: validation::sent(
                (&request.type_name, request.config.as_ref()),
                (ACTION, &ACTION_SHAPE),
            ),
        }))
    }

    async fn plan_action(
        &self,
        request: Request<plan_action::Request>,
    ) -> Reply<plan_action::Response> {
        let request = request.into_inner();
        Ok(Response::new(plan_action::Response {
            diagnostics: validation::sent(
                (&request.action_type, request.config.as_ref()),
                (ACTION, &ACTION_SHAPE),
            ),
            deferred: None,
        }))
    }

    type InvokeActionStream = action::Events;

    async fn invoke_action(
        &self,
        request: Request<invoke_action::Request>,
    ) -> Reply<action::Events> {
        let request = request.into_inner();
        Ok(Response::new(action::invoke(self.bridge.clone(), request)))
    }

    async fn stop_provider(
        &self,
        _: Request<stop_provider::Request>,
    ) -> Reply<stop_provider::Response> {
        self.bridge.scripts.interrupt();
        Ok(Response::new(stop_provider::Response::default()))
    }

    // What this provider does not have. Terraform asks only for what the schema lists.

    type ListResourceStream = Replies<list_resource::Event>;

    async fn list_resource(
        &self,
        request: Request<list_resource::Request>,
    ) -> Reply<Replies<list_resource::Event>> {
        let event = list_resource::Event {
            diagnostic: unsupported::list(&request.into_inner().type_name),
            ..list_resource::Event::default()
        };
        Ok(Response::new(unsupported::only(event)))
    }

    async fn validate_list_resource_config(
        &self,
        request: Request<validate_list_resource_config::Request>,
    ) -> Reply<validate_list_resource_config::Response> {
        Ok(Response::new(validate_list_resource_config::Response {
            diagnostics: unsupported::list(&request.into_inner().type_name),
        }))
    }

    async fn validate_state_store_config(
        &self,
        _: Request<validate_state_store::Request>,
    ) -> Reply<validate_state_store::Response> {
        Ok(Response::new(validate_state_store::Response {
            diagnostics: unsupported::said(STATE_STORES),
        }))
    }

    async fn configure_state_store(
        &self,
        _: Request<configure_state_store::Request>,
    ) -> Reply<configure_state_store::Response> {
        Ok(Response::new(configure_state_store::Response {
            diagnostics: unsupported::said(STATE_STORES),
            capabilities: None,
        }))
    }

    type ReadStateBytesStream = Replies<read_state_bytes::Response>;

    async fn read_state_bytes(
        &self,
        _: Request<read_state_bytes::Request>,
    ) -> Reply<Replies<read_state_bytes::Response>> {
        let answer = read_state_bytes::Response {
            diagnostics: unsupported::said(STATE_STORES),
            ..read_state_bytes::Response::default()
        };
        Ok(Response::new(unsupported::only(answer)))
    }

    async fn write_state_bytes(
        &self,
        _: Request<Streaming<write_state_bytes::RequestChunk>>,
    ) -> Reply<write_state_bytes::Response> {
        Ok(Response::new(write_state_bytes::Response {
            diagnostics: unsupported::said(STATE_STORES),
        }))
    }

    async fn lock_state(&self, _: Request<lock_state::Request>) -> Reply<lock_state::Response> {
        Ok(Response::new(lock_state::Response {
            diagnostics: unsupported::said(STATE_STORES),
            ..lock_state::Response::default()
        }))
    }

    async fn unlock_state(
        &self,
        _: Request<unlock_state::Request>,
    ) -> Reply<unlock_state::Response> {
        Ok(Response::new(unlock_state::Response {
            diagnostics: unsupported::said(STATE_STORES),
        }))
    }

    async fn get_states(&self, _: Request<get_states::Request>) -> Reply<get_states::Response> {
        Ok(Response::new(get_states::Response {
            diagnostics: unsupported::said(STATE_STORES),
            ..get_states::Response::default()
        }))
    }

    async fn delete_state(
        &self,
        _: Request<delete_state::Request>,
    ) -> Reply<delete_state::Response> {
        Ok(Response::new(delete_state::Response {
            diagnostics: unsupported::said(STATE_STORES),
        }))
    }
}
