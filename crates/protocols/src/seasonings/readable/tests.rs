use serde_json::json;
use tenon_rpc::wire::Packed;
use tenon_schema::Body;
use tenon_values::Type;

use super::super::calls::{self, Call, Kind};
use super::*;

fn schemas() -> Schemas {
    let functions = json!({"functions": {
        "slug": {
            "parameters": [
                {"name": "text", "type": "string"},
                {"name": "separator", "type": "string", "default": "-"},
                {"name": "limit", "type": "number", "optional": true},
            ],
            "returns": "string",
        },
        "total": {"variadic": {"name": "numbers", "type": "number"}, "returns": "number"},
        "same": {"parameters": [{"name": "value", "type": "any"}], "returns": "any"},
    }});
    let attributes = json!({
        "title": {"type": "string", "required": true},
        "size": {"type": "number", "default": 1},
        "tags": {"type": "map(string)", "optional": true},
        "extra": {"type": "any", "optional": true},
        "token": {"type": "string", "optional": true, "sensitive": true},
        "id": {"type": "string", "computed": true},
    });
    let blocks = json!({"link": {"nesting": "list", "attributes": {
        "url": {"type": "string", "required": true},
        "key": {"type": "string", "optional": true, "sensitive": true},
    }}});
    let schema = json!({"attributes": attributes, "blocks": blocks});
    let resources = json!({
        "provider": {"attributes": {"folder": {"type": "string", "required": true}}},
        "resources": {"note": schema},
        "data_sources": {"note": schema},
        "ephemeral": {"note": schema},
    });
    Schemas {
        functions: Some(Packed::encode(&functions).unwrap()),
        resources: Some(Packed::encode(&resources).unwrap()),
    }
}

fn readable() -> Readable {
    Readable::new(&schemas()).unwrap()
}

fn sent(method: &str, params: &str) -> Payload {
    let params = Payload::from_json(params).unwrap();
    readable().params(method, &params).unwrap()
}

fn refused(method: &str, params: &str) -> String {
    let params = Payload::from_json(params).unwrap();
    readable().params(method, &params).unwrap_err().to_string()
}

/// What is sent, as it is shown again.
fn back(method: &str, params: &str) -> String {
    let shown = readable().shown_params(method, &sent(method, params));
    shown.unwrap()
}

fn result(method: &str, params: &str, answer: &str) -> Result<String, String> {
    let answer = Payload::from_json(answer).unwrap();
    let answer = answer.to_format_with(Format::Msgpack, EXT_NAMES).unwrap();
    let shown = readable().result(method, Some(&sent(method, params)), &answer);
    shown.map_err(|error| error.to_string())
}

fn note(json: &str) -> Value {
    let body = body();
    read::value(json, (&body).into()).unwrap()
}

fn body() -> Body {
    let offer = schemas().offer().unwrap();
    offer.resources["note"].schema.body.clone()
}

