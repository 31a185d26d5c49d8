//! The service that Terraform calls, over a [`Provider`]: each call, and which method answers it.
//!
//! The methods look the type's name up, decode values by the schema, call the provider and encode
//! what it answers. Whatever fails becomes diagnostics.

mod actions;
mod data_sources;
mod ephemeral;
mod functions;
mod offers;
mod resources;
mod states;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use tenon_schema::Offer;
use tokio::sync::OnceCell;
use tokio_stream::Stream;
use tokio_util::task::TaskTracker;
use tonic::{Request, Response, Status, Streaming};

use crate::Provider;
use crate::diagnostic::{Diagnostic, Diagnostics, all_into_proto};
use crate::proto::tfplugin6::{self as proto, provider_server};
use crate::requests::{ClientCapabilities, Deferred};
use crate::unsupported;

/// A provider as gRPC's service.
pub(crate) struct Adapter<P> {
    provider: Arc<P>,
    offer: Arc<OnceCell<Offer>>,
    calls: TaskTracker,
}

impl<P> Clone for Adapter<P> {
    fn clone(&self) -> Adapter<P> {
        Adapter {
            provider: self.provider.clone(),
            offer: self.offer.clone(),
            calls: self.calls.clone(),
        }
    }
}

impl<P: Provider> Adapter<P> {
    pub(crate) fn new(provider: Arc<P>) -> Adapter<P> {
        Adapter {
            provider,
            offer: Arc::default(),
            calls: TaskTracker::new(),
        }
    }

    /// The calls in progress.
    pub(crate) fn calls(&self) -> TaskTracker {
        self.calls.clone()
    }

    /// What the provider has. It is asked once, and again only if it failed.
    async fn offer(&self) -> Result<&Offer, Diagnostics> {
        self.offer
            .get_or_try_init(|| async { self.call(P::offer).await? })
            .await
    }

    /// Calls the provider. A panic is an error of this call alone.
    async fn call<'p, F: Future + Send>(
        &'p self,
        call: impl FnOnce(&'p P) -> F + Send,
    ) -> Result<F::Output, Diagnostic> {
        let _in_progress = self.calls.token();
        caught(async { call(&self.provider).await }).await
    }
}

async fn caught<F: Future>(call: F) -> Result<F::Output, Diagnostic> {
    let outcome = AssertUnwindSafe(call).catch_unwind().await;
    outcome.map_err(|panic| {
        Diagnostic::error(
            "The provider failed",
            format!(
                "The provider panicked: {}.\n\nThis is a bug in the provider. Report it to its authors.",
                panic_text(panic.as_ref())
            ),
        )
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given")
}

/// What is known by this name.
fn find<'a, T>(known: &'a BTreeMap<String, T>, name: &str) -> Result<&'a T, Diagnostic> {
    known.get(name).ok_or_else(|| {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        let known = match names.is_empty() {
            true => String::new(),
            false => format!("; it has {}", names.join(", ")),
        };
        Diagnostic::error(
            "Unknown type",
            format!("This provider has no {name:?} of this kind{known}."),
        )
    })
}

/// The diagnostics of a call that returns nothing else.
fn said(outcome: Result<Diagnostics, Diagnostics>) -> Vec<proto::Diagnostic> {
    all_into_proto(outcome.unwrap_or_else(|errors| errors))
}

fn client_of(sent: Option<proto::ClientCapabilities>) -> ClientCapabilities {
    let sent = sent.unwrap_or_default();
    ClientCapabilities {
        allows_deferral: sent.deferral_allowed,
        allows_write_only: sent.write_only_attributes_allowed,
    }
}

fn deferred(deferred: Deferred) -> proto::Deferred {
    use proto::deferred::Reason;
    proto::Deferred {
        reason: match deferred {
            Deferred::ResourceConfigUnknown => Reason::ResourceConfigUnknown,
            Deferred::ProviderConfigUnknown => Reason::ProviderConfigUnknown,
            Deferred::AbsentPrerequisite => Reason::AbsentPrereq,
        } as i32,
    }
}

