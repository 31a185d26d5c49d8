//! Types: the lists `types`, `implied_msgpack`, `implied_json` and `conformance`.

use serde_json::Value as Json;
use tenon_values::{Type, json, msgpack};

use super::{Check, bytes, is_ok, refused, same, text, type_of};

/// A type is read from JSON and written again; what makes go-cty crash is an error. The notation
/// of HCL carries it as well.
pub(crate) fn types(entry: &Json) -> Check {
    let parsed = Type::from_json(text(entry, "in")?);
    if !is_ok(entry) {
        return refused(parsed);
    }
    let ty = parsed.map_err(|error| error.to_string())?;
    same("as JSON", ty.to_json().as_str(), text(entry, "out")?)?;
    same("in words", ty.friendly().as_str(), text(entry, "friendly")?)?;
    let again = ty
        .to_string()
        .parse::<Type>()
        .map_err(|error| error.to_string())?;
    same("read from HCL", again, ty)
}

fn implied(entry: &Json, found: Result<Type, tenon_values::Error>) -> Check {
    match is_ok(entry) {
        true => same(
            "the type",
            found.map_err(|error| error.to_string())?,
            type_of(entry, "type")?,
        ),
        false => refused(found),
    }
}

pub(crate) fn implied_msgpack(entry: &Json) -> Check {
    implied(entry, msgpack::implied_type(&bytes(entry, "hex")?))
}

pub(crate) fn implied_json(entry: &Json) -> Check {
    implied(entry, json::implied_type(text(entry, "json")?.as_bytes()))
}

/// As many mismatches are found as go-cty finds.
pub(crate) fn conformance(entry: &Json) -> Check {
    let (given, wanted) = (type_of(entry, "given")?, type_of(entry, "want")?);
    let wanted_count = entry["errors"].as_array().map_or(0, Vec::len);
    same("it conforms", given.conforms_to(&wanted), is_ok(entry))?;
    same(
        "the mismatches",
        given.mismatches(&wanted).len(),
        wanted_count,
    )
}
