//! Work of scenarios: in a thread of its own, shown as it goes.

use tenon_acp::agent::{AgentError, Turn};
use tenon_protocols::acp::ToolStatus;
use tenon_scenario::{RunError, RunReport, RunStatus};
use tokio::runtime::Handle;

use super::actions::Tool;
use super::progress::Progress;
use crate::commands::hints;
use crate::commands::scenario::Refusal;

/// Runs a future that stays in its thread.
pub(super) async fn apart<T: Send + 'static, W: Future<Output = T>>(
    work: impl FnOnce() -> W + Send + 'static,
) -> Result<T, AgentError> {
    let runtime = Handle::current();
    Ok(tokio::task::spawn_blocking(move || runtime.block_on(work())).await?)
}

/// How a run ended, or why there was none.
pub(super) fn conclusion(outcome: Result<RunReport, RunError>) -> Result<RunStatus, String> {
    match outcome {
        Ok(report) => Ok(report.status),
        Err(RunError::Invalid(problems)) => Err(Refusal::Invalid(problems).text()),
        Err(error) => Err(hints::of_run(&error)),
    }
}

/// Shows a run until it is over, and ends its tool call.
pub(super) async fn follow(
    turn: &Turn,
    tool: &Tool<'_>,
    running: impl Future<Output = Result<Result<RunStatus, String>, AgentError>>,
    progress: &Progress,
) -> Result<Result<RunStatus, String>, AgentError> {
    let ended = progress.follow(turn, tool, running).await??;
    let mut output = progress.output();
    if let Err(problem) = &ended {
        output += problem;
    }
    let status = match ended {
        Ok(RunStatus::Succeeded) => ToolStatus::Completed,
        _ => ToolStatus::Failed,
    };
    tool.end(status, Some(output)).await?;
    Ok(ended)
}
