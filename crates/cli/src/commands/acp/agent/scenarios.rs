//! `/scenarios`, `/plan`, `/run` and `/teardown`: what `tenon list`, `plan`, `run` and `teardown` do, for an editor.

use std::path::{Path, PathBuf};

use serde_json::json;
use tenon_acp::agent::{AgentError, Turn};
use tenon_protocols::acp::{ToolKind, ToolStatus};
use tenon_scenario::{
    FilePlan, Inputs, PrepareError, Prepared, ProviderSource, RunError, RunOptions, RunReport,
    RunStatus, Scenario, Teardown,
};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::TenonAgent;
use super::actions::{Subject, Tool, path, shown};
use super::progress::Progress;
use super::words::Work;
use crate::args::{EnvironmentArgs, RecordKeyArgs, VariableArgs};
use crate::commands::scenario::{self, Refusal};
use crate::commands::{hints, record};
use crate::output::{on_one_line, plan as output};

/// `/scenarios`.
pub(super) async fn list(turn: &Turn, folder: Option<&str>) -> Result<(), AgentError> {
    let folder = match path(turn, folder.unwrap_or(".")) {
        Ok(folder) => folder,
        Err(problem) => return turn.say(problem).await,
    };
    let searched = folder.clone();
    let found = tokio::task::spawn_blocking(move || {
        let files = scenario::files(&searched)?;
        let scenarios = files
            .iter()
            .filter_map(|file| tenon_scenario::load(file).ok());
        Ok::<Vec<Scenario>, std::io::Error>(scenarios.flat_map(|file| file.scenarios).collect())
    });
    let found = match turn.or_cancelled(found).await?? {
        Ok(found) => found,
        Err(error) => return turn.say(format!("{}: {error}", shown(turn, &folder))).await,
    };
    if found.is_empty() {
        return turn
            .say("There are no scenarios here. `/init` writes one to start from.")
            .await;
    }
    let mut text = String::new();
    for one in &found {
        text += &format!(
            "- `{}` in `{}`",
            on_one_line(one.name()),
            shown(turn, &one.file)
        );
        if let Some(description) = &one.description {
            text += &format!(": {}", on_one_line(description.trim()));
        }
        text.push('\n');
    }
    turn.say(text).await
}

/// A scenario file with what it is given.
#[derive(Clone)]
struct Task {
    file: PathBuf,
    scenario: Option<String>,
    inputs: Inputs,
    environment: EnvironmentArgs,
    interrupt: CancellationToken,
}

impl Task {
    fn new(agent: &TenonAgent, turn: &Turn, work: Work) -> Result<Task, String> {
        let variables = VariableArgs {
            given: work.variables,
            files: Vec::new(),
        };
        Ok(Task {
            file: path(turn, &work.file)?,
            scenario: work.scenario,
            inputs: scenario::inputs(&variables),
            environment: agent.environment.clone(),
            interrupt: turn.cancelled().clone(),
        })
    }

    /// Plans the scenario. Cancelling the turn ends every process that was started.
    async fn prepare(&self) -> Result<Prepared, Refusal> {
        let environment = scenario::environment(&self.environment, None)?;
        let launcher = scenario::launcher(&self.file, None, environment)?;
        let choice = tenon_scenario::Choice {
            name: self.scenario.clone(),
            tags: Vec::new(),
        };
        let preparing = tenon_scenario::prepare(&self.file, &choice, &self.inputs, &launcher);
        tokio::select! {
            prepared = preparing => {
                let mut prepared = prepared?;
                // Only one scenario is meant.
                match prepared.scenarios.iter_mut().find(|one| one.plan.is_err()).map(|one| &mut one.plan) {
                    Some(plan) => match std::mem::replace(plan, Err(PrepareError::Invalid(Vec::new()))) {
                        Err(error) => Err(error.into()),
                        Ok(_) => Ok(prepared),
                    },
                    None => Ok(prepared),
                }
            }
            () = self.interrupt.cancelled() => Err(crate::exit::Failure::interrupted().into()),
        }
    }

    /// The programs that planning starts, besides those of Tenon.
    async fn programs(&self) -> Result<Vec<PathBuf>, Refusal> {
        let file = tenon_scenario::open(&self.file).await?;
        let scenarios = { file.scenarios.iter() }
            .filter(|one| self.scenario.as_ref().is_none_or(|name| one.name() == name));
        let providers = scenarios.flat_map(|one| one.required_providers.values());
        Ok(providers
            .filter_map(|provider| program(&provider.source))
            .collect())
    }
}

fn program(source: &ProviderSource) -> Option<PathBuf> {
    match source {
        ProviderSource::Builtin(_) => None,
        ProviderSource::Program(path) => Some(path.clone()),
        ProviderSource::Confined { program, .. } | ProviderSource::Limited { program, .. } => {
            self::program(program)
        }
    }
}

/// Runs a future that stays in its thread.
async fn apart<T: Send + 'static, W: Future<Output = T>>(
    work: impl FnOnce() -> W + Send + 'static,
) -> Result<T, AgentError> {
    let runtime = Handle::current();
    Ok(tokio::task::spawn_blocking(move || runtime.block_on(work())).await?)
}

/// What planning has found, for people.
struct Planned {
    text: String,
    actions: Vec<String>,
}

