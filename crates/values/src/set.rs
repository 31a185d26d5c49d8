//! The order of sets, and what is in them once.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::text::Text;
use crate::types::Type;
use crate::value::{Kind, Value};

/// The values in the order of a set, each once. They are unmarked and of this type.
///
/// Strings go by their bytes, numbers by size, false before true; then what is unknown, then null.
/// Other types go by a text that is stable and means nothing. Unknown values are all kept, in the
/// order they came in: whether they are equal is not known yet.
pub(crate) fn arrange(element: &Type, mut values: Vec<Value>) -> Vec<Value> {
    keep_first(&mut values);
    if element.is_primitive() {
        values.sort_by(compare_primitive);
        return values;
    }
    let with_key = |value| (rank(&value), sort_key(&value), value);
    let mut keyed: Vec<(u8, Vec<u8>, Value)> = values.into_iter().map(with_key).collect();
    keyed.sort_by(|(this_rank, this_key, this), (that_rank, that_key, that)| {
        let by_key = this_rank
            .cmp(that_rank)
            .then_with(|| this_key.cmp(that_key));
        by_key.then_with(|| compare_exactly(this, that))
    });
    keyed.into_iter().map(|(_, _, value)| value).collect()
}

/// The order of values that the sort key does not tell apart: it has ten digits of a number and no
/// bytes that are not UTF-8. Unknown values stay in the order they came in.
fn compare_exactly(this: &Value, that: &Value) -> Ordering {
    let keys = |value: &Value| -> Vec<Text> {
        let entries = value.entries().unwrap_or_default();
        entries.iter().map(|(key, _)| key.clone()).collect()
    };
    let inside = || {
        let pairs = inside(this).into_iter().zip(inside(that));
        let mut orders = pairs.map(|(this, that)| compare_exactly(this, that));
        orders
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    compare_primitive(this, that)
        .then_with(|| keys(this).cmp(&keys(that)))
        .then_with(inside)
}

/// The values directly inside, in order.
fn inside(value: &Value) -> Vec<&Value> {
    match value.kind() {
        Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => values.iter().collect(),
        Kind::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
        Kind::Object(attributes) => attributes.iter().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    }
}

/// Leaves out what is equal to an earlier value.
fn keep_first(values: &mut Vec<Value>) {
    // Strings and numbers that come in order, as they do from another set, are there once.
    if values
        .windows(2)
        .all(|pair| compare_strictly(&pair[0], &pair[1]) == Ordering::Less)
    {
        return;
    }
    let mut seen = HashSet::with_capacity(values.len());
    let is_first: Vec<bool> = values
        .iter()
        .map(|value| !value.is_wholly_known() || seen.insert(value))
        .collect();
    let mut is_first = is_first.into_iter();
    values.retain(|_| is_first.next().unwrap_or(true));
}

/// The order of known strings and integers, which no two equal ones pass. Anything else is equal
/// to everything.
fn compare_strictly(this: &Value, that: &Value) -> Ordering {
    match (this.kind(), that.kind()) {
        (Kind::String(this), Kind::String(that)) => this.cmp(that),
        (Kind::Number(this), Kind::Number(that)) if this.is_integer() && that.is_integer() => {
            this.compare(that)
        }
        _ => Ordering::Equal,
    }
}

fn compare_primitive(this: &Value, that: &Value) -> Ordering {
    rank(this)
        .cmp(&rank(that))
        .then_with(|| match (this.kind(), that.kind()) {
            (Kind::String(this), Kind::String(that)) => this.cmp(that),
            (Kind::Number(this), Kind::Number(that)) => this.compare(that),
            (Kind::Bool(this), Kind::Bool(that)) => this.cmp(&that),
            _ => Ordering::Equal,
        })
}

/// Known, then unknown, then null.
fn rank(value: &Value) -> u8 {
    match value.kind() {
        Kind::Unknown(_) => 1,
        Kind::Null => 2,
        _ => 0,
    }
}

/// A text that orders compound values as go-cty does.
fn sort_key(value: &Value) -> Vec<u8> {
    let mut key = Vec::new();
    write_key(value, &mut key);
    key
}

fn write_key(value: &Value, key: &mut Vec<u8>) {
    let each = |key: &mut Vec<u8>, start: u8, values: &mut dyn Iterator<Item = &Value>, end: u8| {
        key.push(start);
        for value in values {
            write_key(value, key);
            key.push(b';');
        }
        key.push(end);
    };
    match value.kind() {
        Kind::Unknown(_) => key.push(b'?'),
        Kind::Null => key.push(b'~'),
        Kind::Bool(value) => key.push(if value { b'T' } else { b'F' }),
        Kind::Number(number) if number.is_zero() => key.push(b'0'),
        Kind::Number(number) => key.extend_from_slice(number.to_short_text().as_bytes()),
        Kind::String(text) => write_quoted(&text.to_string_lossy(), key),
        Kind::List(values) | Kind::Set(values) => each(key, b'[', &mut values.iter(), b']'),
        Kind::Tuple(values) => each(key, b'<', &mut values.iter(), b'>'),
        Kind::Object(attributes) => {
            each(
                key,
                b'<',
                &mut attributes.iter().map(|(_, value)| value),
                b'>',
            );
        }
        Kind::Map(entries) => {
            key.push(b'{');
            for (name, value) in entries {
                write_quoted(&name.to_string_lossy(), key);
                key.push(b':');
                write_key(value, key);
                key.push(b';');
            }
            key.push(b'}');
        }
        Kind::Marked(_, value) => write_key(value, key),
    }
}

/// The text in quotes, with escapes for what ends it and for what is not seen.
fn write_quoted(text: &str, key: &mut Vec<u8>) {
    key.push(b'"');
    for character in text.chars() {
        match character {
            '"' | '\\' => key.extend([b'\\', character as u8]),
            '\u{7}' => key.extend(b"\\a"),
            '\u{8}' => key.extend(b"\\b"),
            '\u{c}' => key.extend(b"\\f"),
            '\n' => key.extend(b"\\n"),
            '\r' => key.extend(b"\\r"),
            '\t' => key.extend(b"\\t"),
            '\u{b}' => key.extend(b"\\v"),
            control if control.is_ascii_control() => {
                key.extend(format!("\\x{:02x}", u32::from(control)).into_bytes());
            }
            control if control.is_control() => {
                key.extend(format!("\\u{:04x}", u32::from(control)).into_bytes());
            }
            other => key.extend(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    key.push(b'"');
}
