//! How the host begins and ends.

use serde_json::{Map, Value as Json, json};
use tenon_protocols::seasonings::{FAILED, Level, VERSION, speaks};
use tenon_rpc::{Format, Payload, Reply, RpcError};
use tenon_values::json;

use super::{Received, Served};
use crate::session::{Session, Unconfigured, join};

/// The capabilities of a plugin, by what it defines.
pub(super) fn capabilities(session: &Session) -> Vec<&'static str> {
    let offer = &session.offer;
    let config = &offer.config.body;
    let has_resources = !offer.resources.is_empty()
        || !offer.data_sources.is_empty()
        || !offer.ephemeral_resources.is_empty();
    // A provider of functions alone may have a configuration as well.
    let has_config = !config.attributes.is_empty() || !config.blocks.is_empty();
    let has_functions = !offer.functions.is_empty();
    let levels = [
        (Level::Storage, session.around.has_storage),
        (Level::Functions, has_functions),
        (
            Level::Resources,
            has_resources || (has_functions && has_config),
        ),
    ];
    let levels = levels.into_iter().filter(|(_, has_it)| *has_it);
    let hooks = session.around.hooks.iter().copied();
    levels.map(|(level, _)| level.name()).chain(hooks).collect()
}

pub(super) async fn init(served: &Served, given: &Received) -> Reply {
    let version: Json = given.optional("protocol_version")?.unwrap_or_default();
    if !speaks(&version) {
        let problem = format!(
            "the host speaks version {version} of the protocol, and this plugin speaks version {VERSION}"
        );
        return Err(RpcError::new(FAILED, problem));
    }
    served.schemas()?;
    let config: Map<String, Json> = given.optional("config")?.unwrap_or_default();
    if !config.is_empty() {
        configure(&served.session, config).await?;
    }
    let offer = &served.session.offer;
    let mut welcome = json!({
        "name": offer.name,
        "version": offer.version,
        "protocol_version": VERSION,
        "capabilities": served.capabilities,
    });
    if let Some(max_in_flight) = offer.max_in_flight {
        welcome["max_in_flight"] = max_in_flight.into();
    }
    answer(&welcome)
}

/// A host that calls no `resources/configure` gives the configuration in the first call.
async fn configure(session: &Session, config: Map<String, Json>) -> Result<(), RpcError> {
    let text = Json::from(config).to_string();
    let given = json::implied(text.as_bytes()).map_err(|error| {
        RpcError::invalid_params(format!("config in the params of init: {error}"))
    })?;
    let configured = session.configure(&given).await;
    configured.map_err(|problem| {
        let text = match problem {
            Unconfigured::Ended => "the plugin has been shut down".to_owned(),
            Unconfigured::Twice => "the plugin is already configured".to_owned(),
            Unconfigured::Invalid(errors) => format!("the configuration: {}", join(&errors)),
            Unconfigured::Failed(failure) => failure.into_text(),
        };
        RpcError::new(FAILED, text)
    })
}

pub(super) fn ping() -> Reply {
    answer(&json!({ "status": "ok" }))
}

/// The plugin ends once this is answered.
pub(super) fn shutdown(served: &Served) -> Reply {
    served.session.end();
    answer(&json!({}))
}

fn answer(result: &Json) -> Reply {
    Payload::encode(Format::Msgpack, result)
        .map_err(|error| RpcError::internal(format!("the result could not be encoded: {error}")))
}
