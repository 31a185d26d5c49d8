//! The configuration of a resource as a value: constants, and unknown where there is an expression.

use serde_json::Value as Json;
use tenon_values::{Error, Type, Value};

use crate::values::{Masks, Reader};

/// Reads the `expressions` of a resource in a plan. `sensitive` are the masks of its values and what the
/// schema says, where write-only values are known from alone.
pub(crate) fn config_value(
    expressions: &Json,
    ty: &Type,
    sensitive: [&Json; 3],
    reader: &mut Reader,
) -> Result<Value, Error> {
    let mut unknown = Json::Bool(false);
    let constants = constants(expressions, &mut unknown);
    let raw = serde_json::value::to_raw_value(&constants).ok();
    let masks = Masks {
        unknown: &unknown,
        sensitive,
    };
    reader.read(raw.as_deref(), ty, masks)
}

/// The constants in a block; notes where something else stands.
fn constants(expressions: &Json, unknown: &mut Json) -> Json {
    match expressions {
        Json::Object(members) => match (members.get("constant_value"), members.get("references")) {
            (Some(constant), _) => constant.clone(),
            (None, Some(_)) => {
                *unknown = Json::Bool(true);
                Json::Null
            }
            (None, None) => {
                let mut masks = serde_json::Map::new();
                let values = members.iter().map(|(name, inner)| {
                    let mut mask = Json::Bool(false);
                    let value = constants(inner, &mut mask);
                    masks.insert(name.clone(), mask);
                    (name.clone(), value)
                });
                let values = Json::Object(values.collect());
                *unknown = Json::Object(masks);
                values
            }
        },
        Json::Array(elements) => {
            let mut masks = Vec::new();
            let values = elements.iter().map(|inner| {
                let mut mask = Json::Bool(false);
                let value = constants(inner, &mut mask);
                masks.push(mask);
                value
            });
            let values = Json::Array(values.collect());
            *unknown = Json::Array(masks);
            values
        }
        other => other.clone(),
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
        let masks = [NOWHERE, NOWHERE, &secrets];
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
}
