//! The storage of states.

use tenon_protocols::seasonings::calls::storage;

use super::{Failed, Host};
use crate::Lock;

/// A client of the plugin's [`Storage`](crate::Storage), with the same functions.
#[derive(Clone, Copy, Debug)]
pub struct StorageClient<'a>(&'a Host);

impl Host {
    /// The plugin's storage.
    pub fn storage(&self) -> StorageClient<'_> {
        StorageClient(self)
    }
}

/// All of these fail if the plugin's function fails, or if it has none.
impl StorageClient<'_> {
    /// The state at this path; `None` if there is none.
    ///
    /// # Errors
    /// It could not be read.
    pub async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failed> {
        let state = self.0.ask(&storage::Read { path }).await?;
        Ok(state.map(Into::into))
    }

    /// Replaces the state at this path.
    ///
    /// # Errors
    /// It could not be written, or another client has the lock.
    pub async fn write(
        &self,
        path: &str,
        state: &[u8],
        lock_id: Option<&str>,
    ) -> Result<(), Failed> {
        let call = storage::Write {
            path,
            state,
            lock_id,
        };
        self.0.ask(&call).await?;
        Ok(())
    }

    /// Locks the state at this path, and returns the id of the lock.
    ///
    /// # Errors
    /// Another client has the lock.
    pub async fn lock(&self, path: &str, wanted: &Lock) -> Result<String, Failed> {
        let call = storage::Lock {
            path,
            operation: "test",
            info: &wanted.info,
        };
        self.0.ask(&call).await
    }

    /// Releases a lock; without an id, any lock.
    ///
    /// # Errors
    /// Another lock is held.
    pub async fn unlock(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failed> {
        self.0.ask(&storage::Unlock { path, lock_id }).await?;
        Ok(())
    }

    /// The paths of all states that begin with this prefix.
    ///
    /// # Errors
    /// They could not be listed.
    pub async fn list(&self, prefix: &str) -> Result<Vec<String>, Failed> {
        let prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
        self.0.ask(&storage::List { prefix }).await
    }

    /// Deletes the state at this path.
    ///
    /// # Errors
    /// It could not be deleted, or another client has the lock.
    pub async fn delete(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failed> {
        self.0.ask(&storage::Delete { path, lock_id }).await?;
        Ok(())
    }
}
