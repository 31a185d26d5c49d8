//! Plugins of a project, as processes.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use tenon_host::{Permissions, Plugin, PluginCommand, PluginError, Start};
use tenon_protocols::seasonings::{Capabilities, Greeting, Level, Welcome, begin, listen};
use tenon_protocols::{Protocol, Secrets};

use crate::chain::Member;
use crate::finding::{Finding, Severity};
use crate::pins::{self, PinError};
use crate::project::{PluginSettings, Project};

/// Is shown the name of a plugin and what it says: a line that it wrote to stderr, or an event for the log.
pub type SeeLog = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// A plugin that could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    #[error("the plugin {name:?} has no {level}{}\n  hint: {hint}", with_unknown(.unknown))]
    Lacks {
        /// Its name.
        name: String,
        /// What it is used for.
        level: &'static str,
        /// The names in its capabilities that are unknown.
        unknown: Vec<String>,
        /// What to do.
        hint: String,
    },
}

impl LaunchError {
    /// A plugin that does not have what it is used for.
    fn lacks(name: &str, level: Level, capabilities: &Capabilities) -> LaunchError {
        let meant = { capabilities.unknown().iter() }.find_map(|name| meant(name, level));
        LaunchError::Lacks {
            name: name.to_owned(),
            level: level.name(),
            unknown: capabilities.unknown().to_vec(),
            hint: match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!(
                    "the plugin must list {:?} in the capabilities of its answer to `init`",
                    level.name()
                ),
            },
        }
    }
}

fn with_unknown(unknown: &[String]) -> String {
    match unknown {
        [] => String::new(),
        names => format!(": its capabilities are unknown: {}", names.join(", ")),
    }
}

/// The capability of a level that a misspelt name stands for, written as that name is.
fn meant(name: &str, level: Level) -> Option<String> {
    let known = Capabilities::names_of(level);
    let bare = known.iter().filter_map(|one| one.split_once('.'));
    // Hooks may be named without their level.
    let bare = bare.map(|(_, method)| method);
    let dotted = name
        .replacen("middleware", "hooks", 1)
        .replacen('/', ".", 1);
    let nearest = match dotted.contains('.') {
        true => tenon_text::nearest(&dotted, known.iter().map(String::as_str)),
        false => tenon_text::nearest(&dotted, bare.chain([level.name()])),
    };
    nearest.map(str::to_owned)
}

/// What the user should know about the capabilities of a plugin: a misspelt hook is never called, which looks
/// like a hook that has nothing to say. Names of other things may be of a later version of the protocol.
fn doubts(plugin: &str, capabilities: &Capabilities) -> Vec<Finding> {
    let doubt = |name: &String| {
        let meant = meant(name, Level::Hooks);
        let is_hook = name.starts_with("hooks") || name.starts_with("middleware");
        let advice = match &meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if is_hook => "it is not a hook".to_owned(),
            None => return None,
        };
        Some(Finding {
            plugin: plugin.to_owned(),
            hook: "init",
            address: None,
            severity: Severity::Warning,
            text: format!("unknown capability `{name}`, which is never called; {advice}"),
            evidence: Vec::new(),
        })
    };
    capabilities.unknown().iter().filter_map(doubt).collect()
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

/// How a plugin is talked to. What errors quote of its output is shown without these secrets.
pub fn start(secrets: &Secrets) -> Start {
    let mut start = Start::new(Protocol::Seasonings.dialect());
    start.options = Protocol::Seasonings.host_options();
    start.options.redact = Some(secrets.redact());
    start.limit = Protocol::Seasonings.start_limit();
    start
}

/// Starts a plugin and makes its first call.
pub(crate) async fn launch(
    name: &str,
    settings: &PluginSettings,
    folder: &Path,
    log: Option<SeeLog>,
    secrets: &Secrets,
) -> Result<(Plugin, Welcome), LaunchError> {
    let greeting = Greeting {
        config: settings.config.clone(),
        ..Greeting::new([Level::Hooks, Level::Storage])
    };
    let first = |peer: tenon_rpc::Peer| async move { begin(&peer, &greeting).await };
    let (plugin, heard) = (name.to_owned(), log.clone());
    let router = listen(move |said| {
        if let Some(log) = &heard {
            log(&plugin, &said.to_string());
        }
    });
    Plugin::start(
        &command(name, settings, folder, log),
        start(secrets),
        Arc::new(router),
        first,
    )
    .await
    .map_err(|error| LaunchError::Start {
        name: name.to_owned(),
        error: Box::new(error.map_said(|said| secrets.hide(said))),
    })
}

