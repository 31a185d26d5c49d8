//! `tenon terraform`: Terraform with the plugins of `tenon.hcl` around it.

use std::env;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::Arc;

use tenon_hooks::{
    Arguments, FILE, LaunchError, Program, ProgramError, Project, ProjectError, Question, Report,
    Session, SessionError,
};
use tenon_state::{PluginStorage, Server, Settings, StatePath};
use tokio::sync::oneshot;

use crate::args::TerraformArgs;
use crate::commands::state;
use crate::exit::{Code, Failure};
use crate::output;

/// Switches plugins off.
const NO_PLUGINS: &str = "TENON_NO_PLUGINS";

pub(crate) async fn run(args: &TerraformArgs) -> Result<(), Failure> {
    let program = Program {
        path: path(args)?,
        variables: Vec::new(),
    };
    let arguments = Arguments::parse(&args.arguments);
    let folder = PathBuf::from(arguments.folder().unwrap_or("."));
    let project = match is_off(args) {
        true => None,
        false => Project::load(&folder).map_err(|error| invalid(&error))?,
    };
    let Some(project) = project else {
        return Err(cannot_run(&program.replace(&arguments)));
    };
    let session = Session {
        program,
        arguments,
        project,
        folder,
        approve: Arc::new(ask),
        log: args.verbose.then(|| -> tenon_hooks::SeeLog {
            Arc::new(|name, line| {
                output::talk(format_args!("{name}: {}", output::on_one_line(line)));
            })
        }),
    };
    if session.project.storage.is_none() && !session.has_hooks() {
        return Err(cannot_run(&session.program.replace(&session.arguments)));
    }
    let report = match session.project.storage.clone() {
        Some(storage) => with_storage(session, &storage).await?,
        None => session.run().await.map_err(failure)?,
    };
    finish(&report)
}

/// Runs a command whose state is kept by a plugin.
async fn with_storage(mut session: Session, name: &str) -> Result<Report, Failure> {
    let settings = &session.project.plugins[name];
    let checked = tenon_hooks::check_pins(name, settings, &session.folder, session.project.pinned);
    checked.map_err(Failure::usage)?;
    let command = tenon_hooks::command(name, settings, &session.folder, session.log.clone());
    let config = settings.config.clone();
    let storage = PluginStorage::start(command, tenon_hooks::start(), config).await;
    let storage = Arc::new(storage.map_err(state::cannot_start)?);
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
    let (end, ended) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve(async {
        // Sent or dropped: the command is done.
        let _done = ended.await;
    }));
    let report = session.run().await.map_err(failure);
    drop(end);
    if let Ok(held) = serving.await {
        state::warn_of_locks(&held);
    }
    if let Ok(storage) = Arc::try_unwrap(storage) {
        storage.stop().await;
    }
    report
}

/// The state that is used: Terraform's http backend has no workspaces of its own, so the variable that chooses one
/// chooses the state.
fn workspace() -> Result<StatePath, Failure> {
    let name = env::var("TF_WORKSPACE").unwrap_or_else(|_| "default".to_owned());
    StatePath::new(&name).map_err(|error| Failure::usage(format!("TF_WORKSPACE: {error}")))
}

fn is_off(args: &TerraformArgs) -> bool {
    let set = env::var_os(NO_PLUGINS);
    args.no_plugins || set.is_some_and(|value| !value.is_empty() && value != "0")
}

fn path(args: &TerraformArgs) -> Result<PathBuf, Failure> {
    args.program.clone().or_else(Program::find).ok_or_else(|| {
        Failure::cannot_start(
            "neither terraform nor tofu is on the PATH\n  hint: install one, or name it with --program PATH",
        )
    })
}

/// Asks in the words of Terraform.
fn ask(question: Question) -> bool {
    let (question, cancelled) = match question {
        Question::Apply => (
            "Do you want to perform these actions?\n  \
             Terraform will perform the actions described above.\n  \
             Only 'yes' will be accepted to approve.",
            "\nApply cancelled.\n",
        ),
        Question::Destroy => (
            "Do you really want to destroy all resources?\n  \
             Terraform will destroy all your managed infrastructure, as shown above.\n  \
             There is no undo. Only 'yes' will be accepted to confirm.",
            "\nDestroy cancelled.\n",
        ),
    };
    let (bold, plain) = match output::has_style() {
        true => ("\u{1b}[1m", "\u{1b}[0m"),
        false => ("", ""),
    };
    output::prompt(&format!(
        "\n{bold}{question}{plain}\n\n  {bold}Enter a value:{plain} "
    ));
    let mut answer = String::new();
    // Whatever cannot be read is no `yes`.
    let is_yes = io::stdin().lock().read_line(&mut answer).is_ok() && answer.trim() == "yes";
    output::prompt(match is_yes {
        true => "\n",
        false => cancelled,
    });
    is_yes
}

/// Shows what plugins found, and ends as Terraform did.
fn finish(report: &Report) -> Result<(), Failure> {
    output::findings(&report.findings);
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
        SessionError::Launch(LaunchError::Start { error, .. }) => return Failure::from(&**error),
        SessionError::Launch(_) => Code::Unreachable,
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
            "{error}\n  hint: name the program with --program PATH"
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
