//! Values as Terraform sends them, and back.

use tenon_values::{Type, Value, json, msgpack};

use crate::diagnostic;
use crate::proto::tfplugin6::{Diagnostic, DynamicValue};

/// The value that was sent; null if there was none.
pub(crate) fn decode(sent: Option<&DynamicValue>, ty: &Type) -> Result<Value, Diagnostic> {
    let Some(sent) = sent else {
        return Ok(Value::null(ty.clone()));
    };
    let decoded = match (sent.msgpack.as_slice(), sent.json.as_slice()) {
        ([], []) => return Ok(Value::null(ty.clone())),
        ([], text) => json::decode(text, ty),
        (bytes, _) => msgpack::decode(bytes, ty),
    };
    decoded.map_err(|error| {
        diagnostic::error(
            "Unreadable value",
            format!(
                "Terraform sent a value that does not fit the schema: {error}.\n\n\
                 Terraform and the provider may be of versions that do not go together; please \
                 report this."
            ),
        )
    })
}

/// The value as Terraform reads it.
pub(crate) fn encode(value: &Value, ty: &Type) -> Result<DynamicValue, Diagnostic> {
    let bytes = msgpack::encode(value, ty).map_err(|error| {
        diagnostic::error(
            "Unwritable value",
            format!("The result does not fit the schema: {error}."),
        )
    })?;
    Ok(DynamicValue {
        msgpack: bytes,
        json: Vec::new(),
    })
}

/// A part of a block; null if the block has none or is null itself.
pub(crate) fn part(block: &Value, name: &str) -> Value {
    let found = block
        .attributes()
        .and_then(|parts| parts.get(name).cloned());
    found.unwrap_or(Value::NULL)
}

/// The text of a part, if it is known and there.
pub(crate) fn text(block: &Value, name: &str) -> Option<String> {
    part(block, name)
        .as_text()
        .map(|text| text.to_string_lossy().into_owned())
}

/// The block with other values in some places.
pub(crate) fn with<const N: usize>(block: &Value, changes: [(&str, Value); N]) -> Value {
    let Some(parts) = block.attributes() else {
        return block.clone();
    };
    Value::object(parts.iter().map(|(name, value)| {
        let change = changes.iter().find(|(changed, _)| *changed == name);
        (name, change.map_or(value, |(_, value)| value).clone())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_null() {
        let nothing = DynamicValue::default();
        assert!(decode(None, &Type::String).unwrap().is_null());
        assert!(decode(Some(&nothing), &Type::String).unwrap().is_null());
    }

    #[test]
    fn both_forms_are_read() {
        let ty: Type = "object({ a = any })".parse().unwrap();
        let value = Value::object([("a", Value::tuple(vec![Value::from(1), Value::TRUE]))]);
        let packed = encode(&value, &ty).unwrap();
        assert_eq!(decode(Some(&packed), &ty).unwrap(), value);
        let text = DynamicValue {
            msgpack: Vec::new(),
            json: json::encode(&value, &ty).unwrap().into_bytes(),
        };
        assert_eq!(decode(Some(&text), &ty).unwrap(), value);
        let broken = DynamicValue {
            msgpack: vec![0xc1],
            json: Vec::new(),
        };
        assert_eq!(
            decode(Some(&broken), &ty).unwrap_err().summary,
            "Unreadable value"
        );
    }

    #[test]
    fn parts_are_replaced() {
        let block = Value::object([("a", Value::from("x")), ("b", Value::from(1))]);
        let changed = with(&block, [("b", Value::from(2))]);
        assert_eq!(text(&changed, "a").as_deref(), Some("x"));
        assert_eq!(part(&changed, "b"), Value::from(2));
        assert!(part(&changed, "c").is_null());
    }
}
