//! `/call`: what `tenon call` does, for an editor.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenon_acp::agent::{AgentError, Turn};
use tenon_acp::facts::command_line;
use tenon_host::{Plugin, PluginCommand, Start};
use tenon_protocols::acp::{ToolKind, ToolStatus};
use tenon_protocols::orchard::ERROR_NAMES;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::{Dialect, Format, Payload, Peer, Router, calls::within};

use super::TenonAgent;
use super::actions::{Subject, Tool};
use super::words::PluginCall;
use crate::exit::Failure;

/// How long a plugin may take to answer.
const LIMIT: Duration = Duration::from_secs(300);
/// As much of a result as is shown.
const RESULT: usize = 64 * 1024;

/// `/call`.
pub(super) async fn call(
    agent: &TenonAgent,
    turn: &Turn,
    call: PluginCall,
) -> Result<(), AgentError> {
    // As a shell has to be given it: rules take it apart.
    let command = command_line(&call.program, &call.args);
    let params = call.params.as_deref();
    let subject = Subject {
        title: format!("Call {} of {command}", call.method),
        kind: ToolKind::Execute,
        input: json!({ "command": command, "cwd": turn.folder(), "method": call.method, "params": params }),
        locations: Vec::new(),
        content: Vec::new(),
    };
    let tool = Tool::announce(turn, subject).await?;
    if !tool.is_allowed(agent, &format!("call {command}")).await? {
        return Ok(());
    }
    tool.show("").await?;
    // Dropping the call ends the plugin.
    match turn.or_cancelled(answer(agent, turn, &call)).await {
        Err(error) => {
            tool.end(ToolStatus::Failed, None).await?;
            Err(error)
        }
        Ok(Ok(result)) => {
            tool.end(ToolStatus::Completed, Some(result.clone()))
                .await?;
            turn.say(format!(
                "`{}` answered:\n\n```json\n{result}\n```",
                call.method
            ))
            .await
        }
        Ok(Err(failure)) => {
            tool.end(ToolStatus::Failed, Some(failure.message)).await?;
            turn.say(format!("`{}` failed.", call.method)).await
        }
    }
}

async fn answer(agent: &TenonAgent, turn: &Turn, call: &PluginCall) -> Result<String, Failure> {
    let mut start = Start::new(Dialect::JsonRpcLines);
    if let Some(protocol) = call.protocol {
        start.dialect = protocol.dialect();
        start.options = protocol.host_options();
        start.limit = protocol.start_limit();
    }
    start.options.error_names = ERROR_NAMES;
    start.options.ext_names = EXT_NAMES;
    let command = PluginCommand::new(&call.program).args(&call.args);
    let command = command.folder(turn.folder());
    let command = agent.environment.apply(command)?;
    let first = |peer: Peer| async move {
        match call.protocol {
            Some(protocol) => protocol.begin(&peer).await,
            None => Ok(None),
        }
    };
    let (plugin, _) = Plugin::start(&command, start, Arc::new(Router::new(())), first).await?;
    let params = match &call.params {
        Some(params) => {
            let params = Payload::from_json(params.as_str()).map_err(Failure::usage)?;
            let format = plugin.peer().format();
            Some(
                params
                    .to_format_with(format, EXT_NAMES)
                    .map_err(Failure::usage)?,
            )
        }
        None => None,
    };
    let peer = plugin.peer();
    let calling = within(Some(LIMIT), peer.call_raw(call.method.as_str(), params));
    let outcome = plugin.while_alive(calling).await;
    let outcome: Result<Payload, Failure> = match outcome {
        Ok(result) => Ok(result),
        Err(error @ tenon_rpc::CallError::Answered(_)) => Err(error.into()),
        Err(error) => Err(plugin.explain(error).await.into()),
    };
    plugin
        .stop(|peer| async move {
            if let Some(protocol) = call.protocol {
                protocol.end(&peer).await;
            }
        })
        .await;
    let result = outcome?
        .to_format_with(Format::Json, EXT_NAMES)
        .map_err(Failure::usage)?;
    let mut text = String::from_utf8_lossy(result.bytes()).into_owned();
    if let Some((end, _)) = text.char_indices().find(|(at, _)| *at >= RESULT) {
        text.truncate(end);
        text += "...";
    }
    Ok(text)
}
