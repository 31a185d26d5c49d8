//! `tenon terraform`: Terraform with the plugins of `tenon.hcl` around it.

mod approval;
mod last_words;
mod options;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use last_words::LastWords;
use tenon_hcl::Style;
use tenon_hooks::{
    Arguments, Backend, FILE, Interruption, LaunchError, Program, ProgramError, Project,
    ProjectError, Report, SeeLog, Session, SessionError, Severity, Stream,
};
use tenon_protocols::Secrets;
use tenon_state::{HeldLocks, Notice, PluginOptions, PluginStorage, Server, Settings, StatePath};
use tokio::sync::oneshot;

use crate::args::TerraformArgs;
use crate::commands::{signals, state};
use crate::exit::{Code, Failure};
use crate::output;

/// Switches plugins off.
const NO_PLUGINS: &str = "TENON_NO_PLUGINS";
/// The program to run.
const PROGRAM: &str = "TENON_TERRAFORM";
/// What releases a lock, in hints.
const PROGRAM_FOR_LOCKS: &str = "tenon terraform";
/// Chooses the state.
const WORKSPACE: &str = "TF_WORKSPACE";

/// Commands that use no state.
const WITHOUT_STATE: [&str; 8] = [
    "", "fmt", "get", "login", "logout", "metadata", "validate", "version",
];

/// Commands whose `-json` prints a line for each event.
const WITH_EVENTS: [&str; 5] = ["init", "plan", "apply", "destroy", "refresh"];

pub(crate) async fn run(args: &TerraformArgs) -> Result<(), Failure> {
    let arguments = Arguments::parse(&args.arguments);
    let typed = { arguments.clone() }.with_defaults(|name| env::var(name).ok());
    let has_events =
        |typed: &Arguments| typed.has("json") && WITH_EVENTS.contains(&typed.command.as_str());
    let is_json = args.json || has_events(typed.as_ref().unwrap_or(&arguments));
    let ended = with_plugins(args, arguments, is_json).await;
    ended.map_err(|failure| {
        let failure = as_terraform(failure);
        if !is_json {
            return failure;
        }
        if !failure.message.is_empty() {
            output::diagnostic_as_json(Severity::Failure, &failure.message);
        }
        output::summary_as_json(&[], failure.code as i32);
        Failure::printed(failure.code)
    })
}

/// Of Terraform, 2 means success with changes (`-detailed-exitcode`).
fn as_terraform(failure: Failure) -> Failure {
    match failure.code {
        Code::Usage => Failure {
            code: Code::Failed,
            ..failure
        },
        _ => failure,
    }
}

