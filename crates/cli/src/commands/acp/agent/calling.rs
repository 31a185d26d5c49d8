//! `/call`: what `tenon call` does, for an editor.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenon_acp::agent::{AgentError, Turn};
use tenon_acp::facts::command_line;
use tenon_host::{Plugin, PluginCommand, PluginError, Problem, Start};
use tenon_protocols::Protocol;
use tenon_protocols::acp::{Failure as Refusal, ToolKind, ToolStatus};
use tenon_protocols::orchard::ERROR_NAMES;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::{CallError, Dialect, Format, Payload, Peer, Router, calls::within};

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
        Ok(Err(Failed { failure, refusal })) => {
            let data = json!({ "tool": call.program, "method": call.method, "details": failure.message.lines().next() });
            tool.end(ToolStatus::Failed, Some(failure.message)).await?;
            match refusal {
                Some(refusal) => Err(AgentError::failure(refusal, data)),
                None => turn.say(format!("`{}` failed.", call.method)).await,
            }
        }
    }
}

/// Why a call failed.
struct Failed {
    failure: Failure,
    /// The error that the editor gets, if there is one for this. Otherwise the turn ends as usual.
    refusal: Option<Refusal>,
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Failed {
        Failed {
            failure,
            refusal: None,
        }
    }
}

impl Failed {
    fn of(call: &PluginCall, error: PluginError) -> Failed {
        let is_mcp = call.protocol == Some(Protocol::Mcp);
        Failed {
            refusal: refusal(is_mcp, &error.problem),
            failure: error.into(),
        }
    }
}

/// The error for a plugin, or an MCP server, that does not do its work. What it answers itself is a result of the tool.
fn refusal(is_mcp: bool, problem: &Problem) -> Option<Refusal> {
    match (problem, is_mcp) {
        (Problem::Call(CallError::Answered(_)), _) => None,
        (Problem::NoAnswer(_) | Problem::Call(CallError::TimedOut(_)), false) => {
            Some(Refusal::ToolTimeout)
        }
        (
            Problem::CannotStart(_) | Problem::NoAnswer(_) | Problem::Call(CallError::TimedOut(_)),
            true,
        ) => Some(Refusal::McpUnavailable),
        (Problem::CannotStart(error), false) if error.kind() == io::ErrorKind::NotFound => {
            Some(Refusal::ToolNotFound)
        }
        (_, true) => Some(Refusal::McpError),
        (_, false) => None,
    }
}

async fn answer(agent: &TenonAgent, turn: &Turn, call: &PluginCall) -> Result<String, Failed> {
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
    let started = Plugin::start(&command, start, Arc::new(Router::new(())), first).await;
    let (plugin, _) = started.map_err(|error| Failed::of(call, error))?;
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
    let outcome: Result<Payload, Failed> = match outcome {
        Ok(result) => Ok(result),
        Err(error @ CallError::Answered(_)) => Err(Failure::from(error).into()),
        Err(error) => Err(Failed::of(call, plugin.explain(error).await)),
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

#[cfg(test)]
mod tests {
    use tenon_rpc::{CloseReason, ErrorCode, RpcError};

    use super::*;

    #[test]
    fn a_plugin_that_does_not_work_has_an_error_of_the_table() {
        let missing = || Problem::CannotStart(io::ErrorKind::NotFound.into());
        let denied = || Problem::CannotStart(io::ErrorKind::PermissionDenied.into());
        let late = || Problem::Call(CallError::TimedOut(LIMIT));
        let gone = || Problem::Call(CallError::Closed(CloseReason::PeerClosed));
        let answered = || {
            Problem::Call(CallError::Answered(RpcError::new(
                ErrorCode::Number(7),
                "no",
            )))
        };
        for (problem, plugin, server) in [
            (
                missing(),
                Some(Refusal::ToolNotFound),
                Some(Refusal::McpUnavailable),
            ),
            (denied(), None, Some(Refusal::McpUnavailable)),
            (
                Problem::NoAnswer(LIMIT),
                Some(Refusal::ToolTimeout),
                Some(Refusal::McpUnavailable),
            ),
            (
                late(),
                Some(Refusal::ToolTimeout),
                Some(Refusal::McpUnavailable),
            ),
            (gone(), None, Some(Refusal::McpError)),
            (answered(), None, None),
        ] {
            assert_eq!(refusal(false, &problem), plugin, "{problem:?}");
            assert_eq!(refusal(true, &problem), server, "{problem:?}");
        }
    }
}