/// The typed calls are the protocol; this module must put the same values into the same places.
#[test]
fn params_are_those_of_the_typed_calls() {
    let body = body();
    let kind = Kind {
        name: "note",
        body: &body,
    };
    let (a, b, c) = (
        r#"{"title":"a","size":2,"extra":[1,"x"],"link":[{"url":"u"}]}"#,
        r#"{"title":"b","token":"t"}"#,
        r#"{"title":"c","id":{"$unknown":{"null":false}}}"#,
    );
    let [prior, config, proposed] = [a, b, c].map(note);
    let private = Some(&b"seen"[..]);
    let plan = calls::PlanChange {
        kind,
        prior: &prior,
        config: &config,
        proposed: &proposed,
        private,
    };
    let apply = calls::ApplyChange {
        kind,
        prior: &prior,
        planned: &proposed,
        config: &config,
        private,
    };
    let read = calls::ReadResource {
        kind,
        state: &prior,
        private,
    };
    let validate = calls::Validate {
        what: "data",
        kind,
        config: &config,
    };
    let full = note(r#"{"title":"b","size":1,"token":"t"}"#);
    let data = calls::ReadData {
        kind,
        config: &full,
    };
    let open = calls::Open {
        kind,
        config: &full,
    };
    let close = calls::Close {
        name: "note",
        private,
    };
    let import = calls::Import {
        kind,
        id: "7",
        resources: &readable().offer.resources,
    };
    let write = calls::storage::Write {
        path: "p",
        state: b"{}",
        lock_id: Some("l"),
    };
    for (method, typed, json) in [
        (
            "resources/planChange",
            plan.params(),
            format!(
                r#"{{"type":"note","prior":{a},"config":{b},"proposed":{c},"private":"seen"}}"#
            ),
        ),
        (
            "resources/applyChange",
            apply.params(),
            format!(r#"{{"type":"note","prior":{a},"planned":{c},"config":{b},"private":"seen"}}"#),
        ),
        (
            "resources.read",
            read.params(),
            format!(r#"{{"type":"note","state":{a},"private":{{"$binary":"c2Vlbg=="}}}}"#),
        ),
        (
            "resources/validate",
            validate.params(),
            format!(r#"{{"kind":"data","type":"note","config":{b}}}"#),
        ),
        (
            "resources/readData",
            data.params(),
            format!(r#"{{"type":"note","config":{b}}}"#),
        ),
        (
            "resources/open",
            open.params(),
            format!(r#"[{{"type":"note","config":{b}}}]"#),
        ),
        (
            "resources/close",
            close.params(),
            r#"{"type":"note","private":"seen"}"#.to_owned(),
        ),
        (
            "resources/import",
            import.params(),
            r#"{"type":"note","id":"7"}"#.to_owned(),
        ),
        (
            "storage/write",
            write.params(),
            r#"{"path":"p","state":"{}","lockId":"l"}"#.to_owned(),
        ),
    ] {
        assert_eq!(
            sent(method, &json),
            typed.unwrap().into_payload(),
            "{method}"
        );
    }
}

#[test]
fn arguments_come_by_name_or_in_their_order() {
    let full = r#"[{"name":"slug","arguments":{"text":"A B","separator":"-"}}]"#;
    for given in [
        r#"{"name":"slug","args":["A B"]}"#,
        r#"{"name":"slug","args":["A B",null,null]}"#,
        r#"{"name":"slug","arguments":{"text":"A B"}}"#,
        r#"[{"name":"slug","arguments":{"text":"A B","separator":null}}]"#,
    ] {
        assert_eq!(back("functions/call", given), full, "{given}");
    }
    let all = r#"[{"name":"slug","arguments":{"text":"A","separator":"+","limit":3}}]"#;
    assert_eq!(
        back("functions.call", r#"{"name":"slug","args":["A","+",3]}"#),
        all
    );
    let total = r#"[{"name":"total","arguments":{"numbers":[1,2.5]}}]"#;
    assert_eq!(
        back("functions/call", r#"{"name":"total","args":[1,2.5]}"#),
        total
    );
    assert_eq!(
        back("functions/call", r#"{"name":"total"}"#),
        r#"[{"name":"total","arguments":{"numbers":[]}}]"#
    );
    for (given, problem) in [
        (
            r#"{"name":"slug","args":[]}"#,
            "at .args: the attribute \"text\" is required",
        ),
        (
            r#"{"name":"slug","args":[1]}"#,
            "at .args.text: a string is required",
        ),
        (
            r#"{"name":"slug","args":["a","b",1,2]}"#,
            "there are at most 3 arguments, but 4 are given",
        ),
        (
            r#"{"name":"slug","args":"a"}"#,
            "at .args: a list is required",
        ),
        (
            r#"{"name":"slug","arguments":{"txt":"a"}}"#,
            "at .arguments: unknown parameter `txt`; there are: text, separator, limit",
        ),
        (
            r#"{"name":"total","args":[1,"x"]}"#,
            "at .args.numbers[1]: ",
        ),
    ] {
        let error = refused("functions/call", given);
        assert!(error.contains(problem), "{given}: {error}");
    }
}

#[test]
fn values_are_spelled_the_same_in_both_directions() {
    let config = |json: &str| {
        let params = format!(r#"{{"kind":"resource","type":"note","config":{json}}}"#);
        let shown = back("resources/validate", &params);
        let start = r#"[{"kind":"resource","type":"note","config":{"extra":"#;
        let end = r#","id":null,"link":[],"size":null,"tags":null,"title":null,"token":null}}]"#;
        let value = shown
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end));
        value.unwrap_or_else(|| panic!("{shown}")).to_owned()
    };
    for value in [
        "null",
        "true",
        "\"é\"",
        "-7",
        "0.1",
        "123456789012345678901234567890.5",
        "1e1000",
        "[1,\"x\",[],{}]",
        r#"{"a":1,"b":{"c":null}}"#,
        r#"{"$unknown":true}"#,
        r#"{"$any":["list(string)",["a"]]}"#,
        r#"{"$any":["string",{"$unknown":{"null":false,"prefix":"ami-"}}]}"#,
        r#"{"$any":["number",{"$unknown":{"min":[0,true],"max":[10,false]}}]}"#,
        r#"{"$any":["list(number)",{"$unknown":{"null":false,"min_length":1,"max_length":3}}]}"#,
        r#"{"$any":["string",null]}"#,
        r#"{"$any":["object({ a = set(bool) })",{"a":[true]}]}"#,
        r#"{"$float":"Infinity"}"#,
        r#"{"$map":[["$unknown",1]]}"#,
        r#"{"$a":1,"b":2}"#,
    ] {
        assert_eq!(config(&format!("{{\"extra\":{value}}}")), value);
    }
}

#[test]
fn sensitive_values_are_spelled_out_and_accepted_in_both_forms() {
    let params = |token: &str| {
        let link = format!(r#"[{{"url":"u","key":{token}}}]"#);
        let state = format!(r#"{{"title":"a","token":{token},"link":{link}}}"#);
        format!(r#"{{"type":"note","state":{state}}}"#)
    };
    let wrapped = params(r#"{"$sensitive":"t"}"#);
    assert_eq!(
        sent("resources/read", &wrapped),
        sent("resources/read", &params("\"t\""))
    );
    let shown = back("resources/read", &wrapped);
    assert!(shown.contains(r#""token":{"$sensitive":"t"}"#), "{shown}");
    assert!(
        shown.contains(r#""link":[{"key":{"$sensitive":"t"},"url":"u"}]"#),
        "{shown}"
    );
    let null = back("resources/read", &params("null"));
    assert!(!null.contains("sensitive"), "{null}");
    let error = refused("resources/read", &params(r#"{"$sensitive":"***"}"#));
    assert!(
        error.starts_with("at .state.token: this is a masked value"),
        "{error}"
    );
}

#[test]
fn what_does_not_fit_is_refused_with_its_path() {
    for (state, problem) in [
        (r#"{"title":7}"#, "at .state.title: a string is required"),
        (
            r#"{"titel":"a"}"#,
            "at .state: the attribute \"titel\" is not supported",
        ),
        (
            r#"{"tags":{"a":1}}"#,
            "at .state.tags[\"a\"]: a string is required",
        ),
        (r#"{"link":[{},{"url":[]}]}"#, "at .state.link[1].url: "),
        (
            r#"{"title":{"$binary":"AA=="}}"#,
            "at .state.title: a value cannot be binary data",
        ),
        (
            r#"{"title":{"$any":["string","a"]}}"#,
            "at .state.title: `$any` is only",
        ),
        (
            r#"{"title":{"$secret":1}}"#,
            "at .state.title: unknown spelling \"$secret\"",
        ),
        (
            r#"{"extra":{"$any":["strin","a"]}}"#,
            "at .state.extra: the type: ",
        ),
        (
            r#"{"title":{"$unknown":{"min":[0,true]}}}"#,
            "at .state.title: ",
        ),
        ("[]", "at .state: "),
    ] {
        let params = format!(r#"{{"type":"note","state":{state}}}"#);
        let error = refused("resources/read", &params);
        assert!(error.starts_with(problem), "{state}: {error}");
    }
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let params = format!(r#"{{"type":"note","state":{{"extra":{deep}}}}}"#);
    let error = refused("resources/read", &params);
    assert!(error.contains("nested too deeply"), "{error}");
    let error = refused(
        "resources/readData",
        r#"{"type":"note","config":{"size":2}}"#,
    );
    assert_eq!(error, "at .config: the attribute \"title\" is required");
    let error = refused("resources/configure", "{}");
    assert_eq!(error, "at .config: the attribute \"folder\" is required");
}

#[test]
fn results_are_completed_and_checked() {
    let state = r#"{"type":"note","state":{"title":"a"}}"#;
    let read = |answer: &str| result("resources/read", state, answer);
    let full = r#"{"extra":null,"id":{"$unknown":true},"link":[],"size":1.5,"tags":null,"title":"a","token":{"$sensitive":"t"}}"#;
    assert_eq!(
        read(
            r#"{"private":{"$binary":"AA=="},"state":{"title":"a","token":"t","size":"1.5","id":{"$unknown":true}},"later":[1]}"#
        ),
        Ok(format!(
            r#"{{"private":"\u0000","state":{full},"later":[1]}}"#
        ))
    );
    assert_eq!(
        read(r#"{"state":null}"#),
        Ok(r#"{"state":null}"#.to_owned())
    );
    let missing = read("{}").unwrap_err();
    assert!(
        missing.starts_with("state in the answer to resources/read: it is missing"),
        "{missing}"
    );
    let wrong = read(r#"{"state":{"link":[{"url":1}]}}"#).unwrap_err();
    assert!(
        wrong.starts_with("state.link[0].url in the answer to resources/read: "),
        "{wrong}"
    );
    let failed = r#"{"diagnostics":[{"severity":"error","summary":"no"}]}"#;
    assert_eq!(read(failed), Ok(failed.to_owned()));
    let delete = r#"{"type":"note","prior":{"title":"a"}}"#;
    assert_eq!(
        result("resources/applyChange", delete, "{}"),
        Ok("{}".to_owned())
    );

    let data = r#"{"type":"note","config":{"title":"a"}}"#;
    let answer = result("resources/readData", data, r#"{"state":{"id":"7"}}"#).unwrap();
    assert!(
        answer.contains(r#""id":"7""#) && answer.contains(r#""title":"a""#),
        "{answer}"
    );

    let imported = r#"{"imported":[{"type":"note","state":{"id":"7"},"private":"p"}]}"#;
    let answer = result("resources/import", r#"{"type":"note","id":"7"}"#, imported).unwrap();
    assert!(
        answer.starts_with(r#"{"imported":[{"type":"note","state":{"extra":null,"id":"7""#),
        "{answer}"
    );
    let other = r#"{"imported":[{"type":"book","state":{}}]}"#;
    let wrong = result("resources/import", r#"{"type":"note","id":"7"}"#, other).unwrap_err();
    assert!(
        wrong.contains("the plugin has no resource of the type \"book\""),
        "{wrong}"
    );

    let slug = r#"{"name":"slug","args":["a"]}"#;
    assert_eq!(
        result("functions/call", slug, r#"{"result":"a"}"#),
        Ok(r#"{"result":"a"}"#.to_owned())
    );
    let wrong = result("functions/call", slug, r#"{"result":[]}"#).unwrap_err();
    assert!(
        wrong.starts_with("result in the answer to functions/call: "),
        "{wrong}"
    );
    let stored = result(
        "storage/read",
        r#"{"path":"p"}"#,
        r#"{"state":{"$binary":"e30="}}"#,
    );
    assert_eq!(stored, Ok(r#"{"state":"{}"}"#.to_owned()));
}

/// Hooks and unknown methods, and everything of a plugin that has no schema.
#[test]
fn without_a_schema_everything_is_converted_as_it_is() {
    let none = Readable::default();
    for (method, given) in [
        (
            "middleware/postPlan",
            r#"{"after":{"a":{"$unknown":true},"b":{"$binary":"AA=="}}}"#,
        ),
        ("later/method", r#"{"a":[1]}"#),
        ("resources/read", r#"{"type":"book","state":{"a":1}}"#),
        ("functions/call", r#"{"name":"none","args":[1]}"#),
    ] {
        let params = Payload::from_json(given).unwrap();
        let plain = params.to_format_with(Format::Msgpack, EXT_NAMES).unwrap();
        let sent = none.params(method, &params).unwrap();
        let wrapped = [&[0x91], &plain.bytes()[..]].concat();
        assert_eq!(&sent.bytes()[..], wrapped, "{method}");
        let shown = none.shown_params(method, &sent);
        assert_eq!(shown, Some(format!("[{given}]")));
        let result = none.result(method, Some(&sent), &plain);
        assert_eq!(result, Ok(given.to_owned()));
    }
    assert_eq!(&sent("echo", "[1,2]").bytes()[..], b"\x92\x01\x02");
    assert_eq!(result("echo", "[1,2]", "3"), Ok("3".to_owned()));
}

#[test]
fn a_name_that_the_plugin_does_not_have_is_refused() {
    for (method, params, problem) in [
        (
            "functions/call",
            r#"{"name":"slugg","args":[]}"#,
            "at .name: the plugin has no function \"slugg\"; it has: same, slug, total",
        ),
        (
            "resources/read",
            r#"{"type":"book"}"#,
            "at .type: the plugin has no resource \"book\"; it has: note",
        ),
        (
            "resources/validate",
            r#"{"kind":"ephemeral","type":"book"}"#,
            "at .type: the plugin has no ephemeral resource \"book\"; it has: note",
        ),
    ] {
        assert_eq!(refused(method, params), problem);
    }
}

#[test]
fn what_was_sent_and_does_not_fit_is_shown_as_a_sensitive_value() {
    let params = Payload::from_json(r#"[{"type":"note","state":{"token":["t"]}}]"#).unwrap();
    let params = params.to_format(Format::Msgpack).unwrap();
    let shown = readable().shown_params("resources/read", &params).unwrap();
    assert_eq!(
        shown,
        r#"[{"type":"note","state":{"$sensitive":{"token":["t"]}}}]"#
    );
    let ty = Type::String;
    assert_eq!(write::value(&Value::from("a"), (&ty).into()), "\"a\"");
}
