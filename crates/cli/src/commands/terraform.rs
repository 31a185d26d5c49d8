//! `tenon terraform`: Terraform with the plugins of `tenon.hcl` around it.

mod approval;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hooks::{
    Arguments, Backend, FILE, Interruption, LaunchError, Program, ProgramError, Project,
    ProjectError, Report, Session, SessionError,
};
use tenon_state::{PluginStorage, Server, Settings, StatePath};
use tokio::sync::oneshot;

use crate::args::TerraformArgs;
use crate::commands::state;
use crate::exit::{Code, Failure};
use crate::output;

/// Switches plugins off.
const NO_PLUGINS: &str = "TENON_NO_PLUGINS";
/// The program to run.
const PROGRAM: &str = "TENON_TERRAFORM";
/// Chooses the state.
const WORKSPACE: &str = "TF_WORKSPACE";

/// Commands that use no state.
const WITHOUT_STATE: [&str; 8] = [
    "", "fmt", "get", "login", "logout", "metadata", "validate", "version",
];

pub(crate) async fn run(args: &TerraformArgs) -> Result<(), Failure> {
    with_plugins(args)
        .await
        .map_err(|failure| match failure.code {
            // Of Terraform, 2 means success with changes (`-detailed-exitcode`).
            Code::Usage => Failure {
                code: Code::Failed,
                ..failure
            },
            _ => failure,
        })
}

async fn with_plugins(args: &TerraformArgs) -> Result<(), Failure> {
    let arguments = Arguments::parse(&args.arguments);
    let folder = PathBuf::from(arguments.folder().unwrap_or("."));
    let project = match is_off(args) {
        true => None,
        false => Project::load(&folder).map_err(|error| invalid(&error))?,
    };
    let program = Program::new(path(args, project.as_ref(), &folder)?);
    let Some(project) = project else {
        return Err(cannot_run(&program.replace(&arguments)));
    };
    let force = || std::process::exit(Code::Interrupted as i32);
    let interruption = Interruption::watch(force).map_err(Failure::cannot_start)?;
    let is_verbose = args.verbose;
    let mut session = Session {
        program,
        arguments,
        project,
        folder,
        approve: Arc::new(move |question| approval::ask(question, is_verbose)),
        log: args.verbose.then(|| -> tenon_hooks::SeeLog {
            Arc::new(|name, line| {
                output::talk(format_args!("{name}: {}", output::on_one_line(line)));
            })
        }),
        interruption: Arc::new(interruption),
    };
    let storage = session.project.storage.clone();
    let storage = storage.filter(|_| uses_state(&session.arguments));
    let typed = (session.arguments.clone(), session.program.clone());
    // Before hooks are ruled out: `TF_CLI_ARGS_apply` may have what makes the difference.
    take_defaults(&mut session);
    let has_hooks = session.has_hooks();
    if !has_hooks {
        (session.arguments, session.program) = typed;
        if storage.is_none() {
            return Err(cannot_run(&session.program.replace(&session.arguments)));
        }
    }
    // Without hooks, there is nothing to say about them.
    let is_json = has_hooks && (args.json || session.arguments.has("json"));
    let report = match storage {
        Some(storage) => with_storage(session, &storage).await?,
        None => session.run().await,
    };
    finish(report, is_json, args.verbose)
}

/// The options in `TF_CLI_ARGS` are for the command that the user has typed. It becomes several others, so they are
/// made part of it, and Terraform does not see the variables. What cannot be read is left to Terraform to refuse.
fn take_defaults(session: &mut Session) {
    let variable = |name: &str| env::var(name).ok();
    if let Some(arguments) = session.arguments.clone().with_defaults(variable) {
        session.arguments = arguments;
        let is_default = |name: &OsString| name.to_string_lossy().starts_with("TF_CLI_ARGS");
        let names = env::vars_os().map(|(name, _)| name).filter(is_default);
        session.program.removed.extend(names);
    }
}

fn uses_state(arguments: &Arguments) -> bool {
    !arguments.asks_for_help() && !WITHOUT_STATE.contains(&arguments.command.as_str())
}

/// Runs a command whose state is kept by a plugin.
async fn with_storage(mut session: Session, name: &str) -> Result<Report, Failure> {
    check_backend(&session.folder, name)?;
    let settings = &session.project.plugins[name];
    let checked = tenon_hooks::check_pins(name, settings, &session.folder, session.project.pinned);
    checked.map_err(Failure::usage)?;
    let command = tenon_hooks::command(name, settings, &session.folder, session.log.clone());
    let config = settings.config.clone();
    let storage = PluginStorage::start(command, tenon_hooks::start(), config).await;
    let storage = storage.map_err(|error| {
        let failure = state::cannot_start(error);
        let message = format!("plugin {name:?}: {}", failure.message);
        Failure { message, ..failure }
    })?;
    let storage = Arc::new(storage);
    let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::bind(
        any,
        Arc::clone(&storage),
        Settings::default(),
        state::report,
    )
    .await;
    let server = server.map_err(Failure::cannot_start)?;
    let variables = server.variables(&workspace()?);
    let pairs = variables
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()));
    session.program.variables = pairs.collect();
    // The http backend refuses every workspace but the default one.
    session.program.removed.push(WORKSPACE.into());
    let (end, ended) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve(async {
        // Sent or dropped: the command is done.
        let _done = ended.await;
    }));
    let report = session.run().await;
    drop(end);
    if let Ok(held) = serving.await {
        state::warn_of_locks(&held, "tenon terraform");
    }
    if let Ok(storage) = Arc::try_unwrap(storage) {
        storage.stop().await;
    }
    Ok(report)
}

