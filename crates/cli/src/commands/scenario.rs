//! What all commands about scenarios begin with: a file read, a scenario chosen, its providers
//! asked for their schemas, its variables gathered, and everything checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hcl::{Diagnostic, Style};
use tenon_scenario::{
    FailureKind, Inputs, Launcher, Masked, Plan, ProviderEnvironment, ProviderFailure,
    ProviderSource, Record, RecordKey, RunEnvironment, Scenario, ScenarioFile, Schemas, Secrets,
    SeeLog,
};
use tenon_values::Value;

use super::run::warn_of_changes;
use crate::args::{EnvironmentArgs, VariableArgs};
use crate::exit::{Code, Failure};
use crate::output::{diagnostics, failure_event, talk_of};

/// Why a scenario is not run. Nothing of it has been told yet.
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

    /// Tells it, and gives the exit code.
    pub(crate) fn tell(self, json: bool) -> Failure {
        match self {
            Refusal::Invalid(problems) => {
                diagnostics(&problems, json);
                Failure::told(Code::Usage)
            }
            Refusal::Failed(failure) if json => failure_event(failure),
            Refusal::Failed(failure) => {
                talk_of(&failure);
                Failure::told(failure.code)
            }
        }
    }
}

/// Work that may wait for ever, such as reading a pipe that nobody writes to: in a thread of its
/// own, so that signals are heard.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(Failure::cannot_start)
}

/// A scenario file, read. Its warnings are told.
pub(crate) async fn open(path: &Path, json: bool) -> Result<ScenarioFile, Refusal> {
    let path = path.to_owned();
    let file = blocking(move || tenon_scenario::load(&path)).await??;
    diagnostics(&file.warnings, json);
    Ok(file)
}

/// The scenarios of a file that are meant: one by its name, or all with one of the tags.
pub(crate) fn select(
    file: &ScenarioFile,
    name: Option<&str>,
    tags: &[String],
) -> Result<Vec<Arc<Scenario>>, Failure> {
    if tags.is_empty() {
        return choose(file, name).map(|chosen| vec![chosen]);
    }
    let has_one = |scenario: &&Scenario| scenario.tags.iter().any(|tag| tags.contains(tag));
    let found: Vec<_> = { file.scenarios.iter().filter(has_one) }
        .cloned()
        .map(Arc::new)
        .collect();
    match found.is_empty() {
        true => Err(Failure::usage(format!(
            "no scenario has the tag {}",
            tags.join(" or ")
        ))),
        false => Ok(found),
    }
}

/// The scenario of a file that is meant.
pub(crate) fn choose(file: &ScenarioFile, name: Option<&str>) -> Result<Arc<Scenario>, Failure> {
    let names: Vec<&str> = file.scenarios.iter().map(Scenario::name).collect();
    let path = tenon_text::path(&file.path);
    match (name, file.scenarios.as_slice()) {
        (None, [only]) => Ok(Arc::new(only.clone())),
        (None, _) => Err(Failure::usage(format!(
            "there are several scenarios in {path}\n  choose one with --scenario: {}",
            names.join(", ")
        ))),
        (Some(name), scenarios) => {
            let found = scenarios.iter().find(|scenario| scenario.name() == name);
            found.cloned().map(Arc::new).ok_or_else(|| {
                Failure::usage(format!(
                    "there is no scenario {name:?} in {path}\n  there are {}",
                    names.join(", ")
                ))
            })
        }
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
    Ok(Launcher {
        tenon,
        folder: folder.to_owned(),
        on_log,
        environment,
        secrets: Secrets::default(),
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

/// What each provider of a scenario offers, all asked at the same time.
pub(crate) async fn schemas(scenario: &Scenario, launcher: &Launcher) -> Result<Schemas, Failure> {
    // A program that is required under several names is asked once, with what all of them get.
    let mut programs: BTreeMap<&ProviderSource, (&str, ProviderEnvironment)> = BTreeMap::new();
    for (name, required) in &scenario.required_providers {
        let program = programs.entry(&required.source);
        let (_, environment) = program.or_insert_with(|| (name, ProviderEnvironment::default()));
        environment.extend(&required.environment);
    }
    let mut asked = tokio::task::JoinSet::new();
    for (source, (name, environment)) in programs {
        let (name, source) = (name.to_owned(), source.clone());
        let launcher = launcher.clone();
        asked.spawn(async move {
            let schema = launcher.schema(&name, &source, &environment).await;
            (source, schema)
        });
    }
    let mut schemas = Schemas::new();
    let mut failures = Vec::new();
    while let Some(answered) = asked.join_next().await {
        match answered {
            Ok((source, Ok(schema))) => {
                schemas.insert(source, Arc::new(schema));
            }
            Ok((_, Err(failure))) => failures.push(failure),
            Err(error) => return Err(Failure::cannot_start(error)),
        }
    }
    match failures.is_empty() {
        true => Ok(schemas),
        false => Err(provider_failures(failures)),
    }
}

/// What went wrong with providers, and the exit code of the worst.
pub(crate) fn provider_failures(mut failures: Vec<ProviderFailure>) -> Failure {
    failures.sort_by(|a, b| a.message.cmp(&b.message));
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

/// Everything about a scenario, checked.
pub(crate) async fn plan(
    scenario: &Arc<Scenario>,
    variables: &VariableArgs,
    recorded: Option<&BTreeMap<String, Masked>>,
    launcher: &Launcher,
) -> Result<Plan, Refusal> {
    let inputs = inputs(variables);
    let given = scenario.clone();
    let recorded = recorded.cloned().unwrap_or_default();
    let values = blocking(move || inputs.resolve(&given, &recorded)).await?;
    // Providers have variables in their environment, and may print them instead of a schema.
    if let Ok(values) = &values {
        values
            .values()
            .for_each(|value| launcher.secrets.learn(value));
    }
    let schemas = schemas(scenario, launcher).await?;
    evaluated(scenario, schemas, values?).await
}

/// The plan of a scenario whose providers' schemas are known. Its expressions may take a while, and
/// signals are heard meanwhile.
pub(crate) async fn evaluated(
    scenario: &Arc<Scenario>,
    schemas: Schemas,
    variables: BTreeMap<String, Value>,
) -> Result<Plan, Refusal> {
    let scenario = scenario.clone();
    Ok(blocking(move || Plan::new(&scenario, &schemas, variables)).await??)
}

/// The plan of a run that a record tells about.
pub(crate) async fn plan_again(
    record: &Record,
    key: Option<&RecordKey>,
    file: &Path,
    variables: &VariableArgs,
    launcher: &Launcher,
    json: bool,
) -> Result<Plan, Refusal> {
    let opened = open(file, json).await?;
    let chosen = choose(&opened, Some(&record.scenario))?;
    let recorded = record.given(key).map_err(Failure::usage)?;
    let plan = plan(&chosen, variables, Some(&recorded), launcher).await?;
    warn_of_changes(record, &opened, json);
    Ok(plan)
}

pub(crate) fn inputs(variables: &VariableArgs) -> Inputs {
    let environment = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        let name = name.strip_prefix(Inputs::PREFIX)?.to_owned();
        Some((name, value.into_string().ok()?))
    });
    Inputs {
        given: variables.given.clone(),
        files: variables.files.clone(),
        environment: environment.collect(),
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
    /// Deeper ones are somebody else's.
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
