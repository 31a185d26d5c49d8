use serde_json::{Value as Json, json};
use tenon_rpc::{Format, RpcError};
use tenon_schema::{Attribute, Block, Nesting, Parameter};
use tenon_values::{Type, Value};

use super::super::codes::{FAILED, LOCKED, NOT_FOUND};
use super::*;

fn payload(json: Json) -> Payload {
    Payload::encode(Format::Msgpack, &json).unwrap()
}

fn sent<C: Call>(call: &C) -> Json {
    let payload = call.params().unwrap().into_payload();
    payload
        .to_format_with(Format::Json, crate::seasonings::EXT_NAMES)
        .unwrap()
        .decode()
        .unwrap()
}

fn body() -> Body {
    Body::new([
        Attribute::new("title", Type::String).required(),
        Attribute::new("id", Type::String).computed(),
    ])
    .with_block(Block::new("rule", Nesting::List, Body::default()))
}

fn note(title: &str, id: Value) -> Value {
    body().object(&[("title", title.into()), ("id", id)])
}

fn apply<'a>(body: &'a Body, planned: &'a Value, null: &'a Value) -> ApplyChange<'a> {
    ApplyChange {
        kind: Kind { name: "note", body },
        prior: null,
        planned,
        config: planned,
        private: None,
    }
}

#[test]
fn a_change_is_sent_as_plain_maps() {
    let body = body();
    let planned = note("a", Value::unknown(Type::String));
    let null = Value::null(body.implied_type());
    let call = ApplyChange {
        private: Some(b"p"),
        ..apply(&body, &planned, &null)
    };
    let expected = json!({"id": {"$unknown": true}, "rule": [], "title": "a"});
    assert_eq!(
        sent(&call),
        json!([{"type": "note", "prior": null, "planned": expected, "config": expected,
            "private": {"$binary": "cA=="}}])
    );
}

#[test]
fn a_state_must_be_there_and_nil_is_null() {
    let body = body();
    let planned = note("a", Value::unknown(Type::String));
    let null = Value::null(body.implied_type());
    let call = apply(&body, &planned, &null);
    let answer = |json: Json| read(&call, &payload(json)).unwrap();
    let applied = answer(json!({"state": {"title": "a", "id": "1"}}));
    assert_eq!(applied.state, Ok(Some(note("a", "1".into()))));
    let missing = answer(json!({})).state.unwrap_err().to_string();
    assert!(
        missing.starts_with("state in the answer to resources/applyChange: it is missing"),
        "{missing}"
    );
    let nil = answer(json!({"state": null})).state.unwrap().unwrap();
    assert!(nil.is_null());
    let failed = answer(json!({"diagnostics": [{"severity": "error", "summary": "no"}]}));
    assert_eq!(failed.state, Ok(None));
    let kept = answer(json!({"state": {"title": "a", "extra": 1}, "private": null,
        "diagnostics": [{"severity": "error", "summary": "no"}]}));
    assert!(kept.state.unwrap_err().to_string().contains("\"extra\""));
    assert_eq!(kept.diagnostics.len(), 1);
    let delete = apply(&body, &null, &planned);
    assert_eq!(read(&delete, &payload(json!({}))).unwrap().state, Ok(None));
    assert!(read(&call, &payload(json!(["a"]))).is_err());
}

#[test]
fn private_data_is_kept_cleared_or_new() {
    let body = body();
    let state = note("a", "1".into());
    let call = ReadResource {
        kind: Kind {
            name: "note",
            body: &body,
        },
        state: &state,
        private: None,
    };
    let private = |bytes: &'static [u8]| {
        let answer = Payload::new(Format::Msgpack, bytes);
        read(&call, &answer).unwrap().private
    };
    assert_eq!(private(b"\x81\xa5state\xc0"), None);
    assert_eq!(private(b"\x82\xa5state\xc0\xa7private\xc0"), None);
    assert_eq!(
        private(b"\x82\xa5state\xc0\xa7private\xc4\x00").as_deref(),
        Some(&b""[..])
    );
    assert_eq!(
        private(b"\x82\xa5state\xc0\xa7private\xc4\x01x").as_deref(),
        Some(&b"x"[..])
    );
    let wrong = Payload::new(Format::Msgpack, &b"\x82\xa5state\xc0\xa7private\x07"[..]);
    assert!(read(&call, &wrong).is_err());
}