/// Without the http backend, Terraform would keep the state elsewhere and say nothing.
fn check_backend(folder: &Path, name: &str) -> Result<(), Failure> {
    let (problem, hint) = match tenon_hooks::backend(folder) {
        Backend::Named(backend) if backend == "http" => return Ok(()),
        // Terraform says what is wrong.
        Backend::Unreadable => return Ok(()),
        Backend::Named(backend) => (
            format!("the configuration has the backend {backend:?}"),
            "replace it with `backend \"http\" {}` and run `tenon terraform init -migrate-state`, or remove \
             `storage` from tenon.hcl",
        ),
        Backend::Local => (
            "the configuration has no backend".to_owned(),
            "add these lines to it and run `tenon terraform init`:\n    terraform {\n      \
             backend \"http\" {}\n    }",
        ),
    };
    Err(Failure::usage(format!(
        "tenon.hcl keeps the state in the plugin {name:?}, but {problem}\n  hint: {hint}"
    )))
}

/// The state that is used: Terraform's http backend has no workspaces of its own, so the variable that chooses one
/// chooses the state.
fn workspace() -> Result<StatePath, Failure> {
    let name = env::var(WORKSPACE).unwrap_or_else(|_| "default".to_owned());
    StatePath::new(&name).map_err(|error| Failure::usage(format!("{WORKSPACE}: {error}")))
}

fn is_off(args: &TerraformArgs) -> bool {
    let set = env::var_os(NO_PLUGINS);
    args.no_plugins || set.is_some_and(|value| !value.is_empty() && value != "0")
}

/// The program: of the command line, of the environment, of tenon.hcl, or what is on the PATH.
fn path(
    args: &TerraformArgs,
    project: Option<&Project>,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let of_environment = || env::var_os(PROGRAM).filter(|value| !value.is_empty());
    let of_project = || {
        let program = project?.program.as_ref()?;
        // A path is taken from the folder of the file, a name is looked for on the PATH.
        match program.components().count() > 1 {
            true => Some(folder.join(program)),
            false => Some(program.clone()),
        }
    };
    { args.program.clone() }
        .or_else(|| of_environment().map(PathBuf::from))
        .or_else(of_project)
        .or_else(Program::find)
        .ok_or_else(|| {
            Failure::cannot_start(
                "neither terraform nor tofu is on the PATH\n  hint: install one, or name it with --program PATH",
            )
        })
}

/// Shows what plugins found, and ends as Terraform did.
fn finish(report: Report, is_json: bool, is_verbose: bool) -> Result<(), Failure> {
    match is_json {
        true => output::findings_as_json(&report.findings, report.code),
        false => {
            let unseen = &report.findings[report.seen..];
            output::findings(unseen, report.is_stopped, is_verbose);
        }
    }
    if let Some(error) = report.error {
        return Err(failure(error));
    }
    match report.code {
        0 => output::finish(Ok(())),
        code => {
            output::finish(Ok(()))?;
            // It may be any code, such as 2 for a plan with changes.
            std::process::exit(code)
        }
    }
}

fn failure(error: SessionError) -> Failure {
    let code = match &error {
        SessionError::Launch(LaunchError::Pin(_)) => Code::Usage,
        SessionError::Launch(LaunchError::Start { name, error }) => {
            let failure = Failure::from(&**error);
            let message = format!("plugin {name:?}: {}", failure.message);
            return Failure { message, ..failure };
        }
        SessionError::Launch(_) => Code::Unreachable,
        SessionError::Interrupted => Code::Interrupted,
        _ => Code::Failed,
    };
    match &error {
        SessionError::Program(program) => cannot_run(program),
        error => Failure::new(code, error),
    }
}

/// Terraform itself could not be run, or has failed.
fn cannot_run(error: &ProgramError) -> Failure {
    match error {
        ProgramError::Start { .. } => Failure::cannot_start(format!(
            "{error}\n  hint: install it, or name another program with --program PATH"
        )),
        error => Failure::new(Code::Failed, error),
    }
}

fn invalid(error: &ProjectError) -> Failure {
    match error {
        ProjectError::Invalid(diagnostics) => {
            output::diagnostics(diagnostics, false);
            Failure::printed(Code::Usage)
        }
        error => Failure::usage(format!(
            "{error}\n  hint: {FILE} names the plugins of this folder"
        )),
    }
}
