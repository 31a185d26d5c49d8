//! `tenon state serve`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tenon_host::PluginCommand;
use tenon_state::{
    BindError, Notice, PluginStorage, PluginStorageError, Server, Settings, StatePath,
};

use crate::args::{StateCommand, StateServeArgs};
use crate::commands::plugin;
use crate::commands::signals::Signals;
use crate::exit::Failure;
use crate::output;

pub(crate) async fn run(command: &StateCommand) -> Result<(), Failure> {
    match command {
        StateCommand::Serve(args) => serve(args).await,
    }
}

async fn serve(args: &StateServeArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let storage = PluginStorage::start(command(args)?, tenon_hooks::start(), Map::new());
    let storage = signals
        .interruptible(async { storage.await.map_err(cannot_start) })
        .await?;
    let storage = Arc::new(storage);
    let settings = Settings {
        time_limit: args.timeout.0.unwrap_or(Duration::MAX),
        ..Settings::default()
    };
    let server = Server::bind(args.listen, Arc::clone(&storage), settings, report).await;
    let server = server.map_err(|error| match error {
        BindError::NotLoopback(_) => Failure::usage(format!(
            "--listen: {error}\n  hint: states have secrets in them and the connection is not encrypted; use \
             127.0.0.1:PORT or [::1]:PORT"
        )),
        error => Failure::cannot_start(error),
    })?;
    for (name, value) in server.variables(&args.workspace) {
        output::data(format_args!("export {name}={}", quoted(&value)))?;
    }
    output::end()?;
    let held = server.serve(signals.interrupt().cancelled()).await;
    warn_of_locks(&held, "terraform");
    if let Ok(storage) = Arc::try_unwrap(storage) {
        storage.stop().await;
    }
    Ok(())
}

fn command(args: &StateServeArgs) -> Result<PluginCommand, Failure> {
    let (program, arguments) = args
        .plugin
        .split_first()
        .ok_or_else(|| Failure::usage("a plugin is required: -- CMD..."))?;
    let command = plugin::command(
        program,
        arguments,
        &args.environment,
        &args.permissions,
        &args.limits,
    )?;
    Ok(plugin::with_stderr(command))
}

pub(crate) fn cannot_start(error: PluginStorageError) -> Failure {
    match error {
        PluginStorageError::Start(error) => Failure::from(&*error),
        PluginStorageError::Down(_) => Failure::cannot_start(error),
    }
}

/// Terraform shows the status code of a refusal alone.
pub(crate) fn report(notice: Notice) {
    output::talk(format_args!(
        "state: {}",
        output::on_one_line(&notice.to_string())
    ));
}

/// Locks outlive the server, and Terraform would find them held. `program` is what can release them.
pub(crate) fn warn_of_locks(held: &[(StatePath, String)], program: &str) {
    for (path, lock) in held {
        output::talk(format_args!(
            "warning: the state {} is still locked\n  hint: if nothing uses it, run `{program} force-unlock {}`",
            output::on_one_line(path.as_str()),
            output::on_one_line(lock)
        ));
    }
}

/// In single quotes, for a shell.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}
