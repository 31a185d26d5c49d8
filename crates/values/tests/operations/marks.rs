//! Marks are on whatever is made from what they were on.

use tenon_values::convert::convert;
use tenon_values::{Mark, Marks, Path, Problem, Type, Value, from_value, json, msgpack};

use crate::ty;

fn both() -> Marks {
    [Mark::SENSITIVE, Mark::new("ephemeral")]
        .into_iter()
        .collect()
}

#[test]
fn travel_through_every_operation() {
    let secret = |value: Value| value.sensitive();
    let other = |value: Value| value.mark(Mark::new("ephemeral"));
    let (three, two) = (secret(Value::from(3)), other(Value::from(2)));
    let (yes, no) = (secret(Value::TRUE), other(Value::FALSE));
    let list = secret(Value::list(Type::Number, vec![Value::from(7)]).unwrap());
    let map = secret(Value::map(Type::Number, [("k", Value::from(7))]).unwrap());
    let set = secret(Value::set(Type::Number, vec![Value::from(7)]).unwrap());
    for (name, result, expected) in [
        ("add", three.add(&two), Value::from(5)),
        ("subtract", three.subtract(&two), Value::from(1)),
        ("multiply", three.multiply(&two), Value::from(6)),
        (
            "divide",
            three.divide(&two),
            Value::number(crate::number("1.5")),
        ),
        ("remainder", three.remainder(&two), Value::from(1)),
        ("less", three.less_than(&two), Value::FALSE),
        (
            "less or equal",
            three.less_than_or_equal(&two),
            Value::FALSE,
        ),
        ("greater", three.greater_than(&two), Value::TRUE),
        (
            "greater or equal",
            three.greater_than_or_equal(&two),
            Value::TRUE,
        ),
        ("equals", Ok(three.equals(&two)), Value::FALSE),
        ("not equals", Ok(three.not_equals(&two)), Value::TRUE),
        ("and", yes.and(&no), Value::FALSE),
        ("or", yes.or(&no), Value::TRUE),
        ("index", list.index(&other(Value::from(0))), Value::from(7)),
        ("key", map.index(&other(Value::from("k"))), Value::from(7)),
        (
            "has index",
            list.has_index(&other(Value::from(1))),
            Value::FALSE,
        ),
        (
            "has key",
            map.has_index(&other(Value::from("k"))),
            Value::TRUE,
        ),
        (
            "has element",
            set.has_element(&other(Value::from(7))),
            Value::TRUE,
        ),
        (
            "zero times unknown",
            secret(Value::from(0)).multiply(&other(Value::unknown(Type::Number))),
            Value::from(0),
        ),
        (
            "decided",
            no.and(&secret(Value::unknown(Type::Bool))),
            Value::FALSE,
        ),
    ] {
        assert_eq!(result.unwrap(), expected.with_marks(&both()), "{name}");
    }
}

#[test]
fn travel_through_operations_on_one() {
    let object = Value::object([("a", Value::from(1))]).sensitive();
    let list = Value::list(Type::Number, vec![Value::from(1)])
        .unwrap()
        .sensitive();
    let unknown = Value::unknown(Type::Number).sensitive();
    for (name, result, expected) in [
        (
            "negate",
            Value::from(1).sensitive().negate(),
            Value::from(-1),
        ),
        (
            "absolute",
            Value::from(-1).sensitive().absolute(),
            Value::from(1),
        ),
        ("not", Value::TRUE.sensitive().not(), Value::FALSE),
        ("attribute", object.attribute("a"), Value::from(1)),
        ("length", list.length(), Value::from(1)),
        (
            "convert",
            convert(&Value::from(1).sensitive(), &Type::String),
            Value::from("1"),
        ),
        ("refine", unknown.refine_null(), Value::null(Type::Number)),
        (
            "convert an unknown",
            convert(&unknown, &Type::String),
            Value::unknown(Type::String),
        ),
        (
            "unknown as null",
            Ok(unknown.unknown_as_null()),
            Value::null(Type::Number),
        ),
    ] {
        assert_eq!(result.unwrap(), expected.sensitive(), "{name}");
    }
}

