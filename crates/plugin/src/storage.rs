//! Storage of Terraform's states.

use std::future::Future;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::parts::Work;

/// Keeps the states of Terraform and OpenTofu, for `tenon terraform` and `tenon state serve`.
///
/// The name of a state, its `path`, is relative and has no empty, `.` or `..` segments, so that it can be a
/// file below a folder. Functions may be written as `async fn`. Calls run concurrently on one thread, so one
/// that blocks delays the others.
///
/// A storage without locks leaves out [`lock`](Storage::lock) and [`unlock`](Storage::unlock); then the host
/// keeps locks itself, for its own clients.
pub trait Storage: Send + Sync + 'static {
    /// The state at this path; `None` if there is none.
    fn read(&self, path: &str) -> impl Future<Output = Result<Option<Vec<u8>>, Failure>> + Send;

    /// Replaces the state at this path. When it returns, the new state is on disk; if the process is
    /// killed before, the old one is there, as a whole.
    ///
    /// # Errors
    /// With a `lock_id` that is not the one of the lock that is held: [`Failure::locked`]. A client
    /// without one has chosen to go without a lock.
    fn write(
        &self,
        path: &str,
        state: &[u8],
        lock_id: Option<&str>,
    ) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Locks the state at this path and returns the id of the lock: `wanted.id`, unless the storage has
    /// ids of its own. A client that has the lock already gets it again.
    ///
    /// # Errors
    /// Another client has the lock: [`Failure::locked`].
    fn lock(
        &self,
        path: &str,
        wanted: Lock,
    ) -> impl Future<Output = Result<String, Failure>> + Send {
        let _ = (path, wanted);
        std::future::ready(Err(Failure::unsupported()))
    }

    /// Releases the lock of this id; without an id, any lock. If there is no lock, that is a success.
    ///
    /// # Errors
    /// Another lock is held: [`Failure::locked`].
    fn unlock(
        &self,
        path: &str,
        lock_id: Option<&str>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        let _ = (path, lock_id);
        std::future::ready(Err(Failure::unsupported()))
    }

    /// The paths of all states that begin with this prefix.
    fn list(&self, prefix: &str) -> impl Future<Output = Result<Vec<String>, Failure>> + Send {
        let _ = prefix;
        std::future::ready(Err(Failure::unsupported()))
    }

    /// Deletes the state at this path. If there is none, that is a success.
    ///
    /// # Errors
    /// As for [`write`](Storage::write).
    fn delete(
        &self,
        path: &str,
        lock_id: Option<&str>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        let _ = (path, lock_id);
        std::future::ready(Err(Failure::unsupported()))
    }
}

/// A lock, as a storage keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// The id, which the client chose. A client that repeats its request has the same one.
    pub id: String,
    /// What the client says about itself, as JSON: who it is, what for, since when.
    pub info: String,
}

impl Lock {
    /// Checks the id of a client against the lock that is held, for a change that the lock protects. A
    /// client without an id may make it.
    ///
    /// # Errors
    /// The client has lost its lock: [`Failure::locked`].
    ///
    /// ```
    /// use tenon_plugin::Lock;
    ///
    /// let held = Lock { id: "a".into(), info: "{}".into() };
    /// assert!(Lock::check(Some(&held), Some("a")).is_ok());
    /// assert!(Lock::check(Some(&held), None).is_ok());
    /// assert!(Lock::check(Some(&held), Some("b")).is_err());
    /// assert!(Lock::check(None, Some("a")).is_err());
    /// ```
    pub fn check(held: Option<&Lock>, lock_id: Option<&str>) -> Result<(), Failure> {
        match (lock_id, held) {
            (Some(id), Some(held)) if held.id == id => Ok(()),
            (Some(_), held) => Err(Failure::locked(held.cloned())),
            (None, _) => Ok(()),
        }
    }
}

/// A storage that is shared with something else, such as the functions of a plugin.
impl<T: Storage> Storage for Arc<T> {
    fn read(&self, path: &str) -> impl Future<Output = Result<Option<Vec<u8>>, Failure>> + Send {
        T::read(self, path)
    }

    fn write(
        &self,
        path: &str,
        state: &[u8],
        lock_id: Option<&str>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        T::write(self, path, state, lock_id)
    }

    fn lock(
        &self,
        path: &str,
        wanted: Lock,
    ) -> impl Future<Output = Result<String, Failure>> + Send {
        T::lock(self, path, wanted)
    }

    fn unlock(
        &self,
        path: &str,
        lock_id: Option<&str>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        T::unlock(self, path, lock_id)
    }

    fn list(&self, prefix: &str) -> impl Future<Output = Result<Vec<String>, Failure>> + Send {
        T::list(self, prefix)
    }

    fn delete(
        &self,
        path: &str,
        lock_id: Option<&str>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        T::delete(self, path, lock_id)
    }
}

/// What a storage is asked for.
pub(crate) enum Asked {
    Read,
    Write(bytes::Bytes, Option<String>),
    Lock(Lock),
    Unlock(Option<String>),
    Delete(Option<String>),
}

/// What it returns.
pub(crate) enum Returned {
    State(Option<Vec<u8>>),
    LockId(String),
    Done,
}

/// A [`Storage`] behind a pointer.
pub(crate) trait AnyStorage: Send + Sync {
    fn ask(self: Arc<Self>, path: String, asked: Asked) -> Work<Result<Returned, Failure>>;

    fn list(self: Arc<Self>, prefix: String) -> Work<Result<Vec<String>, Failure>>;
}

impl<T: Storage> AnyStorage for T {
    fn ask(self: Arc<Self>, path: String, asked: Asked) -> Work<Result<Returned, Failure>> {
        Box::pin(async move {
            match asked {
                Asked::Read => Ok(Returned::State(Storage::read(&*self, &path).await?)),
                Asked::Lock(wanted) => {
                    let id = Storage::lock(&*self, &path, wanted).await?;
                    Ok(Returned::LockId(id))
                }
                Asked::Write(state, id) => {
                    Storage::write(&*self, &path, &state, id.as_deref()).await?;
                    Ok(Returned::Done)
                }
                Asked::Unlock(id) => {
                    Storage::unlock(&*self, &path, id.as_deref()).await?;
                    Ok(Returned::Done)
                }
                Asked::Delete(id) => {
                    Storage::delete(&*self, &path, id.as_deref()).await?;
                    Ok(Returned::Done)
                }
            }
        })
    }

    fn list(self: Arc<Self>, prefix: String) -> Work<Result<Vec<String>, Failure>> {
        Box::pin(async move { Storage::list(&*self, &prefix).await })
    }
}
