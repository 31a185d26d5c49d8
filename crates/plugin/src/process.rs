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
