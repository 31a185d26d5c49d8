use tenon_rpc::wire::Packed;
use tenon_schema::Body;
use tenon_wire::transcode::json_to_msgpack;

use super::*;
use crate::seasonings::EXT_NAMES;

fn packed(json: &str) -> Vec<u8> {
    json_to_msgpack(json.as_bytes(), EXT_NAMES).unwrap()
}

fn shown(json: &str, ty: &str) -> String {
    let ty: Type = ty.parse().unwrap();
    match decode(&packed(json), &ty) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn a_missing_attribute_is_null_and_an_extra_one_an_error() {
    let ty = "object({ a = number, b = list(object({ c = string, d = bool })) })";
    assert_eq!(shown(r#"{"a": 1}"#, ty), "{ a = 1, b = null }");
    let nested = shown(r#"{"b": [{"c": "x"}, {}]}"#, ty);
    assert_eq!(
        nested,
        r#"{ a = null, b = [{ c = "x", d = null }, { c = null, d = null }] }"#
    );
    let extra = shown(r#"{"b": [{}, {"e": 1}]}"#, ty);
    assert!(
        extra.starts_with("error: at .b[1]: the attribute \"e\" is not supported"),
        "{extra}"
    );
    let twice = decode(b"\x82\xa1a\x01\xa1a\x02", &ty.parse::<Type>().unwrap()).unwrap_err();
    assert!(twice.to_string().contains("\"a\""), "{twice}");
}

#[test]
fn in_a_map_absent_and_nil_differ() {
    assert_eq!(shown(r#"{"a": null}"#, "map(string)"), "{ a = null }");
    assert_eq!(shown("{}", "map(string)"), "{}");
    assert_eq!(
        shown(r#"{"k": {}}"#, "map(object({ a = string }))"),
        "{ k = { a = null } }"
    );
}

#[test]
fn numbers_come_in_three_forms() {
    for written in ["1", "1.0", "\"1\""] {
        assert_eq!(shown(written, "number"), "1", "{written}");
    }
    let nan = Packed::encode(&f64::NAN).unwrap();
    decode(nan.bytes(), &Type::Number).unwrap_err();
    assert!(shown("\"many\"", "number").starts_with("error: "));
}

/// As large whole numbers are sent.
#[test]
fn a_large_float_is_the_number_with_its_digits() {
    let number = Value::from("1e100".parse::<tenon_values::Number>().unwrap());
    let sent = super::super::encode(&number, &Type::Number).unwrap();
    assert_eq!(sent[0], 0xcb, "a float");
    assert_eq!(decode(&sent, &Type::Number).unwrap(), number);
    assert_eq!(decode(&sent, &Type::Dynamic).unwrap(), number);
    let list = Type::list(Type::Number);
    let array = [&[0x91], &sent[..]].concat();
    assert_eq!(
        decode(&array, &list).unwrap().elements().unwrap()[0],
        number
    );
}

#[test]
fn any_has_its_type_with_it_or_implies_it() {
    assert_eq!(
        shown(r#"{"a": [1, "x", null]}"#, "any"),
        r#"{ a = [1, "x", null] }"#
    );
    assert_eq!(shown(r#"["string", 1]"#, "any"), r#"["string", 1]"#);
    let with_type = b"\x92\xc4\x11[\"list\",\"number\"]\x92\x01\x02";
    let value = decode(with_type, &Type::Dynamic).unwrap();
    assert_eq!(value.ty().to_string(), "list(number)");
    let object = "[\"object\",{\"a\":\"string\",\"b\":\"bool\"}]";
    let mut bytes = vec![0x92];
    write::bin(&mut bytes, object.as_bytes());
    bytes.extend_from_slice(b"\x81\xa1a\xa1x");
    let value = decode(&bytes, &Type::Dynamic).unwrap();
    assert_eq!(value.to_string(), r#"{ a = "x", b = null }"#);
    let unknown = decode(&[0xd4, 0, 0], &Type::Dynamic).unwrap();
    assert!(!unknown.is_known());
    assert!(decode(&[0xc0], &Type::Dynamic).unwrap().is_null());
}

fn body() -> Body {
    let inner = || {
        Body::new([
            Attribute::new("x", Type::String),
            Attribute::new("y", Type::Number),
        ])
    };
    let nestings = [
        ("list", Nesting::List),
        ("set", Nesting::Set),
        ("map", Nesting::Map),
        ("single", Nesting::Single),
        ("group", Nesting::Group),
    ];
    let body = Body::new([Attribute::new("a", Type::String)]);
    nestings.into_iter().fold(body, |body, (name, nesting)| {
        body.with_block(Block::new(name, nesting, inner()))
    })
}

#[test]
fn absent_blocks_are_empty_and_never_null() {
    let expected = "{ a = null, group = { x = null, y = null }, list = [], map = {}, set = toset([]), \
                    single = null }";
    for sent in [
        "{}",
        r#"{"list": null, "set": null, "map": null, "single": null, "group": null}"#,
    ] {
        let value = decode(&packed(sent), &body()).unwrap();
        assert_eq!(value.to_string(), expected, "{sent}");
        assert_eq!(value.ty(), body().implied_type());
    }
    let sent =
        r#"{"list": [{"x": "1"}], "set": [{"y": 2}], "map": {"k": {}}, "single": {"x": "s"}}"#;
    let value = decode(&packed(sent), &body()).unwrap();
    assert_eq!(value.ty(), body().implied_type());
    let error = decode(&packed(r#"{"list": [{}, {"z": 1}]}"#), &body()).unwrap_err();
    assert!(error.to_string().starts_with("at .list[1]: "), "{error}");
    let error = decode(&packed(r#"{"map": []}"#), &body()).unwrap_err();
    assert!(error.to_string().contains("this is an array"), "{error}");
}

#[test]
fn what_is_missing_is_taken_from_the_base() {
    let base = decode(
        &packed(r#"{"a": "kept", "list": [{"x": "kept"}]}"#),
        &body(),
    )
    .unwrap();
    let value = decode_over(&packed(r#"{"single": {}}"#), &body(), &base).unwrap();
    let part = |name: &str| value.attribute(name).unwrap().to_string();
    assert_eq!(part("a"), "\"kept\"");
    assert_eq!(part("list"), r#"[{ x = "kept", y = null }]"#);
    assert_eq!(part("single"), "{ x = null, y = null }");
    let value = decode_over(&packed(r#"{"a": null}"#), &body(), &base).unwrap();
    assert!(value.attribute("a").unwrap().is_null(), "nil is there");
}

#[test]
fn nothing_that_is_cut_short_is_read() {
    for bytes in [
        &b""[..],
        b"\x81",
        b"\x81\xa1a",
        b"\x91",
        b"\xdf\xff\xff\xff\xff",
        b"\xc1",
    ] {
        decode(bytes, &body()).unwrap_err();
        decode(bytes, &Type::Dynamic).unwrap_err();
    }
}
