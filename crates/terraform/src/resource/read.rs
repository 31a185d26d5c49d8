//! How a resource is now.

use tenon_protocols::denobridge::{Read, ReadParams};
use tenon_tfplugin::{Diagnostic, Diagnostics, ReadRequest, ReadResponse, block, has_errors};
use tenon_values::Value;

use super::import::{identity, read_first};
use super::{effective_props, id, with_resource};
use crate::bridge::{self, Bridge};
use crate::launch::Launch;
use crate::schema::{self, RESOURCE_SCHEMA};
use crate::scripts::Task;

pub(crate) async fn read(
    bridge: &Bridge,
    request: ReadRequest,
) -> Result<ReadResponse, Diagnostics> {
    let before = &request.state;
    if before.is_null() {
        return Ok(ReadResponse::new(request.state));
    }
    let imported = read_first(&request.private);
    let launch = match imported {
        // What an import says is not in the state yet.
        Some(_) => bridge.launch(before),
        None => bridge.launch_of_state(before),
    };
    let mut diagnostics = Diagnostics::new();
    let state = match launch {
        Ok(launch) => read_state(bridge, &launch, before, &mut diagnostics).await,
        Err(error) => Err(error),
    };
    let state = state.map_err(|error| diagnostics.push(error));
    let diagnostics = { diagnostics.into_iter() }
        .map(|one| with_resource(one, before))
        .collect();
    let Ok(state) = state else {
        return Err(diagnostics);
    };
    Ok(ReadResponse {
        identity: match request.identity {
            Some(_) => None,
            None => identity(&state),
        },
        private: imported.map(|private| private.to_bytes()),
        diagnostics,
        ..ReadResponse::new(state)
    })
}

/// What the script says of a resource that the state has.
async fn read_state(
    bridge: &Bridge,
    launch: &Launch,
    before: &Value,
    diagnostics: &mut Diagnostics,
) -> Result<Value, Diagnostic> {
    bridge.hide(&block::part(before, "sensitive_state"));
    let places = bridge.places(before);
    let props = effective_props(before);
    let params = ReadParams {
        id: id(before),
        props: bridge::to_json(&props)?,
    };
    let task = Task::reading(Read, "read resource");
    let answer = bridge.scripts.call(launch, task, params).await;
    let answer = answer.map_err(|failure| failure.show(&places))?;
    bridge.hide_json(answer.sensitive_state.as_ref());
    diagnostics.extend(places.show_all(answer.diagnostics));
    if has_errors(diagnostics) {
        return Ok(before.clone());
    }
    if answer.exists == Some(false) {
        return Ok(Value::null(RESOURCE_SCHEMA.implied_type()));
    }
    let read = |sent: Option<tenon_protocols::Json>, old: Value, name: &str| match sent {
        None => Ok(old),
        sent => bridge::from_json(sent.as_ref(), &old, name),
    };
    let props_now = match answer.props {
        None => props.clone(),
        sent => bridge::props_from_json(sent.as_ref(), &props, "props")?,
    };
    let state = read(answer.state, block::part(before, "state"), "state")?;
    let sensitive = block::part(before, "sensitive_state");
    let sensitive = read(answer.sensitive_state, sensitive, "sensitiveState")?;
    let after = block::with(before, [("state", state), ("sensitive_state", sensitive)]);
    Ok(match props_now == props {
        true => after,
        // The props differ now from what the script made of them.
        false => block::with(
            &after,
            [("props", props_now), ("modified_props", Value::NULL)],
        ),
    })
}

/// The configuration that would make a resource what it is, for `-generate-config-out`.
pub(crate) fn generate_config(state: &Value) -> Value {
    let parts = schema::script_attributes().map(|name| (name, block::part(state, name)));
    RESOURCE_SCHEMA.object(&parts.collect::<Vec<_>>())
}
