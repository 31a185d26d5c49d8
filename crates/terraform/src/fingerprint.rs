//! Fingerprints of values that are not to be kept, by which their changes are found.
//!
//! They are those of terraform-provider-denobridge, or the first plan after a change of providers
//! would update every resource: SHA-256 of the JSON that Go writes, where every number is a double.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use tenon_values::{Kind, Type, Value, json};

/// The fingerprint of a value in hexadecimal digits. None if it is not wholly known.
pub(crate) fn of(value: &Value) -> Option<String> {
    let mut text = String::new();
    write(value, &mut text)?;
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(text) {
        write!(digits, "{byte:02x}").ok()?;
    }
    Some(digits)
}

fn write(value: &Value, out: &mut String) -> Option<()> {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(true) => out.push_str("true"),
        Kind::Bool(false) => out.push_str("false"),
        Kind::Number(number) => write_double(number.to_text().parse().ok()?, out),
        Kind::String(_) => out.push_str(&json::encode(value, &Type::String).ok()?),
        Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => {
            write_all("[", values.iter(), out, write)?;
            out.push(']');
        }
        Kind::Map(entries) => {
            write_all("{", entries.iter(), out, |(key, value), out| {
                write_member(&key.to_string_lossy(), value, out)
            })?;
            out.push('}');
        }
        Kind::Object(attributes) => {
            write_all("{", attributes.iter(), out, |(name, value), out| {
                write_member(name, value, out)
            })?;
            out.push('}');
        }
        Kind::Unknown(_) | Kind::Marked(..) => return None,
    }
    Some(())
}

fn write_all<T>(
    open: &str,
    items: impl Iterator<Item = T>,
    out: &mut String,
    write: impl Fn(T, &mut String) -> Option<()>,
) -> Option<()> {
    out.push_str(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out)?;
    }
    Some(())
}

fn write_member(name: &str, value: &Value, out: &mut String) -> Option<()> {
    write(&Value::from(name), out)?;
    out.push(':');
    write(value, out)
}

/// A double as Go's encoding/json writes it: with an exponent only if it is very small or large.
fn write_double(number: f64, out: &mut String) {
    let size = number.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        // Writing to a string does not fail.
        let _ = write!(out, "{number}");
        return;
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, power)) if !power.starts_with('-') => {
            let _ = write!(out, "{digits}e+{power}");
        }
        _ => out.push_str(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(json: &str) -> String {
        let mut text = String::new();
        write(&json::implied(json.as_bytes()).unwrap(), &mut text).unwrap();
        text
    }

    #[test]
    fn the_text_is_what_go_writes() {
        for (given, expected) in [
            (
                r#"{"b":1,"a":[true,null,"x"]}"#,
                r#"{"a":[true,null,"x"],"b":1}"#,
            ),
            (r#""<a> & \u2028""#, r#""\u003ca\u003e \u0026 \u2028""#),
            ("0.1", "0.1"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("0.000001", "0.000001"),
            ("0.00000015", "1.5e-7"),
            ("12345678901234567890", "12345678901234567000"),
            ("-2.50", "-2.5"),
        ] {
            assert_eq!(text_of(given), expected, "{given}");
        }
    }

    /// Computed by `printf '{"password":"hunter2"}' | sha256sum`.
    #[test]
    fn a_known_fingerprint() {
        let value = json::implied(br#"{"password": "hunter2"}"#).unwrap();
        let expected = "7881d759c44f0e45f22a9ec1075a2b26a80da5dea5e08eb791d84468c4388222";
        assert_eq!(of(&value).as_deref(), Some(expected));
        assert_eq!(of(&Value::unknown(Type::String)), None);
    }
}
