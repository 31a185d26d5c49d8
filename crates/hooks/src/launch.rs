//! Plugins of a project, as processes.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use tenon_host::{Permissions, Plugin, PluginCommand, PluginError, Start};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::{Greeting, Level, Welcome, begin};
use tenon_rpc::Router;

use crate::chain::Member;
use crate::pins::{self, PinError};
use crate::project::{PluginSettings, Project};

/// Is shown the name of a plugin and a line that it wrote to stderr.
pub type SeeLog = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// A plugin that could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// It may not run.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// It cannot run.
    #[error("the plugin {name:?}: {error}")]
    Start {
        /// Its name.
        name: String,
        /// Why.
        error: Box<PluginError>,
    },
    /// It does not have what it is used for.
    #[error(
        "the plugin {name:?} has no {level}\n  hint: the plugin must list {level:?} in the capabilities of its answer to `init`"
    )]
    Lacks {
        /// Its name.
        name: String,
        /// What it is used for.
        level: &'static str,
    },
}

/// How a plugin of a project is started.
pub fn command(
    name: &str,
    settings: &PluginSettings,
    folder: &Path,
    log: Option<SeeLog>,
) -> PluginCommand {
    let (program, arguments) = settings
        .command
        .split_first()
        .map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    // A program of the folder is started from there, wherever this process is.
    let program = match program.contains('/') {
        true => folder.join(program).into_os_string(),
        false => program.into(),
    };
    let mut command = PluginCommand::new(program)
        .args(arguments)
        .folder(folder)
        .with_variables(&settings.environment)
        .limits(settings.limits)
        .environment_advice("add `env = [\"NAME\"]` to the plugin in tenon.hcl");
    if let Some(words) = &settings.permissions {
        let allow = words.allow.iter().map(String::as_str);
        let deny = words.deny.iter().map(String::as_str);
        // They were checked when the file was read.
        command = command.permissions(Permissions::of_words(allow, deny).unwrap_or_default());
    }
    if let Some(log) = log {
        let name = name.to_owned();
        command = command.on_stderr(move |line| log(&name, line));
    }
    command
}

/// How a plugin is talked to.
pub fn start() -> Start {
    let mut start = Start::new(Protocol::Seasonings.dialect());
    start.options = Protocol::Seasonings.host_options();
    start.limit = Protocol::Seasonings.start_limit();
    start
}

/// Starts a plugin and makes its first call.
pub(crate) async fn launch(
    name: &str,
    settings: &PluginSettings,
    folder: &Path,
    log: Option<SeeLog>,
) -> Result<(Plugin, Welcome), LaunchError> {
    let greeting = Greeting {
        config: settings.config.clone(),
        ..Greeting::new([Level::Hooks, Level::Storage])
    };
    let first = |peer: tenon_rpc::Peer| async move { begin(&peer, &greeting).await };
    let router = Arc::new(Router::new(()));
    Plugin::start(
        &command(name, settings, folder, log),
        start(),
        router,
        first,
    )
    .await
    .map_err(|error| LaunchError::Start {
        name: name.to_owned(),
        error: Box::new(error),
    })
}

/// Starts all plugins with hooks, in order.
pub(crate) async fn launch_all(
    project: &Project,
    folder: &Path,
    log: Option<SeeLog>,
) -> Result<Vec<Member>, LaunchError> {
    let mut members = Vec::new();
    for name in &project.hooks {
        let settings = &project.plugins[name];
        pins::check(name, settings, folder, project.pinned)?;
        let (plugin, welcome) = launch(name, settings, folder, log.clone()).await?;
        if !welcome.capabilities.has(Level::Hooks) {
            return Err(LaunchError::Lacks {
                name: name.clone(),
                level: Level::Hooks.name(),
            });
        }
        members.push(Member {
            name: name.clone(),
            plugin,
            capabilities: welcome.capabilities,
            sends_sensitive: settings.sends_sensitive,
            left_out: HashSet::new(),
            is_lost: false,
        });
    }
    Ok(members)
}
