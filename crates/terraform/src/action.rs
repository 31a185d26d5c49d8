//! Actions, which report progress.

use tenon_protocols::denobridge::Props;
use tenon_tfplugin::{Diagnostic, Diagnostics, block, has_errors};
use tenon_values::Value;
use tokio::sync::mpsc;

use crate::bridge::{self, Bridge};
use crate::places;

pub(crate) async fn invoke(
    bridge: &Bridge,
    config: &Value,
    progress: mpsc::Sender<String>,
) -> Diagnostics {
    let diagnostics = run(bridge, config, progress).await;
    let diagnostics = diagnostics.unwrap_or_else(Diagnostics::from).into_iter();
    // Terraform shows the block of an action, but no line of it.
    diagnostics.map(places::spelled_out).collect()
}

async fn run(
    bridge: &Bridge,
    config: &Value,
    progress: mpsc::Sender<String>,
) -> Result<Diagnostics, Diagnostic> {
    let launch = bridge.launch(config)?;
    let places = bridge.places(config).in_words();
    let props = Props {
        props: bridge::to_json(&block::part(config, "props"))?,
    };
    let answer = bridge.scripts.invoke(&launch, props, progress).await;
    let answer = answer.map_err(|failure| failure.show(&places))?;
    let answer = answer.unwrap_or_default();
    let is_done = answer.is_done();
    let mut diagnostics = places.show_all(answer.diagnostics);
    if !is_done && !has_errors(&diagnostics) {
        diagnostics.push(Diagnostic::error(
            "Failed to complete action",
            format!("{} did not answer {{\"done\": true}}.", launch.name),
        ));
    }
    Ok(diagnostics)
}
