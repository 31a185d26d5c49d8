//! Work that waits for a disk.

use std::panic::resume_unwind;

use tenon_plugin::Failure;

/// Does it on a thread that may wait, so that the provider continues answering.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(error) => Err(error.into()),
        },
    }
}
