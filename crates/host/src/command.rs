//! What to start.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::environment::{Environment, LeftOut, Variable, Variables};
use crate::limits::Limits;
use crate::platform;
use crate::sandbox::{self, Denial, Permissions, SeeDenial};

/// A program with its arguments, its folder and its environment.
#[derive(Clone)]
pub struct PluginCommand {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) inherited: Environment,
    pub(crate) variables: Variables,
    advice: &'static str,
    pub(crate) on_stderr: Option<SeeLine>,
    pub(crate) permissions: Option<Permissions>,
    pub(crate) on_denial: Option<SeeDenial>,
    pub(crate) limits: Limits,
    pub(crate) is_merged: bool,
    /// The arguments are for the shell of the system as they are. Only Windows has such.
    pub(crate) is_shell_line: bool,
}

/// The shell of the system: `/bin/sh`, or cmd.exe on Windows.
pub const SHELL: &str = platform::SHELL;

/// Whether a program is given with its path, so that it is not looked for in `PATH`.
pub fn is_path(program: &OsStr) -> bool {
    platform::is_path(program)
}

/// Called with each line.
pub(crate) type SeeLine = Arc<dyn Fn(&str) + Send + Sync>;

/// How to pass on the environment variable `NAME` on the command line.
const ADVICE: &str = "add `--env NAME`, or `--env-all` for all variables";

impl PluginCommand {
    /// A program, searched in `PATH` if its name has no slash. It inherits the default
    /// [`Environment`].
    pub fn new(program: impl Into<OsString>) -> PluginCommand {
        PluginCommand {
            program: program.into(),
            args: Vec::new(),
            folder: None,
            inherited: Environment::default(),
            variables: Variables::default(),
            advice: ADVICE,
            on_stderr: None,
            permissions: None,
            on_denial: None,
            limits: Limits::default(),
            is_merged: false,
            is_shell_line: false,
        }
    }

    /// Lets it, which is the [`SHELL`], run a line of commands. cmd.exe takes one line: what follows a line break is not
    /// run.
    #[must_use]
    pub fn shell_line(mut self, line: &str) -> PluginCommand {
        self.args = platform::shell_arguments(line).map(Into::into).into();
        self.is_shell_line = true;
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> PluginCommand {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> PluginCommand {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Starts it in this folder.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> PluginCommand {
        self.folder = Some(folder.into());
        self
    }

    /// Sends what it writes to stderr to its stdout, in the order in which it is written, as on a terminal.
    #[must_use]
    pub fn merge_output(mut self) -> PluginCommand {
        self.is_merged = true;
        self
    }

    /// Which of our environment variables it inherits.
    #[must_use]
    pub fn inherit(mut self, inherited: Environment) -> PluginCommand {
        self.inherited = inherited;
        self
    }

    /// Sets an environment variable, whatever is inherited. Permissions can deny it.
    #[must_use]
    pub fn variable(
        mut self,
        name: impl Into<OsString>,
        value: impl Into<OsString>,
    ) -> PluginCommand {
        self.variables.set(name, value);
        self
    }

    /// Adds environment variables to those it inherits. A later one replaces an earlier one with the same name.
    #[must_use]
    pub fn with_variables<'a>(
        mut self,
        variables: impl IntoIterator<Item = &'a Variable>,
    ) -> PluginCommand {
        let values = variables.into_iter().flat_map(Variable::values);
        self.variables.extend(values);
        self
    }

    /// What an error tells the user to do to pass on the environment variable `NAME`. If this is empty,
    /// errors do not mention variables that were left out.
    #[must_use]
    pub fn environment_advice(mut self, advice: &'static str) -> PluginCommand {
        self.advice = advice;
        self
    }

    /// Whether its program is there to be started: one that is given without a path has to be in the `PATH` that it gets.
    pub fn is_found(&self) -> bool {
        platform::is_path(&self.program)
            || platform::is_in_path(&self.program, &self.environment().0)
    }

    /// Our environment variables that it does not get.
    pub fn left_out(&self) -> LeftOut {
        self.environment().1
    }

    /// The variables that it gets, and ours that it does not.
    pub(crate) fn environment(&self) -> (Variables, LeftOut) {
        let is_passed = |name: &OsStr| sandbox::inherits(self, name);
        let (passed, others): (Vec<_>, Vec<_>) =
            std::env::vars_os().partition(|(name, _)| is_passed(name));
        let others = others.into_iter().map(|(name, _)| name);
        // The advice does not help with variables that permissions deny.
        let left_out = others
            .filter(|name| self.variables.get(name).is_none() && !sandbox::is_denied(self, name));
        let left_out = LeftOut::new(left_out, self.advice);
        let mut variables = Variables::from_iter(passed);
        let given = self.variables.iter();
        variables.extend(given.filter(|(name, _)| !sandbox::is_denied(self, name)));
        (variables, left_out)
    }

    /// Restricts it to these permissions, which the kernel enforces. By default it may do whatever we may.
    /// A command whose permissions cannot be enforced is not started.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> PluginCommand {
        self.permissions = Some(permissions);
        self
    }

    /// Limits its memory and processes, with or without permissions. A command whose limits cannot be enforced
    /// is not started.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> PluginCommand {
        self.limits = limits;
        self
    }

    /// Calls `see` once for each access that its permissions deny. This makes it slower: it waits each time
    /// it opens a file.
    #[must_use]
    pub fn on_denial(mut self, see: impl Fn(&Denial) + Send + Sync + 'static) -> PluginCommand {
        self.on_denial = Some(Arc::new(see));
        self
    }

    /// Calls `see` for each line it writes to stderr.
    #[must_use]
    pub fn on_stderr(mut self, see: impl Fn(&str) + Send + Sync + 'static) -> PluginCommand {
        self.on_stderr = Some(Arc::new(see));
        self
    }
}

impl fmt::Display for PluginCommand {
    /// The command line, as one would type it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quoted(&self.program).fmt(f)?;
        self.args
            .iter()
            .try_for_each(|arg| write!(f, " {}", quoted(arg)))
    }
}

impl fmt::Debug for PluginCommand {
    /// Values of environment variables may be secrets: only the names are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginCommand")
            .field("command", &self.to_string())
            .field("folder", &self.folder)
            .field("inherited", &self.inherited)
            .field(
                "variables",
                &Vec::from_iter(self.variables.iter().map(|(name, _)| name)),
            )
            .finish_non_exhaustive()
    }
}

fn quoted(word: &OsStr) -> String {
    tenon_text::shell_word(&word.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_one_would_type_and_no_secrets() {
        let command = PluginCommand::new("sh")
            .args(["-c", "echo 'hi'", ""])
            .variable("TOKEN", "s3cret");
        assert_eq!(command.to_string(), r"sh -c 'echo '\''hi'\''' ''");
        let debug = format!("{command:?}");
        assert!(
            debug.contains("TOKEN") && !debug.contains("s3cret"),
            "{debug}"
        );
    }
}
