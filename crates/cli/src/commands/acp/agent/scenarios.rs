//! `/scenarios`, `/plan` and `/run`: what `tenon list`, `plan` and `run` do, for an editor.

use std::path::{Path, PathBuf};

use serde_json::json;
use tenon_acp::agent::{AgentError, Turn};
use tenon_acp::facts::command_line;
use tenon_protocols::acp::{ToolKind, ToolStatus};
use tenon_scenario::{
    Inputs, Launcher, Plan, ProviderSource, RunOptions, RunStatus, Scenario, ScenarioFile,
};
use tokio_util::sync::CancellationToken;

use super::TenonAgent;
use super::actions::{Subject, Tool, path, shown};
use super::progress::Progress;
use super::words::Work;
use super::work::{apart, conclusion, follow};
use crate::args::{EnvironmentArgs, RecordKeyArgs, VariableArgs};
use crate::commands::record;
use crate::commands::scenario::{self, Refusal};
use crate::exit::Failure;
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
    async fn prepare(&self) -> Result<(ScenarioFile, Plan, Launcher), Refusal> {
        let environment = scenario::environment(&self.environment, None)?;
        let launcher = scenario::launcher(&self.file, None, environment)?;
        let choice = tenon_scenario::Choice {
            name: self.scenario.clone(),
            tags: Vec::new(),
        };
        let preparing = tenon_scenario::prepare(&self.file, &choice, &self.inputs, &launcher);
        let prepared = tokio::select! {
            prepared = preparing => prepared?,
            () = self.interrupt.cancelled() => return Err(Failure::interrupted().into()),
        };
        // Without tags exactly one is chosen.
        match prepared.scenarios.into_iter().next() {
            Some(one) => Ok((prepared.file, one.plan?, one.launcher)),
            None => Err(Failure::usage("there is no scenario in the file").into()),
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

/// What planning has found, for people.
struct Planned {
    text: String,
    actions: usize,
}

async fn planned(task: Task) -> Result<Result<Planned, String>, AgentError> {
    apart(move || async move {
        let (_, plan, _) = task.prepare().await.map_err(|refusal| refusal.text())?;
        Ok(Planned {
            text: output::rendered(&plan),
            actions: plan.graph.actions().count(),
        })
    })
    .await
}

/// `/plan`.
pub(super) async fn plan(agent: &TenonAgent, turn: &Turn, work: Work) -> Result<(), AgentError> {
    let command = tenon("plan", &work);
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
            let count = planned.actions;
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
    let command = tenon("run", &work);
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
        let prepared = task.prepare().await.map_err(|refusal| refusal.text());
        let (file, plan, mut launcher) = prepared?;
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
        let outcome = tenon_scenario::run(&plan, &file, &launcher, &options, &watch).await;
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
        Ok(RunStatus::Interrupted) => turn.say(format!("`{name}` was stopped.{undo}")).await,
        Ok(_) => turn.say(format!("`{name}` failed.{undo}")).await,
        Err(_) => turn.say(format!("`{name}` could not be run.{undo}")).await,
    }
}

/// The command of the shell that does the same, for the rules of guards. Values may be secrets.
fn tenon(command: &str, work: &Work) -> String {
    let mut words = vec![command.to_owned(), work.file.clone()];
    if let Some(scenario) = &work.scenario {
        words.extend(["--scenario".to_owned(), scenario.clone()]);
    }
    for (name, _) in &work.variables {
        words.extend(["--var".to_owned(), format!("{name}=...")]);
    }
    command_line("tenon", &words)
}

fn block(text: &str) -> String {
    format!("```\n{}\n```", text.trim_end())
}
