//! Functions that write values as text and read them back.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use tenon_values::{Type, Value, json};

use super::{csv, limits};
use crate::function::parameter::{any, string};
use crate::function::{Arguments, Function, FunctionError};
use crate::yaml;

/// As Go reads and writes it: with padding, and with bits left over that may be anything.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("base64decode", [string("text")])
            .describe("Decodes base64 to a UTF-8 string.")
            .gives(Type::String, decode_base64),
        Function::new("base64encode", [string("text")])
            .describe("Encodes a string as base64.")
            .gives(Type::String, |arguments| {
                limits::text(&BASE64.encode(arguments.text(0)?))
            }),
        Function::new("csvdecode", [string("text")])
            .describe("Decodes CSV to a list of objects; the first line has the attribute names.")
            .gives(Type::Dynamic, |arguments| csv::decode(arguments.text(0)?)),
        Function::new("jsondecode", [string("text")])
            .describe("Decodes JSON.")
            .or_null()
            .gives(Type::Dynamic, decode_json),
        Function::new("jsonencode", [any("value").or_null().or_dynamic()])
            .describe("Encodes a value as JSON on one line, with sorted keys.")
            .gives(Type::String, encode_json),
        Function::new("textdecodebase64", [string("text"), string("encoding")])
            .describe("Decodes base64 of UTF-8, UTF-16LE or UTF-16BE to a string.")
            .gives(Type::String, decode_text),
        Function::new("textencodebase64", [string("text"), string("encoding")])
            .describe("Encodes a string as UTF-8, UTF-16LE or UTF-16BE, then as base64.")
            .gives(Type::String, encode_text),
        Function::new("urlencode", [string("text")])
            .describe("Escapes a string for the query of a URL.")
            .gives(Type::String, |arguments| {
                limits::text(&url_encoded(arguments.text(0)?))
            }),
        Function::new("yamldecode", [string("text")])
            .describe("Decodes YAML.")
            .or_null()
            .gives(Type::Dynamic, decode_yaml),
        Function::new("yamlencode", [any("value").or_null().or_dynamic()])
            .describe("Encodes a value as YAML, with sorted keys.")
            .gives(Type::String, encode_yaml),
    ]
}

/// The bytes that a text means. Line ends are allowed in it, as in Go.
fn from_base64(text: &str) -> Result<Vec<u8>, FunctionError> {
    let line = text.replace(['\n', '\r'], "");
    BASE64.decode(line).map_err(|_| {
        let message = "this is not base64; it needs letters, digits, + and /, and = at its end";
        FunctionError::new(message).at(0).quoting(text)
    })
}

fn decode_base64(arguments: Arguments) -> Result<Value, FunctionError> {
    let bytes = from_base64(arguments.text(0)?)?;
    let message = "the decoded bytes are not UTF-8, so they cannot be a string";
    let text = String::from_utf8(bytes).map_err(|_| FunctionError::new(message).at(0))?;
    Ok(text.into())
}

fn decode_json(arguments: Arguments) -> Result<Value, FunctionError> {
    let text = arguments.text(0)?;
    json::implied(text.as_bytes())
        .map_err(|error| FunctionError::new("this is not JSON").at(0).because(error))
}

fn encode_json(arguments: Arguments) -> Result<Value, FunctionError> {
    let value = &arguments[0];
    if !value.is_wholly_known() {
        return Ok(arguments.unknown());
    }
    let text = json::encode(value, &value.ty()).map_err(|error| {
        FunctionError::new("the value cannot be written as JSON")
            .at(0)
            .because(error)
    })?;
    limits::text(&text)
}

fn decode_yaml(arguments: Arguments) -> Result<Value, FunctionError> {
    yaml::read(arguments.text(0)?, yaml::Rules::Terraform)
        .map_err(|error| FunctionError::new("this is not YAML").at(0).because(error))
}

fn encode_yaml(arguments: Arguments) -> Result<Value, FunctionError> {
    let value = &arguments[0];
    if !value.is_wholly_known() {
        return Ok(arguments.unknown());
    }
    Ok(Value::string(&yaml::write(value, limits::check_text)?))
}

/// The encodings that bytes and texts are of.
enum Encoding {
    Utf8,
    Utf16Little,
    Utf16Big,
}

fn encoding(arguments: Arguments) -> Result<Encoding, FunctionError> {
    let name = arguments.text(1)?;
    match name.to_ascii_uppercase().as_str() {
        "UTF-8" => Ok(Encoding::Utf8),
        "UTF-16LE" => Ok(Encoding::Utf16Little),
        "UTF-16BE" => Ok(Encoding::Utf16Big),
        _ => {
            let message = "the encoding UTF-8, UTF-16LE or UTF-16BE is required";
            Err(FunctionError::new(message).at(1).quoting(name))
        }
    }
}

/// Invalid characters become U+FFFD.
fn decode_text(arguments: Arguments) -> Result<Value, FunctionError> {
    let encoding = encoding(arguments)?;
    let bytes = from_base64(arguments.text(0)?)?;
    let wide = |number: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| number(*pair)).collect();
        let half = if rest.is_empty() { "" } else { "\u{fffd}" };
        String::from_utf16_lossy(&units) + half
    };
    Ok(match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(&bytes).into_owned(),
        Encoding::Utf16Little => wide(u16::from_le_bytes),
        Encoding::Utf16Big => wide(u16::from_be_bytes),
    }
    .into())
}

fn encode_text(arguments: Arguments) -> Result<Value, FunctionError> {
    let text = arguments.text(0)?;
    let bytes: Vec<u8> = match encoding(arguments)? {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf16Little => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Big => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    };
    limits::text(&BASE64.encode(bytes))
}

fn url_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
