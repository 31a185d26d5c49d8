//! What comes back from PostgreSQL: its binary format as values.

use std::error::Error;

use tenon_values::{Number, Value, json};
use tokio_postgres::types::{FromSql, Kind, Type};
use tokio_postgres::{Column, Row};

use super::bytes::Reader;
use super::{decimal, moment};
use crate::content::encoded;

/// A cell of a row.
struct Cell(Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, bytes: &'a [u8]) -> Result<Cell, Box<dyn Error + Sync + Send>> {
        match decode(ty, bytes) {
            Some(value) => Ok(Cell(value)),
            None => Err(format!("the server did not send a {ty}").into()),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Cell, Box<dyn Error + Sync + Send>> {
        Ok(Cell(Value::NULL))
    }

    fn accepts(ty: &Type) -> bool {
        has_a_form(ty)
    }
}

/// Looks for columns that could not be handed on, before anything is done: an error afterwards
/// would leave the work done and its results lost.
pub(super) fn check(columns: &[Column]) -> Result<(), String> {
    for (index, column) in columns.iter().enumerate() {
        let (name, ty) = (column.name(), column.type_());
        if !has_a_form(ty) {
            return Err(format!(
                "the column {name} has the type {ty}, which is not supported: write {name}::text"
            ));
        }
        if columns[..index].iter().any(|other| other.name() == name) {
            return Err(format!("two columns are called {name}: rename one with AS"));
        }
    }
    Ok(())
}

/// A row as an object with an attribute for each column.
pub(super) fn object(row: &Row) -> Result<Value, tokio_postgres::Error> {
    let mut attributes = Vec::with_capacity(row.len());
    for (index, column) in row.columns().iter().enumerate() {
        let Cell(value) = row.try_get(index)?;
        attributes.push((column.name(), value));
    }
    Ok(Value::object(attributes))
}

fn has_a_form(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Array(element) | Kind::Domain(element) => has_a_form(element),
        Kind::Enum(_) => true,
        _ => is_text(ty) || is_plain(ty),
    }
}

/// Types whose binary format is their text.
fn is_text(ty: &Type) -> bool {
    let known = [
        Type::TEXT,
        Type::VARCHAR,
        Type::BPCHAR,
        Type::NAME,
        Type::CHAR,
        Type::UNKNOWN,
        Type::XML,
    ];
    known.contains(ty) || ty.name() == "citext"
}

fn is_plain(ty: &Type) -> bool {
    [
        Type::BOOL,
        Type::INT2,
        Type::INT4,
        Type::INT8,
        Type::OID,
        Type::FLOAT4,
        Type::FLOAT8,
        Type::NUMERIC,
        Type::UUID,
        Type::JSON,
        Type::JSONB,
        Type::DATE,
        Type::TIME,
        Type::TIMESTAMP,
        Type::TIMESTAMPTZ,
        Type::BYTEA,
        Type::VOID,
    ]
    .contains(ty)
}

/// `None` if the bytes are not a value of the type.
fn decode(ty: &Type, bytes: &[u8]) -> Option<Value> {
    let mut reader = Reader::new(bytes);
    match ty.kind() {
        Kind::Domain(inner) => return decode(inner, bytes),
        Kind::Enum(_) => return text(bytes),
        Kind::Array(element) => return array(element, reader),
        _ if is_text(ty) => return text(bytes),
        _ => {}
    }
    Some(match *ty {
        Type::BOOL => Value::from(*bytes.first()? != 0),
        Type::INT2 => Value::from(reader.i16()?),
        Type::INT4 => Value::from(reader.i32()?),
        Type::INT8 => Value::from(reader.i64()?),
        Type::OID => Value::from(reader.u32()?),
        // Their shortest text, not all the digits of the binary fraction: 0.1 stays 0.1.
        Type::FLOAT4 => number(&reader.f32()?.to_string()),
        Type::FLOAT8 => number(&reader.f64()?.to_string()),
        Type::NUMERIC => number(&decimal::text(bytes)?),
        Type::UUID => Value::from(uuid(bytes)?),
        Type::JSON => json::implied(bytes).ok()?,
        // The first byte is a version, of which there is one.
        Type::JSONB => json::implied(bytes.strip_prefix(&[1])?).ok()?,
        Type::DATE => Value::from(moment::date(reader.i32()?)),
        Type::TIME => Value::from(moment::time(reader.i64()?)),
        Type::TIMESTAMP => Value::from(moment::timestamp(reader.i64()?, "")),
        Type::TIMESTAMPTZ => Value::from(moment::timestamp(reader.i64()?, "Z")),
        Type::BYTEA => Value::from(encoded(bytes)),
        Type::VOID => Value::NULL,
        _ => return None,
    })
}