/// Remembers what is secret in the variables of a plugin: values whose names say so, and credentials in the others, such
/// as the password in a URL.
pub fn learn_variables(secrets: &Secrets, settings: &PluginSettings) {
    for variable in &settings.environment {
        secrets.learn_variables(variable.secrets(), variable.values());
    }
}

/// Starts all plugins with hooks, in order. The findings are about their capabilities.
pub(crate) async fn launch_all(
    project: &Project,
    folder: &Path,
    log: Option<SeeLog>,
    secrets: &Secrets,
) -> Result<(Vec<Member>, Vec<Finding>), LaunchError> {
    let (mut members, mut findings) = (Vec::new(), Vec::new());
    for name in &project.hooks {
        let settings = &project.plugins[name];
        pins::check(name, settings, folder, project.pinned)?;
        learn_variables(secrets, settings);
        let started = launch(name, settings, folder, log.clone(), secrets).await;
        let (plugin, welcome) = started?;
        if !welcome.capabilities.has(Level::Hooks) {
            return Err(LaunchError::lacks(
                name,
                Level::Hooks,
                &welcome.capabilities,
            ));
        }
        findings.extend(doubts(name, &welcome.capabilities));
        members.push(Member {
            name: name.clone(),
            plugin,
            capabilities: welcome.capabilities,
            sends_sensitive: settings.sends_sensitive,
            left_out: HashSet::new(),
            is_lost: false,
        });
    }
    Ok((members, findings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Vec<String> {
        let found = doubts("p", &Capabilities::of(names));
        found.into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn secrets_of_the_environment_are_known() {
        use tenon_host::Variable;
        let project = Project::parse(&tenon_hcl::Source::new(
            "t",
            "plugin \"p\" { command = [\"x\"] }",
        ));
        let mut settings = project.unwrap().plugins["p"].clone();
        settings.environment = vec![
            Variable::Set("API_TOKEN".into(), "of-the-environment".into()),
            Variable::Set("SERVER".into(), "https://me:in-the-url@host/".into()),
        ];
        let secrets = Secrets::default();
        learn_variables(&secrets, &settings);
        let said = secrets.hide("of-the-environment and in-the-url, at host");
        assert_eq!(said, "(sensitive) and (sensitive), at host");
    }

    #[test]
    fn a_misspelt_hook_is_named_with_the_one_that_is_meant() {
        let said = |name: &str, advice: &str| {
            vec![format!(
                "unknown capability `{name}`, which is never called; {advice}"
            )]
        };
        for (name, advice) in [
            ("postPaln", "did you mean `postPlan`?"),
            ("hooks.postPaln", "did you mean `hooks.postPlan`?"),
            ("middleware/preAply", "did you mean `hooks.preApply`?"),
            ("hokks", "did you mean `hooks`?"),
            ("hooks.afterLunch", "it is not a hook"),
        ] {
            assert_eq!(texts(&["hooks.prePlan", name]), said(name, advice));
        }
        // Of a later version, perhaps.
        assert_eq!(
            texts(&["hooks", "streaming", "storage"]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_plugin_without_hooks_is_refused_with_what_it_has() {
        let error = |names: &[&str]| {
            LaunchError::lacks("p", Level::Hooks, &Capabilities::of(names)).to_string()
        };
        assert_eq!(
            error(&["hooks.postPaln"]),
            "the plugin \"p\" has no hooks: its capabilities are unknown: hooks.postPaln\n  \
             hint: did you mean `hooks.postPlan`?"
        );
        assert_eq!(
            error(&["storage"]),
            "the plugin \"p\" has no hooks\n  \
             hint: the plugin must list \"hooks\" in the capabilities of its answer to `init`"
        );
    }
}
