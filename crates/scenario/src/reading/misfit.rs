//! Why a value does not have the required type.

use tenon_values::{Error, Type, Value};

/// Why a value does not fit. The error may quote names in the value, or the place where it stops being a
/// number; for a secret it quotes neither.
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
