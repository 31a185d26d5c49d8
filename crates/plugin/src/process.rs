//! A plugin as a process: stdin and stdout are the protocol's, stderr is for people.

use std::future::Future;
use std::io::{self, Write};

use tenon_rpc::{CloseReason, Io};

/// Serves on stdin and stdout, on a runtime of its own.
pub(crate) fn serve_stdio<F, W>(serve: F) -> Result<(), String>
where
    F: FnOnce(Io) -> W,
    W: Future<Output = Result<(), String>>,
{
    let runtime = tenon_rpc::check_descriptors()
        .and_then(|()| {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
        })
        .map_err(|error| format!("the runtime could not be started: {error}"))?;
    let served = runtime.block_on(async {
        let io = Io::stdio().map_err(|error| format!("stdin and stdout: {error}"))?;
        serve(io).await
    });
    // A stdin that is not a pipe is read on a thread of its own, which may wait for a line that
    // never comes.
    runtime.shutdown_background();
    served
}

/// The signals that ask a plugin to end. On Windows these are events of the console: a host sends Ctrl-Break.
pub(crate) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(windows)]
    terminate: tokio::signal::windows::CtrlBreak,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
    #[cfg(windows)]
    hang_up: tokio::signal::windows::CtrlClose,
}

impl Signals {
    /// Catches them from now on: they no longer end the process.
    pub(crate) fn catch() -> io::Result<Signals> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Signals {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
            })
        }
        #[cfg(windows)]
        {
            use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
            Ok(Signals {
                terminate: ctrl_break()?,
                interrupt: ctrl_c()?,
                hang_up: ctrl_close()?,
            })
        }
    }

    /// Waits for the next one, and returns the exit code of a process that it ends.
    pub(crate) async fn next(&mut self) -> i32 {
        #[cfg(unix)]
        let code = tokio::select! {
            _ = self.terminate.recv() => 128 + 15,
            _ = self.interrupt.recv() => 128 + 2,
        };
        #[cfg(windows)]
        let code = tokio::select! {
            _ = self.terminate.recv() => 128 + 15,
            _ = self.interrupt.recv() => 128 + 2,
            _ = self.hang_up.recv() => 128 + 1,
        };
        code
    }
}

/// Why a connection ended, in words.
pub(crate) fn explain(reason: CloseReason) -> String {
    match reason {
        // What the host sent may hold secrets, so its first bytes are not quoted.
        CloseReason::BrokenStream(error) => format!("broken input: {}", error.problem),
        reason => reason.to_string(),
    }
}

/// Writes to stderr. If that fails, there is no other place for the text.
pub(crate) fn tell(text: &str) {
    let _unheard = io::stderr().write_all(text.as_bytes());
}
