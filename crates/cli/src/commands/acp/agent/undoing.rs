//! `/teardown`: what `tenon teardown` does, for an editor.

use std::path::PathBuf;

use serde_json::json;
use tenon_acp::agent::{AgentError, Turn};
use tenon_acp::facts::command_line;
use tenon_protocols::acp::ToolKind;
use tenon_scenario::{FilePlan, RunOptions, RunStatus, Teardown};
use tokio_util::sync::CancellationToken;

use super::TenonAgent;
use super::actions::{Subject, Tool, path, shown};
use super::progress::Progress;
use super::work::{apart, conclusion, follow};
use crate::args::{EnvironmentArgs, RecordKeyArgs, VariableArgs};
use crate::commands::scenario::{self, Refusal};
use crate::commands::{hints, record};

/// `/teardown`.
pub(super) async fn tear_down(
    agent: &TenonAgent,
    turn: &Turn,
    written: &str,
) -> Result<(), AgentError> {
    let record = match path(turn, written) {
        Ok(record) => record,
        Err(problem) => return turn.say(problem).await,
    };
    let name = shown(turn, &record);
    let command = command_line("tenon", &["teardown".to_owned(), written.to_owned()]);
    let subject = Subject {
        title: format!("Tear down {name}"),
        kind: ToolKind::Execute,
        input: json!({ "command": command, "cwd": turn.folder() }),
        locations: vec![record.clone()],
        content: Vec::new(),
    };
    let tool = Tool::announce(turn, subject).await?;
    if !tool.is_allowed(agent, &format!("teardown {name}")).await? {
        return Ok(());
    }
    let progress = Progress::default();
    let environment = agent.environment.clone();
    let (interrupt, seen) = (turn.cancelled().clone(), progress.clone());
    let running = apart(move || undo(record, environment, interrupt, seen));
    let ended = follow(turn, &tool, running, &progress).await?;
    match ended {
        Ok(RunStatus::Succeeded) => turn.say(format!("The run of `{name}` is undone.")).await,
        _ => {
            turn.say(format!(
                "The run of `{name}` is not undone, or not all of it."
            ))
            .await
        }
    }
}

/// Undoes a run, as its record says.
async fn undo(
    path: PathBuf,
    environment: EnvironmentArgs,
    interrupt: CancellationToken,
    progress: Progress,
) -> Result<RunStatus, String> {
    let text = |failure: crate::exit::Failure| failure.message;
    // A file that is not a record has no journal, and gets none.
    record::read(&path).await.map_err(text)?;
    let teardown = Teardown::open(&path, false);
    let teardown = teardown.map_err(|error| {
        let hint = error.hint();
        hints::with_hint(error, hint)
    })?;
    let known = teardown.record();
    let environment = scenario::environment(&environment, Some(known)).map_err(text)?;
    let launcher = scenario::launcher(&known.path, Some(progress.log()), environment);
    let launcher = launcher.map_err(text)?;
    let options = RunOptions {
        key: record::key(&RecordKeyArgs::default()).map_err(text)?,
        interrupt,
        ..RunOptions::default()
    };
    let is_complete = teardown.is_complete(&options);
    let is_complete = is_complete.map_err(|error| hints::of_run(&error))?;
    // The file is asked for what the record does not hold.
    let plan = match is_complete {
        true => None,
        false => {
            let inputs = scenario::inputs(&VariableArgs::default());
            let key = options.key.as_ref();
            let again = tenon_scenario::prepare_again(known, key, &known.path, &inputs, &launcher);
            let again = again.await.map(|(_, plan)| plan);
            Some(again.map_err(|error| Refusal::from(error).text()))
        }
    };
    let from_file = match &plan {
        None => FilePlan::NotNeeded,
        Some(Ok(plan)) => FilePlan::Found(plan),
        Some(Err(reason)) => FilePlan::Missing(reason.clone()),
    };
    let watch = |event| progress.see(event);
    let outcome = teardown
        .run(from_file, false, &launcher, &options, &watch)
        .await;
    conclusion(outcome)
}
