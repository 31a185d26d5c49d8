//! What all commands about scenarios have in common: how providers are started, what a scenario is
//! given, and how a user learns why one is not run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hcl::{Diagnostic, Style};
use tenon_host::PluginCommand;
use tenon_scenario::{
    Choice, FailureKind, Inputs, Launcher, Plan, PrepareError, ProviderFailure, ProviderSource,
    Record, RecordKey, RunEnvironment, ScenarioFile, Secrets, SeeLog,
};

use super::hints;
use super::run::warn_of_changes;
use crate::args::{EnvironmentArgs, ScenarioArgs, VariableArgs};
use crate::exit::{Code, Failure};
use crate::output::{diagnostics, failure_event, talk_of};

/// Why a scenario is not run. It has not been printed yet.
pub(crate) enum Refusal {
    /// The scenario, or what it is given, is not valid.
    Invalid(Vec<Diagnostic>),
    /// Something else.
    Failed(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Failed(failure)
    }
}

impl From<Vec<Diagnostic>> for Refusal {
    fn from(problems: Vec<Diagnostic>) -> Refusal {
        Refusal::Invalid(problems)
    }
}

impl From<PrepareError> for Refusal {
    fn from(error: PrepareError) -> Refusal {
        Refusal::Failed(match error {
            PrepareError::Invalid(problems) => return Refusal::Invalid(problems),
            PrepareError::Choice(error) => Failure::usage(hints::of_choice(&error)),
            PrepareError::Providers(failures) => provider_failures(failures),
            PrepareError::Key(error) => {
                let hint = Some(error.hint());
                Failure::usage(hints::with_hint(error, hint))
            }
            error => Failure::cannot_start(error),
        })
    }
}

impl Refusal {
    /// All of it, for a report.
    pub(crate) fn text(&self) -> String {
        match self {
            Refusal::Invalid(problems) => {
                let rendered = problems.iter().map(|problem| problem.render(Style::Plain));
                rendered.collect::<Vec<_>>().join("\n\n")
            }
            Refusal::Failed(failure) => failure.message.clone(),
        }
    }

    /// Prints it, and returns the exit code.
    pub(crate) fn print(self, json: bool) -> Failure {
        match self {
            Refusal::Invalid(problems) => {
                diagnostics(&problems, json);
                Failure::printed(Code::Usage)
            }
            Refusal::Failed(failure) if json => failure_event(failure),
            Refusal::Failed(failure) => {
                talk_of(&failure);
                Failure::printed(failure.code)
            }
        }
    }
}

/// Work that may wait forever, such as reading a pipe without a writer: in a thread of its
/// own, so that signals are heard.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(Failure::cannot_start)
}

/// Reads a scenario file, and prints its warnings.
pub(crate) async fn open(path: &Path, json: bool) -> Result<ScenarioFile, Refusal> {
    let file = tenon_scenario::open(path).await?;
    diagnostics(&file.warnings, json);
    Ok(file)
}

/// Which scenarios are meant: one by its name, or all with one of the tags.
pub(crate) fn choice(args: &ScenarioArgs, tags: &[String]) -> Choice {
    Choice {
        name: args.scenario.clone(),
        tags: tags.to_vec(),
    }
}

/// How providers are started for a scenario in this file.
pub(crate) fn launcher(
    file: &Path,
    on_log: Option<SeeLog>,
    environment: RunEnvironment,
) -> Result<Launcher, Failure> {
    let tenon = std::env::current_exe().map_err(|error| {
        Failure::cannot_start(format!("the path of this program cannot be found: {error}"))
    })?;
    let folder = file.parent().unwrap_or(Path::new(""));
    // Each is a process of this program.
    let builtins = tenon_providers::names().map(|name| {
        let command = PluginCommand::new(&tenon).args(["builtin", name]);
        (name.to_owned(), command)
    });
    Ok(Launcher {
        builtins: Arc::new(builtins.collect()),
        folder: folder.to_owned(),
        on_log,
        environment,
        secrets: Secrets::default(),
        advice: hints::ADVICE,
    })
}

