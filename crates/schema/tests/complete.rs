//! What users give, completed.

use tenon_schema::{Attribute, Block, Body, Nesting};
use tenon_values::{Type, Value, json};

fn rule() -> Body {
    Body::new([
        Attribute::new("port", Type::Number).required(),
        Attribute::new("open", Type::Bool).with_default(true.into()),
    ])
}

fn body() -> Body {
    Body::new([
        Attribute::new("name", Type::String).required(),
        Attribute::new("count_of", Type::Number).with_default(3.into()),
        Attribute::new("key", Type::Number).sensitive(),
        Attribute::new("tags", Type::list(Type::String)),
        Attribute::new("address", Type::String).computed(),
    ])
}

fn complete(body: &Body, given: &str) -> Result<String, Vec<String>> {
    let given = json::implied(given.as_bytes()).unwrap();
    match body.complete(&given) {
        Ok(value) => Ok(value.unmark_deep().0.to_string()),
        Err(errors) => Err(errors.iter().map(ToString::to_string).collect()),
    }
}

#[test]
fn defaults_are_filled_in_and_values_converted() {
    assert_eq!(
        complete(&body(), r#"{"name":5,"tags":["a",1],"count_of":null}"#).unwrap(),
        r#"{ address = null, count_of = 3, key = null, name = "5", tags = ["a", "1"] }"#
    );
}

#[test]
fn all_errors_are_reported_and_quote_no_secret() {
    let given = r#"{"nmae":"x","colour":1,"tags":true,"key":"hunter2","address":"a"}"#;
    let errors = complete(&body(), given).unwrap_err();
    assert_eq!(errors[0], "the attribute \"colour\" is not supported");
    assert_eq!(
        errors[1],
        "the attribute \"nmae\" is not supported; did you mean `name`?"
    );
    assert!(
        errors[2].starts_with("at .key: a number is required"),
        "{errors:?}"
    );
    assert_eq!(
        errors[3],
        "at .tags: a list of string is required, but this is a bool"
    );
    assert_eq!(
        errors[4],
        "the attribute \"address\" is computed and cannot be given"
    );
    assert_eq!(errors.len(), 5, "{errors:?}");
    assert!(!errors.concat().contains("hunter2"));
    let errors = complete(&body(), "{}").unwrap_err();
    assert_eq!(errors, ["the attribute \"name\" is required"]);
    assert!(body().complete(&Value::from(1)).is_err());
}

#[test]
fn unknown_values_stay_unknown() {
    let given = Value::object([("name", Value::unknown(Type::Dynamic))]);
    let completed = body().complete(&given).unwrap();
    assert!(!completed.attribute("name").unwrap().is_known());
    assert!(completed.attribute("key").unwrap().is_sensitive());
    let outer = Body::default().with_block(Block::new("rule", Nesting::List, rule()));
    let given = Value::object([("rule", Value::unknown(Type::Dynamic))]);
    let completed = outer.complete(&given).unwrap();
    assert_eq!(completed.ty(), outer.implied_type());
}

#[test]
fn nested_objects_are_completed_at_every_depth() {
    for (nesting, given, completed) in [
        (
            Nesting::Single,
            r#"{"port":"1"}"#,
            "{ open = true, port = 1 }",
        ),
        (Nesting::Group, r#"{"port":1}"#, "{ open = true, port = 1 }"),
        (
            Nesting::List,
            r#"[{"port":1}]"#,
            "[{ open = true, port = 1 }]",
        ),
        (
            Nesting::Set,
            r#"[{"port":1}]"#,
            "toset([{ open = true, port = 1 }])",
        ),
        (
            Nesting::Map,
            r#"{"a":{"port":1}}"#,
            "{ a = { open = true, port = 1 } }",
        ),
    ] {
        let block = Body::default().with_block(Block::new("b", nesting, rule()));
        let attribute = Body::new([Attribute::nested("b", nesting, rule().attributes)]);
        for body in [block, attribute] {
            let found = complete(&body, &format!(r#"{{"b":{given}}}"#)).unwrap();
            let found = found.replace("\"a\"", "a");
            assert_eq!(found, format!("{{ b = {completed} }}"), "{nesting:?}");
        }
    }
    let body = Body::default().with_block(Block::new("b", Nesting::List, rule()));
    assert_eq!(
        complete(&body, r#"{"b":[{"port":1},{"prot":1}]}"#).unwrap_err(),
        ["at .b[1]: the attribute \"prot\" is not supported; did you mean `port`?"]
    );
    assert_eq!(complete(&body, "{}").unwrap(), "{ b = [] }");
}

#[test]
fn a_group_that_is_absent_has_defaults() {
    let inner = Body::new([Attribute::new("open", Type::Bool).with_default(true.into())]);
    let body = Body::default().with_block(Block::new("b", Nesting::Group, inner));
    assert_eq!(complete(&body, "{}").unwrap(), "{ b = { open = true } }");
}

#[test]
fn blocks_are_counted() {
    let outer = |nesting| {
        let inner = Block::new("port", nesting, rule()).between(1, 2);
        let rules = Body::default().with_block(inner);
        Body::default().with_block(Block::new("rule", Nesting::List, rules))
    };
    let port = r#"{"port":1}"#;
    for (nesting, none, three) in [
        (
            Nesting::List,
            "[]".to_owned(),
            format!("[{port},{port},{port}]"),
        ),
        (
            Nesting::Set,
            "[]".to_owned(),
            r#"[{"port":1},{"port":2},{"port":3}]"#.to_owned(),
        ),
        (
            Nesting::Map,
            "{}".to_owned(),
            format!(r#"{{"a":{port},"b":{port},"c":{port}}}"#),
        ),
    ] {
        for nothing in [
            "{}".to_owned(),
            format!(r#"{{"port":{none}}}"#),
            r#"{"port":null}"#.into(),
        ] {
            assert_eq!(
                complete(&outer(nesting), &format!(r#"{{"rule":[{nothing}]}}"#)).unwrap_err(),
                ["at .rule[0]: at least 1 \"port\" block is required, but there are 0"],
                "{nesting:?}"
            );
        }
        assert_eq!(
            complete(
                &outer(nesting),
                &format!(r#"{{"rule":[{{"port":{three}}}]}}"#)
            )
            .unwrap_err(),
            ["at .rule[0]: at most 2 \"port\" blocks are allowed, but there are 3"],
            "{nesting:?}"
        );
    }
    for nesting in [Nesting::Single, Nesting::Group] {
        let block = Block::new("port", nesting, Body::default()).between(1, 1);
        let body = Body::default().with_block(block);
        assert_eq!(
            complete(&body, "{}").unwrap_err(),
            ["at least 1 \"port\" block is required, but there are 0"],
            "{nesting:?}"
        );
        assert!(complete(&body, r#"{"port":{}}"#).is_ok(), "{nesting:?}");
        let unknown = Value::object([("port", Value::unknown(Type::Dynamic))]);
        assert!(body.complete(&unknown).is_ok(), "{nesting:?}");
    }
}

#[test]
fn errors_in_blocks_are_reported_along_with_their_count() {
    let block = Block::new("rule", Nesting::List, rule()).between(2, None);
    let body = Body::default().with_block(block);
    assert_eq!(
        complete(&body, r#"{"rule":[{}]}"#).unwrap_err(),
        [
            "at least 2 \"rule\" blocks are required, but there is 1",
            "at .rule[0]: the attribute \"port\" is required",
        ]
    );
    assert_eq!(
        complete(&body, r#"{"ruel":[{}]}"#).unwrap_err(),
        ["the attribute \"ruel\" is not supported; did you mean `rule`?"]
    );
}
