//! `tenon state serve`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, getpgrp, getpid, getppid, setpgid};
use tenon_host::{PluginCommand, own_file};
use tenon_protocols::Secrets;
use tenon_state::{
    BindError, Notice, PluginOptions, PluginStorage, PluginStorageError, Server, Settings,
    StatePath,
};

use crate::args::{StateCommand, StateServeArgs};
use crate::commands::signals::Signals;
use crate::commands::{config, plugin};
use crate::exit::Failure;
use crate::output;

pub(crate) async fn run(command: &StateCommand) -> Result<(), Failure> {
    match command {
        StateCommand::Serve(args) => serve(args).await,
    }
}

async fn serve(args: &StateServeArgs) -> Result<(), Failure> {
    let shell = match &args.env_file {
        Some(_) => Shell(None),
        None => Shell::find(),
    };
    let signals = Signals::watch_in_background()?;
    let secrets = Secrets::default();
    args.environment.learn(&secrets)?;
    let limit = args.timeout.0.unwrap_or(Duration::MAX);
    let options = PluginOptions {
        config: config::read(&args.config)?,
        time_limit: limit,
        waiting_limit: limit,
        secrets: secrets.clone(),
        hear: Arc::new(plugin::show_line),
    };
    let start = tenon_hooks::start(&secrets);
    let storage = PluginStorage::start(command(args, secrets)?, start, options);
    let storage = signals
        .interruptible(async { storage.await.map_err(cannot_start) })
        .await?;
    let storage = Arc::new(storage);
    let settings = Settings {
        time_limit: None,
        ..Settings::default()
    };
    let notify = |notice| report(&notice, "terraform");
    let server = Server::bind(args.listen, Arc::clone(&storage), settings, notify).await;
    let server = server.map_err(|error| match error {
        BindError::NotLoopback(_) => Failure::usage(format!(
            "--listen: {error}\n  hint: states have secrets in them and the connection is not encrypted; use \
             127.0.0.1:PORT or [::1]:PORT"
        )),
        error => Failure::cannot_start(error),
    })?;
    let mut lines = String::new();
    let process = ("TENON_STATE_PID", std::process::id().to_string());
    for (name, value) in server
        .variables(&args.workspace)
        .into_iter()
        .chain([process])
    {
        lines += &format!("export {name}={}\n", quoted(&value));
    }
    let file = match &args.env_file {
        Some(path) => Some(EnvFile::write(path, &lines)?),
        None => {
            output::data(lines.trim_end())?;
            None
        }
    };
    output::end()?;
    let end = async {
        tokio::select! {
            () = signals.interrupt().cancelled() => {}
            () = shell.ended() => {}
        }
    };
    let held = server.serve(end).await;
    drop(file);
    warn_of_locks(&held, "terraform");
    if let Ok(storage) = Arc::try_unwrap(storage) {
        storage.stop().await;
    }
    Ok(())
}

fn command(args: &StateServeArgs, secrets: Secrets) -> Result<PluginCommand, Failure> {
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
    Ok(command.on_stderr(move |line| plugin::show_line(&secrets.hide(line))))
}

pub(crate) fn cannot_start(error: PluginStorageError) -> Failure {
    match error {
        PluginStorageError::Start(error) => Failure::from(&*error),
        _ => Failure::cannot_start(error),
    }
}

/// The shell that reads the variables from a pipe, as in `. <(tenon state serve ...)`. The server is for its commands,
/// so it ends with it.
struct Shell(Option<Pid>);

impl Shell {
    /// How often to look whether it is still there.
    const INTERVAL: Duration = Duration::from_secs(1);

    fn find() -> Shell {
        if !output::is_pipe() {
            return Shell(None);
        }
        // Ctrl-C is for the command that the shell runs, which the same process group would share with the server.
        if getpgrp() != getpid() {
            let _stays_in_it = setpgid(None, None);
        }
        Shell(getppid())
    }

    async fn ended(&self) {
        match self.0 {
            Some(shell) => {
                while getppid() == Some(shell) {
                    tokio::time::sleep(Shell::INTERVAL).await;
                }
            }
            None => std::future::pending().await,
        }
    }
}

/// A file with the variables, one of which is a password. It is there while the server runs.
struct EnvFile<'a>(&'a Path);

impl EnvFile<'_> {
    fn write<'a>(path: &'a Path, lines: &str) -> Result<EnvFile<'a>, Failure> {
        let written = own_file::replace(path, u64::MAX, |out| out.write_all(lines.as_bytes()));
        written.map_err(|error| {
            let path = tenon_text::path(path);
            Failure::usage(format!("--env-file: {path} could not be written: {error}"))
        })?;
        Ok(EnvFile(path))
    }
}

impl Drop for EnvFile<'_> {
    fn drop(&mut self) {
        let _gone_already = std::fs::remove_file(self.0);
    }
}

/// Terraform shows the status code of a refusal alone. `program` is what can release a lock.
pub(crate) fn report(notice: &Notice, program: &str) {
    output::talk(format_args!(
        "state: {}",
        output::on_one_line(&notice.to_string())
    ));
    if let Some(lock) = &notice.lock {
        output::talk(format_args!(
            "  hint: if nothing uses it, run `{program} force-unlock {}`",
            output::on_one_line(lock)
        ));
    }
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
