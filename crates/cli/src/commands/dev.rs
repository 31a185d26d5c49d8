//! `tenon dev`: checks, tests, packs and offers a plugin, again whenever a file is saved.

mod checks;
mod serving;
mod watching;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::args::{DevArgs, PackArgs, provider_name};
use crate::commands::signals::Signals;
use crate::exit::{Code, Failure};
use crate::output::dev::Reporter;
use crate::platform;
use serving::Serving;
use watching::Tree;

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(300);

/// How often checks are repeated because files changed while they ran. Tests may write files each time.
const REPEATS: usize = 2;

/// The plugin that is being written. The current folder is its folder.
struct Project {
    name: String,
    packing: PackArgs,
    /// How long a test or a build may take.
    limit: Option<Duration>,
}

pub(crate) async fn run(mut args: DevArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    // Paths on the command line start where the command was typed, not in the folder of the plugin.
    args.make_absolute();
    let args = &args;
    let project = Project::open(args)?;
    let reporter = Reporter { json: args.json };
    let (name, command) = (&project.name, project.packing.command.join(" "));
    reporter.started(name, &command);
    if args.once {
        let checking = async { Ok::<_, Failure>(checks::run(args, &project, reporter).await) };
        return match signals.interruptible(checking).await?.is_good {
            true => Ok(()),
            // What failed has been printed.
            false => Err(Failure::printed(Code::Failed)),
        };
    }
    tokio::select! {
        failure = follow(args, &project, reporter) => failure,
        () = signals.interrupt().cancelled() => {
            // Dropping the work has ended every process that it started.
            reporter.stopped();
            Ok(())
        }
    }
}

/// Checks the plugin after each change, without an end.
async fn follow(args: &DevArgs, project: &Project, reporter: Reporter) -> Result<(), Failure> {
    let mut tree = Tree::read(Path::new("."));
    if tree.is_cut_off {
        reporter.warning("there are too many files here: only the first 10000 are watched");
    }
    let mut repeats = 0;
    loop {
        let checked = checks::run(args, project, reporter).await;
        let serving = match checked.is_good && !args.no_socket {
            true => Serving::start(args, project, reporter, checked.secret).await,
            false => None,
        };
        let now = Tree::read(Path::new("."));
        let mut changed = tree.changes(&now);
        tree = now;
        if changed.is_empty() || repeats == REPEATS {
            repeats = 0;
            reporter.waiting();
            changed = tree.changed(INTERVAL).await;
        } else {
            repeats += 1;
        }
        // The old code is gone before the new one starts.
        if let Some(serving) = serving {
            serving.stop().await;
        }
        reporter.changed(&changed);
    }
}

impl Project {
    /// Enters the folder of the plugin, and finds out what to start.
    fn open(args: &DevArgs) -> Result<Project, Failure> {
        let shown = tenon_text::path(&args.folder);
        let fail = |error: std::io::Error| Failure::usage(format!("{shown}: {error}"));
        let folder = args.folder.canonicalize().map_err(fail)?;
        std::env::set_current_dir(&folder).map_err(fail)?;
        let name = match &args.name {
            Some(name) => name.clone(),
            None => name_of(&folder)?,
        };
        let command = match args.command.is_empty() {
            false => args.command.clone(),
            true => vec![own_program(&folder, &name)?],
        };
        Ok(Project {
            packing: args.packing(name.clone(), command),
            name,
            limit: args.timeout.0,
        })
    }
}

/// The name of the plugin in a folder.
fn name_of(folder: &Path) -> Result<String, Failure> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    provider_name(&name).map_err(|problem| {
        let name = tenon_text::line(&name);
        Failure::usage(format!(
            "the folder {name} does not have the name of a plugin: {problem}\n  hint: give the name with --name NAME"
        ))
    })
}

/// The executable of the plugin's name in its folder.
fn own_program(folder: &Path, name: &str) -> Result<String, Failure> {
    let file: PathBuf = folder.join(name);
    match platform::is_program(&file) {
        true => Ok(format!("./{name}")),
        false => Err(Failure::usage(format!(
            "there is no executable ./{name} in {}\n  hint: give the command that starts the plugin: tenon dev -- COMMAND; \
             or create a plugin with: tenon new NAME",
            tenon_text::path(folder)
        ))),
    }
}
