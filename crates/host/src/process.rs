//! A child process with everything that descends from it.

use std::io;
use std::num::NonZeroU32;
use std::process::ExitStatus;
use std::time::Duration;

use tenon_rpc::Io;
use tokio::sync::watch;

use crate::command::PluginCommand;
use crate::environment::LeftOut;
use crate::error::{PluginError, Problem};
use crate::limits::{Limits, MemoryLimit};
use crate::platform::{self, Family, Pipes};
use crate::stderr::StderrTail;

/// How long a plugin gets to end by itself.
#[derive(Clone, Copy, Debug)]
pub struct StopLimits {
    /// After it was asked to: by its protocol's shutdown, then by the end of its stdin.
    pub asked: Duration,
    /// After SIGTERM to its process group (Ctrl-Break on Windows); then comes SIGKILL.
    pub terminated: Duration,
}

impl Default for StopLimits {
    fn default() -> StopLimits {
        StopLimits {
            asked: Duration::from_secs(5),
            terminated: Duration::from_secs(2),
        }
    }
}

/// How a process came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it took.
    pub how: HowItEnded,
}

/// What it took to end a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowItEnded {
    /// It ended by itself when it was asked to, or before.
    ByItself,
    /// It ended on SIGTERM, or Ctrl-Break on Windows.
    Terminated,
    /// It had to be killed.
    Killed,
}

/// How a process ended, for those that do not own it.
#[derive(Clone, Debug)]
pub struct Exit {
    status: watch::Receiver<Option<ExitStatus>>,
    stderr: StderrTail,
}

impl Exit {
    /// Its exit status, if it has ended.
    pub fn status(&self) -> Option<ExitStatus> {
        *self.status.borrow()
    }

    /// Its exit status and the last line that it wrote to stderr, if there are any. Waits for both, but not for longer
    /// than `limit`: the process may continue, and a descendant may hold stderr open.
    pub async fn last_words(&self, limit: Duration) -> (Option<ExitStatus>, Option<String>) {
        let mut status = self.status.clone();
        let ended = async {
            let _ended = status.wait_for(Option::is_some).await.is_ok();
            self.stderr.complete_within(limit).await;
        };
        let _in_time = tokio::time::timeout(limit, ended).await;
        let lines = self.stderr.lines();
        let last = lines.into_iter().rfind(|line| !line.trim().is_empty());
        (self.status(), last)
    }
}

/// The signal that ended a process, if one did. Windows has none.
pub fn signal(status: ExitStatus) -> Option<i32> {
    platform::signal(status)
}

/// A running child. Dropping it ends it and its descendants in the background.
#[derive(Debug)]
pub struct Process {
    /// Taken when it is ended.
    family: Option<Box<Family>>,
    id: u32,
    is_confined: bool,
    status: watch::Receiver<Option<ExitStatus>>,
    stderr: StderrTail,
    command: String,
    left_out: LeftOut,
    limits: Limits,
}

/// Once a process has ended, its last output is in its pipes already. A descendant that holds a pipe open
/// must not make us wait for more.
pub const LAST_WORDS: Duration = Duration::from_millis(500);

impl Process {
    /// Starts a command; its stdin and stdout become the [`Io`].
    ///
    /// # Errors
    /// The program could not be started. The error says why, and what to do about it.
    pub fn spawn(command: &PluginCommand) -> Result<(Process, Io), PluginError> {
        let (process, pipes) = Process::start(command)
            .map_err(|error| PluginError::new(&command.to_string(), Problem::CannotStart(error)))?;
        let see = command.on_stderr.clone();
        tokio::spawn(process.stderr.clone().follow(pipes.stderr, see));
        Ok((process, Io::new(pipes.stdout, pipes.stdin)))
    }

