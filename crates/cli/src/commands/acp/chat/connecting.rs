//! Before the talk: what the command line says, and the start of the agent.

use std::ffi::OsStr;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tenon_acp::client::{Client, Folder, Launch, Offered, Setup};
use tenon_acp::policy::Policy;
use tenon_acp::record::Masks;
use tenon_host::PluginCommand;
use tenon_protocols::acp::ContentBlock;

use super::news::Desk;
use super::{failure, images, mcp, rules};
use crate::args::{ChatArgs, TapArgs};
use crate::commands::plugin;
use crate::commands::tap::{redact, tap};
use crate::exit::Failure;

/// What was read before anything is started.
pub(super) struct Prepared {
    pub(super) folder: Folder,
    pub(super) prompt: Option<String>,
    pub(super) images: Vec<ContentBlock>,
    pub(super) settings: Vec<(String, String)>,
    /// There is a user who can be asked.
    pub(super) is_interactive: bool,
    policies: Vec<Policy>,
    command: PluginCommand,
    launch: Launch,
}

pub(super) fn prepare(args: &ChatArgs) -> Result<Prepared, Failure> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let folder = Folder {
        path: folder(args.cwd.as_deref().unwrap_or(Path::new(".")))?,
        more: { args.add_dir.iter() }
            .map(|path| self::folder(path))
            .collect::<Result<_, _>>()?,
        mcp_servers: mcp::servers(&args.mcp)?,
    };
    let images = { args.image.iter() }
        .map(|path| images::read(path))
        .collect::<Result<_, _>>()?;
    let settings = { args.set.iter() }.map(|setting| match setting.split_once('=') {
        Some((id, value)) if !id.is_empty() => Ok((id.to_owned(), value.to_owned())),
        _ => Err(Failure::usage(format!(
            "--set {setting}: write it as ID=VALUE"
        ))),
    });
    let settings = settings.collect::<Result<_, _>>()?;
    let policies = rules::policies(args)?;
    let command = command(args)?;
    Ok(Prepared {
        launch: launch(args)?,
        prompt: prompt(args)?,
        is_interactive: is_terminal && !args.json && args.prompt.as_deref() != Some("-"),
        folder,
        images,
        settings,
        policies,
        command,
    })
}

pub(super) async fn connect(
    args: &ChatArgs,
    prepared: &Prepared,
    desk: Arc<Desk>,
) -> Result<Client, Failure> {
    let asks = prepared.is_interactive;
    // Servers and commands get secrets by variables and headers.
    let mut masking = TapArgs {
        record: args.tap.record.clone(),
        mask: args.tap.mask.clone(),
        ..args.tap
    };
    masking.mask.extend(["env", "headers"].map(str::to_owned));
    let masks = masks(args, prepared)?;
    let (by_name, by_value) = (redact(&masking), masks.secrets().redact());
    let setup = Setup {
        offered: Offered {
            reads_files: !args.no_files,
            writes_files: !args.no_files,
            terminals: (!args.no_terminals).then(|| prepared.launch.clone()),
            forms: asks,
            pages: asks,
            terminal_login: true,
            ..Offered::default()
        },
        user: desk,
        policies: prepared.policies.clone(),
        inactivity: args.timeout.0,
        tap: tap(
            &masking,
            None,
            Some(Arc::new(move |frame| masks.hide(frame))),
        )?,
        redact: Some(Arc::new(move |bytes, is_cut| {
            let bytes = by_value(bytes, is_cut);
            by_name
                .as_ref()
                .map_or(bytes.clone(), |redact| redact(&bytes, is_cut))
        })),
        ..Setup::default()
    };
    let started = Client::start(&prepared.command, setup).await;
    let client = started.map_err(|error| failure(error, args))?;
    if let Some(method) = &args.login {
        let login = client.authenticate(method).await;
        login.map_err(|error| failure(error, args))?;
    }
    Ok(client)
}

/// What is masked where messages are shown or recorded, as in the record of the guard: the secrets of MCP servers, and the
/// values of variables that the agent gets.
fn masks(args: &ChatArgs, prepared: &Prepared) -> Result<Masks, Failure> {
    let names = args.tap.mask.iter();
    let masks = names.fold(Masks::default(), |masks, name| masks.with_name(name));
    args.environment.learn(masks.secrets())?;
    masks.learn(&json!({ "mcpServers": prepared.folder.mcp_servers }));
    Ok(masks)
}

pub(super) fn command(args: &ChatArgs) -> Result<PluginCommand, Failure> {
    let (program, arguments) = args
        .agent
        .split_first()
        .ok_or_else(|| Failure::usage("an agent is required: tenon acp chat -- AGENT..."))?;
    let ChatArgs {
        environment,
        permissions,
        limits,
        ..
    } = args;
    let command = plugin::command(program, arguments, environment, permissions, limits)?;
    Ok(match args.verbose {
        true => plugin::with_stderr(command),
        false => command,
    })
}

/// Terminals of the agent have what the agent has: its environment, its permissions and its limits. Otherwise an agent
/// in a sandbox could leave it by a terminal.
fn launch(args: &ChatArgs) -> Result<Launch, Failure> {
    let base = args.environment.variables()?;
    let has_all = args.environment.all();
    let (permissions, limits) = (args.permissions.permissions(), args.limits.limits());
    Ok(Arc::new(move |program, arguments| {
        let mut command = PluginCommand::new(OsStr::new(program))
            .args(arguments)
            .with_variables(&base)
            .limits(limits);
        if has_all {
            command = command.inherit(tenon_host::Environment::All);
        }
        match &permissions {
            Some(permissions) => command.permissions(permissions.clone()),
            None => command,
        }
    }))
}

/// A folder as an absolute path.
fn folder(path: &Path) -> Result<PathBuf, Failure> {
    let absolute = path.canonicalize();
    absolute.map_err(|error| Failure::usage(format!("{}: {error}", tenon_text::path(path))))
}

fn prompt(args: &ChatArgs) -> Result<Option<String>, Failure> {
    let Some(prompt) = &args.prompt else {
        return Ok(None);
    };
    let text = match prompt.as_str() {
        "-" => {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.map_err(|error| Failure::usage(format!("--prompt -: {error}")))?;
            text
        }
        text => text.to_owned(),
    };
    match text.trim().is_empty() {
        true => Err(Failure::usage("--prompt: the prompt is empty")),
        false => Ok(Some(text)),
    }
}
