//! Data sources.

use crate::bridge::{self, Bridge};
use crate::scripts::Task;
use tenon_protocols::denobridge::{Look, Props};
use tenon_tfplugin::{Diagnostic, Diagnostics, ReadDataResponse, block};
use tenon_values::Value;

pub(crate) async fn read(bridge: &Bridge, config: &Value) -> Result<ReadDataResponse, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    match look(bridge, config, &mut diagnostics).await {
        Ok(state) => Ok(ReadDataResponse {
            diagnostics,
            ..ReadDataResponse::new(state)
        }),
        Err(error) => {
            diagnostics.push(error);
            Err(diagnostics)
        }
    }
}

async fn look(
    bridge: &Bridge,
    config: &Value,
    diagnostics: &mut Diagnostics,
) -> Result<Value, Diagnostic> {
    let launch = bridge.launch(config)?;
    let places = bridge.places(config);
    let params = Props {
        props: bridge::to_json(&block::part(config, "props"))?,
    };
    let task = Task::reading(Look, "read data source");
    let answer = bridge.scripts.call(&launch, task, params).await;
    let answer = answer.map_err(|failure| failure.show(&places))?;
    bridge.hide_json(answer.sensitive_result.as_ref());
    diagnostics.extend(places.show_all(answer.diagnostics));
    let (result, sensitive) = (answer.result.as_ref(), answer.sensitive_result.as_ref());
    if result.or(sensitive).is_none() && diagnostics.is_empty() {
        diagnostics.push(bridge::no_result(&launch, "read"));
    }
    bridge::with_results(config, result, sensitive)
}