    /// Starts a command and returns its pipes. The caller has to read its stderr, or it may block on writing
    /// there.
    pub(crate) fn start(command: &PluginCommand) -> io::Result<(Process, Pipes)> {
        let (environment, left_out) = command.environment();
        let (family, pipes) = platform::start(command, environment)?;
        let process = Process {
            id: family.id(),
            is_confined: command.permissions.is_some(),
            status: family.watch()?,
            family: Some(Box::new(family)),
            stderr: StderrTail::default(),
            command: command.to_string(),
            left_out,
            limits: command.limits,
        };
        Ok((process, pipes))
    }

    /// Its process id, which is also that of its process group.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Whether it has permissions that restrict it.
    pub(crate) fn is_confined(&self) -> bool {
        self.is_confined
    }

    /// The command line that started it.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Our environment variables that it did not get.
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// Its memory limit, if it has one.
    pub(crate) fn memory_limit(&self) -> Option<MemoryLimit> {
        let bytes = self.limits.memory?;
        let was_reached = { self.family.as_ref() }.is_some_and(|family| family.ran_out_of_memory());
        Some(MemoryLimit { bytes, was_reached })
    }

    /// How many processes and threads it may have, if that is limited.
    pub(crate) fn process_limit(&self) -> Option<NonZeroU32> {
        self.limits.processes.and_then(NonZeroU32::new)
    }

    /// The last lines it wrote to stderr.
    pub fn stderr(&self) -> &StderrTail {
        &self.stderr
    }

    /// Its exit status, if it has ended.
    pub fn status(&self) -> Option<ExitStatus> {
        *self.status.borrow()
    }

    /// Waits until it has ended.
    pub async fn exited(&self) -> ExitStatus {
        let mut status = self.status.clone();
        let ended = status.wait_for(Option::is_some).await.map(|status| *status);
        match ended {
            Ok(status) => status.unwrap_or_default(),
            // The runtime is shutting down, and this future with it.
            Err(_) => std::future::pending().await,
        }
    }

    /// Tells others how it ended.
    pub fn exit(&self) -> Exit {
        Exit {
            status: self.status.clone(),
            stderr: self.stderr.clone(),
        }
    }

    /// Waits until it has ended, but not for longer than `limit`.
    pub async fn exited_within(&self, limit: Duration) -> Option<ExitStatus> {
        tokio::time::timeout(limit, self.exited()).await.ok()
    }

    /// Ends it in steps: waits for it to end by itself, then SIGTERM to its group (Ctrl-Break on Windows), then SIGKILL.
    /// What it left behind is ended as well.
    pub async fn stop(mut self, limits: StopLimits) -> Stopped {
        self.see_descendants().await;
        let mut how = HowItEnded::ByItself;
        let mut status = self.exited_within(limits.asked).await;
        // Where it cannot be asked, there is nothing to wait for.
        if status.is_none()
            && self
                .family
                .as_ref()
                .is_some_and(|family| family.terminate())
        {
            how = HowItEnded::Terminated;
            status = self.exited_within(limits.terminated).await;
        }
        let status = match status {
            Some(status) => status,
            None => {
                how = HowItEnded::Killed;
                if let Some(family) = &self.family {
                    family.kill_first();
                }
                self.exited().await
            }
        };
        self.end().await;
        Stopped { status, how }
    }

    /// Records its descendants. Once it has ended, its children have another parent, and those that cannot be
    /// found otherwise are lost. To be called before it is asked to end.
    pub(crate) async fn see_descendants(&mut self) {
        let is_running = self.status.borrow().is_none();
        if let Some(family) = self.family.as_mut().filter(|_| is_running) {
            family.see_descendants().await;
        }
    }

    /// Ends it and everything that descends from it, and waits until all of them are gone.
    pub(crate) async fn end(mut self) {
        if let Some(family) = self.family.take() {
            // The sender is dropped when everything is done.
            let _dropped = platform::end(family).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(family) = self.family.take() {
            // It must not do anything from here on. If it were killed now, its children could not be found
            // by their parent.
            family.hold();
            let _nobody_waits = platform::end(family);
        }
    }
}
