//! A storage in memory, and a server in front of it.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tenon_state::{Release, Settings, StatePath, Storage, StorageError};
use tokio::sync::{Notify, Semaphore};

use crate::front::Front;

/// What a storage in memory has, and how it misbehaves.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) states: Mutex<HashMap<String, Bytes>>,
    /// The lock of a state: the storage's id and the info of its holder.
    pub(crate) locks: Mutex<HashMap<String, (String, String)>>,
    /// The storage grants every lock.
    pub(crate) grants_all: bool,
    /// The storage knows no locks.
    pub(crate) without_locks: bool,
    /// What a write fails with.
    pub(crate) broken: Mutex<Option<StorageError>>,
    /// Calls of `lock` take a permit of this, if it is set.
    pub(crate) gate: Option<Semaphore>,
    /// Told of every call that waits at the gate.
    pub(crate) waiting: Notify,
}

#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<Memory>);

impl Memory {
    fn check(&self, path: &StatePath, lock: Option<&str>) -> Result<(), StorageError> {
        match (self.locks.lock().unwrap().get(path.as_str()), lock) {
            (Some((held, info)), Some(given)) if held != given => Err(StorageError::Locked {
                lock: Some(held.clone()),
                info: Some(info.clone()),
            }),
            _ => Ok(()),
        }
    }
}

fn id_of(info: &str) -> String {
    let info: serde_json::Value = serde_json::from_str(info).unwrap();
    info["ID"].as_str().unwrap().to_owned()
}

impl Storage for Shared {
    async fn read(&self, path: &StatePath) -> Result<Option<Bytes>, StorageError> {
        Ok(self.0.states.lock().unwrap().get(path.as_str()).cloned())
    }

    async fn write(
        &self,
        path: &StatePath,
        state: Bytes,
        lock: Option<&str>,
    ) -> Result<(), StorageError> {
        if let Some(error) = self.0.broken.lock().unwrap().clone() {
            return Err(error);
        }
        self.0.check(path, lock)?;
        tokio::task::yield_now().await;
        let key = path.as_str().to_owned();
        self.0.states.lock().unwrap().insert(key, state);
        Ok(())
    }

    async fn delete(&self, path: &StatePath, lock: Option<&str>) -> Result<(), StorageError> {
        self.0.check(path, lock)?;
        self.0.states.lock().unwrap().remove(path.as_str());
        Ok(())
    }

    async fn lock(&self, path: &StatePath, _: &str, info: &str) -> Result<String, StorageError> {
        if self.0.without_locks {
            return Err(StorageError::Unsupported);
        }
        if let Some(gate) = &self.0.gate {
            self.0.waiting.notify_one();
            gate.acquire().await.unwrap().forget();
        }
        let mut locks = self.0.locks.lock().unwrap();
        match locks.get(path.as_str()) {
            Some((lock, held)) if id_of(held) != id_of(info) && !self.0.grants_all => {
                Err(StorageError::Locked {
                    lock: Some(lock.clone()),
                    info: Some(held.clone()),
                })
            }
            _ => {
                let lock = format!("storage-{}", id_of(info));
                locks.insert(path.as_str().to_owned(), (lock.clone(), info.to_owned()));
                Ok(lock)
            }
        }
    }

    async fn unlock(&self, path: &StatePath, release: Release<'_>) -> Result<(), StorageError> {
        if self.0.without_locks {
            return Err(StorageError::Unsupported);
        }
        if let Release::Lock(lock) = release {
            self.0.check(path, Some(lock))?;
        }
        self.0.locks.lock().unwrap().remove(path.as_str());
        Ok(())
    }
}

/// A server in front of a storage in memory.
pub(crate) struct Running {
    pub(crate) memory: Arc<Memory>,
    front: Front,
}

impl Running {
    pub(crate) async fn start(memory: Memory) -> Running {
        Running::with(memory, Settings::default()).await
    }

    pub(crate) async fn with(memory: Memory, settings: Settings) -> Running {
        let memory = Arc::new(memory);
        Running::on(memory, settings).await
    }

    pub(crate) async fn on(memory: Arc<Memory>, settings: Settings) -> Running {
        let storage = Arc::new(Shared(Arc::clone(&memory)));
        let front = Front::start(storage, settings).await;
        Running { memory, front }
    }

    /// Ends the server; the locks that were still held.
    pub(crate) async fn stop(self) -> Vec<(StatePath, String)> {
        self.front.stop().await
    }
}

impl Deref for Running {
    type Target = Front;

    fn deref(&self) -> &Front {
        &self.front
    }
}
