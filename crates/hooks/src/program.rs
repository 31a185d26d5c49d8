//! The real `terraform` or `tofu`.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::Arguments;

/// The program that is run, with what its environment has besides ours.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// Variables such as the address of a state.
    pub variables: Vec<(OsString, OsString)>,
}

/// A command of Terraform that was to print JSON.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It cannot be started.
    #[error("{}: {error}", .path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It failed.
    #[error("`{command}` failed ({status})\n{errors}")]
    Failed {
        /// Its command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to stderr.
        errors: String,
    },
    /// What it printed cannot be read.
    #[error("what `{command}` printed cannot be read: {error}")]
    Unreadable {
        /// Its command line.
        command: String,
        /// Why.
        error: serde_json::Error,
    },
}

impl Program {
    /// The first of `terraform` and `tofu` on the `PATH`.
    pub fn find() -> Option<PathBuf> {
        let path = std::env::var_os("PATH")?;
        ["terraform", "tofu"].into_iter().find_map(|name| {
            let mut candidates = std::env::split_paths(&path).map(|folder| folder.join(name));
            candidates.find(|candidate| candidate.is_file())
        })
    }

    /// The name of the program, for texts.
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "Terraform is not a plugin: it has the user's terminal, and is not ended with this process"
    )]
    fn command(&self, arguments: &Arguments) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments.words());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Becomes the program: signals, output and exit code are its own. Returns only if that fails.
    pub fn replace(&self, arguments: &Arguments) -> ProgramError {
        self.cannot_start(self.command(arguments).as_std_mut().exec())
    }

    /// Runs a command whose input and output are the user's.
    pub(crate) async fn run(
        &self,
        arguments: &Arguments,
        variables: &[(&str, &str)],
    ) -> Result<ExitStatus, ProgramError> {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        let failed = |error| self.cannot_start(error);
        // From here on Ctrl-C does not end this process: the terminal sends it to Terraform as well, which
        // ends in its own time.
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let mut child = command.spawn().map_err(failed)?;
        loop {
            tokio::select! {
                status = child.wait() => return status.map_err(failed),
                _ = interrupt.recv() => {}
                // The terminal does not send this one, so Terraform gets it only from here.
                _ = terminate.recv() => {
                    let id = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
                    if let Some(id) = id {
                        let _ended_already = kill_process(id, Signal::TERM);
                    }
                }
            }
        }
    }

    /// Runs a command and returns what it printed.
    pub(crate) async fn capture(&self, arguments: &Arguments) -> Result<String, ProgramError> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).kill_on_drop(true);
        let output = command
            .output()
            .await
            .map_err(|error| self.cannot_start(error))?;
        if !output.status.success() {
            return Err(ProgramError::Failed {
                command: self.shown(arguments),
                status: output.status,
                errors: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            });
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs a command and reads the JSON that it prints.
    pub(crate) async fn json<T: serde::de::DeserializeOwned>(
        &self,
        arguments: &Arguments,
    ) -> Result<T, ProgramError> {
        let text = self.capture(arguments).await?;
        serde_json::from_str(&text).map_err(|error| ProgramError::Unreadable {
            command: self.shown(arguments),
            error,
        })
    }

    fn shown(&self, arguments: &Arguments) -> String {
        let words: Vec<&str> = arguments.words().collect();
        format!("{} {}", self.name(), words.join(" "))
    }

    fn cannot_start(&self, error: io::Error) -> ProgramError {
        ProgramError::Start {
            path: self.path.clone(),
            error,
        }
    }
}
