//! A Terraform command while it runs.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::outcome::Outcome;
use crate::workspace::{WATCHDOG, Workspace};

/// A command that runs.
pub(crate) struct Running<'a> {
    workspace: &'a Workspace,
    child: Child,
    command: String,
}

impl<'a> Running<'a> {
    pub(crate) fn new(workspace: &'a Workspace, child: Child, command: String) -> Running<'a> {
        Running {
            workspace,
            child,
            command,
        }
    }

    fn process(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Ctrl-C: every process of the group gets it.
    pub(crate) fn interrupt(&self) {
        kill_process_group(self.process(), Signal::INT).expect("a process group");
    }

    /// SIGTERM to the whole group, as many CI systems cancel a job.
    pub(crate) fn terminate(&self) {
        kill_process_group(self.process(), Signal::TERM).expect("a process group");
    }

    /// `kill -9` of Terraform alone.
    pub(crate) fn kill(&self) {
        kill_process(self.process(), Signal::KILL).expect("a process");
    }

    /// Waits until it ends. A command that takes too long is killed, and the test fails.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Outcome {
        let deadline = Instant::now() + WATCHDOG;
        let status = loop {
            match self.child.try_wait().expect("a child") {
                Some(status) => break Some(status),
                None if Instant::now() > deadline => break None,
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        if status.is_none() {
            let _already_gone = kill_process_group(self.process(), Signal::KILL);
            let _reaped = self.child.wait();
        }
        let text = |name: &str| {
            let bytes = fs::read(self.workspace.path(name)).expect("a file");
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let outcome = Outcome {
            command: self.command,
            code: status.and_then(|status| status.code()),
            stdout: text("stdout"),
            stderr: text("stderr"),
        };
        assert!(status.is_some(), "longer than {WATCHDOG:?}: {outcome}");
        outcome
    }
}
