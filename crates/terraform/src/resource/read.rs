//! How a resource is now.

use tenon_protocols::denobridge::{Read, ReadParams};
use tenon_values::Value;

use super::import::identity;
use super::{effective_props, id, with_resource};
use crate::bridge::{self, Bridge};
use crate::diagnostic::{self, Diagnostics};
use crate::proto::tfplugin6::read_resource::{Request, Response};
use crate::proto::tfplugin6::{Diagnostic, generate_resource_config};
use crate::schema::{RESOURCE, RESOURCE_SHAPE, check_name};
use crate::scripts::Task;
use crate::wire;

pub(crate) async fn read(bridge: &Bridge, request: Request) -> Response {
    let mut diagnostics = Diagnostics::new();
    let state = state(bridge, &request, &mut diagnostics).await;
    let state = state.and_then(|state| {
        let sent = wire::encode(&state, &RESOURCE_SHAPE.ty)?;
        Ok((state, sent))
    });
    let mut response = Response {
        private: request.private,
        ..Response::default()
    };
    match state {
        Ok((state, sent)) => {
            let given = { request.current_identity }.filter(|given| given.identity_data.is_some());
            response.new_identity = given.or_else(|| identity(&state));
            response.new_state = Some(sent);
        }
        Err(error) => {
            response.new_state = request.current_state;
            response.new_identity = request.current_identity;
            diagnostics.push(error);
        }
    }
    response.diagnostics = diagnostics;
    response
}

async fn state(
    bridge: &Bridge,
    request: &Request,
    diagnostics: &mut Diagnostics,
) -> Result<Value, Diagnostic> {
    check_name(&request.type_name, RESOURCE)?;
    let before = wire::decode(request.current_state.as_ref(), &RESOURCE_SHAPE.ty)?;
    if before.is_null() {
        return Ok(before);
    }
    let state = read_state(bridge, &before, diagnostics).await;
    for one in diagnostics {
        *one = with_resource(std::mem::take(one), &before);
    }
    state.map_err(|error| with_resource(error, &before))
}

/// What the script says of a resource that the state has.
async fn read_state(
    bridge: &Bridge,
    before: &Value,
    diagnostics: &mut Diagnostics,
) -> Result<Value, Diagnostic> {
    bridge.hide(&wire::part(before, "sensitive_state"));
    let launch = bridge.launch_of_state(before)?;
    let places = bridge.places(before);
    let props = effective_props(before);
    let params = ReadParams {
        id: id(before),
        props: bridge::to_json(&props)?,
    };
    let task = Task::reading(Read, "read resource");
    let answer = bridge.scripts.call(&launch, task, params).await;
    let answer = answer.map_err(|failure| failure.show(&places))?;
    bridge.hide_json(answer.sensitive_state.as_ref());
    diagnostics.extend(places.show_all(answer.diagnostics));
    if diagnostic::has_errors(diagnostics) {
        return Ok(before.clone());
    }
    if answer.exists == Some(false) {
        return Ok(Value::null(RESOURCE_SHAPE.ty.clone()));
    }
    let read = |sent: Option<tenon_protocols::Json>, old: Value, name: &str| match sent {
        None => Ok(old),
        sent => bridge::from_json(sent.as_ref(), &old, name),
    };
    let props_now = match answer.props {
        None => props.clone(),
        sent => bridge::props_from_json(sent.as_ref(), &props, "props")?,
    };
    let state = read(answer.state, wire::part(before, "state"), "state")?;
    let sensitive = wire::part(before, "sensitive_state");
    let sensitive = read(answer.sensitive_state, sensitive, "sensitiveState")?;
    let after = wire::with(before, [("state", state), ("sensitive_state", sensitive)]);
    Ok(match props_now == props {
        true => after,
        // What the script made of the props is not what they are any more.
        false => wire::with(
            &after,
            [("props", props_now), ("modified_props", Value::NULL)],
        ),
    })
}

/// The configuration that would make a resource what it is, for `-generate-config-out`.
pub(crate) fn generate_config(
    request: &generate_resource_config::Request,
) -> generate_resource_config::Response {
    let state = check_name(&request.type_name, RESOURCE)
        .and_then(|()| wire::decode(request.state.as_ref(), &RESOURCE_SHAPE.ty));
    let config = state.and_then(|state| {
        let written = [
            "path",
            "command",
            "props",
            "config_file",
            "permissions",
            "reuse",
            "timeout",
            "max_in_flight",
        ];
        let parts = written.map(|name| (name, wire::part(&state, name)));
        wire::encode(&RESOURCE_SHAPE.block(&parts), &RESOURCE_SHAPE.ty)
    });
    match config {
        Ok(config) => generate_resource_config::Response {
            config: Some(config),
            diagnostics: Vec::new(),
        },
        Err(error) => generate_resource_config::Response {
            config: None,
            diagnostics: vec![error],
        },
    }
}
