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

/// The values make the set that is described; what makes go-cty crash is an error.
///
/// Strings, numbers and bools are in its order. For other elements go-cty promises none, and has
/// none where its sort key is the same for two: there the set must be the same and its order not
/// depend on that of the values.
pub(crate) fn set_order(entry: &Json) -> Check {
    let mut values = description::values(&entry["in"])?;
    let set = Value::set(Type::Dynamic, values.clone());
    let Some(out) = entry.get("out") else {
        return refused(set);
    };
    let set = set.map_err(|error| error.to_string())?;
    description::is(&set, out)?;
    let wanted = match set.ty().element().is_some_and(Type::is_primitive) {
        true => description::values(&out["v"])?,
        false => {
            values.reverse();
            let reversed = Value::set(Type::Dynamic, values).map_err(|error| error.to_string())?;
            reversed.elements().unwrap_or_default().to_vec()
        }
    };
    same("the elements", set.elements().unwrap_or_default(), &wanted)
}
