//! The provider `exec`: runs programs.
//!
//! A command is a program and its arguments, never a line for a shell, so nothing in them can
//! become another command. Nothing that a program starts outlives the action.
//!
//! A program that was killed may have done anything until then: the outcome is unknown. One that
//! ends by itself with an exit code other than 0 says that it failed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use tenon_host::{Capture, CaptureError, Environment, PluginCommand};
use tenon_plugin::{Failure, Plugin, attributes};

use crate::attribute::{seconds, wrong};
use crate::content::{Content, LARGEST, beginning};

attributes! {
    /// What all commands have in common.
    pub(crate) struct Config {
        /// The folder that commands run in; the provider's working directory if not set.
        dir: Option<String>,
        /// Environment variables for all commands, besides those of the provider itself.
        env: BTreeMap<String, String> = BTreeMap::new(),
    }

    /// One command.
    struct Run {
        /// The program: a name that is looked for in PATH, or a path. Not a shell's command line.
        command: String,
        /// Its arguments, one element each.
        args: Vec<String> = Vec::new(),
        /// The folder it runs in, relative to the provider's dir.
        dir: Option<String>,
        /// Environment variables, besides those of the provider.
        env: BTreeMap<String, String> = BTreeMap::new(),
        /// What it reads from stdin.
        stdin: String = "",
        /// The number of seconds after which it is killed; its outcome is then unknown.
        timeout_seconds: Option<f64>,
        /// Whether an exit code other than 0 is an output like any other, not a failure.
        allow_failure: bool = false,
    }

    /// What a command leaves.
    struct Outputs {
        /// What it wrote to stdout; null if that is not UTF-8.
        stdout: Option<String>,
        /// What it wrote to stdout, in base64, if that is not UTF-8; else null.
        stdout_base64: Option<String>,
        /// What it wrote to stderr; null if that is not UTF-8.
        stderr: Option<String>,
        /// What it wrote to stderr, in base64, if that is not UTF-8; else null.
        stderr_base64: Option<String>,
        /// Its exit code; 128 and the number of the signal if one ended it.
        exit_code: i32,
    }
}

/// The provider.
pub(crate) fn provider() -> Plugin<Config> {
    Plugin::new("exec", env!("CARGO_PKG_VERSION"))
        .configure(|config: Config| async move { Ok(config) })
        .action(
            "exec_run",
            "Runs a program until it ends and returns what it wrote. An exit code other than 0 is a failure unless allow_failure is set",
            |config, run| async move { exec_run(&config, run).await },
        )
        .max_in_flight(8)
}

async fn exec_run(config: &Config, run: Run) -> Result<Outputs, Failure> {
    let capture = Capture {
        limit: LARGEST as usize,
        time_limit: match run.timeout_seconds {
            Some(limit) => Some(seconds("timeout_seconds", limit)?),
            None => None,
        },
        stdin: run.stdin.clone().into_bytes(),
    };
    let captured = capture.run(&command(config, &run)?).await;
    let captured = captured.map_err(|error| match error {
        CaptureError::CannotStart { .. } => Failure::from(error),
        // It has run, and was killed.
        _ => Failure::outcome_unknown(error.to_string()),
    })?;
    if !captured.status.success() && !run.allow_failure {
        return Err(failed(&run.command, captured.status, &captured.stderr));
    }
    let stdout = Content::from(captured.stdout);
    let stderr = Content::from(captured.stderr);
    Ok(Outputs {
        stdout: stdout.text,
        stdout_base64: stdout.base64,
        stderr: stderr.text,
        stderr_base64: stderr.base64,
        exit_code: exit_code(captured.status),
    })
}

fn command(config: &Config, run: &Run) -> Result<PluginCommand, Failure> {
    let folder = [&config.dir, &run.dir]
        .into_iter()
        .flatten()
        .collect::<PathBuf>();
    let has_folder = !folder.as_os_str().is_empty();
    if has_folder && !folder.is_dir() {
        // The system would say that the program is not there.
        return Err(wrong(
            "dir",
            format!("the folder {} does not exist", folder.display()),
        ));
    }
    // Whether a program with a slash is looked for in the old folder or in the new one differs
    // between systems.
    let program = match run.command.contains('/') && has_folder {
        true => absolute(&folder.join(&run.command)),
        false => PathBuf::from(&run.command),
    };
    // What the provider has was chosen for its commands: it needs nothing for itself.
    let mut command = PluginCommand::new(program)
        .args(&run.args)
        .inherit(Environment::Only(vec!["*".into(), "TENON_*".into()]));
    if has_folder {
        command = command.folder(folder);
    }
    for (name, value) in config.env.iter().chain(&run.env) {
        command = command.variable(name, value);
    }
    Ok(command)
}

fn absolute(path: &Path) -> PathBuf {
    // It fails only without a working directory; then the path is as good as any.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn exit_code(status: ExitStatus) -> i32 {
    let signal = tenon_host::signal(status).unwrap_or_default();
    status.code().unwrap_or(128 + signal)
}

/// Arguments are left out: they may hold secrets.
fn failed(command: &str, status: ExitStatus, stderr: &[u8]) -> Failure {
    let failure = format!("{command} ended with {status}");
    let message = match beginning(stderr) {
        stderr if stderr.is_empty() => format!(
            "{failure} and wrote nothing to stderr\n  hint: set allow_failure to see what it wrote to stdout"
        ),
        stderr => format!("{failure}\n  stderr: {stderr}"),
    };
    match tenon_host::signal(status) {
        Some(_) => Failure::outcome_unknown(message),
        None => Failure::new(message),
    }
}
