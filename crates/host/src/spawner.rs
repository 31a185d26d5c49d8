//! One thread that starts all children and lives as long as this process.
//!
//! The kernel sends the parent-death signal when the *thread* that started a child ends. Started
//! from a worker thread of a runtime, a plugin would die with that worker.

use std::io;
use std::process::Child;
use std::sync::{OnceLock, mpsc};
use std::thread;

use tokio::process::Command;

use crate::{child, guardian};

type Job = Box<dyn FnOnce() + Send>;

/// Starts a child from the long-lived thread. Whoever gets it has to reap it.
pub(crate) fn spawn(mut command: Command) -> io::Result<Child> {
    static JOBS: OnceLock<mpsc::SyncSender<Job>> = OnceLock::new();
    let jobs = JOBS.get_or_init(|| {
        let (sender, jobs) = mpsc::sync_channel::<Job>(64);
        let work = move || {
            guardian::start();
            jobs.into_iter().for_each(|job| job());
        };
        if let Err(error) = thread::Builder::new()
            .name("tenon-spawner".into())
            .spawn(work)
        {
            tracing::error!(%error, "the thread that starts plugins could not be started");
        }
        sender
    });
    child::die_with_us(&mut command);
    let (answer, answered) = mpsc::sync_channel(1);
    let job = Box::new(move || {
        // Whoever asked waits for it. The runtime would reap the child as soon as it ends.
        let _received = answer.send(command.as_std_mut().spawn());
    });
    let gone = || io::Error::other("the thread that starts plugins is gone");
    jobs.send(job).map_err(|_| gone())?;
    answered.recv().map_err(|_| gone())?
}
