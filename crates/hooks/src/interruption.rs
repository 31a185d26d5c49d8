//! Ctrl-C and SIGTERM, while Terraform runs and between its commands.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Some programs send SIGTERM to a process and then to its group: that is one request.
const ECHO: Duration = Duration::from_millis(100);

/// Watches for signals while it exists.
///
/// While Terraform runs, signals are Terraform's: it saves the state and ends in its own time. Otherwise the
/// first one asks this process to stop, and the second one forces it.
pub struct Interruption {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    asked: CancellationToken,
    /// A signal came while Terraform was running.
    during_terraform: AtomicBool,
    terraform: Mutex<Option<Running>>,
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
    /// Starts to watch. `force` is called at the second signal, and should end the process.
    ///
    /// # Errors
    /// Signals cannot be watched.
    pub fn watch(force: impl Fn() + Send + 'static) -> io::Result<Interruption> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let shared = Arc::<Shared>::default();
        let watched = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            let mut terminated: Option<Instant> = None;
            loop {
                let received = tokio::select! {
                    _ = interrupt.recv() => Signal::INT,
                    _ = terminate.recv() => {
                        let last = terminated.replace(Instant::now());
                        if last.is_some_and(|last| last.elapsed() < ECHO) {
                            continue;
                        }
                        Signal::TERM
                    }
                };
                watched.receive(received, &force);
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
    }
}

impl Shared {
    fn running(&self) -> std::sync::MutexGuard<'_, Option<Running>> {
        self.terraform
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, received: Signal, force: &impl Fn()) {
        let running = *self.running();
        let Some(running) = running else {
            match self.asked.is_cancelled() {
                true => force(),
                false => self.asked.cancel(),
            }
            return;
        };
        self.during_terraform.store(true, Ordering::Relaxed);
        // A second SIGINT would end Terraform without saving the state, so it must not get this one twice.
        let has_it = running.is_foreground && received == Signal::INT;
        if let Some(id) = running.id.filter(|_| !has_it) {
            let _ended_already = kill_process(id, received);
        }
    }
}

/// Whether Ctrl-C in the terminal goes to the process group of this process.
pub(crate) fn is_foreground() -> bool {
    File::open("/dev/tty").is_ok_and(|terminal| tcgetpgrp(terminal) == Ok(getpgrp()))
}
