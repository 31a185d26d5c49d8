//! What the methods of Terraform's `http` backend do, without HTTP.

use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;

use crate::answer::{Done, Refusal};
use crate::locks::{Held, Holder, Locks};
use crate::path::StatePath;
use crate::recognition::is_state;
use crate::storage::{Release, Storage, StorageError};

pub(crate) struct Backend<S> {
    storage: Arc<S>,
    pub(crate) locks: Arc<Locks>,
}

const NOT_A_STATE: &str = "the body is not a state: it has no number `version`, so it is not stored. Locks have an \
     address of their own, which the variable TF_HTTP_LOCK_ADDRESS has";

const UNLOCK_AS_DELETE: &str = "the request deletes the state and has a body, as one that releases a lock has; the state \
     is kept. Locks are released at an address of their own, which the variable TF_HTTP_UNLOCK_ADDRESS has";

/// What a client says about itself when it locks a state. The rest is for people.
#[derive(Deserialize)]
struct LockInfo {
    #[serde(rename = "ID")]
    id: String,
    #[serde(rename = "Operation", default)]
    operation: String,
}

impl<S: Storage> Backend<S> {
    pub(crate) fn new(storage: Arc<S>) -> Backend<S> {
        Backend {
            storage,
            locks: Arc::default(),
        }
    }

    pub(crate) async fn read(&self, path: &StatePath) -> Result<Done, Refusal> {
        match self.storage.read(path).await {
            // An empty state means the same as none.
            Ok(Some(state)) if !state.is_empty() => Ok(Done::State(state)),
            Ok(_) => Ok(Done::NoState),
            Err(error) => Err(refusal(error)),
        }
    }

    /// `client` is the id of the lock that the client says it holds.
    pub(crate) async fn write(
        &self,
        path: &StatePath,
        client: Option<&str>,
        state: Bytes,
    ) -> Result<Done, Refusal> {
        if !is_state(&state) {
            return Err(Refusal::Invalid(NOT_A_STATE.into()));
        }
        let lock = self.lock_of(path, client)?;
        let written = self.storage.write(path, state, lock.as_deref()).await;
        written.map(|()| Done::Changed).map_err(not_held)
    }

    pub(crate) async fn delete(
        &self,
        path: &StatePath,
        client: Option<&str>,
        body: &[u8],
    ) -> Result<Done, Refusal> {
        // Terraform deletes without a body; one that unlocks with DELETE sends its lock info.
        if !body.is_empty() {
            return Err(Refusal::Invalid(UNLOCK_AS_DELETE.into()));
        }
        let lock = self.lock_of(path, client)?;
        let deleted = self.storage.delete(path, lock.as_deref()).await;
        deleted.map(|()| Done::Changed).map_err(not_held)
    }

    pub(crate) async fn lock(&self, path: &StatePath, body: &[u8]) -> Result<Done, Refusal> {
        let (text, info) = lock_info(body)?;
        let mut held = Held {
            client: info.id,
            storage: None,
            info: text.to_owned(),
        };
        match self.storage.lock(path, &info.operation, text).await {
            Ok(lock) => {
                held.storage = Some(lock);
                let client = held.client.clone();
                Ok(match self.locks.granted(path, held) {
                    None => Done::Changed,
                    Some(other) => Done::Displaced(format!(
                        "the storage has granted the lock to {client}, although {} has not released it; writes of \
                         {} are refused from now on",
                        other.client, other.client
                    )),
                })
            }
            Err(StorageError::Unsupported) => match self.locks.take(path, held) {
                Ok(()) => Ok(Done::Changed),
                Err(other) => Err(Refusal::Locked(other.info)),
            },
            Err(StorageError::Locked { lock, info }) => {
                Err(Refusal::Locked(holder_info(lock.as_deref(), info)))
            }
            Err(error) => Err(refusal(error)),
        }
    }