#[test]
fn imports_are_one_state_or_several() {
    let body = body();
    let resource = tenon_schema::Resource {
        schema: body.clone().into(),
        identity: None,
    };
    let resources = [("note".to_owned(), resource)].into();
    let call = Import {
        kind: Kind {
            name: "note",
            body: &body,
        },
        id: "7",
        resources: &resources,
    };
    assert_eq!(sent(&call), json!([{"type": "note", "id": "7"}]));
    let count = |json: Json| read(&call, &payload(json)).map(|found| found.resources.len());
    assert_eq!(count(json!({"state": {"id": "7"}})), Ok(1));
    assert_eq!(count(json!({"state": null})), Ok(0));
    assert_eq!(
        count(json!({"imported": [{"type": "note", "state": {}}, {"type": "note", "state": {}}]})),
        Ok(2)
    );
    let wrong = count(json!({"imported": [{"type": "note", "state": {"x": 1}}]})).unwrap_err();
    assert_eq!(wrong.path, "imported[0].state");
    let unknown = count(json!({"imported": [{"type": "other", "state": {}}]})).unwrap_err();
    assert_eq!(unknown.path, "imported[0].type");
    assert!(count(json!({})).is_err());
}

#[test]
fn functions_get_their_arguments_by_name() {
    let text = Parameter::new("text", Type::String);
    let rest = Parameter::new("rest", Type::Dynamic);
    let arguments = [
        (&text, Argument::One("a".into())),
        (&rest, Argument::Several(vec![1.into(), "b".into()])),
    ];
    let call = CallFunction {
        name: "join",
        arguments: &arguments,
        returns: &Type::String,
    };
    let rest = json!([[{"$binary": "Im51bWJlciI="}, 1], [{"$binary": "InN0cmluZyI="}, "b"]]);
    let expected = json!([{"name": "join", "arguments": {"text": "a", "rest": rest}}]);
    assert_eq!(sent(&call), expected);
    let returned = read(&call, &payload(json!({"result": "x"}))).unwrap();
    assert_eq!(
        (returned.result, returned.diagnostics),
        (Some("x".into()), vec![])
    );
    let error = json!({"severity": "error", "summary": "no"});
    let failed = json!({"result": null, "diagnostics": [error]});
    let failed = read(&call, &payload(failed)).unwrap();
    assert!(failed.diagnostics[0].is_error());
    let failed = read(&call, &payload(json!({"diagnostics": [error]}))).unwrap();
    assert_eq!((failed.result, failed.diagnostics.len()), (None, 1));
    assert!(read(&call, &payload(json!({}))).is_err());
    assert!(read(&call, &payload(json!({"result": 1}))).is_err());
    let blamed = RpcError::new(FAILED, "no").with_data(payload(json!({"argument": "text"})));
    assert_eq!(blamed_argument(&blamed).as_deref(), Some("text"));
}

#[test]
fn what_is_missing_in_a_data_source_is_taken_from_the_configuration() {
    let body = body();
    let config = note("a", Value::null(Type::String));
    let call = ReadData {
        kind: Kind {
            name: "note",
            body: &body,
        },
        config: &config,
    };
    let state = read(&call, &payload(json!({"state": {"id": "1"}})))
        .unwrap()
        .state;
    assert_eq!(state, Some(note("a", "1".into())));
}

