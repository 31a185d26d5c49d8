use serde_json::{Value, json};
use tenon_protocols::acp::Raw;

use super::Form;

fn form(schema: &str) -> Result<Form, String> {
    Form::read(&Raw::parse(schema).unwrap()).map_err(|error| error.to_string())
}

/// What a form with one field makes of a text.
fn typed(text: &str, property: &Value) -> Result<Option<Value>, String> {
    let schema = json!({ "type": "object", "properties": { "x": property } });
    form(&schema.to_string())?.fields[0].parse(text)
}

#[test]
fn fields_keep_their_order() {
    let form =
        form(r#"{"type":"object","properties":{"b":{},"a":{"title":"A"}},"required":["a"]}"#);
    let form = form.unwrap();
    let fields: Vec<(&str, bool)> = { form.fields.iter() }
        .map(|field| (field.label(), field.is_required))
        .collect();
    assert_eq!(fields, [("b", false), ("A", true)]);
}

#[test]
fn values_have_the_types_of_their_fields() {
    let one =
        json!({ "type": "string", "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g" }] });
    let many = json!({ "type": "array", "items": { "enum": ["a", "b", "c"] } });
    for (text, property, expected) in [
        (" a b ", json!({ "type": "string" }), json!("a b")),
        ("", json!({ "default": "x" }), json!("x")),
        ("7", json!({ "type": "integer", "maximum": 9 }), json!(7)),
        ("0.5", json!({ "type": "number" }), json!(0.5)),
        ("Yes", json!({ "type": "boolean" }), json!(true)),
        ("off", json!({ "type": "boolean" }), json!(false)),
        ("1", one.clone(), json!("r")),
        ("Red", one.clone(), json!("r")),
        ("g", one, json!("g")),
        ("1, c,1", many.clone(), json!(["a", "c"])),
        // A value that is also a number of another choice is the value.
        ("2", json!({ "enum": ["2", "1"] }), json!("2")),
        (
            "1",
            json!({ "enum": ["a", "b"], "enumNames": ["First", "Second"] }),
            json!("a"),
        ),
        (
            "ada@example.org",
            json!({ "format": "email" }),
            json!("ada@example.org"),
        ),
        (
            "2026-11-17",
            json!({ "format": "date" }),
            json!("2026-11-17"),
        ),
        (
            "2026-11-17T08:30:00+01:00",
            json!({ "format": "date-time" }),
            json!("2026-11-17T08:30:00+01:00"),
        ),
        (
            "anything",
            json!({ "format": "hologram" }),
            json!("anything"),
        ),
        ("abc", json!({ "pattern": "^[a-c]+$" }), json!("abc")),
        // A lookahead cannot be checked here.
        ("abc", json!({ "pattern": "^(?=x)" }), json!("abc")),
    ] {
        assert_eq!(
            typed(text, &property),
            Ok(Some(expected)),
            "{text}: {property}"
        );
    }
    assert_eq!(typed("", &json!({ "type": "string" })), Ok(None));
}

#[test]
fn what_is_wrong_with_a_value_is_explained() {
    let one = json!({ "enum": ["a", "b"] });
    let many = json!({ "type": "array", "minItems": 2, "items": { "enum": ["a", "b"] } });
    for (text, property, problem) in [
        (
            "x",
            json!({ "type": "integer" }),
            "this is not a whole number",
        ),
        (
            "1.5",
            json!({ "type": "integer" }),
            "this is not a whole number",
        ),
        (
            "10",
            json!({ "type": "integer", "maximum": 9 }),
            "at most 9 allowed",
        ),
        ("inf", json!({ "type": "number" }), "this is not a number"),
        (
            "0.1",
            json!({ "type": "number", "minimum": 0.5 }),
            "at least 0.5 required",
        ),
        (
            "ab",
            json!({ "maxLength": 1 }),
            "at most 1 character allowed; this has 2",
        ),
        (
            "ä",
            json!({ "minLength": 2 }),
            "at least 2 characters required; this has 1",
        ),
        ("maybe", json!({ "type": "boolean" }), "write yes or no"),
        (
            "3",
            one,
            "\"3\" is not a choice; write a number from 1 to 2",
        ),
        ("a", many, "at least 2 values required; this has 1"),
        (
            "ada",
            json!({ "format": "email" }),
            "this is not an email address, such as ada@example.org",
        ),
        (
            "2026-13-01",
            json!({ "format": "date" }),
            "this is not a date, such as 2026-11-17",
        ),
        (
            "example",
            json!({ "format": "uri" }),
            "this is not a URI, such as https://example.org/",
        ),
        (
            "abd",
            json!({ "pattern": "^[a-c]+$" }),
            "this does not match the pattern ^[a-c]+$",
        ),
    ] {
        assert_eq!(
            typed(text, &property),
            Err(problem.to_owned()),
            "{text}: {property}"
        );
    }
}

#[test]
fn a_schema_that_is_not_a_form_is_refused() {
    for (schema, problem) in [
        (r#"{"type":"array"}"#, "its type is \"array\""),
        (
            r#"{"properties":{"x":{"type":"object"}}}"#,
            "field \"x\": the type \"object\" cannot be asked for",
        ),
        (
            r#"{"properties":{"x":{"type":"array","items":{"type":"string"}}}}"#,
            "field \"x\": a list needs items",
        ),
        (
            r#"{"properties":{},"required":["x"]}"#,
            "\"x\" is required, but is not a field",
        ),
        (r#"{"properties":[]}"#, "requestedSchema: invalid type"),
        ("3", "requestedSchema: invalid type"),
    ] {
        let error = form(schema).unwrap_err();
        assert!(error.contains(problem), "{schema}: {error}");
    }
    assert_eq!(form("{}").unwrap().fields, []);
}

#[test]
fn a_default_that_is_wrong_is_not_offered() {
    let property = json!({ "type": "integer", "default": "many" });
    assert_eq!(typed("", &property), Ok(None));
}

#[test]
fn answers_are_checked_as_a_whole() {
    let form = form(r#"{"properties":{"a":{"type":"boolean"}},"required":["a"]}"#).unwrap();
    let check = |content: Value| {
        let checked = form.check(content.as_object().unwrap());
        checked.map_err(|error| error.to_string())
    };
    assert_eq!(check(json!({ "a": true })), Ok(()));
    assert_eq!(check(json!({})), Err("a: a value is required".to_owned()));
    assert_eq!(
        check(json!({ "a": 1 })),
        Err("a: this is a value of another type".to_owned())
    );
    assert_eq!(
        check(json!({ "a": true, "b": 1 })),
        Err("b: the form does not have this field".to_owned())
    );
}
