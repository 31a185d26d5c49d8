//! Strings and the order of sets: the lists `nfc`, `safe_prefix` and `set_order`.

use serde_json::Value as Json;
use tenon_values::{Text, Type, Value};

use super::{Check, bytes, description, hexadecimal, refused, same, text};

pub(crate) fn normal_form(entry: &Json) -> Check {
    let normal = Text::from_bytes(&bytes(entry, "in_hex")?);
    same(
        "the normal form",
        hexadecimal(normal.as_bytes()).as_str(),
        text(entry, "out_hex")?,
    )
}

pub(crate) fn safe_prefix(entry: &Json) -> Check {
    let prefix = Text::from_bytes(&bytes(entry, "in_hex")?).safe_prefix();
    same(
        "the safe prefix",
        hexadecimal(prefix.as_bytes()).as_str(),
        text(entry, "out_hex")?,
    )
}

/// The values make the set that is described, element by element in its order; what makes go-cty
/// crash is an error.
pub(crate) fn set_order(entry: &Json) -> Check {
    let set = Value::set(Type::Dynamic, description::values(&entry["in"])?);
    let Some(out) = entry.get("out") else {
        return refused(set);
    };
    let set = set.map_err(|error| error.to_string())?;
    let wanted = description::values(&out["v"])?;
    same(
        "the elements",
        set.elements().map(<[Value]>::to_vec),
        Some(wanted),
    )?;
    description::is(&set, out)
}
