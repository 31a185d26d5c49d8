//! A blocked read cannot look at the clock; this thread does it and ends the server instead, which
//! turns the hang into an end of input.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::os;

pub struct Watchdog {
    calm: Option<Sender<()>>,
    bitten: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Ends the process unless the watchdog is dropped in time.
    pub fn over(pid: u32, patience: Duration) -> Self {
        let (calm, waiting) = mpsc::channel();
        let bitten = Arc::new(AtomicBool::new(false));
        let mark = bitten.clone();
        let thread = std::thread::spawn(move || {
            if waiting.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                mark.store(true, Ordering::Release);
                os::kill(pid);
            }
        });
        Watchdog {
            calm: Some(calm),
            bitten,
            thread: Some(thread),
        }
    }

    pub fn has_bitten(&self) -> bool {
        self.bitten.load(Ordering::Acquire)
    }
}

impl Drop for Watchdog {
    /// Waits for the thread, so that no kill can follow the wait for the process.
    fn drop(&mut self) {
        self.calm.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
