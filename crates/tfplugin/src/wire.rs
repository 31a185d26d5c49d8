//! Values as Terraform sends them, and back.

use tenon_values::{Error, Problem, Type, Value, json, msgpack};

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
    decoded.map_err(|error| match is_too_large(&error) {
        true => Diagnostic::error(
            "Value too large",
            format!("The provider does not accept this value: {error}. Make the value smaller, or split it."),
        ),
        false => Diagnostic::error(
            "Unreadable value",
            format!(
                "Terraform sent a value that does not fit the schema: {error}.\n\n\
                 The versions of Terraform and the provider may be incompatible. Report this as a bug of \
                 the provider."
            ),
        ),
    })
}

/// Whether a value is beyond a limit of ours, which is not a mistake of anybody. Types are read from JSON, whose errors
/// are texts.
fn is_too_large(error: &Error) -> bool {
    matches!(error.problem(), Problem::Limit { .. }) || error.to_string().contains("levels deep")
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
    fn a_value_beyond_a_limit_is_not_a_bug_of_the_provider() {
        let depth = 200;
        let nested = |open: &str, inner: &str, close: &str| {
            format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
        };
        let ty = nested("[\"tuple\",[", "\"number\"", "]]");
        let length = u16::try_from(ty.len()).unwrap().to_be_bytes();
        let packed = [&[0x92, 0xc5], &length[..], ty.as_bytes(), &[0x01]].concat();
        for sent in [
            DynamicValue {
                json: format!("{{\"type\":{ty},\"value\":1}}").into_bytes(),
                msgpack: Vec::new(),
            },
            DynamicValue {
                json: Vec::new(),
                msgpack: packed,
            },
        ] {
            let error = decode(Some(&sent), &Type::Dynamic).unwrap_err();
            assert_eq!(error.summary, "Value too large", "{}", error.detail);
            assert!(error.detail.contains("levels deep"), "{}", error.detail);
        }
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
