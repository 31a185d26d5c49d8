//! Run records: what a run did, for people, for tools, and for going on later.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::event::{RunStatus, Status};
use crate::load::ScenarioFile;
use crate::masked::{Masked, Way};

/// What a run did: `orchard_<scenario>_run_<id>.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The scenario's name.
    pub scenario: String,
    /// The scenario file, by its absolute path.
    pub path: PathBuf,
    /// When it began, and eight letters that no other run has.
    pub id: String,
    /// What came of it.
    pub status: RunStatus,
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
    /// What it brought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Box<RawValue>>,
    /// Where secrets were in that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<Way>,
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

    pub(crate) fn new(address: &str, provider: String) -> NodeRecord {
        NodeRecord {
            address: address.to_owned(),
            provider,
            status: Status::Pending,
            started_at: None,
            duration_ms: None,
            attempts: None,
            outputs: None,
            sensitive: Vec::new(),
            error: None,
            teardown: None,
            teardown_error: None,
        }
    }
}

/// No record is this large.
const LIMIT: u64 = 256 * 1024 * 1024;

impl Record {
    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("orchard_{}_run_{}.json", self.scenario, self.id)
    }

    /// Reads one.
    ///
    /// # Errors
    /// It cannot be read, or is no record.
    pub fn read(path: &Path) -> io::Result<Record> {
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(LIMIT).read_to_end(&mut bytes)?;
        serde_json::from_slice(&bytes).map_err(io::Error::other)
    }

    /// What the scenario was given, as far as it was kept.
    pub fn given(&self) -> BTreeMap<String, Masked> {
        let mut given = BTreeMap::new();
        for (name, value) in &self.variables {
            let sensitive = self.sensitive_variables.get(name);
            let masked = Masked {
                value: value.clone(),
                sensitive: sensitive.cloned().unwrap_or_default(),
            };
            given.insert(name.clone(), masked);
        }
        given
    }

    pub(crate) fn set_variable(&mut self, name: &str, masked: Masked) {
        self.variables.insert(name.to_owned(), masked.value);
        if !masked.sensitive.is_empty() {
            let name = name.to_owned();
            self.sensitive_variables.insert(name, masked.sensitive);
        }
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

    /// The files that are not what they were.
    pub fn changed_files(&self, file: &ScenarioFile) -> Vec<PathBuf> {
        let now = digests(file);
        let changed = |(path, digest): (&PathBuf, &String)| {
            (self.files.get(path) != Some(digest)).then(|| path.clone())
        };
        now.iter().filter_map(changed).collect()
    }

    /// Writes it: afterwards the old file is there or the new one, never half of one.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        bytes.push(b'\n');
        let folder = folder_of(path);
        let temporary = path.with_extension(format!("tmp{}", std::process::id()));
        let written = create(&temporary).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&temporary, path)
        });
        if written.is_err() {
            let _not_there = fs::remove_file(&temporary);
        }
        written?;
        sync_folder(folder)
    }
}

/// The files of a scenario, with the SHA-256 of each.
pub(crate) fn digests(file: &ScenarioFile) -> BTreeMap<PathBuf, String> {
    let digest = |text: &str| {
        let digest = Sha256::digest(text.as_bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let sources = file.sources.iter();
    sources
        .map(|source| (absolute(Path::new(source.name())), digest(source.text())))
        .collect()
}

/// The path from the root, so that it means the same wherever it is read.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A new file that only its owner may read.
pub(crate) fn create(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A file that was renamed or removed is so for good only then.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
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
