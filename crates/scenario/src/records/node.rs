//! What a record holds about one action.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::event::Status;
use crate::masked::{Masked, Way};
use crate::records::kept::Sealed;
use crate::records::undo::Undo;

/// What the secrets in an action's outputs belong to.
pub(crate) fn outputs_owner(address: &str) -> String {
    format!("outputs {address}")
}

/// The state of one action.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Its address in the scenario.
    pub address: String,
    /// Its provider's name in the scenario.
    pub provider: String,
    /// Its outcome.
    pub status: Status,
    /// When it was handed to its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How often it was tried, if more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// While its outcome is unknown: the SHA-256 of what its provider was given, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attributes_sha256: Option<String>,
    /// What was done before because it needs it: actions and groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) after: Vec<String>,
    /// What it returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Box<RawValue>>,
    /// Where secrets were in that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<Way>,
    /// Those secrets, encrypted: what going on with the run needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sealed: Vec<Sealed>,
    /// What undoes it; nothing if it has no teardown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undo: Option<Undo>,
    /// What undoes earlier executions of it, if it was run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) earlier: Vec<Undo>,
    /// Why it failed or was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The status of undoing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<Status>,
    /// Why it could not be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown_error: Option<String>,
}

impl NodeRecord {
    /// What it returned, as far as it was kept.
    pub(crate) fn masked_outputs(&self) -> Option<Masked> {
        let value = self.outputs.clone()?;
        Some(Masked {
            value,
            sensitive: self.sensitive.clone(),
        })
    }

    /// It is about to be run again, or was to be: what is there from before stays to be undone.
    pub(crate) fn retire(&mut self) {
        if matches!(self.status, Status::Succeeded | Status::Maybe) {
            self.earlier.extend(self.undo.take());
        }
    }

    /// Refuses what undoes it if that names a provider that the record does not have.
    ///
    /// # Errors
    /// A provider is named that is beyond `count`.
    pub(crate) fn check_providers(&self, count: usize) -> Result<(), String> {
        let undos = self.undo.iter().chain(&self.earlier);
        let mut providers = undos.filter_map(|undo| Some(undo.call.as_ref()?.provider));
        match providers.find(|provider| *provider >= count) {
            Some(provider) => Err(format!(
                "it is damaged: {} is undone by provider {provider}, counted from 0, and there are \
                 {count} providers",
                self.address
            )),
            None => Ok(()),
        }
    }

    /// Sets the status of undoing it, or an earlier execution of it.
    pub(crate) fn set_teardown(
        &mut self,
        earlier: Option<usize>,
        status: Status,
        error: Option<String>,
    ) {
        match earlier {
            Some(index) => {
                if let Some(undo) = self.earlier.get_mut(index) {
                    undo.status = Some(status);
                    undo.error = error;
                }
            }
            None => {
                self.teardown = Some(status);
                self.teardown_error = error;
            }
        }
    }

    /// Whether its outcome is unknown, and its provider would not be given the same again.
    pub(crate) fn has_changed(&self, digest: Option<&str>) -> bool {
        let before = self.attributes_sha256.as_deref();
        self.status == Status::Maybe && before.is_some() && before != digest
    }

    /// Whether something is left to be undone.
    pub(crate) fn is_there(&self) -> bool {
        matches!(self.status, Status::Succeeded | Status::Maybe)
            && self.teardown != Some(Status::Succeeded)
    }

    /// Whether a teardown undid it, or may have.
    pub(crate) fn may_be_undone(&self) -> bool {
        matches!(self.teardown, Some(Status::Succeeded | Status::Maybe))
    }

    pub(crate) fn new(address: &str, provider: String) -> NodeRecord {
        NodeRecord {
            address: address.to_owned(),
            provider,
            status: Status::Pending,
            started_at: None,
            duration_ms: None,
            attempts: None,
            attributes_sha256: None,
            after: Vec::new(),
            outputs: None,
            sensitive: Vec::new(),
            sealed: Vec::new(),
            undo: None,
            earlier: Vec::new(),
            error: None,
            teardown: None,
            teardown_error: None,
        }
    }
}
