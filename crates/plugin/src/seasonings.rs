//! The plugin in Seasonings, for Terraform and OpenTofu: one module for each capability.
//!
//! Every method is found by its canonical name, so that all spellings work. A method of a capability
//! that the plugin does not have is unknown.

mod life;
mod received;
mod running;

use std::sync::Arc;

use tenon_protocols::Protocol;
use tenon_protocols::seasonings::{Capabilities, canonical};
use tenon_rpc::{
    Call, CloseReason, Connection, Event, EventContext, Format, Io, Options, Reply, Router,
    RpcError,
};

use crate::session::Session;
use received::Received;
use running::Running;

/// A plugin that serves a host.
struct Served {
    session: Arc<Session>,
    /// The names of what it has.
    capabilities: Vec<&'static str>,
    /// The calls that the host may cancel.
    running: Running,
}

/// Serves a host until it says goodbye or goes away.
pub(crate) async fn serve(session: Arc<Session>, io: Io) -> Result<(), CloseReason> {
    let options = Options {
        // Not every call may be cancelled: see `Running`.
        cancel: None,
        ..Protocol::Seasonings.host_options()
    };
    let served = Arc::new(Served {
        capabilities: life::capabilities(&session),
        running: Running::default(),
        session: session.clone(),
    });
    let router = Router::new(served)
        .fallback(|call, served| async move { dispatch(&served, call).await })
        .event_fallback(event);
    let dialect = Protocol::Seasonings.dialect();
    let connection = Connection::start_with(io, dialect, Arc::new(router), options);
    session.last(connection).await
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
        "$/cancel" => context.state.running.cancel(event.params.as_ref()),
        // Unknown events are ignored.
        _ => {}
    }
}
