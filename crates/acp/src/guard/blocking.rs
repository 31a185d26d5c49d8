//! Work with files, on other threads: a folder on a server that is gone blocks each access, and the guard has to
//! pass messages, keep its timeouts and end meanwhile.

use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// How long looking at files may take, as reading one may.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// The work exceeded its time limit. It continues, and its result is dropped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TimedOut;

/// Does something on another thread.
pub(super) async fn off_thread<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TimedOut> {
    match timeout(limit, spawn_blocking(work)).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(failed)) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends.
            Err(_cancelled) => Err(TimedOut),
        },
        Err(_elapsed) => Err(TimedOut),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn blocking_work_is_abandoned_after_its_limit() {
        assert_eq!(off_thread(LIMIT, || 1).await, Ok(1));
        let (end, ended) = std::sync::mpsc::sync_channel::<()>(1);
        let stuck = off_thread(Duration::from_millis(1), move || ended.recv().is_ok()).await;
        assert_eq!(stuck, Err(TimedOut));
        drop(end);
    }
}
