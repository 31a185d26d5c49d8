//! What commands that work with records have in common: the record, its key, and its secrets.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use tenon_hcl::Diagnostic;
use tenon_scenario::{Record, RecordKey};

use super::scenario;
use crate::args::{RecordKeyArgs, SecretArgs, VariableArgs};
use crate::exit::Failure;
use crate::output::diagnostics;

/// A record, as it is on disk.
pub(crate) async fn read(path: &Path) -> Result<Record, Failure> {
    let given = path.to_owned();
    let record = scenario::blocking(move || Record::read(&given)).await?;
    record.map_err(|error| {
        Failure::usage(format!(
            "{} could not be read as a record: {error}\n  \
             records are called orchard_<scenario>_run_<id>.json",
            tenon_text::path(path)
        ))
    })
}

/// The files that a command about a run reads, as far as they are known before it begins: a report
/// must not be written over them.
pub(crate) fn inputs(
    file: Option<&Path>,
    record: Option<&Path>,
    variables: &VariableArgs,
    key: &RecordKeyArgs,
    secrets: &SecretArgs,
) -> Vec<PathBuf> {
    let mut inputs: Vec<PathBuf> = { file.into_iter().chain(record) }
        .chain(key.record_key.as_deref())
        .map(Path::to_owned)
        .collect();
    inputs.extend(variables.files.iter().cloned());
    let secrets = secrets.secrets.iter();
    inputs.extend(secrets.filter_map(|(_, value)| value.strip_prefix('@').map(PathBuf::from)));
    let record = record.and_then(|record| Record::read(record).ok());
    if let Some(record) = &record {
        inputs.extend(record.files_of());
    }
    let scenario = file.or(record.as_ref().map(|record| record.path.as_path()));
    inputs.extend(scenario.map(tenon_scenario::files_of).unwrap_or_default());
    inputs
}

/// The key from the file, or else from the environment.
pub(crate) fn key(args: &RecordKeyArgs) -> Result<Option<RecordKey>, Failure> {
    let (origin, text) = match &args.record_key {
        Some(path) => {
            let origin = format!("--record-key {}", tenon_text::path(path));
            let text = read_secret(path, &origin)?;
            (origin, text)
        }
        None => match std::env::var_os(RecordKey::VARIABLE) {
            Some(text) if !text.is_empty() => {
                (RecordKey::VARIABLE.to_owned(), text.into_encoded_bytes())
            }
            _ => return Ok(None),
        },
    };
    let key = RecordKey::new(&text);
    key.map(Some)
        .map_err(|error| Failure::usage(format!("{origin}: {error}")))
}

/// Secrets by their names; `@FILE` is read.
pub(crate) fn secrets(args: &SecretArgs) -> Result<BTreeMap<String, String>, Failure> {
    let mut secrets = BTreeMap::new();
    for (name, value) in &args.secrets {
        let value = match value.strip_prefix('@') {
            Some(path) => {
                let origin = format!("--secret {name}");
                let text = read_secret(Path::new(path), &origin)?;
                let text = String::from_utf8(text)
                    .map_err(|_| Failure::usage(format!("{origin}: {path} is not UTF-8")))?;
                let line = text.strip_suffix('\n').unwrap_or(&text);
                line.strip_suffix('\r').unwrap_or(line).to_owned()
            }
            None => value.clone(),
        };
        secrets.insert(name.clone(), value);
    }
    Ok(secrets)
}

fn read_secret(path: &Path, origin: &str) -> Result<Vec<u8>, Failure> {
    /// No secret is this large.
    const LIMIT: u64 = 1024 * 1024;
    let mut text = Vec::new();
    { std::fs::File::open(path) }
        .and_then(|file| file.take(LIMIT).read_to_end(&mut text))
        .map_err(|error| {
            Failure::usage(format!("{origin}: {}: {error}", tenon_text::path(path)))
        })?;
    Ok(text)
}

/// Prints what a user should know about a run and its files.
pub(crate) fn warn(warnings: impl IntoIterator<Item = String>, json: bool) {
    let warnings: Vec<Diagnostic> = warnings.into_iter().map(Diagnostic::warning).collect();
    diagnostics(&warnings, json);
}
