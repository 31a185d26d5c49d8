//! Where states are kept: what a server asks of it.

use bytes::Bytes;

use crate::path::StatePath;

/// Keeps states and locks. Calls for different states, and reads, come at the same time.
///
/// A server runs every call to its end, even if the client that caused it disconnects.
pub trait Storage: Send + Sync + 'static {
    /// The state at this path, or `None` where there is none.
    fn read(
        &self,
        path: &StatePath,
    ) -> impl Future<Output = Result<Option<Bytes>, StorageError>> + Send;

    /// Replaces the state at this path. When this returns `Ok`, the new state is on disk.
    ///
    /// `lock` is the id that [`lock`](Storage::lock) returned, if the client holds a lock.
    fn write(
        &self,
        path: &StatePath,
        state: Bytes,
        lock: Option<&str>,
    ) -> impl Future<Output = Result<(), StorageError>> + Send;

    /// Removes the state at this path.
    fn delete(
        &self,
        path: &StatePath,
        lock: Option<&str>,
    ) -> impl Future<Output = Result<(), StorageError>> + Send;

    /// Locks the state at this path and returns the id of the lock.
    ///
    /// `info` is what the client says about itself, as JSON. A client that repeats a request has the same
    /// `ID` in it, and gets the same lock.
    fn lock(
        &self,
        path: &StatePath,
        operation: &str,
        info: &str,
    ) -> impl Future<Output = Result<String, StorageError>> + Send;

    /// Releases a lock.
    fn unlock(
        &self,
        path: &StatePath,
        release: Release<'_>,
    ) -> impl Future<Output = Result<(), StorageError>> + Send;
}

/// Which lock is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release<'a> {
    /// The one with this id, and no other.
    Lock(&'a str),
    /// Whatever lock there is: a user asked for `force-unlock`.
    Force,
}

/// Why a storage did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// Another client holds the lock.
    #[error("the state is locked")]
    Locked {
        /// The id of the lock that is held.
        lock: Option<String>,
        /// What its holder said about itself, as JSON.
        info: Option<String>,
    },
    /// The storage has no such operation.
    #[error("the storage does not support this")]
    Unsupported,
    /// Anything else, for the user to read.
    #[error("{0}")]
    Failed(String),
}
