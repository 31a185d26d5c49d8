//! The files in `conformance/dialects`.

#![allow(
    dead_code,
    reason = "several tests share this, and not each of them uses all of it"
)]

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use tenon_rpc::Dialect;

/// One line of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Golden {
    pub(crate) name: String,
    text: Option<String>,
    hex: Option<String>,
    /// Kept as text: numbers have to come back with the digits they were written with.
    pub(crate) means: Box<RawValue>,
    #[serde(default)]
    pub(crate) canonical: bool,
    /// Whether numbers or texts have to survive as they were written. Here all of them do.
    #[serde(default, rename = "exact")]
    _exact: bool,
}

impl Golden {
    /// The bytes on the wire.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match (&self.text, &self.hex) {
            (Some(text), None) => text.as_bytes().to_vec(),
            (None, Some(hex)) => hex
                .split_whitespace()
                .map(|byte| u8::from_str_radix(byte, 16).expect("two hex digits"))
                .collect(),
            _ => panic!("{}: either text or hex", self.name),
        }
    }
}

/// Every frame in the file of a dialect.
pub(crate) fn read(dialect: Dialect) -> Vec<Golden> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance/dialects")
        .join(format!("{dialect}.jsonl"));
    let file = fs::read_to_string(&path).expect("the file of the dialect");
    file.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}
