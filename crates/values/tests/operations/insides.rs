//! What is inside a value: visiting it, changing it, and getting it back from a script.

use tenon_values::json::implied_like;
use tenon_values::{Error, Kind, Path, Problem, Type, Value, json};

use crate::{number, ty};

fn sample() -> Value {
    Value::object([
        (
            "ids",
            Value::set(Type::String, vec!["b".into(), "a".into()]).unwrap(),
        ),
        ("name", Value::from("x").sensitive()),
        (
            "ports",
            Value::list(
                Type::Number,
                vec![Value::from(1), Value::unknown(Type::Number)],
            )
            .unwrap(),
        ),
        (
            "tags",
            Value::map(Type::String, [("k", Value::from("v"))]).unwrap(),
        ),
        ("pair", Value::tuple(vec![Value::TRUE, Value::NULL])),
    ])
}

#[test]
fn walks_visit_the_outer_before_the_inner() {
    let mut paths = Vec::new();
    sample().walk(&mut |path, _| {
        paths.push(path.to_string());
        true
    });
    let expected = [
        "",
        ".ids",
        ".ids[element 0]",
        ".ids[element 1]",
        ".name",
        ".pair",
        ".pair[0]",
        ".pair[1]",
        ".ports",
        ".ports[0]",
        ".ports[1]",
        ".tags",
        ".tags[\"k\"]",
    ];
    assert_eq!(paths, expected);
    let mut count = 0;
    sample().walk(&mut |path, _| {
        count += 1;
        path.is_root()
    });
    assert_eq!(count, 6);
}

#[test]
fn transforms_find_types_anew() {
    let to_text = |_: &Path, value: Value| match value.kind() {
        Kind::Number(number) => Ok(Value::from(number.to_text())),
        Kind::Unknown(_) => Ok(Value::unknown(Type::String)),
        _ => Ok(value),
    };
    let changed = sample().transform(&mut { to_text }).unwrap();
    assert_eq!(changed.attribute("ports").unwrap().ty(), ty("list(string)"));
    assert!(changed.attribute("name").unwrap().is_sensitive());
    let one = |path: &Path, value: Value| match path.to_string() == ".ports[0]" {
        true => Ok(Value::from("one")),
        false => Ok(value),
    };
    let error = sample().transform(&mut { one }).unwrap_err();
    assert!(matches!(error.problem(), Problem::MixedElements { .. }));
    assert_eq!(error.path().to_string(), ".ports[1]");
    let refuse = |path: &Path, value: Value| match value.is_null() {
        true => Err(Error::new(path.clone(), Problem::Null)),
        false => Ok(value),
    };
    assert_eq!(
        sample()
            .transform(&mut { refuse })
            .unwrap_err()
            .path()
            .to_string(),
        ".pair[1]"
    );
    assert_eq!(
        sample().transform(&mut |_, value| Ok(value)).unwrap(),
        sample()
    );
}

#[test]
fn unknown_values_become_null() {
    let known = sample().unknown_as_null();
    assert!(known.is_wholly_known());
    assert_eq!(known.ty(), sample().ty());
    let ports = known.attribute("ports").unwrap();
    assert_eq!(
        ports.elements().unwrap(),
        [Value::from(1), Value::null(Type::Number)]
    );
    let all = Value::unknown(ty("list(string)")).sensitive();
    assert_eq!(
        all.unknown_as_null(),
        Value::null(ty("list(string)")).sensitive()
    );
    // Two unknown elements of a set become one null.
    let set = Value::set(Type::Bool, vec![Value::unknown(Type::Bool); 2]).unwrap();
    assert_eq!(
        set.unknown_as_null().elements().unwrap(),
        [Value::null(Type::Bool)]
    );
}

