//! From type to type: the lists `convert` and `unify`.

use serde_json::Value as Json;
use tenon_values::Type;
use tenon_values::convert::{self, Safety};

use super::{Check, description, is_ok, refused, same, type_of};

/// Whether there is a conversion, and what becomes of a value.
pub(crate) fn convert(entry: &Json) -> Check {
    let (from, to) = (type_of(entry, "from")?, type_of(entry, "to")?);
    let flag = |field: &str| entry[field].as_bool().unwrap_or(false);
    same(
        "there is a safe conversion",
        from.converts_to(&to, Safety::Safe),
        flag("safe"),
    )?;
    same(
        "there is a conversion",
        from.converts_to(&to, Safety::Unsafe),
        flag("unsafe"),
    )?;
    let value = description::value(&entry["value"])?;
    same("the type of the value", value.ty(), from)?;
    let converted = convert::convert(&value, &to);
    if !is_ok(entry) {
        return refused(converted);
    }
    let converted = converted.map_err(|error| error.to_string())?;
    description::is(&converted, &entry["result"])?;
    same(
        "the type of the result",
        converted.ty(),
        type_of(entry, "result_type")?,
    )
}

/// The one type for several.
pub(crate) fn unify(entry: &Json) -> Check {
    let types = entry["types"].as_array().into_iter().flatten();
    let types = types
        .map(|ty| Type::from_json(&ty.to_string()))
        .collect::<Result<Vec<_>, _>>();
    let types = types.map_err(|error| error.to_string())?;
    for (field, safety) in [("safe", Safety::Safe), ("unsafe", Safety::Unsafe)] {
        let wanted = match entry[field].is_null() {
            true => None,
            false => Some(type_of(entry, field)?),
        };
        same(field, convert::unify(&types, safety), wanted)?;
    }
    Ok(())
}
