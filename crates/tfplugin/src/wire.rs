//! Values as Terraform sends them, and back.

use tenon_values::{Type, Value, json, msgpack};

use crate::diagnostic::Diagnostic;
use crate::proto::tfplugin6::DynamicValue;

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
        Diagnostic::error(
            "Unreadable value",
            format!(
                "Terraform sent a value that does not fit the schema: {error}.\n\n\
                 The versions of Terraform and the provider may be incompatible. Report this as a bug of \
                 the provider."
            ),
        )
    })
}

/// The value as Terraform reads it.
pub(crate) fn encode(value: &Value, ty: &Type) -> Result<DynamicValue, Diagnostic> {
    let bytes = msgpack::encode(value, ty).map_err(|error| {
        Diagnostic::error(
            "Unwritable value",
            format!("The result does not fit the schema: {error}."),
        )
    })?;
    Ok(DynamicValue {
        msgpack: bytes,
        json: Vec::new(),
    })
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
}
