//! What a script is given for props that are not known yet.
//!
//! Scripts compare, measure and validate props without asking whether they are known, as
//! terraform-provider-denobridge gave them values of the right type. A null would make most of them
//! throw, and no schema takes it.

use tenon_values::{Kind, Type, Value};

/// The props with the empty value of its type for everything unknown. Types of collections are not
/// kept: the result is for JSON.
pub(super) fn filled(props: &Value) -> Value {
    match (props.kind(), props.ty()) {
        // Props that say nothing of themselves are an object in almost every script.
        (Kind::Unknown(_), Type::Dynamic) => Value::object::<&str>([]),
        _ if props.is_wholly_known() => props.clone(),
        _ => filled_part(props),
    }
}

fn filled_part(value: &Value) -> Value {
    match value.kind() {
        Kind::Unknown(_) => empty(&value.ty()),
        Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => {
            Value::tuple(values.iter().map(filled_part).collect())
        }
        Kind::Map(entries) => Value::object(
            { entries.iter() }.map(|(key, value)| (key.to_string_lossy(), filled_part(value))),
        ),
        Kind::Object(attributes) => {
            Value::object({ attributes.iter() }.map(|(name, value)| (name, filled_part(value))))
        }
        _ => value.clone(),
    }
}

/// The empty value of a type; a text if it has none.
fn empty(ty: &Type) -> Value {
    match ty {
        Type::Number => Value::from(0),
        Type::Bool => Value::FALSE,
        Type::List(_) | Type::Set(_) => Value::tuple(Vec::new()),
        Type::Map(_) => Value::object::<&str>([]),
        Type::Tuple(tuple) => Value::tuple(tuple.elements().iter().map(empty).collect()),
        Type::Object(object) => Value::object(
            { object.attributes().iter() }.map(|one| (one.name.as_str(), empty(&one.ty))),
        ),
        _ => Value::from(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(ty: &str) -> Value {
        Value::unknown(ty.parse().unwrap())
    }

    #[test]
    fn what_is_unknown_is_the_empty_value_of_its_type() {
        for (ty, expected) in [
            ("string", "\"\""),
            ("number", "0"),
            ("bool", "false"),
            ("list(string)", "[]"),
            ("set(string)", "[]"),
            ("map(string)", "{}"),
            ("any", "\"\""),
            (
                "object({ a = string, b = object({ c = number }) })",
                "{ a = \"\", b = { c = 0 } }",
            ),
            ("tuple([string, bool])", "[\"\", false]"),
        ] {
            let props = Value::object([("x", unknown(ty)), ("known", Value::TRUE)]);
            let filled = filled(&props);
            let expected = format!("{{ known = true, x = {expected} }}");
            assert_eq!(filled.to_string(), expected, "{ty}");
        }
    }

    #[test]
    fn unknown_elements_keep_their_places() {
        let list = Value::list(Type::String, vec!["a".into(), unknown("string")]).unwrap();
        assert_eq!(filled(&list).to_string(), "[\"a\", \"\"]");
        let map = Value::map(Type::Bool, [("k", unknown("bool"))]).unwrap();
        assert_eq!(filled(&map).to_string(), "{ k = false }");
        assert_eq!(filled(&unknown("any")).to_string(), "{}");
        assert_eq!(filled(&Value::NULL), Value::NULL);
    }
}
