//! Ctrl-C, SIGTERM and SIGHUP (Ctrl-Break and a closed console on Windows), for work that is finished in order.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::exit::{Code, Failure};
use crate::platform::{self, Signal};

/// Some programs send SIGTERM to a process and then to its group: that is one request.
const ECHO: Duration = Duration::from_millis(100);

/// Watches for signals while it exists. The first one asks to stop, the second one exits immediately.
pub(crate) struct Signals {
    interrupt: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Signals {
    pub(crate) fn watch() -> Result<Signals, Failure> {
        Signals::watch_all(false)
    }

    /// As [`watch`](Signals::watch), but SIGINT stays ignored if it was ignored when this process started. A shell does
    /// that to what a script runs in the background: Ctrl-C is not for it.
    pub(crate) fn watch_in_background() -> Result<Signals, Failure> {
        Signals::watch_all(is_ignored(INTERRUPT))
    }

    fn watch_all(ignores_ctrl_c: bool) -> Result<Signals, Failure> {
        let mut ctrl_c = match ignores_ctrl_c {
            true => None,
            false => Some(platform::interrupt().map_err(Failure::cannot_start)?),
        };
        let mut terminate = platform::terminate().map_err(Failure::cannot_start)?;
        let mut hang_up = HangUp::watch()?;
        let interrupt = CancellationToken::new();
        let asked = interrupt.clone();
        let task = tokio::spawn(async move {
            let mut terminated: Option<Instant> = None;
            loop {
                tokio::select! {
                    () = received(&mut ctrl_c) => {}
                    () = hang_up.received() => {}
                    _ = terminate.recv() => {
                        let last = terminated.replace(Instant::now());
                        if last.is_some_and(|last| last.elapsed() < ECHO) {
                            continue;
                        }
                    }
                }
                if asked.is_cancelled() {
                    // The journal is as it should be at any moment, and the guardian ends the
                    // providers.
                    std::process::exit(Code::Interrupted as i32);
                }
                asked.cancel();
            }
        });
        Ok(Signals { interrupt, task })
    }

    /// Is cancelled by the first signal.
    pub(crate) fn interrupt(&self) -> &CancellationToken {
        &self.interrupt
    }

    /// Work that nothing depends on yet: dropping it ends every process it started.
    pub(crate) async fn interruptible<T, E: From<Failure>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        tokio::select! {
            outcome = work => outcome,
            () = self.interrupt.cancelled() => Err(Failure::interrupted().into()),
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// SIGHUP: the terminal is closed. Under nohup it is ignored.
pub(crate) struct HangUp(Option<Signal>);

impl HangUp {
    pub(crate) fn watch() -> Result<HangUp, Failure> {
        if ignores_hang_up() {
            return Ok(HangUp(None));
        }
        let hang_up = platform::hang_up().map_err(Failure::cannot_start)?;
        Ok(HangUp(Some(hang_up)))
    }

    pub(crate) async fn received(&mut self) {
        received(&mut self.0).await;
    }
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// The numbers of signals.
const HANG_UP: u32 = 1;
const INTERRUPT: u32 = 2;

/// Whether this process was started to ignore SIGHUP, as nohup does.
pub(crate) fn ignores_hang_up() -> bool {
    is_ignored(HANG_UP)
}

/// Whether this process was started to ignore a signal. Where the system does not report it, it was not.
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is signal 1.
    mask.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}