/// What is inside keeps its own marks; what is made of all of it takes them on.
#[test]
fn inside_a_value() {
    let list = Value::list(
        Type::String,
        vec![Value::from("a").sensitive(), Value::from("b")],
    )
    .unwrap();
    assert!(!list.is_marked() && list.contains_marked());
    assert_eq!(list.index(&Value::from(1)).unwrap(), Value::from("b"));
    assert_eq!(
        list.index(&Value::from(0)).unwrap(),
        Value::from("a").sensitive()
    );
    assert_eq!(list.length().unwrap(), Value::from(2));
    assert_eq!(list.equals(&list), Value::TRUE.sensitive());
    let numbers = Value::tuple(vec![Value::from(1).sensitive(), Value::from(2)]);
    let texts = convert(&numbers, &ty("list(string)")).unwrap();
    assert_eq!(
        texts.elements().unwrap(),
        [Value::from("1").sensitive(), Value::from("2")]
    );
    let set = Value::set(Type::String, vec![Value::from("a").sensitive()]).unwrap();
    assert_eq!(
        set,
        Value::set(Type::String, vec![Value::from("a")])
            .unwrap()
            .sensitive()
    );
    assert_eq!(
        convert(&numbers, &ty("set(string)")).unwrap().marks(),
        Marks::from(Mark::SENSITIVE)
    );
    let unmarked = Value::tuple(vec![Value::from(1), Value::from(2)]);
    assert!(numbers.could_be(&unmarked) && unmarked.could_be(&numbers));
}

#[test]
fn keep_a_value_from_being_written_at_any_depth() {
    let secret = Value::from("hunter2").sensitive();
    let list = Value::list(Type::String, vec![Value::from("a"), secret.clone()]).unwrap();
    let map = Value::map(Type::String, [("k", secret.clone())]).unwrap();
    let root = Path::root;
    for (value, path) in [
        (secret.clone(), root()),
        (list.clone(), root().index(1)),
        (map.clone(), root().key("k")),
        (Value::object([("o", map)]), root().attribute("o").key("k")),
        (
            Value::tuple(vec![Value::TRUE, list]),
            root().index(1).index(1),
        ),
        (
            Value::set(Type::String, vec![secret.clone()]).unwrap(),
            root(),
        ),
        (Value::null(Type::String).sensitive(), root()),
        (Value::unknown(Type::String).sensitive(), root()),
    ] {
        for by in [value.ty(), Type::Dynamic] {
            let mut out = b"kept".to_vec();
            let errors = [
                msgpack::encode_into(&value, &by, &mut out).unwrap_err(),
                json::encode(&value, &by).unwrap_err(),
            ];
            assert_eq!(out, b"kept");
            for error in errors {
                assert_eq!(error.path(), &path, "{value}");
                assert_eq!(error.problem(), &Problem::Marked("sensitive".to_owned()));
                assert!(!error.to_string().contains("hunter2"));
            }
        }
    }
}

#[test]
fn are_a_set() {
    let value = Value::from(1)
        .sensitive()
        .sensitive()
        .mark(Mark::new("ephemeral"));
    assert_eq!(value.marks(), both());
    assert_eq!(value.marks().to_string(), "ephemeral and sensitive");
    assert_ne!(value, Value::from(1).sensitive());
    assert_eq!(value.unmark().0, Value::from(1));
    assert_eq!(value.mark_at(&[(Path::root().index(3), both())]), value);
}

/// What is marked is not in an error either: not the text, not the key, not the keys inside.
#[test]
fn errors_do_not_quote_secrets() {
    let secret = Value::from("hunter2").sensitive();
    let keys = Value::map(Type::String, [("hunter2", Value::from("x"))])
        .unwrap()
        .sensitive();
    let errors = [
        convert(&secret, &Type::Bool).unwrap_err(),
        convert(&secret, &Type::Number).unwrap_err(),
        convert(&keys, &Type::map(Type::Number)).unwrap_err(),
        Value::map(Type::String, [("a", Value::from("b"))])
            .unwrap()
            .index(&secret)
            .unwrap_err(),
        msgpack::encode(&secret, &Type::String).unwrap_err(),
        json::encode(&keys, &keys.ty()).unwrap_err(),
        from_value::<String>(&secret).unwrap_err(),
    ];
    for error in errors {
        let shown = format!("{error} {error:?} {:?} {:?}", error.problem(), error.path());
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    assert!(!format!("{secret} {secret:?}").contains("hunter2"));
}