async fn with_plugins(
    args: &TerraformArgs,
    arguments: Arguments,
    is_json: bool,
) -> Result<(), Failure> {
    options::check(&arguments)?;
    let folder = PathBuf::from(arguments.folder().unwrap_or("."));
    let project = match is_off(args) {
        true => None,
        false => Project::load(&folder).map_err(|error| invalid(&error, is_json))?,
    };
    let program = Program::new(path(args, project.as_ref(), &folder)?);
    let Some(project) = project else {
        return Err(cannot_run(&program.replace(&arguments)));
    };
    let locks = Arc::<OnceLock<HeldLocks>>::default();
    let held = Arc::clone(&locks);
    // Locks outlive everything that is ended now.
    let force = move || {
        let held = held.get().map(HeldLocks::now).unwrap_or_default();
        state::warn_of_locks(&held, PROGRAM_FOR_LOCKS);
        std::process::exit(Code::Interrupted as i32)
    };
    let is_verbose = args.verbose;
    // Terraform says as much to everybody, while it runs.
    let noticed = move || {
        if is_verbose {
            output::talk("stopping; press Ctrl-C again to stop immediately");
        }
    };
    let interruption = Interruption::watch(signals::ignores_hang_up(), noticed, force);
    let interruption = interruption.map_err(Failure::cannot_start)?;
    let mut session = Session {
        program,
        arguments,
        project,
        folder,
        approve: Arc::new(move |question| approval::ask(question, is_verbose)),
        log: args.verbose.then(|| -> SeeLog { Arc::new(show_log) }),
        show: Arc::new(|stream, bytes| match stream {
            // `finish` reports what could not be written.
            Stream::Stdout => drop(output::bytes(bytes)),
            Stream::Stderr => output::error_bytes(bytes),
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
    let global = session.arguments.global.clone();
    let report = match storage {
        Some(storage) => with_storage(session, &storage, &locks).await?,
        None => session.run().await,
    };
    // Without hooks, there is nothing to say about them.
    match is_json && (has_hooks || report.error.is_some()) {
        true => finish_as_json(report),
        false => {
            advise(&report, &global);
            finish(report, args.verbose)
        }
    }
}

/// A line that a plugin wrote to stderr.
fn show_log(name: &str, line: &str) {
    output::talk(format_args!("{name}: {}", output::on_one_line(line)));
}

/// What Terraform advises after a plan, with the command that applies exactly what hooks have seen.
fn advise(report: &Report, global: &[String]) {
    let is_automation = env::var_os("TF_IN_AUTOMATION").is_some_and(|value| !value.is_empty());
    let Some(file) = report.saved_plan.as_ref().filter(|_| !is_automation) else {
        return;
    };
    let words: String = global.iter().map(|word| format!(" {word}")).collect();
    // `finish` reports what could not be written.
    let _gone = output::data(format_args!(
        "\nSaved the plan to: {file}\n\nTo perform exactly these actions, run the following command to apply:\n    \
         tenon terraform{words} apply {file:?}"
    ));
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
async fn with_storage(
    mut session: Session,
    name: &str,
    locks: &OnceLock<HeldLocks>,
) -> Result<Report, Failure> {
    check_backend(&session, name)?;
    let settings = &session.project.plugins[name];
    let checked = tenon_hooks::check_pins(name, settings, &session.folder, session.project.pinned);
    checked.map_err(Failure::usage)?;
    let log = session.log.clone();
    let said = Arc::new(LastWords::new(log.is_some()));
    let heard = Arc::clone(&said);
    let log: SeeLog = log.unwrap_or_else(|| Arc::new(move |name, line| heard.hear(name, line)));
    let secrets = Secrets::default();
    tenon_hooks::learn_variables(&secrets, settings);
    let masked = secrets.clone();
    let log: SeeLog = Arc::new(move |name, line| log(name, &masked.hide(line)));
    let mut options = PluginOptions {
        config: settings.config.clone(),
        secrets: secrets.clone(),
        hear: {
            let (name, log) = (name.to_owned(), log.clone());
            Arc::new(move |line| log(&name, line))
        },
        ..PluginOptions::default()
    };
    if let Some(limit) = session.project.storage_limit {
        (options.time_limit, options.waiting_limit) = (limit, limit);
    }
    let command = tenon_hooks::command(name, settings, &session.folder, Some(log));
    let storage = PluginStorage::start(command, tenon_hooks::start(&secrets), options).await;
    let storage = storage.map_err(|error| {
        let failure = state::cannot_start(error);
        let message = format!("plugin {name:?}: {}", failure.message);
        Failure { message, ..failure }
    })?;
    let storage = Arc::new(storage);
    let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let limits = Settings {
        time_limit: None,
        ..Settings::default()
    };
    let notify = move |notice: Notice| {
        state::report(&notice, PROGRAM_FOR_LOCKS);
        if notice.is_failure {
            said.show();
        }
    };
    let server = Server::bind(any, Arc::clone(&storage), limits, notify).await;
    let server = server.map_err(Failure::cannot_start)?;
    let _first_server = locks.set(server.locks());
    let variables = server.variables(&state_path(session.project.state.as_deref())?);
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
        state::warn_of_locks(&held, PROGRAM_FOR_LOCKS);
    }
    if let Ok(storage) = Arc::try_unwrap(storage) {
        storage.stop().await;
    }
    Ok(report)
}

/// Without the http backend, Terraform would keep the state elsewhere and say nothing.
fn check_backend(session: &Session, name: &str) -> Result<(), Failure> {
    let (problem, hint) = match tenon_hooks::backend(&session.folder) {
        Backend::Named { kind, settings } if kind == "http" => {
            return check_server(session, name, &settings);
        }
        // Terraform says what is wrong.
        Backend::Unreadable => return Ok(()),
        Backend::Named { kind, .. } => (
            format!("the configuration has the backend {kind:?}"),
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

/// Settings of another server come before the variables: the state would go there, and so would the password.
fn check_server(session: &Session, name: &str, of_block: &[String]) -> Result<(), Failure> {
    let Session {
        folder, arguments, ..
    } = session;
    let is_init = arguments.command == "init";
    let forgets = is_init && arguments.has("reconfigure");
    let given = match is_init {
        true => tenon_hooks::given_settings(folder, &arguments.values("backend-config")),
        false => Vec::new(),
    };
    let remembered = match forgets {
        true => Vec::new(),
        false => tenon_hooks::remembered_settings(folder),
    };
    let (place, settings, hint) = if !of_block.is_empty() {
        let hint = "make it `backend \"http\" {}` and run `tenon terraform init -reconfigure`";
        ("the block `backend \"http\"` has", of_block, hint)
    } else if !given.is_empty() {
        ("-backend-config has", &given[..], "leave them out")
    } else if !remembered.is_empty() {
        let hint = "run `tenon terraform init -reconfigure`, which forgets it";
        ("an earlier init has remembered", &remembered[..], hint)
    } else {
        return Ok(());
    };
    Err(Failure::usage(format!(
        "tenon.hcl keeps the state in the plugin {name:?}, but {place} settings of another server, where Terraform \
         would keep it: {}\n  hint: {hint}; to take a state along, run `terraform state pull > FILE` before and \
         `tenon terraform state push FILE` after, or remove `storage` from tenon.hcl to stay there",
        settings.join(", ")
    )))
}

/// The state that is used: that of tenon.hcl, `default` without one. Terraform's http backend has no workspaces of its
/// own, so the variable that chooses one chooses the state: one below that of tenon.hcl.
fn state_path(state: Option<&str>) -> Result<StatePath, Failure> {
    let chosen = env::var(WORKSPACE).ok().filter(|name| name != "default");
    let (place, name) = match (state, chosen) {
        (Some(state), None) => ("`state` in tenon.hcl", state.to_owned()),
        (Some(state), Some(chosen)) => (WORKSPACE, format!("{state}/{chosen}")),
        (None, chosen) => (WORKSPACE, chosen.unwrap_or_else(|| "default".to_owned())),
    };
    StatePath::new(&name).map_err(|error| Failure::usage(format!("{place}: {error}")))
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
fn finish(report: Report, is_verbose: bool) -> Result<(), Failure> {
    for warning in &report.warnings {
        output::talk(format_args!("warning: {warning}"));
    }
    let unseen = &report.findings[report.seen..];
    output::findings(unseen, report.is_stopped, is_verbose);
    match report.error {
        Some(error) => Err(failure(error)),
        None => end(report.code),
    }
}

/// As [`finish`], for programs: everything is a line of JSON on stdout.
fn finish_as_json(report: Report) -> Result<(), Failure> {
    for warning in &report.warnings {
        output::diagnostic_as_json(Severity::Warning, warning);
    }
    output::findings_as_json(&report.findings);
    let mut code = report.code;
    if let Some(error) = report.error {
        let failure = as_terraform(failure(error));
        output::diagnostic_as_json(Severity::Failure, &failure.message);
        code = failure.code as i32;
    }
    output::summary_as_json(&report.findings, code);
    end(code)
}

/// Ends with an exit code, which may be any, such as 2 for a plan with changes.
fn end(code: i32) -> Result<(), Failure> {
    output::finish(Ok(()))?;
    match code {
        0 => Ok(()),
        code => std::process::exit(code),
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

fn invalid(error: &ProjectError, is_json: bool) -> Failure {
    match error {
        ProjectError::Invalid(diagnostics) if is_json => {
            for diagnostic in diagnostics {
                let text = diagnostic.render(Style::Plain);
                let text = text.strip_prefix("error: ").unwrap_or(&text);
                output::diagnostic_as_json(Severity::Failure, text.trim_end());
            }
            Failure::printed(Code::Usage)
        }
        ProjectError::Invalid(diagnostics) => {
            output::diagnostics(diagnostics, false);
            Failure::printed(Code::Usage)
        }
        error => Failure::usage(format!(
            "{error}\n  hint: {FILE} names the plugins of this folder"
        )),
    }
}