fn text(bytes: &[u8]) -> Option<Value> {
    std::str::from_utf8(bytes).ok().map(Value::string)
}

/// A number, or the text of what is none: `NaN` and the infinities, which JSON cannot write.
fn number(text: &str) -> Value {
    match text.parse::<Number>() {
        Ok(number) if !number.is_infinite() => Value::from(number),
        _ => Value::string(match text {
            "inf" => "Infinity",
            "-inf" => "-Infinity",
            other => other,
        }),
    }
}

fn uuid(bytes: &[u8]) -> Option<String> {
    let number = u128::from_be_bytes(bytes.try_into().ok()?);
    let digits = format!("{number:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    Some(parts.map(|part| digits[part].to_owned()).join("-"))
}

/// An array, each dimension of which becomes a tuple.
fn array(element: &Type, mut reader: Reader<'_>) -> Option<Value> {
    /// PostgreSQL's own limit.
    const DIMENSIONS: i32 = 6;
    let dimensions = reader.i32()?;
    let _has_nulls = reader.i32()?;
    let _element_type = reader.u32()?;
    if !(0..=DIMENSIONS).contains(&dimensions) {
        return None;
    }
    let mut lengths = Vec::new();
    for _ in 0..dimensions {
        // An empty array has no dimensions; one of length 0 could repeat itself at no cost.
        let length = usize::try_from(reader.i32()?)
            .ok()
            .filter(|length| *length > 0);
        lengths.push(length?);
        let _lower_bound = reader.i32()?;
    }
    match lengths.is_empty() {
        true => Some(Value::tuple(Vec::new())),
        false => dimension(element, &lengths, &mut reader),
    }
}

fn dimension(element: &Type, lengths: &[usize], reader: &mut Reader<'_>) -> Option<Value> {
    let Some((length, rest)) = lengths.split_first() else {
        return match usize::try_from(reader.i32()?) {
            Ok(size) => decode(element, reader.take(size)?),
            // A negative size is NULL.
            Err(_) => Some(Value::NULL),
        };
    };
    let elements = (0..*length).map(|_| dimension(element, rest, reader));
    elements.collect::<Option<Vec<_>>>().map(Value::tuple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_keep_their_shortest_text() {
        let decoded = |value: f64| decode(&Type::FLOAT8, &value.to_be_bytes()).unwrap();
        assert_eq!(decoded(0.1), Value::from("0.1".parse::<Number>().unwrap()));
        assert_eq!(decoded(f64::NAN), Value::string("NaN"));
        assert_eq!(decoded(f64::NEG_INFINITY), Value::string("-Infinity"));
        let single = decode(&Type::FLOAT4, &0.1_f32.to_be_bytes()).unwrap();
        assert_eq!(single, decoded(0.1));
    }

    #[test]
    fn an_uuid_is_written_in_five_groups() {
        let bytes: Vec<u8> = (0..16).collect();
        let expected = Value::string("00010203-0405-0607-0809-0a0b0c0d0e0f");
        assert_eq!(decode(&Type::UUID, &bytes), Some(expected));
    }

    #[test]
    fn lengths_that_lie_are_refused() {
        for lengths in [[1, i32::MAX], [1, 0], [-1, 0], [7, 7]] {
            let mut bytes = Vec::new();
            for number in [lengths[0], 0, 23, lengths[1], 1] {
                bytes.extend(number.to_be_bytes());
            }
            assert_eq!(decode(&Type::INT4_ARRAY, &bytes), None);
        }
    }
}
