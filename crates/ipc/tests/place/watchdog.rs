//! Ends a test program that hangs, and says in which test.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// No test takes a tenth of this. Under Wine all programs share one server, which a busy machine slows down.
pub(crate) const LIMIT: Duration = Duration::from_secs(if cfg!(windows) { 120 } else { 25 });

/// Watches one test until it is dropped. A thread, since a runtime that hangs runs no timers.
pub(crate) struct Watchdog {
    _alive: SyncSender<()>,
}

impl Watchdog {
    pub(crate) fn start() -> Watchdog {
        let (alive, gone) = sync_channel(1);
        let test = thread::current().name().unwrap_or("a test").to_owned();
        thread::spawn(move || {
            if gone.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                let _last_words = writeln!(std::io::stderr(), "{test} hangs: {LIMIT:?} are over");
                std::process::exit(101);
            }
        });
        Watchdog { _alive: alive }
    }
}
