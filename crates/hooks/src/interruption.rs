//! Ctrl-C, SIGTERM and SIGHUP, while Terraform runs and between its commands.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Some programs send SIGTERM to a process and then to its group: that is one request.
const ECHO: Duration = Duration::from_millis(100);

/// How long Terraform may take to end after the second signal. It gives up what it waits for after five seconds.
const ENDING: Duration = Duration::from_secs(10);

/// Watches for signals while it exists.
///
/// The first one asks for a stop: Terraform, if it runs, saves the state and ends in its own time; otherwise nothing
/// more is begun. The second one ends everything, Terraform included.
pub struct Interruption {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    asked: CancellationToken,
    /// A signal came while Terraform was running.
    during_terraform: AtomicBool,
    /// A second signal came: the process ends as soon as Terraform has.
    is_forced: AtomicBool,
    terraform: Mutex<Option<Running>>,
    /// Terraform has ended.
    detached: Notify,
}

/// A command of Terraform that runs now.
#[derive(Clone, Copy)]
struct Running {
    id: Option<Pid>,
    /// The terminal sends Ctrl-C to it as well.
    is_foreground: bool,
}

/// Terraform runs as long as this exists.
pub(crate) struct Attached<'a>(&'a Shared);

impl Interruption {
    /// Starts to watch. `noticed` is called at the first signal. `force` is called at the second one, once Terraform
    /// has ended, and should end the process. SIGHUP counts unless `ignores_hang_up`.
    ///
    /// # Errors
    /// Signals cannot be watched.
    pub fn watch(
        ignores_hang_up: bool,
        noticed: impl Fn() + Send + 'static,
        force: impl Fn() + Send + 'static,
    ) -> io::Result<Interruption> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = match ignores_hang_up {
            true => None,
            false => Some(signal(SignalKind::hangup())?),
        };
        let shared = Arc::<Shared>::default();
        let watched = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            let mut terminated: Option<Instant> = None;
            loop {
                let received = tokio::select! {
                    _ = interrupt.recv() => Signal::INT,
                    // Terraform would end without saving the state.
                    () = received(&mut hang_up) => Signal::TERM,
                    _ = terminate.recv() => {
                        let last = terminated.replace(Instant::now());
                        if last.is_some_and(|last| last.elapsed() < ECHO) {
                            continue;
                        }
                        Signal::TERM
                    }
                };
                match watched.receive(received) {
                    Demand::Stop => noticed(),
                    Demand::Force => {
                        let _slow = tokio::time::timeout(ENDING, watched.without_terraform()).await;
                        force();
                    }
                }
            }
        });
        Ok(Interruption { shared, task })
    }

    /// Waits until this process is asked to stop.
    pub(crate) async fn asked(&self) {
        self.shared.asked.cancelled().await;
    }

    /// Whether the user wants the command to stop.
    pub(crate) fn is_asked(&self) -> bool {
        self.shared.asked.is_cancelled()
    }

    /// Whether a signal came while Terraform was running, even if Terraform has ended as if nothing had happened.
    pub(crate) fn was_during_terraform(&self) -> bool {
        self.shared.during_terraform.load(Ordering::Relaxed)
    }

    /// Whether the process is about to end. What was running has not done its work.
    pub(crate) fn is_forced(&self) -> bool {
        self.shared.is_forced.load(Ordering::Relaxed)
    }

    /// Passes signals on to Terraform, until the result is dropped.
    pub(crate) fn attach(&self, id: Option<u32>, is_foreground: bool) -> Attached<'_> {
        let id = id.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        *self.shared.running() = Some(Running { id, is_foreground });
        Attached(&self.shared)
    }
}

impl Drop for Interruption {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        *self.0.running() = None;
        self.0.detached.notify_one();
    }
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    Stop,
    Force,
}

async fn received(hang_up: &mut Option<tokio::signal::unix::Signal>) {
    match hang_up {
        Some(hang_up) => drop(hang_up.recv().await),
        None => std::future::pending().await,
    }
}

impl Shared {
    fn running(&self) -> std::sync::MutexGuard<'_, Option<Running>> {
        self.terraform
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, received: Signal) -> Demand {
        let running = *self.running();
        let is_second = self.asked.is_cancelled() || self.during_terraform.load(Ordering::Relaxed);
        if is_second {
            self.is_forced.store(true, Ordering::Relaxed);
        }
        match running {
            None => self.asked.cancel(),
            Some(running) => {
                self.during_terraform.store(true, Ordering::Relaxed);
                // A second SIGINT ends Terraform without saving the state, so it must not get the first one twice.
                let has_it = running.is_foreground && received == Signal::INT;
                if let Some(id) = running.id.filter(|_| !has_it) {
                    let _ended_already = kill_process(id, received);
                }
            }
        }
        match is_second {
            true => Demand::Force,
            false => Demand::Stop,
        }
    }

    /// Waits until Terraform has ended, if it runs.
    async fn without_terraform(&self) {
        while self.running().is_some() {
            self.detached.notified().await;
        }
    }
}

/// Whether Ctrl-C in the terminal goes to the process group of this process.
pub(crate) fn is_foreground() -> bool {
    File::open("/dev/tty").is_ok_and(|terminal| tcgetpgrp(terminal) == Ok(getpgrp()))
}
