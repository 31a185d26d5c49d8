//! The configuration of a resource as a value: constants, and unknown where there is an expression.
//!
//! What Terraform writes: an attribute is `{"constant_value": ...}`, `{"references": [...]}`, or `{}` where an expression
//! refers to nothing and is not a constant, as `jsonencode({a = 1})`. A block is an object of its attributes and blocks.
//! The schema alone tells them apart. Dynamic blocks are left out, so blocks count only if the plan has as many.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use serde_json::value::RawValue;
use tenon_values::{Error, Type, Value};

use crate::schemas::{Attribute, Block, NestedBlock};
use crate::values::{Masks, Reader};

/// What is known of the configuration of a resource.
pub(crate) struct Config<'a> {
    /// The `expressions` of the resource.
    pub(crate) expressions: &'a RawValue,
    /// Its schema; without one, only constants are known.
    pub(crate) block: Option<&'a Block>,
    /// What is planned, or what there is.
    pub(crate) after: Option<&'a RawValue>,
}

impl Config<'_> {
    /// Reads it. `sensitive` are the masks of its values and what the schema says, where write-only values are known
    /// from alone.
    pub(crate) fn value(
        &self,
        ty: &Type,
        sensitive: [&Json; 4],
        reader: &mut Reader,
    ) -> Result<Value, Error> {
        let mut constants = String::new();
        let unknown = match self.block {
            Some(block) => write_block(self.expressions, block, self.after, &mut constants),
            None => write_object(members(self.expressions), &mut constants, write_attribute),
        };
        let raw: Option<Box<RawValue>> = RawValue::from_string(constants).ok();
        let masks = Masks {
            unknown: &unknown,
            sensitive,
        };
        reader.read(raw.as_deref(), ty, masks)
    }
}

/// Members of a JSON object, as they are written.
type Members<'a> = BTreeMap<String, &'a RawValue>;

fn members(raw: &RawValue) -> Members<'_> {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// The elements of a JSON array; `None` if it is something else.
fn elements(raw: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(raw.get()).ok()
}

fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// Writes the constants in a block as JSON, with the text of each number as it is, and returns a mask of what is
/// not constant.
fn write_block(
    expressions: &RawValue,
    block: &Block,
    after: Option<&RawValue>,
    out: &mut String,
) -> Json {
    let written = members(expressions);
    let after = after.filter(|after| !is_null(after)).map(members);
    let after = |name: &str| after.as_ref()?.get(name).copied();
    let attributes = block.attributes.keys().map(|name| (name, None));
    let blocks = block
        .block_types
        .iter()
        .map(|(name, one)| (name, Some(one)));
    let all = attributes.chain(blocks);
    let all = all.map(|(name, nested)| (name.clone(), (name, nested)));
    write_object(all.collect(), out, |(name, nested), out| {
        match (
            written.get(name).copied(),
            nested,
            block.attributes.get(name),
        ) {
            (expression, Some(nested), _) => write_nested(expression, nested, after(name), out),
            (Some(expression), None, _) => write_attribute(expression, out),
            (None, None, Some(one)) if may_be_blocks(one, after(name)) => write_unknown(out),
            (None, None, _) => write_null(out),
        }
    })
}

fn write_object<T>(
    members: BTreeMap<String, T>,
    out: &mut String,
    mut write: impl FnMut(T, &mut String) -> Json,
) -> Json {
    let mut masks = serde_json::Map::new();
    out.push('{');
    for (index, (name, inner)) in members.into_iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        out.push_str(&Json::from(name.as_str()).to_string());
        out.push(':');
        masks.insert(name, write(inner, out));
    }
    out.push('}');
    Json::Object(masks)
}

fn write_null(out: &mut String) -> Json {
    out.push_str("null");
    Json::Bool(false)
}

fn write_unknown(out: &mut String) -> Json {
    out.push_str("null");
    Json::Bool(true)
}

fn write_attribute(expression: &RawValue, out: &mut String) -> Json {
    match members(expression).get("constant_value") {
        Some(constant) => {
            out.push_str(constant.get());
            Json::Bool(false)
        }
        None => write_unknown(out),
    }
}

