//! The configuration of a resource as a value: constants, and unknown where there is an expression.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use serde_json::value::RawValue;
use tenon_values::{Error, Type, Value};

use crate::values::{Masks, Reader};

/// Reads the `expressions` of a resource in a plan. `sensitive` are the masks of its values and what the
/// schema says, where write-only values are known from alone.
pub(crate) fn config_value(
    expressions: &RawValue,
    ty: &Type,
    sensitive: [&Json; 4],
    reader: &mut Reader,
) -> Result<Value, Error> {
    let mut constants = String::new();
    let unknown = write_constants(expressions, &mut constants);
    let raw: Option<Box<RawValue>> = RawValue::from_string(constants).ok();
    let masks = Masks {
        unknown: &unknown,
        sensitive,
    };
    reader.read(raw.as_deref(), ty, masks)
}

/// Writes the constants in a block as JSON, with the text of each number as it is, and returns a mask of what is
/// not constant.
fn write_constants(expressions: &RawValue, out: &mut String) -> Json {
    let text = expressions.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> =
                serde_json::from_str(text).unwrap_or_default();
            if let Some(constant) = members.get("constant_value") {
                out.push_str(constant.get());
                return Json::Bool(false);
            }
            if members.contains_key("references") {
                out.push_str("null");
                return Json::Bool(true);
            }
            let mut masks = serde_json::Map::new();
            out.push('{');
            for (index, (name, inner)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&Json::from(name.as_str()).to_string());
                out.push(':');
                masks.insert(name, write_constants(inner, out));
            }
            out.push('}');
            Json::Object(masks)
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            let mut masks = Vec::new();
            out.push('[');
            for (index, inner) in elements.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                masks.push(write_constants(inner, out));
            }
            out.push(']');
            Json::Array(masks)
        }
        _ => {
            out.push_str(text);
            Json::Bool(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::values::NOWHERE;

    #[test]
    fn constants_are_known_and_expressions_are_not() {
        let ty: Type =
            "object({ a = string, b = number, c = list(object({ d = string, e = string })), \
                        f = string, password = string })"
                .parse()
                .unwrap();
        let expressions = json!({
            "a": {"constant_value": "x"},
            "b": {"references": ["var.b"]},
            "c": [{"d": {"constant_value": "y"}, "e": {"constant_value": "secret"}},
                  {"d": {"references": []}}],
            "password": {"constant_value": "secret"},
        });
        let secrets = json!({"password": true, "c": {"*": {"e": true}}});
        let mut reader = Reader::default();
        let masks = [NOWHERE, NOWHERE, NOWHERE, &secrets];
        let expressions = serde_json::value::to_raw_value(&expressions).unwrap();
        let value = config_value(&expressions, &ty, masks, &mut reader).unwrap();
        let unknown = || Value::unknown(Type::String);
        let null = || Value::null(Type::String);
        let element: Type = "object({ d = string, e = string })".parse().unwrap();
        let list = vec![
            Value::object([("d", Value::from("y")), ("e", null())]),
            Value::object([("d", unknown()), ("e", null())]),
        ];
        let expected = Value::object([
            ("a", Value::from("x")),
            ("b", Value::unknown(Type::Number)),
            ("c", Value::list(element, list).unwrap()),
            ("f", null()),
            ("password", null()),
        ]);
        assert_eq!(value, expected);
        assert!(reader.redacted.contains(&vec![json!("password")]));
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        let ty: Type = "object({ a = number, b = list(object({ c = any })) })"
            .parse()
            .unwrap();
        let text = r#"{"a": {"constant_value": 12345678901234567890123},
            "b": [{"c": {"constant_value": {"d": 0.10000000000000000000001}}}]}"#;
        let expressions: Box<RawValue> = serde_json::from_str(text).unwrap();
        let masks = [NOWHERE; 4];
        let value = config_value(&expressions, &ty, masks, &mut Reader::default()).unwrap();
        let shown = tenon_values::json::encode(&value, &value.ty()).unwrap();
        assert!(shown.contains("12345678901234567890123"), "{shown}");
        assert!(shown.contains("0.10000000000000000000001"), "{shown}");
    }
}
