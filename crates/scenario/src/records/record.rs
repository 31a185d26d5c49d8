//! Run records: what a run did, for people, for tools, and for going on later.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tenon_host::own_file::{self, Access};

use crate::environment::EnvironmentRecord;
use crate::event::{RunStatus, Status};
use crate::masked::{Masked, Way};
use crate::reading::load::{ScenarioFile, read};
use crate::records::disk::{digest_of, digests, write_whole};
use crate::records::kept::{Sealed, Sealer};
use crate::records::seal::{RecordKey, WrongKey};
use crate::records::undo::{ProviderRecord, Undo};

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
    /// What came of it.
    pub status: RunStatus,
    /// What is being done, while the journal knows more than the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) in_progress: Option<Work>,
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
    /// What tells whether a key is the one that secrets in here are encrypted with.
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
    /// What is behind the addresses of components and of all instances of an action.
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

/// What a journal is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    Run,
    Teardown,
}

/// An assert that was not true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAssert {
    /// The output it belongs to.
    pub output: String,
    /// What it says.
    pub message: String,
}

/// What came of one action.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Its address in the scenario.
    pub address: String,
    /// Its provider's name in the scenario.
    pub provider: String,
    /// What came of it.
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
    /// What it brought.
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
    /// What came of taking it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<Status>,
    /// Why it could not be taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown_error: Option<String>,
}

impl NodeRecord {
    /// What it brought, as far as it was kept.
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
    /// There are only so many providers.
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

    /// What came of undoing it, or an earlier execution of it.
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

/// What this version writes.
pub const FORMAT: u32 = 2;

/// Why an action is not repeated.
pub(crate) const CHANGED: &str = "its attributes are not the same as before";

/// What a variable's secrets belong to.
pub(crate) fn variable_owner(name: &str) -> String {
    format!("variable {name}")
}

/// What the secrets in an action's outputs belong to.
pub(crate) fn outputs_owner(address: &str) -> String {
    format!("outputs {address}")
}

/// How large a record may be. None is written that is larger, because none is read.
pub(crate) const LIMIT: u64 = 256 * 1024 * 1024;
/// How much is left of the texts in a record that would be larger with all of them.
const SHORT: usize = 200;

impl Record {
    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("orchard_{}_run_{}.json", self.scenario, self.id)
    }

    /// Reads one.
    ///
    /// # Errors
    /// It cannot be read, is not a record, belongs to somebody else, or others can write to it.
    pub fn read(path: &Path) -> io::Result<Record> {
        let file = own_file::open(path, Access::Read)?;
        let size = file.metadata()?.len();
        if size > LIMIT {
            return Err(io::Error::other(format!(
                "it has {size} bytes; a record has {LIMIT} at most"
            )));
        }
        let mut bytes = Vec::new();
        file.take(LIMIT).read_to_end(&mut bytes)?;
        let record: Record = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
        if record.format > FORMAT {
            return Err(io::Error::other(format!(
                "it has the format {}, this version of tenon reads formats up to {FORMAT}",
                record.format
            )));
        }
        for node in &record.nodes {
            let checked = node.check_providers(record.providers.len());
            checked.map_err(io::Error::other)?;
        }
        Ok(record)
    }

    /// The files that are needed to go on with the run or to undo it: those that it was read from,
    /// and the programs of its providers.
    pub fn files_of(&self) -> Vec<PathBuf> {
        let programs = self.providers.iter().filter_map(|one| one.source.path());
        { self.files.keys().cloned() }
            .chain(programs.map(Path::to_owned))
            .collect()
    }

    /// Whether the record alone does not tell what happened.
    pub(crate) fn needs_journal(&self) -> bool {
        self.in_progress.is_some() || self.status == RunStatus::Running
    }

    /// What the scenario was given, as far as it was kept. What had its default is left out.
    ///
    /// # Errors
    /// The key does not fit.
    pub fn given(&self, key: Option<&RecordKey>) -> Result<BTreeMap<String, Masked>, WrongKey> {
        let sealer = Sealer::of(self, key)?;
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

    /// Forgets the secrets that were kept to go on with the run.
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

    /// The files that are not what they were, or were not read then.
    pub fn changed_files(&self, file: &ScenarioFile) -> Vec<PathBuf> {
        let now = digests(file);
        let changed = |(path, digest): (&PathBuf, &String)| {
            (self.files.get(path) != Some(digest)).then(|| path.clone())
        };
        now.iter().filter_map(changed).collect()
    }

    /// The files that were read then and are now something else, or gone.
    pub fn files_that_differ(&self) -> Vec<PathBuf> {
        let differs = |(path, digest): (&PathBuf, &String)| {
            let now = read(path).ok().map(|source| digest_of(source.text()));
            (now.as_ref() != Some(digest)).then(|| path.clone())
        };
        self.files.iter().filter_map(differs).collect()
    }

    /// Writes it: afterwards the old file is there or the new one, never half of one. One that
    /// could not be read again is not written.
    ///
    /// # Errors
    /// It cannot be written, or is too large.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        self.write_within(path, LIMIT)
    }

    pub(crate) fn write_within(&self, path: &Path, limit: u64) -> io::Result<()> {
        write_whole(path, limit, |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            file.write_all(b"\n")
        })
    }

    /// Writes it with shorter texts if it is too large with all of them. Outputs and what undoes
    /// actions were kept within bounds before; what providers say when they fail was not.
    ///
    /// # Errors
    /// As for [`Record::write`].
    pub(crate) fn write_or_shorten(&mut self, path: &Path) -> io::Result<()> {
        match self.write(path) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                self.shorten_texts();
                self.write(path)
            }
            written => written,
        }
    }

    fn shorten_texts(&mut self) {
        let errors = self.nodes.iter_mut().flat_map(|node| {
            let earlier = node.earlier.iter_mut().map(|undo| &mut undo.error);
            [&mut node.error, &mut node.teardown_error]
                .into_iter()
                .chain(earlier)
        });
        let asserts = self.failed_asserts.iter_mut().map(|one| &mut one.message);
        let texts = errors
            .flatten()
            .chain(asserts)
            .chain(&mut self.provider_errors);
        texts.for_each(|text| shorten(text, SHORT));
    }
}

/// Cuts a text off that has more bytes, and says so.
pub(crate) fn shorten(text: &mut String, limit: usize) {
    if text.len() > limit {
        let length = text.len();
        let mut end = limit;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(&format!("... ({length} bytes in all)"));
    }
}

/// `20261115T144033Z_1f9c03ab`
pub(crate) fn new_id() -> String {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    let mut letters = [0; 4];
    let filled = rustix::rand::getrandom(&mut letters, rustix::rand::GetRandomFlags::empty());
    if filled.is_err() {
        // Two runs of one process in one second are told apart all the same.
        letters = std::process::id().to_be_bytes();
    }
    format!("{now}_{:08x}", u32::from_be_bytes(letters))
}

/// `2026-11-15T14:40:33.123Z`
pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
