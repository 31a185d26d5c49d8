//! The real `terraform` or `tofu`.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Output, Stdio};

use tenon_host::Attended;
use tokio::process::Command;

use crate::arguments::Arguments;
use crate::interruption::{Interruption, is_foreground};
use crate::relay::{Outlet, Relay, Show, unframed};

/// The program that is run, with what its environment has besides ours.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// Variables such as the address of a state.
    pub variables: Vec<(OsString, OsString)>,
    /// Variables of ours that it does not get.
    pub removed: Vec<OsString>,
}

/// A command of Terraform that was to print JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// It could not be started.
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
    /// Its output is not what was expected.
    #[error("could not read the output of `{command}`: {error}")]
    Unreadable {
        /// Its command line.
        command: String,
        /// Why.
        error: serde_json::Error,
    },
}

impl Program {
    /// A program without variables of its own.
    pub fn new(path: PathBuf) -> Program {
        Program {
            path,
            variables: Vec::new(),
            removed: Vec::new(),
        }
    }

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

    /// What the program calls itself.
    pub(crate) fn product(&self) -> &'static str {
        match self.name().contains("tofu") {
            true => "OpenTofu",
            false => "Terraform",
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "Terraform is not a plugin: it has the user's terminal, and is not killed with this process"
    )]
    fn command(&self, arguments: &Arguments) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments.words());
        for name in &self.removed {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Becomes the program: signals, output and exit code are its own. Returns only if that fails.
    pub fn replace(&self, arguments: &Arguments) -> ProgramError {
        self.cannot_start(self.command(arguments).as_std_mut().exec())
    }

    /// Runs a command whose input and output are the user's, apart from what `relay` takes. Signals are passed on to
    /// it, and if this process is killed, it is interrupted. Returns how it ended, and its errors.
    pub(crate) async fn run(
        &self,
        arguments: &Arguments,
        variables: &[(&str, &str)],
        interruption: &Interruption,
        (relay, show): (Relay, &Show),
    ) -> Result<(ExitStatus, Vec<String>), ProgramError> {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        let failed = |error| self.cannot_start(error);
        let outlet = |is_taken: bool| is_taken.then(Outlet::new).transpose().map_err(failed);
        let (stdout, stderr) = (outlet(relay.takes_stdout())?, outlet(relay.takes_stderr())?);
        if let Some(stdout) = &stdout {
            command.stdout(stdout.end().map_err(failed)?);
        }
        if let Some(stderr) = &stderr {
            command.stderr(stderr.end().map_err(failed)?);
        }
        let is_foreground = is_foreground();
        if !is_foreground {
            // What is sent to our whole group would reach it twice.
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(failed)?;
        let _attended = child.id().and_then(Attended::new);
        let _attached = interruption.attach(child.id(), is_foreground);
        let (status, errors) = relay.pass(stdout, stderr, show, child.wait()).await;
        Ok((status.map_err(failed)?, errors))
    }

    /// Runs a command and returns what it printed. Ctrl-C does not reach it: it changes nothing and ends soon.
    pub(crate) async fn capture(&self, arguments: &Arguments) -> Result<String, ProgramError> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).process_group(0);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error| self.cannot_start(error);
        let child = command.spawn().map_err(failed)?;
        let _attended = child.id().and_then(Attended::new);
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().await.map_err(failed)?;
        if !status.success() {
            return Err(ProgramError::Failed {
                command: self.shown(arguments),
                status,
                errors: plain(&String::from_utf8_lossy(&stderr)),
            });
        }
        Ok(String::from_utf8_lossy(&stdout).into_owned())
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

    /// Its command line, for texts.
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

/// What Terraform writes about errors, without colours and without the frame around it.
fn plain(errors: &str) -> String {
    let errors = tenon_text::without_colours(errors);
    let lines: Vec<&str> = errors.lines().map(unframed).collect();
    lines.join("\n").trim().to_owned()
}
