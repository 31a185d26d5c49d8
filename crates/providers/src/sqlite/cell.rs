//! What SQLite stores, as values and back.

use rusqlite::types::{Value as Stored, ValueRef};
use tenon_values::{Kind, Number, Value};

use crate::content::encoded;

/// What is stored for a value.
pub(super) fn stored(value: &Value) -> Result<Stored, String> {
    match value.kind() {
        Kind::Null => Ok(Stored::Null),
        Kind::Bool(value) => Ok(Stored::Integer(value.into())),
        Kind::Number(number) => self::number(number),
        Kind::String(text) => match text.as_str() {
            Some(text) => Ok(Stored::Text(text.to_owned())),
            None => Err("it is not UTF-8".into()),
        },
        _ => Err("SQLite cannot store lists and objects: use jsonencode".into()),
    }
}

fn number(number: &Number) -> Result<Stored, String> {
    match number.to_i64() {
        Some(integer) => Ok(Stored::Integer(integer)),
        None if number.is_integer() => {
            Err("it has more digits than SQLite's integers (64 bits): pass it as a string".into())
        }
        None => match number.to_string().parse::<f64>() {
            Ok(real) => Ok(Stored::Real(real)),
            Err(error) => Err(error.to_string()),
        },
    }
}

/// The value of what is stored. Blobs, and text that is not UTF-8, come in base64.
pub(super) fn value(stored: ValueRef<'_>) -> Value {
    match stored {
        ValueRef::Null => Value::NULL,
        ValueRef::Integer(integer) => Value::from(integer),
        ValueRef::Real(real) => self::real(real),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::string(text),
            Err(_) => Value::from(encoded(bytes)),
        },
        ValueRef::Blob(bytes) => Value::from(encoded(bytes)),
    }
}

/// The shortest text that means the same: 0.1 stays 0.1, not all digits of the binary fraction.
/// JSON cannot write the infinities; they become text.
fn real(real: f64) -> Value {
    match real.to_string().parse::<Number>() {
        Ok(number) if !number.is_infinite() => Value::from(number),
        _ if real > 0.0 => Value::string("Infinity"),
        _ => Value::string("-Infinity"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_what_they_are() {
        for number in [i64::MAX, i64::MIN, 0] {
            assert_eq!(stored(&Value::from(number)), Ok(Stored::Integer(number)));
            assert_eq!(value(ValueRef::Integer(number)), Value::from(number));
        }
        let tenth = Value::from("0.1".parse::<Number>().unwrap());
        assert_eq!(stored(&tenth), Ok(Stored::Real(0.1)));
        assert_eq!(value(ValueRef::Real(0.1)), tenth);
        assert_eq!(
            value(ValueRef::Real(f64::NEG_INFINITY)),
            Value::string("-Infinity")
        );
    }

    #[test]
    fn what_would_lose_digits_is_refused() {
        let large = Value::from(u64::MAX);
        assert!(stored(&large).unwrap_err().contains("as a string"));
        let list = Value::tuple(vec![Value::from(1)]);
        assert!(stored(&list).unwrap_err().contains("jsonencode"));
    }

    #[test]
    fn bytes_come_in_base64() {
        assert_eq!(value(ValueRef::Blob(&[0, 255])), Value::string("AP8="));
        assert_eq!(value(ValueRef::Text(&[0, 255])), Value::string("AP8="));
    }
}
