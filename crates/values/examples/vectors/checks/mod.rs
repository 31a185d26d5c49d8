//! Every list of a vector file, and how its entries are checked.
//!
//! An entry passes when this crate does what go-cty did. Where this crate means to do otherwise,
//! the rule is stated in the check, for all entries alike; `docs/reference/values.md` gives the reasons.

mod codec;
mod conversion;
mod description;
mod refused;
mod texts;
mod types;

use serde::Deserialize;
use serde_json::Value as Json;

/// What became of the entries of one list.
pub(crate) struct List {
    /// The name in the file.
    pub(crate) name: String,
    /// How many entries there are.
    pub(crate) total: usize,
    /// What is wrong with those that failed.
    pub(crate) failures: Vec<String>,
}

/// Nothing, or what is wrong with an entry.
pub(crate) type Check = Result<(), String>;

/// The file, which is nested deeper than most JSON.
pub(crate) fn read(text: &str) -> Result<Json, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    Json::deserialize(&mut reader).map_err(|error| error.to_string())
}

/// Checks all lists of the file. A list that no check is written for fails in all its entries.
pub(crate) fn run(file: &Json) -> Result<Vec<List>, String> {
    let format = file["format"].as_str().unwrap_or_default();
    if format != "cty-vectors/1" {
        return Err(format!("its format is {format:?}, not \"cty-vectors/1\""));
    }
    let lists = file.as_object().into_iter().flatten();
    Ok(lists
        .filter_map(|(name, entries)| Some(list(name, entries.as_array()?)))
        .collect())
}

fn list(name: &str, entries: &[Json]) -> List {
    let check: fn(&Json) -> Check = match name {
        "encode" => codec::encode,
        "encode_errors" => refused::encode,
        "decode" => codec::decode,
        "json_decode" => codec::json_decode,
        "types" => types::types,
        "implied_msgpack" => types::implied_msgpack,
        "implied_json" => types::implied_json,
        "conformance" => types::conformance,
        "convert" => conversion::convert,
        "unify" => conversion::unify,
        "nfc" => texts::normal_form,
        "safe_prefix" => texts::safe_prefix,
        "set_order" => texts::set_order,
        _ => |_| Err("there is no check for this list".to_owned()),
    };
    let mut failures = Vec::new();
    for entry in entries {
        if let Err(failure) = check(entry) {
            let text: String = entry.to_string().chars().take(400).collect();
            failures.push(format!("{failure}\n    in {text}"));
        }
    }
    List {
        name: name.to_owned(),
        total: entries.len(),
        failures,
    }
}

/// The text of a field.
pub(crate) fn text<'a>(entry: &'a Json, field: &str) -> Result<&'a str, String> {
    entry[field]
        .as_str()
        .ok_or_else(|| format!("there is no {field:?}"))
}

/// The bytes of a field in hexadecimal digits.
pub(crate) fn bytes(entry: &Json, field: &str) -> Result<Vec<u8>, String> {
    from_hexadecimal(text(entry, field)?)
}

pub(crate) fn from_hexadecimal(digits: &str) -> Result<Vec<u8>, String> {
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes = (0..digits.len())
        .step_by(2)
        .map(byte)
        .collect::<Option<_>>();
    bytes.ok_or_else(|| format!("{digits:?} is not hexadecimal"))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The type of a field in cty's JSON.
pub(crate) fn type_of(entry: &Json, field: &str) -> Result<tenon_values::Type, String> {
    tenon_values::Type::from_json(&entry[field].to_string()).map_err(|error| error.to_string())
}

/// Whether go-cty accepted the entry.
pub(crate) fn is_ok(entry: &Json) -> bool {
    entry["ok"].as_bool() == Some(true)
}

/// Both are the same, or the two texts that are not.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, wanted: T) -> Check {
    match got == wanted {
        true => Ok(()),
        false => Err(format!("{what}: got {got:?}, wanted {wanted:?}")),
    }
}

/// An error is what was wanted.
pub(crate) fn refused<T: std::fmt::Debug, E>(result: Result<T, E>) -> Check {
    match result {
        Err(_) => Ok(()),
        Ok(value) => Err(format!("an error was wanted, got {value:?}")),
    }
}