async fn planned(task: Task) -> Result<Result<Planned, String>, AgentError> {
    apart(move || async move {
        let prepared = task.prepare().await.map_err(|refusal| refusal.text())?;
        let plans = prepared
            .scenarios
            .iter()
            .filter_map(|one| one.plan.as_ref().ok());
        let plans: Vec<_> = plans.collect();
        let actions = plans.iter().flat_map(|plan| plan.graph.actions());
        Ok(Planned {
            text: plans
                .iter()
                .map(|plan| output::rendered(plan))
                .collect::<Vec<_>>()
                .join("\n\n"),
            actions: actions.map(|(_, node)| node.address.to_string()).collect(),
        })
    })
    .await
}

/// `/plan`.
pub(super) async fn plan(agent: &TenonAgent, turn: &Turn, work: Work) -> Result<(), AgentError> {
    let command = command_line("plan", &work);
    let task = match Task::new(agent, turn, work) {
        Ok(task) => task,
        Err(problem) => return turn.say(problem).await,
    };
    let name = shown(turn, &task.file);
    let programs = task.programs().await;
    let programs = match programs {
        Ok(programs) => programs,
        Err(refusal) => return turn.say(block(&refusal.text())).await,
    };
    // Planning asks providers for their schemas. Those of Tenon do nothing else.
    let is_execution = !programs.is_empty();
    let subject = Subject {
        title: format!("Plan {name}"),
        kind: if is_execution {
            ToolKind::Execute
        } else {
            ToolKind::Read
        },
        input: json!({ "command": command, "cwd": turn.folder(), "programs": programs }),
        locations: vec![task.file.clone()],
        content: Vec::new(),
    };
    let tool = Tool::announce(turn, subject).await?;
    if is_execution && !tool.is_allowed(agent, &format!("plan {name}")).await? {
        return Ok(());
    }
    let planned = planned(task).await?;
    match planned {
        Ok(planned) => {
            tool.end(ToolStatus::Completed, Some(planned.text)).await?;
            let count = planned.actions.len();
            turn.say(format!(
                "The plan has {count} actions. `/run {name}` does them."
            ))
            .await
        }
        Err(problem) => {
            tool.end(ToolStatus::Failed, Some(problem)).await?;
            turn.say("The scenario cannot be run as it is.").await
        }
    }
}

/// `/run`.
pub(super) async fn run(agent: &TenonAgent, turn: &Turn, work: Work) -> Result<(), AgentError> {
    let command = command_line("run", &work);
    let task = match Task::new(agent, turn, work) {
        Ok(task) => task,
        Err(problem) => return turn.say(problem).await,
    };
    let name = shown(turn, &task.file);
    let programs = match task.programs().await {
        Ok(programs) => programs,
        Err(refusal) => return turn.say(block(&refusal.text())).await,
    };
    let subject = Subject {
        title: format!("Run {name}"),
        kind: ToolKind::Execute,
        input: json!({ "command": command, "cwd": turn.folder(), "programs": programs }),
        locations: vec![task.file.clone()],
        content: Vec::new(),
    };
    let tool = Tool::announce(turn, subject).await?;
    if !tool.is_allowed(agent, &format!("run {name}")).await? {
        return Ok(());
    }
    let folder = turn.folder().to_owned();
    let progress = Progress::default();
    let seen = progress.clone();
    let running = apart(move || async move {
        let prepared = task.prepare().await.map_err(|refusal| refusal.text())?;
        let mut plans = prepared.scenarios.into_iter();
        let Some((Ok(plan), mut launcher)) = plans.next().map(|one| (one.plan, one.launcher))
        else {
            return Err("there is nothing to run".to_owned());
        };
        seen.expect(
            plan.graph
                .actions()
                .map(|(_, node)| node.address.to_string()),
        );
        launcher.on_log = Some(seen.log());
        let key = record::key(&RecordKeyArgs::default()).map_err(|failure| failure.message)?;
        let options = RunOptions {
            record_folder: Some(folder),
            interrupt: task.interrupt.clone(),
            key,
            ..RunOptions::default()
        };
        let watch = |event| seen.see(event);
        let outcome = tenon_scenario::run(&plan, &prepared.file, &launcher, &options, &watch).await;
        conclusion(outcome)
    });
    let ended = follow(turn, &tool, running, &progress).await?;
    let record = progress.record();
    let undo = record.map(|record| {
        let record = shown(turn, Path::new(&record));
        format!(" `/teardown {record}` undoes it.")
    });
    let undo = undo.unwrap_or_default();
    match ended {
        Ok(RunStatus::Succeeded) => turn.say(format!("`{name}` was run.{undo}")).await,
        Ok(_) => turn.say(format!("`{name}` failed.{undo}")).await,
        Err(_) => turn.say(format!("`{name}` could not be run.{undo}")).await,
    }
}

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
    let subject = Subject {
        title: format!("Tear down {name}"),
        kind: ToolKind::Execute,
        input: json!({ "command": format!("tenon teardown {written}"), "cwd": turn.folder() }),
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

fn conclusion(outcome: Result<RunReport, RunError>) -> Result<RunStatus, String> {
    match outcome {
        Ok(report) => Ok(report.status),
        Err(RunError::Invalid(problems)) => Err(Refusal::Invalid(problems).text()),
        Err(error) => Err(hints::of_run(&error)),
    }
}

/// Shows a run until it is over, and ends its tool call.
async fn follow(
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

/// The command of the shell that does the same, for the rules of guards. Values may be secrets.
fn command_line(command: &str, work: &Work) -> String {
    let mut line = format!("tenon {command} {}", work.file);
    if let Some(scenario) = &work.scenario {
        line += &format!(" --scenario {scenario}");
    }
    for (name, _) in &work.variables {
        line += &format!(" --var {name}=...");
    }
    line
}

fn block(text: &str) -> String {
    format!("```\n{}\n```", text.trim_end())
}
