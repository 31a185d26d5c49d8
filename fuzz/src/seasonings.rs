//! Properties that must hold for any bytes that a Seasonings plugin sends.
//! `crates/protocols/tests/regressions.rs` tries those under `regressions/`.

use tenon_protocols::seasonings::schema::Schemas;
use tenon_protocols::seasonings::value::{decode, encode};
use tenon_protocols::seasonings::{Readable, Welcome};
use tenon_rpc::wire::Packed;
use tenon_rpc::{Format, Payload};
use tenon_values::{Kind, Number, Type, Value};

/// A type as JSON, up to the first byte of zero, and behind it a value as a plugin sends it.
pub fn seasonings_values(data: &[u8]) {
    let (ty, bytes) = type_and_rest(data);
    let Ok(value) = decode(bytes, &ty) else {
        return;
    };
    let own = value.ty();
    assert!(own.conforms_to(&ty), "{own} is not {ty}");
    // A few bytes can be a number of many digits, which is written in full.
    let written = encode(&value, &ty).expect("it was read");
    let back = decode(&written, &ty).expect("what was written is read");
    if !has_changing_numbers(&value) {
        assert_eq!(back, value);
    }
    let again = encode(&back, &ty).expect("it was read");
    assert_eq!(decode(&again, &ty).expect("it was written"), back);
}

/// The answer to `functions/getSchema` and to `resources/getSchema`.
pub fn seasonings_schemas(data: &[u8]) {
    let Ok(answer) = Packed::new(data.to_vec()) else {
        return;
    };
    let schemas = Schemas {
        functions: Some(answer.clone()),
        resources: Some(answer),
    };
    let Ok(offer) = schemas.offer() else {
        return;
    };
    for resource in offer.resources.values() {
        let body = &resource.schema.body;
        let empty = decode(&[0x80], body).expect("everything may be missing");
        assert!(empty.ty().conforms_to(&body.implied_type()));
    }
}

/// The answer to every method, by a schema that has something of everything.
pub fn seasonings_answers(data: &[u8]) {
    let answer = Payload::new(Format::Msgpack, data.to_vec());
    let _ = Welcome::read(&answer);
    let readable = Readable::new(&schemas()).expect("a schema");
    for (method, params) in CALLS {
        let params = Payload::from_json(*params).expect("JSON");
        let sent = readable.params(method, &params).expect("params that fit");
        if let Ok(shown) = readable.result(method, Some(&sent), &answer) {
            Payload::from_json(shown.as_str()).expect("what is shown is JSON");
        }
        if let Some(shown) = readable.shown_result(method, Some(&sent), &answer) {
            Payload::from_json(shown).expect("what is shown is JSON");
        }
        if let Some(shown) = readable.shown_params(method, &answer) {
            Payload::from_json(shown).expect("what is shown is JSON");
        }
    }
}

const CALLS: &[(&str, &str)] = &[
    ("functions/call", r#"{"name":"f","args":[1,["x"]]}"#),
    ("resources/planChange", r#"{"type":"r","config":{"a":"x"}}"#),
    (
        "resources/applyChange",
        r#"{"type":"r","planned":{"a":"x"}}"#,
    ),
    ("resources/read", r#"{"type":"r","state":{"a":"x"}}"#),
    ("resources/import", r#"{"type":"r","id":"1"}"#),
    (
        "resources/upgrade",
        r#"{"type":"r","version":0,"state":{}}"#,
    ),
    ("resources/readData", r#"{"type":"r","config":{"a":"x"}}"#),
    ("resources/open", r#"{"type":"r","config":{"a":"x"}}"#),
    ("resources/renew", r#"{"type":"r"}"#),
    ("storage/read", r#"{"path":"p"}"#),
    ("middleware/postPlan", r#"{"after":{"$unknown":true}}"#),
];

fn schemas() -> Schemas {
    let packed = |json: &str| {
        let json = Payload::from_json(json).expect("JSON");
        let packed = json.to_format(Format::Msgpack).expect("msgpack");
        Some(Packed::new(packed.bytes().clone()).expect("msgpack"))
    };
    let body = r#"{"attributes":{"a":{"type":"string","required":true},
        "b":{"type":"any","sensitive":true},"c":{"type":["map",["set","number"]]},
        "d":{"type":"object({ x = optional(number), y = any })"},"e":{"type":"bool","computed":true}},
        "blocks":{"l":{"nesting":"list","attributes":{"v":{"type":"any"}}},
        "s":{"nesting":"set","attributes":{"v":{"type":"tuple([number, string])"}}},
        "m":{"nesting":"map","attributes":{"v":{"type":"list(number)"}}},
        "g":{"nesting":"group","attributes":{"v":{"type":"number"}}},
        "o":{"nesting":"single","attributes":{"v":{"type":"string","write_only":true}}}}}"#;
    let without_secrets = body.replace(r#","write_only":true"#, "");
    let resources = format!(
        r#"{{"resources":{{"r":{body}}},"data_sources":{{"r":{without_secrets}}},"ephemeral":{{"r":{without_secrets}}}}}"#
    );
    Schemas {
        functions: packed(
            r#"{"functions":{"f":{"parameters":[{"name":"n","type":"number"}],
                "variadic":{"name":"rest","type":"any"},"returns":"any"}}}"#,
        ),
        resources: packed(&resources),
    }
}

fn type_and_rest(data: &[u8]) -> (Type, &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let head = parts.next().and_then(|head| std::str::from_utf8(head).ok());
    match (head.map(Type::from_json), parts.next()) {
        (Some(Ok(ty)), Some(rest)) => (ty, rest),
        _ => (Type::Dynamic, data),
    }
}

/// Large whole doubles are the numbers with their shortest digits, and texts of many digits may be doubles.
fn has_changing_numbers(value: &Value) -> bool {
    let is_changing = |number: &Number| match number.is_integer() {
        true => number.precision() == 53 && number.to_i64().is_none(),
        false => number.precision() > 53 && number.to_f64_exact().is_some(),
    };
    let mut found = false;
    value.walk(&mut |_, value| {
        let bounds = match value.kind() {
            Kind::Unknown(known) => [known.lower(), known.upper()],
            _ => [None, None],
        };
        let bounds = bounds.into_iter().flatten().map(|bound| &bound.number);
        found |= value.as_number().into_iter().chain(bounds).any(is_changing);
        true
    });
    found
}
