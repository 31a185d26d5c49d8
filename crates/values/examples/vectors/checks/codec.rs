//! Bytes and values: the lists `encode`, `decode` and `json_decode`.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use tenon_values::{Number, Value, json, msgpack};

use super::{Check, bytes, description, hexadecimal, is_ok, refused, same, text, type_of};

/// A value is written as go-cty writes it, in both encodings, and read back.
pub(crate) fn encode(entry: &Json) -> Check {
    let ty = type_of(entry, "type")?;
    let value = description::value(&entry["value"])?;
    let encoded = msgpack::encode(&value, &ty).map_err(|error| format!("msgpack: {error}"))?;
    match text(entry, "hex") {
        Ok(digits) => same("msgpack", hexadecimal(&encoded).as_str(), digits)?,
        Err(_) => {
            same(
                "the length of the msgpack",
                Some(encoded.len() as u64),
                entry["len"].as_u64(),
            )?;
            let head = bytes(entry, "hex_head")?;
            same(
                "the beginning of the msgpack",
                encoded.starts_with(&head),
                true,
            )?;
            let hash = hexadecimal(&Sha256::digest(&encoded));
            same(
                "the hash of the msgpack",
                hash.as_str(),
                text(entry, "sha256")?,
            )?;
        }
    }
    let decoded = msgpack::decode(&encoded, &ty).map_err(|error| format!("read back: {error}"))?;
    match entry.get("decoded") {
        Some(wanted) => description::is(&decoded, wanted)?,
        None => same("what is read back", &decoded, &value)?,
    }
    json_encode(entry, &value)
}

fn json_encode(entry: &Json, value: &Value) -> Check {
    let encoded = json::encode(value, &type_of(entry, "type")?);
    if entry.get("ctyjson_error").is_some() {
        return refused(encoded);
    }
    let encoded = encoded.map_err(|error| format!("JSON: {error}"))?;
    // go-cty writes all zeros of a number whose point is far away, we write an exponent.
    if is_far(value) {
        let read = json::decode(encoded.as_bytes(), &type_of(entry, "type")?);
        let read = read.map_err(|error| format!("JSON read back: {error}"))?;
        let digits = |value: &Value| value.as_number().map(Number::to_text);
        return same(
            "the digits of the JSON read back",
            digits(&read),
            digits(value),
        );
    }
    match entry["ctyjson_len"].as_u64() {
        Some(length) => same("the length of the JSON", encoded.len() as u64, length),
        None => same("JSON", encoded.as_str(), text(entry, "ctyjson")?),
    }
}

/// A number of whose digits more than 128 are zeros in a row at one end.
fn is_far(value: &Value) -> bool {
    let text = value.as_number().map(Number::to_text).unwrap_or_default();
    let zeros = |digits: &str| digits.len() - digits.trim_start_matches('0').len();
    let reversed: String = text.chars().rev().collect();
    let behind = text.strip_prefix('-').unwrap_or(&text).strip_prefix("0.");
    zeros(&reversed) > 128 || behind.is_some_and(|digits| zeros(digits) > 128)
}

/// Bytes are read as go-cty reads them. Three rules differ:
///
/// - what makes go-cty crash, or was not tried because it would, is an error;
/// - so is what it reads as a value that does not fit the type, and then cannot write again;
/// - what it refuses by an oversight, and the contract allows, is read: see [`is_allowed`].
pub(crate) fn decode(entry: &Json) -> Check {
    let ty = type_of(entry, "type")?;
    let given = bytes(entry, "hex")?;
    let decoded = msgpack::decode(&given, &ty);
    let misfits = entry.get("reencode_error").is_some();
    if !is_ok(entry) && entry.get("error").is_some() && is_allowed(&given) {
        let decoded = decoded.map_err(|error| error.to_string())?;
        return same("it is known", decoded.is_wholly_known(), false);
    }
    if !is_ok(entry) || misfits {
        return refused(decoded);
    }
    let decoded = decoded.map_err(|error| error.to_string())?;
    description::is(&decoded, &entry["value"])?;
    same("its type", decoded.ty(), type_of(entry, "value_type")?)?;
    let again =
        msgpack::encode(&decoded, &ty).map_err(|error| format!("written again: {error}"))?;
    same(
        "written again",
        hexadecimal(&again).as_str(),
        text(entry, "reencoded")?,
    )
}

/// The bytes are one extension that the contract calls an unknown value, while go-cty stumbles:
/// one of a type that is not cty's, or one with a refinement of a later version before others.
fn is_allowed(bytes: &[u8]) -> bool {
    let Ok(rmpv::Value::Ext(code, payload)) = rmpv::decode::read_value(&mut &bytes[..]) else {
        return false;
    };
    let has_later_key = || {
        let refinements = rmpv::decode::read_value(&mut payload.as_slice());
        let refinements = refinements.ok().and_then(|value| value.as_map().cloned());
        let is_later = |key: &rmpv::Value| key.as_u64().is_some_and(|key| key > 6);
        refinements.is_some_and(|pairs| pairs.iter().any(|(key, _)| is_later(key)))
    };
    payload.len() > 1 && (code != 12 || has_later_key())
}

/// JSON is read as go-cty reads it; what makes it crash is an error.
pub(crate) fn json_decode(entry: &Json) -> Check {
    let ty = type_of(entry, "type")?;
    let decoded = json::decode(text(entry, "json")?.as_bytes(), &ty);
    match is_ok(entry) {
        true => description::is(
            &decoded.map_err(|error| error.to_string())?,
            &entry["value"],
        ),
        false => refused(decoded),
    }
}