/// Which environment variables all providers get: those of the command line, and those that a run
/// was given which is resumed or undone.
pub(crate) fn environment(
    args: &EnvironmentArgs,
    record: Option<&Record>,
) -> Result<RunEnvironment, Failure> {
    let mut environment = RunEnvironment {
        all: args.all(),
        variables: args.variables()?,
        hint: hints::ENVIRONMENT,
    };
    if let Some(record) = record {
        let recalled = environment.recall(&record.environment);
        recalled.map_err(|missing| {
            let names = missing.join(", ");
            let flags: Vec<String> = { missing.iter() }
                .map(|name| format!("--env {name}=VALUE"))
                .collect();
            let flags = flags.join(" ");
            Failure::usage(format!(
                "the run passed environment variables on that are not set now: {names}\n  \
                 set them, or give them with {flags}"
            ))
        })?;
    }
    Ok(environment)
}

/// What went wrong with providers, and the exit code of the worst.
fn provider_failures(failures: Vec<ProviderFailure>) -> Failure {
    let worst = failures.iter().map(|failure| failure.kind).max();
    let messages: Vec<&str> = { failures.iter() }
        .map(|failure| failure.message.as_str())
        .collect();
    Failure::new(code(worst), messages.join("\nerror: "))
}

/// The exit code for what a provider did.
pub(crate) fn code(worst: Option<FailureKind>) -> Code {
    match worst {
        None | Some(FailureKind::Answered) => Code::Failed,
        Some(FailureKind::CannotStart) => Code::Unreachable,
        Some(FailureKind::TimedOut) => Code::TimedOut,
        Some(FailureKind::BrokeProtocol) => Code::BrokenProtocol,
    }
}

/// The plan of the run of a record.
pub(crate) async fn plan_again(
    record: &Record,
    key: Option<&RecordKey>,
    file: &Path,
    variables: &VariableArgs,
    launcher: &Launcher,
    json: bool,
) -> Result<Plan, Refusal> {
    let inputs = inputs(variables);
    let prepared = tenon_scenario::prepare_again(record, key, file, &inputs, launcher);
    let (file, plan) = prepared.await?;
    diagnostics(&file.warnings, json);
    warn_of_changes(record, &file, json);
    Ok(plan)
}

/// What a scenario is given.
pub(crate) fn inputs(variables: &VariableArgs) -> Inputs {
    let environment = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        let name = name.strip_prefix(Inputs::PREFIX)?.to_owned();
        Some((name, value.into_string().ok()?))
    });
    Inputs {
        given: variables.given.clone(),
        origin: "--var",
        files: variables.files.clone(),
        environment: environment.collect(),
        advice: hints::ADVICE,
    }
}

/// The source of a provider as a scenario writes it.
pub(crate) fn source(source: &ProviderSource) -> String {
    match source {
        ProviderSource::Builtin(name) => format!("builtin/{name}"),
        ProviderSource::Program(path) => format!("exec:{}", path.display()),
        ProviderSource::Confined { program, .. } | ProviderSource::Limited { program, .. } => {
            self::source(program)
        }
    }
}

/// Folders that hold what tools put there, with other people's files in them.
const SKIPPED_FOLDERS: [&str; 4] = ["__pycache__", "bower_components", "node_modules", "target"];

/// Scenario files in a folder and below it, in order. Hidden files and folders, folders of tools
/// and links are left out.
pub(crate) fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    /// Deeper ones belong to other projects.
    const DEPTH: usize = 8;
    let mut found = Vec::new();
    let mut left = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = left.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            let name = entry.file_name();
            // Of the entry itself: a link to a folder may lead in a circle.
            let kind = entry.file_type()?;
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() && depth < DEPTH {
                // Caches and Python's environments are marked.
                let is_skipped = SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped)
                    || ["CACHEDIR.TAG", "pyvenv.cfg"]
                        .iter()
                        .any(|mark| path.join(mark).exists());
                if !is_skipped {
                    left.push((path, depth + 1));
                }
            } else if kind.is_file() && path.extension().is_some_and(|end| end == "hcl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
