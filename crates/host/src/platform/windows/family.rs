//! The processes that descend from a plugin: those in its job.

use std::io;
use std::os::windows::io::OwnedHandle;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use tokio::process::Child;
use tokio::sync::{oneshot, watch};

use super::kernel::{self, Job};

/// A plugin with everything that descends from it. Dropping it ends all of them.
#[derive(Debug)]
pub(crate) struct Family {
    job: Job,
    id: u32,
    /// As long as it is open, the id is not given to another process.
    _process: OwnedHandle,
    status: watch::Receiver<Option<ExitStatus>>,
}

impl Family {
    /// Puts a suspended child into its job, and lets it run.
    pub(super) fn new(mut child: Child, job: Job) -> io::Result<Family> {
        let gone = || io::Error::other("the process has ended before it ran");
        let id = child.id().ok_or_else(gone)?;
        let process = kernel::handle(&child)?;
        job.add(&process)?;
        kernel::resume(id)?;
        let (ended, status) = watch::channel(None);
        tokio::spawn(async move {
            let exit = tokio::select! {
                biased;
                exit = child.wait() => exit,
                // Dropping the child ends it, if its family has not.
                () = ended.closed() => return,
            };
            ended.send_replace(Some(exit.unwrap_or_default()));
        });
        Ok(Family {
            job,
            id,
            _process: process,
            status,
        })
    }

    /// The id of its first process.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// How its first process ends.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
    pub(crate) fn watch(&self) -> io::Result<watch::Receiver<Option<ExitStatus>>> {
        Ok(self.status.clone())
    }

    /// Sends Ctrl-Break to its process group. Returns whether that was possible: it needs a console that both share.
    pub(crate) fn terminate(&self) -> bool {
        kernel::interrupt(self.id).is_ok()
    }

    /// Kills all of its processes.
    pub(crate) fn kill_first(&self) {
        self.job.end_all();
    }

    /// Keeps it from doing anything more: its processes are killed immediately.
    pub(crate) fn hold(&self) {
        self.job.end_all();
    }

    /// Not known: memory that is not there is refused, and what a program does then is up to it.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        false
    }

    /// They cannot leave the job.
    pub(crate) async fn see_descendants(&mut self) {}
}

/// Kills all processes of a plugin. Returns immediately; the receiver is notified when they are gone.
pub(crate) fn end(family: Box<Family>) -> oneshot::Receiver<()> {
    /// Killed processes take a moment to go; one that waits for a device may take longer than anyone should wait.
    const LONGEST: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_millis(2);
    let (done, receiver) = oneshot::channel();
    family.job.end_all();
    if family.job.is_empty() {
        return receiver;
    }
    let thread = thread::Builder::new().name("tenon-sweeper".into());
    let _ended_anyway = thread.spawn(move || {
        let started = Instant::now();
        while !family.job.is_empty() && started.elapsed() < LONGEST {
            thread::sleep(PAUSE);
        }
        drop(family);
        drop(done);
    });
    receiver
}
