//! Values that come back from programs whose numbers are doubles and whose arrays are of one kind.

use tenon_values::json::{Arrays, echoed};
use tenon_values::{Type, Value};

use crate::{number, ty};

fn returned(text: &str, prior: &Value) -> Value {
    echoed(text.as_bytes(), prior, Arrays::Lists).unwrap()
}

fn digits(text: &str) -> Value {
    Value::number(number(text))
}

#[test]
fn a_number_that_is_the_same_double_keeps_its_digits() {
    let third = Value::from(1).divide(&Value::from(3)).unwrap();
    for (prior, text, is_kept) in [
        (third.clone(), "0.3333333333333333", true),
        (third, "0.33333333333333", false),
        (digits("9007199254740993"), "9007199254740992", true),
        (digits("9007199254740993"), "9007199254740994", false),
        // As JavaScript writes it, as a double is, and as only exact integers are.
        (digits("1234567890123456789"), "1234567890123456800", true),
        (digits("1234567890123456789"), "1234567890123456768", true),
        (digits("1234567890123456789"), "1234567890123456790", false),
        (digits("0.1"), "0.1", true),
        (digits("1e-400"), "0", true),
        (digits("1e400"), "null", true),
        (digits("1e400"), "1e401", false),
        (digits("5"), "null", false),
        (digits("5"), "\"5\"", false),
    ] {
        let value = returned(text, &prior);
        assert_eq!(value == prior, is_kept, "{text} for {prior}");
        // Wherever it is, and whatever became of its neighbours.
        let places = [
            (Value::tuple(vec![prior.clone()]), format!("[{text}]")),
            (
                Value::list(Type::Number, vec![prior.clone()]).unwrap(),
                format!("[{text}]"),
            ),
            (
                Value::map(Type::Number, [("a", prior.clone())]).unwrap(),
                format!("{{\"a\":{text}}}"),
            ),
            (
                Value::set(Type::Number, vec![prior.clone(), Value::from(7)]).unwrap(),
                format!("[7,{text}]"),
            ),
        ];
        for (around, inside) in places {
            let block = Value::object([("kept", around.clone()), ("other", Value::from("a"))]);
            let back = returned(&format!("{{\"kept\":{inside},\"other\":[1]}}"), &block);
            assert_eq!(
                back.attribute("kept").unwrap() == around,
                is_kept && (text != "null" || !matches!(around.ty(), Type::Set(_))),
                "{inside} for {around}"
            );
        }
    }
}

#[test]
fn arrays_of_one_type_are_lists() {
    for (text, expected) in [
        ("[]", "list(any)"),
        (r#"["a","b"]"#, "list(string)"),
        ("[1,null]", "list(number)"),
        ("[null,null]", "list(any)"),
        ("[[1],[]]", "list(list(number))"),
        ("[[],[]]", "list(list(any))"),
        (r#"[{"a":1},{"a":2}]"#, "list(object({ a = number }))"),
        (
            r#"[{"a":null,"b":[]},{"a":"x","b":[1]}]"#,
            "list(object({ a = string, b = list(number) }))",
        ),
        (r#"[[1,"a"],[2,"b"]]"#, "list(tuple([number, string]))"),
        (r#"{"ips":["a"]}"#, "object({ ips = list(string) })"),
        // What has no one type stays as it is, with the lists in it.
        (r#"[1,"a"]"#, "tuple([number, string])"),
        (
            r#"[{"a":1},{"b":1}]"#,
            "tuple([object({ a = number }), object({ b = number })])",
        ),
        (r#"[["a"],"a"]"#, "tuple([list(string), string])"),
        (r#"[[1],["a"]]"#, "tuple([list(number), list(string)])"),
    ] {
        let value = returned(text, &Value::NULL);
        assert_eq!(value.ty(), ty(expected), "{text}");
        let again = returned(text, &value);
        assert_eq!(again, value, "{text} once more");
        let tuples = echoed(text.as_bytes(), &Value::NULL, Arrays::Tuples).unwrap();
        assert_eq!(
            tuples,
            tenon_values::json::implied(text.as_bytes()).unwrap()
        );
    }
}

#[test]
fn the_types_of_before_are_kept_where_they_fit() {
    let tuple =
        |words: &[&str]| Value::tuple(words.iter().map(|word| Value::from(*word)).collect());
    let prior = Value::object([("ips", tuple(&["a", "b"])), ("n", Value::from(1))]);
    let same = returned(r#"{"ips":["a","b"],"n":2}"#, &prior);
    assert_eq!(same.attribute("ips").unwrap(), tuple(&["a", "b"]));
    let more = returned(r#"{"ips":["a","b","c"],"n":1}"#, &prior);
    assert_eq!(more.attribute("ips").unwrap().ty(), ty("list(string)"));
    // An empty list takes the type of what comes into it, or becomes a tuple if that has none.
    let empty = Value::object([("ips", Value::list(Type::Dynamic, vec![]).unwrap())]);
    for (text, expected) in [
        (r#"{"ips":[]}"#, "list(any)"),
        (r#"{"ips":["a"]}"#, "list(string)"),
        (r#"{"ips":["a",1]}"#, "tuple([string, number])"),
    ] {
        let value = returned(text, &empty);
        assert_eq!(value.attribute("ips").unwrap().ty(), ty(expected), "{text}");
    }
}
