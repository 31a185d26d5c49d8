//! The plugin in Seasonings, for Terraform and OpenTofu: one module for each capability.
//!
//! Every method is found by its canonical name, so that all spellings work. A method of a capability
//! that the plugin does not have is unknown.

mod answers;
mod configuration;
mod data;
mod functions;
mod hooks;
mod life;
mod plan;
mod received;
mod resources;
mod storage;

use std::sync::Arc;

use tenon_protocols::Protocol;
use tenon_protocols::seasonings::schema::Schemas;
use tenon_protocols::seasonings::{Capabilities, FAILED, canonical};
use tenon_rpc::{
    Call, CloseReason, Connection, Event, EventContext, Format, Io, Options, Payload, Reply,
    Router, RpcError, options::Cancel, wire::Packed,
};
use tenon_schema::Offer;

use crate::debug;
use crate::running::Running;
use crate::session::Session;
use received::Received;

const CANCEL: Cancel = Cancel {
    method: "$/cancel",
    field: "id",
};

fn may_be_cancelled(method: &str) -> bool {
    matches!(
        method,
        "functions/call"
            | "resources/validate"
            | "resources/planChange"
            | "resources/read"
            | "resources/import"
            | "resources/upgrade"
            | "resources/readData"
            | "storage/read"
            | "storage/list"
    ) || method.starts_with("middleware/")
}

/// A plugin that serves a host.
struct Served {
    session: Arc<Session>,
    /// The names of what it has.
    capabilities: Vec<&'static str>,
    /// The schemas, and what the host reads in them; or what is wrong with them.
    schemas: Result<(Schemas, Offer), String>,
    /// The calls that the host may cancel.
    running: Running,
}

/// Serves a host until it says goodbye or goes away.
pub(crate) async fn serve(session: Arc<Session>, io: Io) -> Result<(), CloseReason> {
    let options = Options {
        // Not every call may be cancelled: see `Running`.
        cancel: None,
        tap: debug::tap(&session),
        ..Protocol::Seasonings.host_options()
    };
    let served = Arc::new(Served {
        capabilities: life::capabilities(&session),
        schemas: schemas(&session.offer),
        running: Running::new(CANCEL, may_be_cancelled),
        session: session.clone(),
    });
    let router = Router::new(served)
        .fallback(|call, served| async move { dispatch(&served, call).await })
        .event_fallback(event);
    let dialect = Protocol::Seasonings.dialect();
    let connection = Connection::start_with(io, dialect, Arc::new(router), options);
    session.last(connection).await
}

/// The offer is the one that the host has: types of values depend on it.
fn schemas(offer: &Offer) -> Result<(Schemas, Offer), String> {
    let schemas = Schemas::of(offer).map_err(|error| error.to_string())?;
    let offer = schemas.offer().map_err(|error| error.to_string())?;
    Ok((schemas, offer))
}

impl Served {
    fn schemas(&self) -> Result<&(Schemas, Offer), RpcError> {
        { self.schemas.as_ref() }.map_err(|problem| {
            let problem = format!("the plugin offers something invalid: {problem}");
            RpcError::new(FAILED, problem)
        })
    }

    /// What the plugin offers, as the host reads it.
    fn offer(&self) -> Result<&Offer, RpcError> {
        Ok(&self.schemas()?.1)
    }
}

fn packed(schema: Option<&Packed>) -> Reply {
    let nothing = || Payload::new(Format::Msgpack, &b"\x80"[..]);
    Ok(schema.map_or_else(nothing, |schema| Payload::from(schema.clone())))
}

async fn dispatch(served: &Served, call: Call) -> Reply {
    let name = canonical(&call.method).into_owned();
    let params = call.params.as_ref();
    let given = |method| Received::new(method, params);
    match name.as_str() {
        "init" => return life::init(served, &given("init")?).await,
        "ping" => return life::ping(),
        "shutdown" => return life::shutdown(served),
        _ => {}
    }
    let has_it = Capabilities::of(&served.capabilities).includes(&name);
    let work = async {
        match name.as_str() {
            "functions/getSchema" => packed(served.schemas()?.0.functions.as_ref()),
            "functions/call" => functions::call(served, call.peer, &given("functions/call")?).await,
            "resources/getSchema" => packed(served.schemas()?.0.resources.as_ref()),
            "resources/configure" => {
                configuration::configure(served, &given("resources/configure")?).await
            }
            "resources/validate" => configuration::validate(served, &given("resources/validate")?),
            "resources/planChange" => {
                resources::plan(served, call.peer, &given("resources/planChange")?).await
            }
            "resources/applyChange" => {
                resources::apply(served, call.peer, &given("resources/applyChange")?).await
            }
            "resources/read" => resources::read(served, call.peer, &given("resources/read")?).await,
            "resources/import" => resources::import(served, &given("resources/import")?),
            "resources/upgrade" => resources::upgrade(served, &given("resources/upgrade")?).await,
            "resources/readData" => {
                data::read(served, call.peer, &given("resources/readData")?).await
            }
            "resources/open" => data::open(served, &given("resources/open")?).await,
            "resources/renew" => data::renew(served, &given("resources/renew")?).await,
            "resources/close" => data::close(served, &given("resources/close")?).await,
            method if method.starts_with("storage/") => {
                storage::call(&served.session, method, params).await
            }
            method if method.starts_with("middleware/") => {
                hooks::call(&served.session, call.peer, method, params).await
            }
            _ => Err(RpcError::method_not_found(&name, Format::Msgpack)),
        }
    };
    match has_it {
        true => served.running.run(&name, call.id, work).await,
        false => Err(RpcError::method_not_found(&name, Format::Msgpack)),
    }
}

fn event(context: EventContext<'_, Arc<Served>>, event: Event) {
    match &*canonical(&event.method) {
        "shutdown" => context.state.session.end(),
        // Unknown events are ignored.
        name => context.state.running.hear(name, event.params.as_ref()),
    }
}
