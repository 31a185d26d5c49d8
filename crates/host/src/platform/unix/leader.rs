//! The first process of a plugin, which leads the plugin's process group.
//!
//! A process id can be reused as soon as its process has been reaped, and a later signal would end another
//! process. So the exit is observed without reaping (`WNOWAIT`), the dead leader keeps its id as a zombie, and
//! it is reaped after the last signal to its group: when the [`Leader`] is dropped.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, getpgid, kill_process,
    kill_process_group, waitid, waitpid,
};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::guardian::{self, Group};
use super::system::ExitDescriptor;

/// A child process that leads a group of its own. Dropping it kills the group and reaps the child.
#[derive(Debug)]
pub(crate) struct Leader {
    id: Pid,
    group: Group,
}

/// Killed children that had not ended yet when they were to be reaped.
static UNREAPED: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

impl Leader {
    /// Takes charge of a child that was started with a process group of its own.
    pub(crate) fn new(id: Pid) -> Leader {
        let group = Group::of(id);
        guardian::started(group);
        Leader { id, group }
    }

    /// Its process id, which is also that of its group.
    pub(crate) fn id(&self) -> Pid {
        self.id
    }

    /// Signals all processes in its group, also after the leader has ended.
    pub(crate) fn signal_group(&self, signal: Signal) {
        // Another part of the program may have reaped it, by ignoring SIGCHLD or by waiting for all children.
        // Then its id may belong to another process.
        if matches!(look(self.id), Err(Errno::CHILD)) {
            return;
        }
        let _already_gone = kill_process_group(self.id, signal);
        // A leader can leave its group, and would not get the signal.
        if getpgid(Some(self.id)) != Ok(self.id) {
            let _already_gone = kill_process(self.id, signal);
        }
    }

    /// Waits for its exit, in a task. The status comes while it is still a zombie.
    pub(crate) fn watch(&self) -> io::Result<watch::Receiver<Option<ExitStatus>>> {
        let (ended, status) = watch::channel(None);
        let id = self.id;
        match ExitDescriptor::of(id)? {
            Some(process) => {
                tokio::spawn(report(ended, process.exited(move || exit_status(id))));
            }
            None => {
                let children = signal(SignalKind::child())?;
                tokio::spawn(report(ended, exit_by_signal(id, children)));
            }
        }
        Ok(status)
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.signal_group(Signal::KILL);
        // Before it is reaped: the guardian must not signal an id that is free.
        guardian::ended(self.group);
        let mut unreaped = UNREAPED.lock().unwrap_or_else(PoisonError::into_inner);
        unreaped.push(self.id);
        // Those that have not ended yet stay.
        unreaped.retain(|id| matches!(waitpid(Some(*id), WaitOptions::NOHANG), Ok(None)));
    }
}

/// Whether a child has ended, and how. It is not reaped.
fn look(id: Pid) -> Result<Option<WaitIdStatus>, Errno> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(id), options)
}

/// Reports how a process ended, as long as there is a receiver.
async fn report(ended: watch::Sender<Option<ExitStatus>>, exit: impl Future<Output = ExitStatus>) {
    let status = tokio::select! {
        biased;
        () = ended.closed() => return,
        status = exit => status,
    };
    ended.send_replace(Some(status));
}

/// For systems that have no descriptors of processes, or do not let us use them.
async fn exit_by_signal(id: Pid, mut children: tokio::signal::unix::Signal) -> ExitStatus {
    loop {
        if let Some(status) = exit_status(id) {
            return status;
        }
        children.recv().await;
    }
}

/// How a child ended, if it has. One that was reaped elsewhere counts as a success: its status is lost.
fn exit_status(id: Pid) -> Option<ExitStatus> {
    let Ok(status) = look(id) else {
        return Some(ExitStatus::from_raw(0));
    };
    let status = status?;
    let raw = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => (code & 0xff) << 8,
        (None, Some(signal)) if status.dumped() => signal | 0x80,
        (None, Some(signal)) => signal,
        (None, None) => 0,
    };
    Some(ExitStatus::from_raw(raw))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Duration;

    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "what takes charge of it is tested"
    )]
    fn start(script: &str) -> Leader {
        let mut command = Command::new("sh");
        command.args(["-c", script]).process_group(0);
        Leader::new(Pid::from_child(&command.spawn().unwrap()))
    }

    /// The letter of a process's state in /proc; `None` if there is no such process.
    fn state(id: Pid) -> Option<char> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
        stat.rsplit_once(") ")?.1.chars().next()
    }

    async fn ended(status: &mut watch::Receiver<Option<ExitStatus>>) -> ExitStatus {
        let ended = status.wait_for(Option::is_some);
        let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
        ended.expect("it does not end").unwrap().unwrap()
    }

    /// As long as the group can be signalled, its id cannot be reused.
    #[tokio::test]
    async fn a_leader_that_has_ended_is_a_zombie_until_it_is_dropped() {
        let leader = start("exit 3");
        let mut status = leader.watch().unwrap();
        assert_eq!(ended(&mut status).await.code(), Some(3));
        assert_eq!(state(leader.id()), Some('Z'));
        leader.signal_group(Signal::TERM);
        assert_eq!(
            state(leader.id()),
            Some('Z'),
            "it was signalled before it was reaped"
        );
        let id = leader.id();
        drop(leader);
        assert_eq!(state(id), None);
    }

    #[tokio::test]
    async fn statuses_are_those_of_wait() {
        for (script, expected) in [
            ("exit 0", 0),
            ("exit 255", 0xff00),
            ("kill -TERM $$", 15),
            ("kill -KILL $$", 9),
        ] {
            let leader = start(script);
            let mut status = leader.watch().unwrap();
            assert_eq!(ended(&mut status).await.into_raw(), expected, "{script}");
        }
    }

    #[tokio::test]
    async fn an_exit_is_noticed_without_descriptors_of_processes() {
        let children = signal(SignalKind::child()).unwrap();
        let leader = start("exit 7");
        let exit = exit_by_signal(leader.id(), children);
        let status = tokio::time::timeout(Duration::from_secs(20), exit).await;
        assert_eq!(status.unwrap().code(), Some(7));
        assert_eq!(state(leader.id()), Some('Z'));
    }

    /// Its id may belong to another process.
    #[tokio::test]
    async fn a_leader_that_was_reaped_elsewhere_is_not_signalled() {
        let leader = start("sleep 1000 & exit 0");
        waitpid(Some(leader.id()), WaitOptions::empty()).unwrap();
        assert!(matches!(look(leader.id()), Err(Errno::CHILD)));
        let id = leader.id();
        drop(leader);
        kill_process_group(id, Signal::KILL).expect("the member of the group is still there");
    }
}
