//! Data sources.

use tenon_protocols::denobridge::{Look, Props};
use tenon_values::Value;

use crate::bridge::{self, Bridge};
use crate::diagnostic::{self, Diagnostics};
use crate::proto::tfplugin6::Diagnostic;
use crate::proto::tfplugin6::read_data_source::{Request, Response};
use crate::schema::{DATA_SOURCE, DATA_SOURCE_SHAPE, check_name};
use crate::scripts::Task;
use crate::wire;

pub(crate) async fn read(bridge: &Bridge, request: Request) -> Response {
    let mut diagnostics = Diagnostics::new();
    let state = look(bridge, &request, &mut diagnostics).await;
    let state = state.and_then(|state| wire::encode(&state, &DATA_SOURCE_SHAPE.ty));
    let state = state.map_err(|error| diagnostics.push(error)).ok();
    Response {
        state: state.filter(|_| !diagnostic::has_errors(&diagnostics)),
        diagnostics,
        deferred: None,
    }
}

async fn look(
    bridge: &Bridge,
    request: &Request,
    diagnostics: &mut Diagnostics,
) -> Result<Value, Diagnostic> {
    check_name(&request.type_name, DATA_SOURCE)?;
    let config = wire::decode(request.config.as_ref(), &DATA_SOURCE_SHAPE.ty)?;
    let launch = bridge.launch(&config)?;
    let places = bridge.places(&config);
    let params = Props {
        props: bridge::to_json(&wire::part(&config, "props"))?,
    };
    let task = Task::reading(Look, "read data source");
    let answer = bridge.scripts.call(&launch, task, params).await;
    let answer = answer.map_err(|failure| failure.show(&places))?;
    bridge.hide_json(answer.sensitive_result.as_ref());
    diagnostics.extend(places.show_all(answer.diagnostics));
    let sensitive = bridge::from_json(
        answer.sensitive_result.as_ref(),
        &Value::NULL,
        "sensitiveResult",
    )?;
    let result = bridge::from_json(answer.result.as_ref(), &Value::NULL, "result")?;
    Ok(wire::with(
        &config,
        [("result", result), ("sensitive_result", sensitive)],
    ))
}
