//! Ctrl-C, SIGTERM and SIGHUP, for work that is finished in order.

use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::exit::{Code, Failure};

/// Some programs send SIGTERM to a process and then to its group: that is one request.
const ECHO: Duration = Duration::from_millis(100);

/// Watches for signals while it exists. The first one asks to stop, the second one exits immediately.
pub(crate) struct Signals {
    interrupt: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Signals {
    pub(crate) fn watch() -> Result<Signals, Failure> {
        let mut ctrl_c = signal(SignalKind::interrupt()).map_err(Failure::cannot_start)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(Failure::cannot_start)?;
        let mut hang_up = HangUp::watch()?;
        let interrupt = CancellationToken::new();
        let asked = interrupt.clone();
        let task = tokio::spawn(async move {
            let mut terminated: Option<Instant> = None;
            loop {
                tokio::select! {
                    _ = ctrl_c.recv() => {}
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
        if is_hang_up_ignored() {
            return Ok(HangUp(None));
        }
        let hang_up = signal(SignalKind::hangup()).map_err(Failure::cannot_start)?;
        Ok(HangUp(Some(hang_up)))
    }

    pub(crate) async fn received(&mut self) {
        match &mut self.0 {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}

/// Whether this process was started to ignore SIGHUP. Where the system does not report it, it was not.
fn is_hang_up_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // SIGHUP is number 1, which is the lowest bit.
    mask.is_some_and(|mask| mask & 1 == 1)
}
