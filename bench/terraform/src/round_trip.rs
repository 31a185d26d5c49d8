//! One call after the other, to a script over its pipes or to the provider.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bench_harness::section::fault;
use bench_terraform::calls::{Way, median};
use bench_terraform::identity::Identity;
use bench_terraform::provider::Provider;
use serde_json::{Value as Json, json};
use tenon_host::{Plugin, PluginCommand, Start};
use tenon_protocols::Protocol;
use tenon_protocols::denobridge::{Read, ReadParams};
use tenon_rpc::Router;
use tenon_tfplugin::proto::tfplugin6::{
    DynamicValue, RawState, get_metadata, read_resource, upgrade_resource_state,
};

use crate::tools::Tools;

const RESOURCE: &str = "denobridge_resource";

/// Starts what is needed, calls it again and again, and gives the median of a call in microseconds.
/// Without a script the provider is asked what it has.
pub async fn measure(
    script: Option<&Path>,
    way: Way,
    identity: &Identity,
    tools: &Tools,
    each: Duration,
) -> io::Result<f64> {
    let identity = match way {
        Way::Pipes => return bare(script, tools, each).await,
        Way::Plain => None,
        Way::Encrypted => Some(identity),
    };
    let provider = Provider::start(&tools.provider, identity).await?;
    let measured = match script {
        Some(script) => read_resource(&provider, script, each).await?,
        None => get_metadata(&provider, each).await?,
    };
    provider.end().await?;
    Ok(measured)
}

fn props() -> Json {
    json!({"name": "thing-042", "size": 42, "tags": {"environment": "staging", "owner": "shop"}})
}

async fn bare(script: Option<&Path>, tools: &Tools, each: Duration) -> io::Result<f64> {
    let script = script.ok_or_else(|| fault("nothing to call over pipes"))?;
    let mut start = Start::new(Protocol::Denobridge.dialect());
    start.options = Protocol::Denobridge.host_options();
    let command = match (
        script.extension().and_then(|ending| ending.to_str()),
        tools.deno(),
    ) {
        (Some("ts"), Some(deno)) => PluginCommand::new(deno).args(["run", "-q"]).arg(script),
        (Some("py"), _) => PluginCommand::new("python3").arg("-u").arg(script),
        _ => PluginCommand::new(script),
    };
    let first = |peer| async move { Protocol::Denobridge.begin(&peer).await };
    let (plugin, _) = Plugin::start(&command, start, Arc::new(Router::new(())), first)
        .await
        .map_err(fault)?;
    let peer = plugin.peer();
    let params = ReadParams {
        id: "thing-042".to_owned(),
        props: serde_json::from_value(props())?,
    };
    let call = async || {
        let read = peer.call(Read, params.clone()).await.map_err(fault)?;
        let is_there = read.state.is_some();
        is_there
            .then_some(())
            .ok_or_else(|| fault("the script knows no state"))
    };
    let measured = median(call, each).await;
    plugin
        .stop(|peer| async move { Protocol::Denobridge.end(&peer).await })
        .await;
    measured
}

async fn read_resource(provider: &Provider, script: &Path, each: Duration) -> io::Result<f64> {
    let mut client = provider.client();
    let request = read_resource::Request {
        type_name: RESOURCE.to_owned(),
        current_state: Some(state(provider, script).await?),
        ..read_resource::Request::default()
    };
    let call = async || {
        let answer = client.read_resource(request.clone()).await;
        let answer = answer.map_err(fault)?.into_inner();
        match answer.diagnostics.is_empty() && answer.new_state.is_some() {
            true => Ok(()),
            false => Err(fault(answer.diagnostics)),
        }
    };
    median(call, each).await
}

/// What gRPC takes when there is nothing to do.
async fn get_metadata(provider: &Provider, each: Duration) -> io::Result<f64> {
    let mut client = provider.client();
    let call = async || {
        let request = get_metadata::Request::default();
        client.get_metadata(request).await.map(drop).map_err(fault)
    };
    median(call, each).await
}

/// The state of a resource that is there, as the provider makes it of a state file's text.
async fn state(provider: &Provider, script: &Path) -> io::Result<DynamicValue> {
    let props_type = json!(["object", {
        "name": "string",
        "size": "number",
        "tags": ["object", {"environment": "string", "owner": "string"}],
    }]);
    let state_type = json!(["object", {"address": "string", "ready": "bool"}]);
    let known = json!({"address": "thing-042.example", "ready": true});
    let text = json!({
        "id": "thing-042",
        "path": script.to_string_lossy(),
        "props": {"value": props(), "type": props_type},
        "state": {"value": known, "type": state_type},
        "write_only_props_version": 1,
    });
    let request = upgrade_resource_state::Request {
        type_name: RESOURCE.to_owned(),
        raw_state: Some(RawState {
            json: text.to_string().into_bytes(),
            ..RawState::default()
        }),
        ..upgrade_resource_state::Request::default()
    };
    let answer = provider.client().upgrade_resource_state(request).await;
    let answer = answer.map_err(fault)?.into_inner();
    let state = answer.upgraded_state;
    state.ok_or_else(|| fault(answer.diagnostics))
}