/// A stream of answers.
type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Writes the service. `call(module) => method;` means that the method answers the call, whose
/// messages are in that module. Calls with a stream of answers also name the type of one answer, and
/// the stream's type.
macro_rules! service {
    (
        answers { $($call:ident($module:ident) => $method:ident;)* }
        streams { $($streaming:ident($in:ident: $item:ident) as $stream:ident => $streamer:ident;)* }
    ) => {
        #[tonic::async_trait]
        impl<P: Provider> provider_server::Provider for Adapter<P> {
            $(
                async fn $call(
                    &self,
                    request: Request<proto::$module::Request>,
                ) -> Result<Response<proto::$module::Response>, Status> {
                    Ok(Response::new(self.$method(request.into_inner()).await))
                }
            )*

            $(
                type $stream = Replies<proto::$in::$item>;

                async fn $streaming(
                    &self,
                    request: Request<proto::$in::Request>,
                ) -> Result<Response<Self::$stream>, Status> {
                    Ok(Response::new(self.$streamer(request.into_inner())))
                }
            )*

            async fn write_state_bytes(
                &self,
                _: Request<Streaming<proto::write_state_bytes::RequestChunk>>,
            ) -> Result<Response<proto::write_state_bytes::Response>, Status> {
                Ok(Response::new(proto::write_state_bytes::Response {
                    diagnostics: all_into_proto(unsupported::state_stores()),
                }))
            }
        }
    };
}

service! {
    answers {
        get_metadata(get_metadata) => metadata;
        get_provider_schema(get_provider_schema) => schemas;
        get_functions(get_functions) => functions;
        get_resource_identity_schemas(get_resource_identity_schemas) => identity_schemas;

        validate_provider_config(validate_provider_config) => validate_provider;
        configure_provider(configure_provider) => configure;
        stop_provider(stop_provider) => stop;

        validate_resource_config(validate_resource_config) => validate_resource;
        upgrade_resource_state(upgrade_resource_state) => upgrade;
        upgrade_resource_identity(upgrade_resource_identity) => upgrade_identity;
        read_resource(read_resource) => read;
        plan_resource_change(plan_resource_change) => plan;
        apply_resource_change(apply_resource_change) => apply;
        import_resource_state(import_resource_state) => import;
        move_resource_state(move_resource_state) => move_state;
        generate_resource_config(generate_resource_config) => generate_config;

        validate_data_resource_config(validate_data_resource_config) => validate_data_source;
        read_data_source(read_data_source) => read_data;

        validate_ephemeral_resource_config(validate_ephemeral_resource_config) => validate_ephemeral;
        open_ephemeral_resource(open_ephemeral_resource) => open;
        renew_ephemeral_resource(renew_ephemeral_resource) => renew;
        close_ephemeral_resource(close_ephemeral_resource) => close;

        call_function(call_function) => run_function;

        validate_action_config(validate_action_config) => validate_action;
        plan_action(plan_action) => plan_invocation;

        validate_list_resource_config(validate_list_resource_config) => no_list_config;
        validate_state_store_config(validate_state_store) => no_state_store;
        configure_state_store(configure_state_store) => no_state_store_config;
        lock_state(lock_state) => no_lock;
        unlock_state(unlock_state) => no_unlock;
        get_states(get_states) => no_states;
        delete_state(delete_state) => no_delete;
    }

    streams {
        invoke_action(invoke_action: Event) as InvokeActionStream => invoke;
        list_resource(list_resource: Event) as ListResourceStream => no_list;
        read_state_bytes(read_state_bytes: Response) as ReadStateBytesStream => no_state_bytes;
    }
}

/// Writes the answers to calls that no provider here supports.
macro_rules! unsupported {
    ($($method:ident($module:ident);)*) => {
        impl<P: Provider> Adapter<P> {
            $(
                #[allow(clippy::needless_update, reason = "some have no other field")]
                async fn $method(&self, _: proto::$module::Request) -> proto::$module::Response {
                    proto::$module::Response {
                        diagnostics: all_into_proto(unsupported::state_stores()),
                        ..Default::default()
                    }
                }
            )*
        }
    };
}

unsupported! {
    no_state_store(validate_state_store);
    no_state_store_config(configure_state_store);
    no_lock(lock_state);
    no_unlock(unlock_state);
    no_states(get_states);
    no_delete(delete_state);
}

impl<P: Provider> Adapter<P> {
    fn no_state_bytes(
        &self,
        _: proto::read_state_bytes::Request,
    ) -> Replies<proto::read_state_bytes::Response> {
        unsupported::only(proto::read_state_bytes::Response {
            diagnostics: all_into_proto(unsupported::state_stores()),
            ..Default::default()
        })
    }

    async fn no_list_config(
        &self,
        request: proto::validate_list_resource_config::Request,
    ) -> proto::validate_list_resource_config::Response {
        proto::validate_list_resource_config::Response {
            diagnostics: all_into_proto(unsupported::list(&request.type_name)),
        }
    }

    fn no_list(
        &self,
        request: proto::list_resource::Request,
    ) -> Replies<proto::list_resource::Event> {
        unsupported::only(proto::list_resource::Event {
            diagnostic: all_into_proto(unsupported::list(&request.type_name)),
            ..Default::default()
        })
    }
}
