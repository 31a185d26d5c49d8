//! A host in memory.

use serde_json::Value as Json;
use tenon_plugin::schema::{Body, Offer};
use tenon_plugin::{Plugin, Value};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::calls::{self, Call, Kind};
use tenon_protocols::seasonings::{EXT_NAMES, Greeting, Level, Welcome, begin};
use tenon_rpc::{CallError, CloseReason, Connection, Format, Io, Payload, Peer, Router};
use tokio::task::JoinHandle;

/// A plugin that was greeted, and what it offers.
pub(crate) struct Host {
    pub(crate) peer: Peer,
    pub(crate) welcome: Welcome,
    pub(crate) offer: Offer,
    _connection: Connection,
    served: JoinHandle<Result<(), CloseReason>>,
}

impl Host {
    pub(crate) async fn of<S: Send + Sync + 'static>(plugin: Plugin<S>) -> Host {
        Host::with(plugin, Router::new(())).await
    }

    /// With a router for what the plugin sends.
    pub(crate) async fn with<S: Send + Sync + 'static>(plugin: Plugin<S>, router: Router) -> Host {
        let (connection, served) = connect(plugin, router);
        let peer = connection.peer();
        let welcome = begin(&peer, &Greeting::new(Level::ALL)).await.unwrap();
        let schemas = calls::schemas(&peer, &welcome.capabilities).await.unwrap();
        Host {
            offer: schemas.offer().unwrap(),
            peer,
            welcome,
            _connection: connection,
            served,
        }
    }

    pub(crate) fn resource<'a>(&'a self, name: &'a str) -> Kind<'a> {
        let body = &self.offer.resources[name].schema.body;
        Kind { name, body }
    }

    pub(crate) async fn call<C: Call>(&self, call: &C) -> Result<C::Answer, CallError> {
        calls::call(&self.peer, call).await
    }

    /// Calls a method with any params, and gives the answer as JSON.
    pub(crate) async fn raw(&self, method: &'static str, params: Json) -> Result<Json, CallError> {
        raw(&self.peer, method, params).await
    }

    /// The error that a call with any params is answered with.
    pub(crate) async fn error(&self, method: &'static str, params: Json) -> (i64, String) {
        match self.raw(method, params).await {
            Err(CallError::Answered(error)) => {
                let tenon_rpc::ErrorCode::Number(code) = error.code else {
                    panic!("{error:?}");
                };
                (code, error.message)
            }
            answer => panic!("{answer:?}"),
        }
    }

    /// Says goodbye, and waits until the plugin has ended.
    pub(crate) async fn end(self) {
        Protocol::Seasonings.end(&self.peer).await;
        self.served.await.unwrap().unwrap();
    }
}

/// Serves a plugin that finds out by itself who is calling.
pub(crate) fn connect<S: Send + Sync + 'static>(
    plugin: Plugin<S>,
    router: Router,
) -> (Connection, JoinHandle<Result<(), CloseReason>>) {
    let (here, there) = Io::pair();
    let served = tokio::spawn(plugin.serve_on(there));
    let options = Protocol::Seasonings.host_options();
    let dialect = Protocol::Seasonings.dialect();
    let router = std::sync::Arc::new(router);
    (
        Connection::start_with(here, dialect, router, options),
        served,
    )
}

pub(crate) async fn raw(
    peer: &Peer,
    method: &'static str,
    params: Json,
) -> Result<Json, CallError> {
    let params = Payload::encode(Format::Json, &params).unwrap();
    let params = params.to_format_with(Format::Msgpack, EXT_NAMES).unwrap();
    let answer = peer.call_raw(method, Some(params)).await?;
    let answer = answer.to_format_with(Format::Json, EXT_NAMES).unwrap();
    Ok(answer.decode().unwrap())
}

/// An object of the schema with these attributes; the others are null.
pub(crate) fn object(body: &Body, given: &[(&str, Value)]) -> Value {
    let given: Vec<(&str, Value)> = given
        .iter()
        .map(|(name, value)| {
            let ty = body.attribute(name).unwrap().implied_type();
            let value = tenon_values::convert::convert(value, &ty).unwrap();
            (*name, value)
        })
        .collect();
    body.object(&given)
}
