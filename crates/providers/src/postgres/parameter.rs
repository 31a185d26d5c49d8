//! What goes to PostgreSQL: values in its text format, which the server reads as the type that
//! the statement asks for. So there is no type that cannot be sent.

use std::error::Error;
use std::fmt::Write;

use bytes::BytesMut;
use tenon_values::{Kind, Value, json};
use tokio_postgres::types::{self, Format, IsNull, ToSql, Type};

use crate::content::decoded;

/// A parameter in the text format; `None` is NULL.
#[derive(Debug)]
pub(super) struct Parameter(Option<String>);

impl Parameter {
    /// The text of a value for a parameter of this type.
    pub(super) fn new(value: &Value, ty: &Type) -> Result<Parameter, String> {
        match value.is_null() {
            true => Ok(Parameter(None)),
            false => text(value, ty).map(|text| Parameter(Some(text))),
        }
    }
}

impl ToSql for Parameter {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match &self.0 {
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    types::to_sql_checked!();
}

fn text(value: &Value, ty: &Type) -> Result<String, String> {
    match ty.kind() {
        types::Kind::Domain(inner) => return text(value, inner),
        types::Kind::Array(element) => {
            if let Some(elements) = value.elements() {
                return array(elements, element);
            }
        }
        _ => {}
    }
    match value.kind() {
        Kind::String(text) => {
            let text = text.as_str().ok_or("it is not UTF-8")?;
            match *ty {
                Type::BYTEA => bytea(text),
                _ => Ok(text.to_owned()),
            }
        }
        _ if matches!(*ty, Type::JSON | Type::JSONB) => {
            json::encode(value, &value.ty()).map_err(|error| error.to_string())
        }
        Kind::Bool(value) => Ok(value.to_string()),
        Kind::Number(number) => Ok(number.to_string()),
        _ => Err(format!(
            "it cannot be converted to {ty}: use jsonencode, and $1::text::{ty} if needed"
        )),
    }
}

fn bytea(text: &str) -> Result<String, String> {
    let bytes = decoded(text).map_err(|error| {
        format!("a bytea is given in base64, which this is not ({error}); see base64encode")
    })?;
    let mut text = String::with_capacity(2 + 2 * bytes.len());
    text.push_str("\\x");
    for byte in bytes {
        // Writing to a string does not fail.
        let _written = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// `{1,NULL,"a \"word\""}`. Quotes around everything are always right, except around NULL.
fn array(elements: &[Value], ty: &Type) -> Result<String, String> {
    let mut items = Vec::with_capacity(elements.len());
    for element in elements {
        items.push(match element.elements() {
            _ if element.is_null() => "NULL".to_owned(),
            Some(inner) if !matches!(*ty, Type::JSON | Type::JSONB) => array(inner, ty)?,
            _ => {
                let text = text(element, ty)?;
                format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
        });
    }
    Ok(format!("{{{}}}", items.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(value: &str, ty: &Type) -> Result<Option<String>, String> {
        let value = json::implied(value.as_bytes()).unwrap();
        Parameter::new(&value, ty).map(|parameter| parameter.0)
    }

    #[test]
    fn values_become_text() {
        for (value, ty, expected) in [
            ("null", Type::INT4, None),
            (
                "12345678901234567890.5",
                Type::NUMERIC,
                Some("12345678901234567890.5"),
            ),
            ("true", Type::BOOL, Some("true")),
            (r#""AP8=""#, Type::BYTEA, Some("\\x00ff")),
            (r#"{"a":[1,null]}"#, Type::JSONB, Some(r#"{"a":[1,null]}"#)),
            (r#""{}""#, Type::JSONB, Some("{}")),
            ("[1,null,3]", Type::INT4_ARRAY, Some(r#"{"1",NULL,"3"}"#)),
            (
                "[[1,2],[3,4]]",
                Type::INT4_ARRAY,
                Some(r#"{{"1","2"},{"3","4"}}"#),
            ),
            (
                r#"["a\"b\\c","NULL"]"#,
                Type::TEXT_ARRAY,
                Some(r#"{"a\"b\\c","NULL"}"#),
            ),
            (r#"[[1]]"#, Type::JSONB_ARRAY, Some(r#"{"[1]"}"#)),
            (r#""{1,2}""#, Type::INT4_ARRAY, Some("{1,2}")),
        ] {
            assert_eq!(sent(value, &ty).unwrap().as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn values_that_cannot_be_converted_are_errors() {
        let error = sent(r#"{"a":1}"#, &Type::TEXT).unwrap_err();
        assert!(error.contains("jsonencode"), "{error}");
        let error = sent(r#""not base64""#, &Type::BYTEA).unwrap_err();
        assert!(error.contains("base64"), "{error}");
    }
}