#[test]
fn what_is_missing_inside_blocks_and_nested_attributes_is_taken_from_the_configuration() {
    let inner = Body::new([
        Attribute::new("port", Type::Number),
        Attribute::new("url", Type::String).computed(),
    ]);
    let nested = |name, nesting| Attribute::nested(name, nesting, inner.attributes.clone());
    let body = Body::new([
        nested("one", Nesting::Single),
        nested("several", Nesting::List),
        nested("by_name", Nesting::Map),
    ])
    .with_block(Block::new("rule", Nesting::List, inner.clone()))
    .with_block(Block::new("group", Nesting::Group, inner.clone()))
    .with_block(Block::new("tag", Nesting::Set, inner.clone()));
    let object = |port: Value, url: Value| Value::object([("port", port), ("url", url)]);
    let null = || Value::null(Type::String);
    let configured = |port: i64| object(port.into(), null());
    let ty = configured(0).ty();
    let list = |elements: Vec<Value>| Value::list(ty.clone(), elements).unwrap();
    let set = |elements: Vec<Value>| Value::set(ty.clone(), elements).unwrap();
    let map = |entry: Value| Value::map(ty.clone(), [("a", entry)]).unwrap();
    let config = body.object(&[
        ("one", configured(1)),
        ("several", list(vec![configured(2), configured(3)])),
        ("by_name", map(configured(4))),
        ("rule", list(vec![configured(5)])),
        ("group", configured(6)),
        ("tag", set(vec![configured(7)])),
    ]);
    let kind = Kind {
        name: "note",
        body: &body,
    };
    let call = ReadData {
        kind,
        config: &config,
    };
    let state = |answer: Json| {
        let data = read(&call, &payload(json!({ "state": answer })));
        data.unwrap().state.unwrap()
    };
    let url = json!({ "url": "u" });
    let filled = |port: i64| object(port.into(), "u".into());
    let expected = body.object(&[
        ("one", filled(1)),
        ("several", list(vec![filled(2), filled(3)])),
        ("by_name", map(filled(4))),
        ("rule", list(vec![filled(5)])),
        ("group", filled(6)),
        // Elements of a set have no names.
        (
            "tag",
            set(vec![object(Value::null(Type::Number), "u".into())]),
        ),
    ]);
    let answer = json!({"one": url, "several": [url, url], "by_name": {"a": url}, "rule": [url],
        "group": url, "tag": [url]});
    assert_eq!(state(answer), expected);
    // Nil is null, and elements of a list of another length are others.
    let answer = json!({"one": {"port": null}, "several": [url], "by_name": {"b": url}});
    let found = state(answer);
    let part = |name: &str| found.attribute(name).unwrap().to_string();
    assert_eq!(
        part("one"),
        object(Value::null(Type::Number), null()).to_string()
    );
    for name in ["several", "by_name"] {
        assert!(part(name).contains("null"), "{}", part(name));
    }
    assert_eq!(part("rule"), list(vec![configured(5)]).to_string());
}

#[test]
fn storage_is_read_as_the_contract_has_it() {
    use super::storage::*;
    let state = |json: Json| read(&Read { path: "a/b" }, &payload(json)).unwrap();
    assert_eq!(state(json!({"state": "{}"})).as_deref(), Some(&b"{}"[..]));
    assert_eq!(state(json!({"state": ""})), None);
    assert_eq!(state(json!({"state": null})), None);
    assert!(super::read(&Read { path: "a" }, &payload(json!({}))).is_err());
    let not_found = RpcError::new(NOT_FOUND, "no");
    assert!(is_none(&CallError::Answered(not_found)));
    let write = Write {
        path: "a",
        state: b"{}",
        lock_id: Some("l"),
    };
    let expected = json!([{"path": "a", "state": {"$binary": "e30="}, "lockId": "l"}]);
    assert_eq!(sent(&write), expected);
    assert_eq!(read(&write, &payload(json!({"success": true}))), Ok(()));
    assert!(read(&write, &payload(json!({"success": false}))).is_err());
    assert!(read(&write, &payload(json!({}))).is_err());
    assert_eq!(
        sent(&Unlock {
            path: "a",
            lock_id: None
        }),
        json!([{"path": "a", "force": true}])
    );
    assert_eq!(sent(&List::default()), json!([{}]));
    let held = RpcError::new(LOCKED, "no").with_data(payload(json!({"lockId": "l", "info": "i"})));
    assert_eq!(Held::of(&held).unwrap().lock_id.as_deref(), Some("l"));
    let held = |data| Held::of(&RpcError::new(LOCKED, "no").with_data(payload(data))).unwrap();
    let parts = |data| {
        let Held { lock_id, info } = held(data);
        (lock_id, info)
    };
    let text = |text: &str| Some(text.to_owned());
    // One member that cannot be read does not hide the other.
    assert_eq!(parts(json!({"lockId": "l", "info": 1})), (text("l"), None));
    assert_eq!(
        parts(json!({"lockId": 7, "info": {"ID": "i"}})),
        (None, text(r#"{"ID":"i"}"#))
    );
    // Nothing is taken by its position.
    for data in [json!(["l", "i"]), json!("l"), json!(null)] {
        assert_eq!(held(data), Held::default());
    }
    assert_eq!(
        Held::of(&RpcError::new(LOCKED, "no")),
        Some(Held::default())
    );
    let lock = Lock {
        path: "a",
        operation: "apply",
        info: "{}",
    };
    assert_eq!(
        read(&lock, &payload(json!({"lockId": "l"}))),
        Ok("l".to_owned())
    );
    assert!(read(&lock, &payload(json!({"lockId": ""}))).is_err());
    assert_eq!(Held::of(&RpcError::new(FAILED, "no")), None);
    for (path, is_fine) in [
        ("a/b", true),
        ("a", true),
        ("", false),
        ("/a", false),
        ("a//b", false),
        ("a/../b", false),
    ] {
        assert_eq!(check_path(path).is_ok(), is_fine, "{path}");
    }
}
