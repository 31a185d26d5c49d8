//! How `tenon call` and `tenon serve` start a plugin and connect to it.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use tenon_host::{PluginCommand, Start};
use tenon_protocols::Protocol;
use tenon_protocols::orchard::ERROR_NAMES;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::Dialect;

use crate::args::{EnvironmentArgs, LimitArgs, PermissionArgs, TapArgs};
use crate::commands::tap::{Show, redact, tap};
use crate::exit::Failure;
use crate::{output, platform};

/// The connection to the other side: as its protocol requires, or in a dialect alone.
///
/// # Errors
/// The recording cannot be written.
pub(crate) fn start(
    dialect: Dialect,
    protocol: Option<Protocol>,
    args: &TapArgs,
    show: Option<Show>,
) -> Result<Start, Failure> {
    let mut start = Start::new(dialect);
    if let Some(protocol) = protocol {
        start.dialect = protocol.dialect();
        start.options = protocol.host_options();
        start.limit = protocol.start_limit();
    }
    // Also where a dialect is given instead of a protocol.
    start.options.error_names = ERROR_NAMES;
    start.options.ext_names = EXT_NAMES;
    start.options.tap = tap(args, show, None)?;
    start.options.redact = redact(args);
    Ok(start)
}

/// The command line of a plugin, with its environment, permissions and limits.
///
/// # Errors
/// A variable is not written as it should be, or is not set; or the program is not in the `PATH` that
/// the plugin is given.
pub(crate) fn command(
    program: &OsStr,
    arguments: &[OsString],
    environment: &EnvironmentArgs,
    permissions: &PermissionArgs,
    limits: &LimitArgs,
) -> Result<PluginCommand, Failure> {
    let command = environment.apply(PluginCommand::new(program).args(arguments))?;
    let command = permissions.apply(command).limits(limits.limits());
    if environment.sets_search_path()? && !command.is_found() {
        let program = program.to_string_lossy();
        let program = output::on_one_line(&program);
        return Err(Failure::cannot_start(format!(
            "the plugin could not be started: {program} is not in the PATH that --env sets\n  \
             hint: add its folder to that PATH, or give the program with its path"
        )));
    }
    Ok(command)
}

/// The same with what the plugin writes to stderr shown.
pub(crate) fn with_stderr(command: PluginCommand) -> PluginCommand {
    command.on_stderr(show_line)
}

/// Shows a line of a plugin.
pub(crate) fn show_line(line: &str) {
    output::talk(format_args!("plugin: {}", output::on_one_line(line)));
}

/// Where a program is that is given with its path or is in the PATH, as an absolute path.
pub(crate) fn locate(program: &str) -> Option<PathBuf> {
    let is_program = |file: &PathBuf| {
        let found = file.metadata();
        found.is_ok_and(|found| platform::is_executable(&found))
    };
    let folders: Vec<PathBuf> = match tenon_host::is_path(program.as_ref()) {
        true => vec![PathBuf::new()],
        false => std::env::split_paths(&std::env::var_os("PATH")?).collect(),
    };
    let names = platform::program_names(program);
    let mut candidates =
        { folders.iter() }.flat_map(|folder| names.iter().map(|name| folder.join(name)));
    let found = candidates.find(is_program)?;
    std::path::absolute(found).ok()
}
