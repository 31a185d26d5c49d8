//! Why a value is not of the type that is wanted.

use tenon_values::{Error, Type, Value};

/// Why a value does not fit. What does not fit is told by the names in it, and by where it stops
/// being a number: of a secret neither is told.
pub(crate) fn misfit(value: &Value, ty: &Type, error: &Error) -> String {
    if !value.contains_marked() {
        return error.to_string();
    }
    let wanted = ty.friendly();
    let article = match wanted.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    };
    format!("{article} {wanted} is required, but this is a sensitive value of another type")
}
