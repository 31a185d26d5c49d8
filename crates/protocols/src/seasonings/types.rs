//! Types in either of their two notations.

use tenon_values::Type;
use tenon_wire::msgpack::{Reader, Token};
use tenon_wire::transcode;

/// Reads a type: a text in type syntax (`"list(string)"`, `"any"`), or cty's JSON notation as msgpack
/// (`"dynamic"`, `["list", "string"]`).
///
/// # Errors
/// What is wrong with it, as a sentence without a full stop.
pub fn read_type(packed: &[u8]) -> Result<Type, String> {
    match Reader::new(packed).token() {
        Some(Token::Str(text)) => {
            let text = std::str::from_utf8(text).map_err(|_| "the type is not valid UTF-8")?;
            match text {
                "dynamic" => Ok(Type::Dynamic),
                text => text.parse().map_err(|error| format!("the type: {error}")),
            }
        }
        Some(Token::Array(_)) => {
            let json =
                transcode::msgpack_to_json(packed, &[]).map_err(|error| error.to_string())?;
            Type::from_json(&json).map_err(|error| format!("the type: {error}"))
        }
        _ => Err(
            "a type is a text such as \"list(string)\" or an array such as [\"list\", \"string\"]"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use tenon_rpc::wire::Packed;

    use super::*;

    fn read(written: serde_json::Value) -> Result<String, String> {
        let packed = Packed::encode(&written).unwrap();
        read_type(packed.bytes()).map(|ty| ty.to_string())
    }

    #[test]
    fn both_notations_are_read() {
        use serde_json::json;
        for (written, ty) in [
            (json!("string"), "string"),
            (json!("any"), "any"),
            (json!("dynamic"), "any"),
            (json!("list(string)"), "list(string)"),
            (json!(["list", "string"]), "list(string)"),
            (json!(["map", ["set", "dynamic"]]), "map(set(any))"),
            (
                json!(["object", {"a": "number", "b": "bool"}, ["a"]]),
                "object({ a = optional(number), b = bool })",
            ),
            (
                json!("object({ a = optional(number) })"),
                "object({ a = optional(number) })",
            ),
            (
                json!(["tuple", ["string", "bool"]]),
                "tuple([string, bool])",
            ),
        ] {
            assert_eq!(read(written.clone()).as_deref(), Ok(ty), "{written}");
        }
        for wrong in [
            json!("strin"),
            json!(["list"]),
            json!(7),
            json!(null),
            json!({}),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
