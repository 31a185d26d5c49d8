//! One thread that starts all children and lives as long as this process.
//!
//! The kernel sends the parent-death signal when the *thread* that started a child ends. Started
//! from a worker thread of a runtime, a plugin would die with that worker.

use std::io;
use std::sync::{OnceLock, mpsc};
use std::thread;

use super::launch::{Launch, Started};

struct Job {
    launch: Launch,
    answer: mpsc::SyncSender<io::Result<Started>>,
}

/// Starts a child from the long-lived thread.
pub(crate) fn start(launch: Launch) -> io::Result<Started> {
    static JOBS: OnceLock<mpsc::SyncSender<Job>> = OnceLock::new();
    let jobs = JOBS.get_or_init(|| {
        let (sender, jobs) = mpsc::sync_channel::<Job>(64);
        let work = move || {
            for Job { launch, answer } in jobs {
                // The caller waits for it.
                let _received = answer.send(launch.start());
            }
        };
        if let Err(error) = thread::Builder::new()
            .name("tenon-spawner".into())
            .spawn(work)
        {
            tracing::error!(%error, "the thread that starts plugins could not be started");
        }
        sender
    });
    let (answer, answered) = mpsc::sync_channel(1);
    let gone = || io::Error::other("the thread that starts plugins is gone");
    { jobs.send(Job { launch, answer }) }.map_err(|_| gone())?;
    answered.recv().map_err(|_| gone())?
}
