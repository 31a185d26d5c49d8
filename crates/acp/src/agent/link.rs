//! What all sessions of a connection share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_protocols::acp::{Profile, Side, method};
use tenon_rpc::Payload;
use tokio::time::Instant;

use super::AgentError;
use super::store::Store;
use crate::gates::Gates;

/// The client of a connection, and where its sessions are kept.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) gates: Mutex<Gates>,
    pub(crate) profile: Profile,
    pub(crate) store: Option<Store>,
    pub(crate) started: Instant,
}

impl Link {
    pub(crate) fn gates(&self) -> MutexGuard<'_, Gates> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the client supports a message.
    pub(crate) fn check(&self, name: &'static str, params: &Payload) -> Result<(), AgentError> {
        let Some(entry) = method(name) else {
            return Ok(());
        };
        let checked = self.gates().check(entry, Side::Client, Some(params));
        checked.map_err(|error| {
            let data: serde_json::Value = { error.data.as_ref() }
                .and_then(|data| data.decode().ok())
                .unwrap_or_default();
            let capability = data["capability"].as_str().unwrap_or("it");
            let details = format!("the client has not stated `{capability}`");
            AgentError::Unsupported {
                method: entry.name,
                details,
            }
        })
    }
}
