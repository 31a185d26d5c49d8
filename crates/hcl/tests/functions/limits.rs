//! A small call does not make a huge value.

use tenon_hcl::Functions;
use tenon_values::{Type, Value};

use crate::expression::evaluate;

fn error(expression: &str) -> String {
    let result = evaluate(&Functions::standard(None), expression);
    result.expect_err(expression).to_string()
}

fn call(name: &str, arguments: &[Value]) -> Result<Value, tenon_hcl::FunctionError> {
    Functions::standard(None).get(name).unwrap().call(arguments)
}

#[test]
fn texts_are_limited() {
    let long = Value::from("x".repeat(9 << 20));
    let calls = [
        call("format", &[Value::from("%s%s"), long.clone(), long.clone()]),
        call(
            "join",
            &[long.clone(), Value::tuple(vec![Value::from("a"); 3])],
        ),
        call(
            "replace",
            &[long.clone(), Value::from("x"), Value::from("yy")],
        ),
        call(
            "replace",
            &[long.clone(), Value::from("/.*/"), Value::from("$0$0$0")],
        ),
        call("base64encode", &[Value::from("x".repeat(13 << 20))]),
        call("urlencode", &[Value::from("é".repeat(3 << 20))]),
        call("yamlencode", &[Value::tuple(vec![long.clone(); 2])]),
        call("yamlencode", &[Value::from("\u{1}".repeat(5 << 20))]),
    ];
    for result in calls {
        let error = result.unwrap_err().to_string();
        assert_eq!(
            error,
            "the resulting string is too large: the limit is 16777216 bytes"
        );
    }
    let lines = r#"indent(999999999, "a\nb\nc")"#;
    for expression in [
        lines,
        r#"format("%999999999d", 1)"#,
        r#"format("%.999999999f", 0.1)"#,
        r#"format("%-999999999s", "")"#,
    ] {
        assert!(error(expression).contains("too large"), "{expression}");
    }
    let many = Value::tuple(vec![Value::from("x".repeat(1 << 10)); 20_000]);
    assert!(call("formatlist", &[Value::from("%s"), many]).is_err());
    assert!(call("format", &[Value::from("%s"), long]).is_ok());
}

#[test]
fn collections_are_limited() {
    let thousand = Value::tuple((0..1000).map(Value::from).collect());
    let message = call("setproduct", &[thousand.clone(), thousand.clone()])
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "the product is too large: the limit is 100000 combinations"
    );
    // An empty factor leaves nothing to count, however many the others are.
    let empty = call(
        "setproduct",
        &[thousand.clone(), thousand.clone(), Value::tuple(vec![])],
    )
    .unwrap();
    assert_eq!(empty.elements(), Some(&[][..]));
    let hundred = Value::tuple((0..100).map(Value::from).collect());
    let product = call("setproduct", &[thousand.clone(), hundred]).unwrap();
    assert_eq!(product.elements().unwrap().len(), 100_000);
    assert!(error("range(1025)").contains("the limit is 1024 numbers"));
    let half = Value::list(Type::Number, vec![Value::from(1); 1 << 19]).unwrap();
    assert!(call("concat", &[half.clone(), half.clone()]).is_ok());
    assert!(call("concat", &[half.clone(), half.clone(), half.clone()]).is_err());
    let nested = Value::tuple(vec![half; 3]);
    assert!(call("flatten", &[nested]).is_err());
    assert!(
        call(
            "parseint",
            &[Value::from("1".repeat(10_001)), Value::from(10)]
        )
        .is_err()
    );
}

/// Each of these would take minutes if it looked at every pair.
#[test]
fn large_collections_are_quick() {
    let texts = |count: u32| {
        (0..count)
            .map(|n| Value::from(format!("key {n}")))
            .collect::<Vec<_>>()
    };
    let list = Value::list(Type::String, texts(50_000)).unwrap();
    let count = |value: Value| value.elements().map(<[Value]>::len);
    assert_eq!(
        count(call("distinct", std::slice::from_ref(&list)).unwrap()),
        Some(50_000)
    );
    let arguments = [list.clone(), list.clone(), list.clone()];
    assert_eq!(count(call("matchkeys", &arguments).unwrap()), Some(50_000));
    assert_eq!(count(call("setunion", &arguments).unwrap()), Some(50_000));
    assert_eq!(
        count(call("setintersection", &arguments).unwrap()),
        Some(50_000)
    );
    assert_eq!(
        count(call("setsubtract", &arguments[..2]).unwrap()),
        Some(0)
    );
    let map = call("zipmap", &arguments[..2]).unwrap();
    assert_eq!(map.entries().unwrap().len(), 50_000);
    let merged = call("merge", &[map.clone(), map]).unwrap();
    assert_eq!(merged.entries().unwrap().len(), 50_000);
}

/// Each line stands for ten of the one before.
#[test]
fn aliases_of_yaml_are_counted() {
    let mut text = "a0: &a0 x\n".to_owned();
    for line in 1..9 {
        let before = line - 1;
        let aliases = vec![format!("*a{before}"); 10].join(", ");
        text += &format!("a{line}: &a{line} [{aliases}]\n");
    }
    let error = call("yamldecode", &[Value::from(text)]).unwrap_err();
    assert!(error.message.contains("more than 250000 values"), "{error}");
    let deep = "[".repeat(200) + &"]".repeat(200);
    let error = call("yamldecode", &[Value::from(deep)]).unwrap_err();
    assert!(
        error.message.contains("nested more than 128 levels deep"),
        "{error}"
    );
}
