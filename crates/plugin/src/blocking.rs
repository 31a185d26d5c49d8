//! Work that blocks its thread.

use std::panic::resume_unwind;

/// Runs work that blocks its thread, on a thread of its own, and waits for its result.
///
/// A plugin reads its host and runs all of its calls on one thread, so a call that blocks it for long
/// (a database driver without async, `std::fs` on a slow disk, a long calculation) keeps other calls,
/// pings and cancellations waiting. A few milliseconds do not matter.
///
/// ```
/// use tenon_plugin::{Failure, Plugin, attributes, blocking};
///
/// attributes! {
///     struct Count {
///         file: String,
///     }
///     struct Counted {
///         lines: u64,
///     }
/// }
///
/// let plugin = Plugin::new("counter", "1.0.0").action("count", "Counts lines", |_, count: Count| async move {
///     let text = blocking(move || std::fs::read_to_string(count.file)).await;
///     let text = text.map_err(|error| Failure::new(error.to_string()))?;
///     Ok(Counted { lines: text.lines().count() as u64 })
/// });
/// # drop(plugin);
/// ```
///
/// The work cannot be interrupted: if its call is cancelled, it continues to its end, and its result is
/// dropped. It is `tokio::task::spawn_blocking` without the errors of joining.
///
/// # Panics
/// The work panics; the call fails as it would without `blocking`. Or there is no tokio runtime, which
/// [`Plugin::serve`](crate::Plugin::serve) starts.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime ends, and with it everything that waits.
            Err(_) => std::future::pending().await,
        },
    }
}