/// Whether an attribute that is missing may be written as blocks, as the rules of `aws_security_group`: Terraform
/// leaves them out.
fn may_be_blocks(attribute: &Attribute, after: Option<&RawValue>) -> bool {
    let ty = attribute.ty.as_deref().map_or("", RawValue::get);
    let ty: String = ty.split_whitespace().collect();
    let has_objects =
        ty.starts_with(r#"["list",["object""#) || ty.starts_with(r#"["set",["object""#);
    let is_empty = |after: &RawValue| matches!(after.get(), "null" | "[]");
    has_objects && !after.is_some_and(is_empty)
}

/// Blocks of one type; unknown if some of them may be missing in the expressions.
fn write_nested(
    expressions: Option<&RawValue>,
    nested: &NestedBlock,
    after: Option<&RawValue>,
    out: &mut String,
) -> Json {
    match nested.nesting_mode.as_str() {
        "single" | "group" => match expressions {
            Some(one) => write_block(one, &nested.block, after, out),
            None if !after.is_some_and(has_nothing) => write_unknown(out),
            None if nested.nesting_mode == "group" => {
                write_object(BTreeMap::<_, ()>::new(), out, |(), _| Json::Bool(false))
            }
            None => write_null(out),
        },
        "map" => {
            let written = expressions.map(members).unwrap_or_default();
            let after = after.map(members).unwrap_or_default();
            if !written.keys().eq(after.keys()) {
                return write_unknown(out);
            }
            let pairs = { written.into_iter() }
                .map(|(key, one)| (key.clone(), (one, after.get(&key).copied())));
            write_object(pairs.collect(), out, |(one, after), out| {
                write_block(one, &nested.block, after, out)
            })
        }
        mode => write_elements(expressions, mode == "set", &nested.block, after, out),
    }
}

fn write_elements(
    expressions: Option<&RawValue>,
    is_set: bool,
    block: &Block,
    after: Option<&RawValue>,
    out: &mut String,
) -> Json {
    let written = expressions.and_then(elements).unwrap_or_default();
    let count = match is_set {
        // Equal blocks are one element.
        true => { written.iter().map(|one| one.get()) }
            .collect::<BTreeSet<_>>()
            .len(),
        false => written.len(),
    };
    let Some(after) = after
        .and_then(elements)
        .filter(|after| after.len() == count)
    else {
        return write_unknown(out);
    };
    let mut masks = Vec::new();
    out.push('[');
    for (index, one) in written.into_iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        // Elements of a set cannot be matched by index, unless there is only one.
        let after = after.get(index).filter(|_| !is_set || after.len() == 1);
        masks.push(write_block(one, block, after.copied(), out));
    }
    out.push(']');
    Json::Array(masks)
}