    pub(crate) async fn unlock(&self, path: &StatePath, body: &[u8]) -> Result<Done, Refusal> {
        // Terraform's `force-unlock` sends no body.
        if body.is_empty() {
            // Another client may take the lock as soon as the storage has released it.
            let client = self.locks.client(path);
            self.release(path, Release::Force).await?;
            if let Some(client) = client {
                self.locks.released(path, &client);
            }
            return Ok(Done::Changed);
        }
        let (text, info) = lock_info(body)?;
        match self.locks.holder(path, &info.id) {
            Holder::Same(None) => {}
            Holder::Same(Some(lock)) => self.release(path, Release::Lock(&lock)).await?,
            Holder::Other(other) => return Err(held_by_another(&info.id, &other.client)),
            Holder::Unknown => self.release_earlier(path, &info, text).await?,
        }
        self.locks.released(path, &info.id);
        Ok(Done::Changed)
    }

    async fn release(&self, path: &StatePath, release: Release<'_>) -> Result<(), Refusal> {
        match self.storage.unlock(path, release).await {
            Ok(()) | Err(StorageError::Unsupported) => Ok(()),
            Err(error) => Err(not_held(error)),
        }
    }

    /// Releases a lock that was taken through an earlier server: locking again with the same id gives the
    /// same lock, and with it the id that the storage chose.
    async fn release_earlier(
        &self,
        path: &StatePath,
        info: &LockInfo,
        text: &str,
    ) -> Result<(), Refusal> {
        match self.storage.lock(path, &info.operation, text).await {
            Ok(lock) => self.release(path, Release::Lock(&lock)).await,
            Err(StorageError::Unsupported) => Ok(()),
            Err(error) => Err(not_held(error)),
        }
    }

    /// The storage's id of the lock that a client says it holds.
    ///
    /// A client without a lock (`-lock=false`) may write: its user has chosen so.
    fn lock_of(&self, path: &StatePath, client: Option<&str>) -> Result<Option<String>, Refusal> {
        let Some(client) = client else {
            return Ok(None);
        };
        match self.locks.holder(path, client) {
            Holder::Same(lock) => Ok(lock),
            Holder::Other(other) => Err(held_by_another(client, &other.client)),
            Holder::Unknown => Err(Refusal::NotHeld(format!(
                "the lock {client} is not held: it was released, or taken through another server"
            ))),
        }
    }
}

/// The text of a lock request, and what is needed of it.
fn lock_info(body: &[u8]) -> Result<(&str, LockInfo), Refusal> {
    let text =
        str::from_utf8(body).map_err(|_| Refusal::Invalid("the lock info is not UTF-8".into()))?;
    match LockInfo::read(text) {
        Ok(info) => Ok((text, info)),
        Err(problem) => Err(Refusal::Invalid(format!("the lock info {problem}"))),
    }
}

impl LockInfo {
    /// Reads what a client sends; the error says what is wrong with it.
    fn read(text: &str) -> Result<LockInfo, String> {
        // An array would be taken by position.
        if !text.trim_start().starts_with('{') {
            return Err("is not a JSON object".to_owned());
        }
        let info: LockInfo =
            serde_json::from_str(text).map_err(|error| format!("cannot be read: {error}"))?;
        match info.id.is_empty() {
            true => Err("has an empty ID".to_owned()),
            false => Ok(info),
        }
    }
}

/// What Terraform shows of the holder: its lock info, or the id alone where there is no more.
fn holder_info(lock: Option<&str>, info: Option<String>) -> String {
    info.filter(|info| LockInfo::read(info).is_ok())
        .unwrap_or_else(|| {
            serde_json::json!({ "ID": lock.unwrap_or("unknown"), "Operation": "", "Info": "" })
                .to_string()
        })
}

fn held_by_another(client: &str, holder: &str) -> Refusal {
    Refusal::NotHeld(format!(
        "the lock {client} is not held: {holder} holds the state"
    ))
}

fn refusal(error: StorageError) -> Refusal {
    let text = error.to_string();
    match error {
        StorageError::Locked { lock, info } => Refusal::Locked(holder_info(lock.as_deref(), info)),
        StorageError::Unsupported => Refusal::Unsupported(text),
        StorageError::Failed(_) => Refusal::Failed(text),
    }
}

/// As [`refusal`], for requests of a client that should hold the lock already.
fn not_held(error: StorageError) -> Refusal {
    match error {
        StorageError::Locked { lock, .. } => Refusal::NotHeld(match lock {
            Some(lock) => format!("the storage says that another lock is held: {lock}"),
            None => "the storage says that another lock is held".into(),
        }),
        error => refusal(error),
    }
}
