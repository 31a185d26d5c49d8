//! Run records: what a run did, for people, for tools, and for going on later.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::environment::EnvironmentRecord;
use crate::event::RunStatus;
use crate::masked::{Masked, Way};
use crate::records::kept::{Sealed, Sealer};
use crate::records::node::NodeRecord;
use crate::records::seal::{RecordKey, WrongKey};
use crate::records::undo::ProviderRecord;

/// What this version writes.
pub const FORMAT: u32 = 2;

/// What a run did: `orchard_<scenario>_run_<id>.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// What is in it: [`FORMAT`] if it was written by this version. The first records had no such
    /// number; they hold nothing about teardowns.
    #[serde(default)]
    pub format: u32,
    /// The scenario's name.
    pub scenario: String,
    /// The scenario file, by its absolute path.
    pub path: PathBuf,
    /// When it began, and eight letters that no other run has.
    pub id: String,
    /// Its outcome.
    pub status: RunStatus,
    /// What is in progress, as long as the journal has more than the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) in_progress: Option<InProgress>,
    /// What is being run again although it was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) redo: Vec<String>,
    /// When it began.
    pub started_at: String,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// What the scenario was given.
    pub variables: BTreeMap<String, Box<RawValue>>,
    /// Where secrets were in them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sensitive_variables: BTreeMap<String, Vec<Way>>,
    /// Shows whether a key is the one that the secrets of the record are encrypted with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Secrets in variables, encrypted: what going on with the run needs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) sealed_variables: BTreeMap<String, Vec<Sealed>>,
    /// Masked variables that had their defaults.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) default_variables: BTreeSet<String>,
    /// The providers that undo something, with their configurations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) providers: Vec<ProviderRecord>,
    /// What of our environment all providers got, by name.
    #[serde(default, skip_serializing_if = "EnvironmentRecord::is_empty")]
    pub environment: EnvironmentRecord,
    /// The nodes behind the addresses of components and of repeated actions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) groups: BTreeMap<String, BTreeSet<String>>,
    /// Its actions, in order.
    pub nodes: Vec<NodeRecord>,
    /// What it told in the end.
    pub outputs: BTreeMap<String, Box<RawValue>>,
    /// Where secrets were in that.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sensitive_outputs: BTreeMap<String, Vec<Way>>,
    /// What was not true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_asserts: Vec<FailedAssert>,
    /// Why providers could not be started, if that is how it ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provider_errors: Vec<String>,
    /// The files it was read from, with the SHA-256 of each.
    #[serde(default)]
    pub files: BTreeMap<PathBuf, String>,
}

/// What is being done while a journal is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InProgress {
    Run,
    Teardown,
}

/// An assert that was not true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAssert {
    /// The output it belongs to.
    pub output: String,
    /// The message.
    pub message: String,
}

/// What a variable's secrets belong to.
pub(crate) fn variable_owner(name: &str) -> String {
    format!("variable {name}")
}

impl Record {
    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("orchard_{}_run_{}.json", self.scenario, self.id)
    }

    /// The files that are needed to continue with the run or to undo it: those that it was read from,
    /// and the programs of its providers.
    pub fn files_of(&self) -> Vec<PathBuf> {
        let programs = self.providers.iter().filter_map(|one| one.source.path());
        { self.files.keys().cloned() }
            .chain(programs.map(Path::to_owned))
            .collect()
    }

    /// Whether the journal is needed to find out what happened.
    pub(crate) fn needs_journal(&self) -> bool {
        self.in_progress.is_some() || self.status == RunStatus::Running
    }

    /// What encrypts and decrypts its secrets.
    ///
    /// # Errors
    /// The key is not the one that it has secrets with.
    pub(crate) fn sealer<'k>(&self, key: Option<&'k RecordKey>) -> Result<Sealer<'k>, WrongKey> {
        Sealer::new(&self.id, self.key.as_deref(), key)
    }

    /// What the scenario was given, as far as it was kept. What had its default is left out.
    ///
    /// # Errors
    /// The key does not fit.
    pub fn given(&self, key: Option<&RecordKey>) -> Result<BTreeMap<String, Masked>, WrongKey> {
        let sealer = self.sealer(key)?;
        let mut given = BTreeMap::new();
        for (name, value) in &self.variables {
            let mut masked = Masked {
                value: value.clone(),
                sensitive: { self.sensitive_variables.get(name) }
                    .cloned()
                    .unwrap_or_default(),
            };
            if !masked.sensitive.is_empty() {
                let sealed = self.sealed_variables.get(name);
                masked = sealer.opened(masked, &variable_owner(name), sealed.map_or(&[], |x| x));
            }
            if masked.sensitive.is_empty() || !self.default_variables.contains(name) {
                given.insert(name.clone(), masked);
            }
        }
        Ok(given)
    }

    pub(crate) fn set_variable(&mut self, name: &str, masked: Masked) {
        self.variables.insert(name.to_owned(), masked.value);
        match masked.sensitive.is_empty() {
            true => self.sensitive_variables.remove(name),
            false => self
                .sensitive_variables
                .insert(name.to_owned(), masked.sensitive),
        };
    }

    /// Forgets the secrets that were kept to continue with the run.
    pub(crate) fn forget_secrets(&mut self) {
        self.sealed_variables.clear();
        self.nodes.iter_mut().for_each(|node| node.sealed.clear());
    }

    pub(crate) fn set_output(&mut self, name: &str, masked: Masked) {
        self.outputs.insert(name.to_owned(), masked.value);
        match masked.sensitive.is_empty() {
            true => self.sensitive_outputs.remove(name),
            false => self
                .sensitive_outputs
                .insert(name.to_owned(), masked.sensitive),
        };
    }

    /// Forgets the secrets of teardowns: everything is undone.
    pub(crate) fn forget_undos(&mut self) {
        let undos = self.nodes.iter_mut();
        let undos = undos.flat_map(|node| node.undo.iter_mut().chain(&mut node.earlier));
        let calls = undos.filter_map(|undo| undo.call.as_mut());
        let kept = calls.map(|call| &mut call.attributes);
        let configs = self
            .providers
            .iter_mut()
            .map(|provider| &mut provider.config);
        for secret in kept.chain(configs).flat_map(|kept| &mut kept.secrets) {
            secret.sealed = None;
        }
        self.key = None;
    }
}