/// Whether a value is null, or a group whose members are.
fn has_nothing(after: &RawValue) -> bool {
    is_null(after)
        || after.get().starts_with('{') && members(after).into_values().all(has_nothing)
        || after.get() == "[]"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schemas::Schemas;
    use crate::values::NOWHERE;

    const SCHEMAS: &str = r#"{"provider_schemas": {"p": {"resource_schemas": {"t": {"block": {
        "attributes": {
            "a": {"type": "string"}, "b": {"type": "number"}, "f": {"type": "string"},
            "any": {"type": "dynamic"}, "tags": {"type": ["map", "string"]},
            "rules": {"type": ["set", ["object", {"port": "number"}]]},
            "password": {"type": "string", "sensitive": true}
        },
        "block_types": {
            "c": {"nesting_mode": "list", "block": {"attributes": {
                "d": {"type": "string"}, "e": {"type": "string", "sensitive": true},
                "references": {"type": "string"}, "constant_value": {"type": "number"}}}},
            "s": {"nesting_mode": "set", "block": {"attributes": {"d": {"type": "string"}}}},
            "one": {"nesting_mode": "single", "block": {"attributes": {"d": {"type": "string"}}}},
            "group": {"nesting_mode": "group", "block": {"attributes": {"d": {"type": "string"}}}},
            "m": {"nesting_mode": "map", "block": {"attributes": {"d": {"type": "string"}}}}
        }
    }}}}}}"#;

    /// What hooks see, as JSON; what is unknown is `"?"`.
    fn seen(expressions: Json, after: Json) -> Json {
        let schemas = Schemas::parse(SCHEMAS).unwrap();
        let block = schemas.block("p", "managed", "t").unwrap();
        let (ty, secrets) = (block.implied_type().unwrap(), block.secrets());
        let [expressions, after] =
            [expressions, after].map(|one| serde_json::value::to_raw_value(&one).unwrap());
        let config = Config {
            expressions: &expressions,
            block: Some(&block),
            after: Some(&after),
        };
        let masks = [NOWHERE, NOWHERE, NOWHERE, &secrets];
        let value = config.value(&ty, masks, &mut Reader::default()).unwrap();
        shown(&value)
    }

    fn shown(value: &Value) -> Json {
        if !value.is_known() {
            return json!("?");
        }
        if let Some(parts) = value.attributes() {
            let parts = parts
                .iter()
                .map(|(name, part)| (name.to_owned(), shown(part)));
            return Json::Object(parts.filter(|(_, part)| !part.is_null()).collect());
        }
        if let Some(entries) = value.entries() {
            let entries = entries.iter();
            let entries =
                entries.map(|(key, one)| (key.to_string_lossy().into_owned(), shown(one)));
            return Json::Object(entries.collect());
        }
        if let Some(elements) = value.elements() {
            return elements.iter().map(shown).collect();
        }
        serde_json::from_str(&tenon_values::json::encode(value, &value.ty()).unwrap()).unwrap()
    }

    /// What is planned where the configuration has no blocks.
    fn nothing() -> Json {
        json!({"c": [], "s": [], "one": null, "group": {"d": null}, "m": {}, "rules": []})
    }

    fn planned(name: &str, value: Json) -> Json {
        let mut after = nothing();
        after[name] = value;
        after
    }

    #[test]
    fn constants_are_known_and_expressions_are_not() {
        let expressions = json!({
            "a": {"constant_value": "x"},
            "b": {"references": ["var.b"]},
            // `jsonencode({a = 1})` and the like.
            "f": {}, "any": {}, "tags": {},
            "password": {"constant_value": "secret"},
            "c": [{"d": {"constant_value": "y"}, "e": {"constant_value": "secret"}},
                  {"d": {"references": []}}],
        });
        let after = planned("c", json!([{}, {}]));
        let expected = json!({"a": "x", "b": "?", "f": "?", "any": "?", "tags": "?",
            "c": [{"d": "y"}, {"d": "?"}], "s": [], "group": {}, "m": {}});
        assert_eq!(seen(expressions, after), expected);
    }

    #[test]
    fn attributes_are_distinguished_from_blocks_by_the_schema() {
        let block = json!([{"references": {"constant_value": "r"}, "constant_value": {}}]);
        let value = seen(json!({"c": block, "one": {}}), planned("c", json!([{}])));
        assert_eq!(
            value["c"],
            json!([{"references": "r", "constant_value": "?"}])
        );
        assert_eq!(value["one"], json!({}));
    }

    /// Terraform leaves them out.
    #[test]
    fn dynamic_blocks_are_unknown() {
        let fixed = json!([{"d": {"constant_value": "x"}}]);
        let one = json!({"d": "x"});
        for (name, expressions, after, expected) in [
            ("c", json!({}), json!([one]), json!("?")),
            ("c", json!({"c": fixed}), json!([one, one]), json!("?")),
            ("c", json!({"c": fixed}), json!([one]), json!([one])),
            (
                "s",
                json!({"s": fixed}),
                json!([one, {"d": "y"}]),
                json!("?"),
            ),
            (
                "s",
                json!({"s": [fixed[0], fixed[0]]}),
                json!([one]),
                json!([one]),
            ),
            (
                "s",
                json!({"s": [fixed[0], fixed[0]]}),
                json!([one, {"d": "y"}]),
                json!("?"),
            ),
            ("one", json!({}), one.clone(), json!("?")),
            ("one", json!({}), json!(null), json!(null)),
            ("group", json!({}), one.clone(), json!("?")),
            ("m", json!({}), json!({"k": one}), json!("?")),
            (
                "m",
                json!({"m": {"k": fixed[0]}}),
                json!({"k": one}),
                json!({"k": one}),
            ),
            ("rules", json!({}), json!([{"port": 1}]), json!("?")),
        ] {
            let seen = seen(expressions.clone(), planned(name, after.clone()));
            assert_eq!(seen[name], expected, "{name} {expressions} {after}");
        }
        // What is not known of the plan is not known of the configuration.
        assert_eq!(seen(json!({}), json!(null))["c"], "?");
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        let text = r#"{"a": {"constant_value": 12345678901234567890123},
            "b": {"constant_value": {"d": 0.10000000000000000000001}}, "c": {}, "d": [{}]}"#;
        let expressions: Box<RawValue> = serde_json::from_str(text).unwrap();
        let config = Config {
            expressions: &expressions,
            block: None,
            after: None,
        };
        let read = config.value(&Type::Dynamic, [NOWHERE; 4], &mut Reader::default());
        let value = read.unwrap();
        for name in ["c", "d"] {
            assert!(!value.attribute(name).unwrap().is_known(), "{name}");
        }
        let text = format!("{value}");
        assert!(text.contains("12345678901234567890123"), "{text}");
        assert!(text.contains("0.10000000000000000000001"), "{text}");
    }
}