#[test]
fn scripts_hand_types_back() {
    let prior = Value::object([
        (
            "ids",
            Value::set(Type::String, vec!["a".into(), "b".into()]).unwrap(),
        ),
        ("none", Value::null(ty("list(string)"))),
        (
            "ratio",
            Value::number(tenon_values::Number::try_from(0.1).unwrap()),
        ),
        (
            "tags",
            Value::map(Type::String, [("k", Value::from("v"))]).unwrap(),
        ),
        ("empty", Value::list(Type::Number, vec![]).unwrap()),
    ]);
    let text = json::encode(&prior, &prior.ty()).unwrap();
    let same = implied_like(text.as_bytes(), &prior).unwrap();
    assert_eq!(same, prior);
    let ratio = same.attribute("ratio").unwrap();
    assert_eq!(ratio.as_number().unwrap().precision(), 53);
    // Another order of a set is no change, nor is another order of the properties.
    let text = r#"{"tags":{"k":"v"},"ratio":0.1,"none":null,"ids":["b","a"],"empty":[]}"#;
    assert_eq!(implied_like(text.as_bytes(), &prior).unwrap(), prior);
    // What is new takes the type of what was there, where it fits.
    let text =
        r#"{"tags":{"k":"w","l":"x"},"ratio":0.5,"none":["n"],"ids":["c"],"empty":[1],"more":[1]}"#;
    let changed = implied_like(text.as_bytes(), &prior).unwrap();
    for (name, expected) in [
        ("tags", "map(string)"),
        ("ratio", "number"),
        ("none", "list(string)"),
        ("ids", "set(string)"),
        ("empty", "list(number)"),
        ("more", "tuple([number])"),
    ] {
        assert_eq!(
            changed.attribute(name).unwrap().ty(),
            ty(expected),
            "{name}"
        );
    }
    // And keeps its own where it does not: no string becomes a number.
    let changed = implied_like(br#"{"ratio":"0.1","ids":"a"}"#, &prior).unwrap();
    assert_eq!(
        changed,
        Value::object(
            [("ratio", "0.1"), ("ids", "a")].map(|(name, value)| (name, Value::from(value)))
        )
    );
}

#[test]
fn elements_and_attributes() {
    let unknown = Value::unknown(ty("object({ a = list(number) })"));
    let list = unknown.attribute("a").unwrap();
    assert_eq!(list, Value::unknown(ty("list(number)")));
    assert_eq!(
        list.index(&Value::from(7)).unwrap(),
        Value::unknown(Type::Number)
    );
    assert!(!list.has_index(&Value::from(0)).unwrap().is_known());
    let known = Value::list(Type::Number, vec![Value::from(1)]).unwrap();
    for (key, expected) in [
        ("0", true),
        ("1", false),
        ("0.5", false),
        ("-1", false),
        ("1e30", false),
    ] {
        let key = Value::number(number(key));
        assert_eq!(
            known.has_index(&key).unwrap(),
            Value::from(expected),
            "{key}"
        );
        assert_eq!(known.index(&key).is_ok(), expected, "{key}");
    }
    assert_eq!(known.has_index(&Value::from("0")).unwrap(), Value::FALSE);
    let tuple = Value::unknown(ty("tuple([number])"));
    assert_eq!(tuple.has_index(&Value::from(1)).unwrap(), Value::FALSE);
    assert_eq!(
        tuple.index(&Value::from(0)).unwrap(),
        Value::unknown(Type::Number)
    );
    for wrong in [
        Value::null(ty("list(number)")),
        Value::from("a"),
        Value::from(1),
    ] {
        assert!(wrong.index(&Value::from(0)).is_err() && wrong.length().is_err());
        assert!(wrong.has_index(&Value::from(0)).is_err() && wrong.has_element(&wrong).is_err());
        assert!(wrong.attribute("a").is_err());
    }
}

/// Types with optional attributes are what is asked for; no value has one.
#[test]
fn values_have_all_their_attributes() {
    let object = ty("object({ a = optional(string) })");
    for (wanted, bytes, text) in [
        (object.clone(), &[0x81, 0xa1, b'a', 0xc0][..], "{}"),
        (
            Type::list(object.clone()),
            &[0x91, 0x81, 0xa1, b'a', 0xc0],
            "[{}]",
        ),
        (
            Type::tuple([object.clone()]),
            &[0x91, 0x81, 0xa1, b'a', 0xc0],
            "[{}]",
        ),
        (
            Type::list(Type::tuple([object.clone()])),
            &[0x91, 0x91, 0x81, 0xa1, b'a', 0xc0],
            "[[{}]]",
        ),
        (
            Type::map(object.clone()),
            &[0x81, 0xa1, b'k', 0x81, 0xa1, b'a', 0xc0],
            "{\"k\":{}}",
        ),
        (object.clone(), &[0xc0], "null"),
    ] {
        let values = [
            tenon_values::msgpack::decode(bytes, &wanted),
            json::decode(text.as_bytes(), &wanted),
        ];
        for value in values {
            assert_eq!(
                value.map(|value| value.ty()),
                Ok(wanted.without_optional()),
                "{wanted}"
            );
        }
    }
}
