//! Python's msgpack as the second implementation of the wire of Seasonings: every kind of value, in both
//! directions.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use tenon_host::{Plugin, PluginCommand, Start};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::calls::{self, Argument, CallFunction};
use tenon_protocols::seasonings::value::{decode, encode};
use tenon_protocols::seasonings::{Greeting, Level, Params, Welcome, begin};
use tenon_rpc::{Peer, Router};
use tenon_schema::{Function, Offer};
use tenon_values::{Type, Value, msgpack};

use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::trial;

async fn start(python: &Path, mark: &Mark) -> (Plugin, Welcome) {
    let command = PluginCommand::new(python)
        .arg(tools::helper("seasonings_plugin.py"))
        .variable(Mark::VARIABLE, mark.value());
    let mut start = Start::new(Protocol::Seasonings.dialect());
    start.options = Protocol::Seasonings.host_options();
    let first = |peer: Peer| async move { begin(&peer, &Greeting::new(Level::ALL)).await };
    let started = Plugin::start(&command, start, Arc::new(Router::new(())), first).await;
    started.unwrap_or_else(|error| panic!("{error}"))
}

async fn stop(plugin: Plugin) {
    let stopped = plugin
        .stop(|peer| async move { Protocol::Seasonings.end(&peer).await })
        .await;
    assert!(stopped.status.success(), "{}", stopped.status);
}

/// The golden values of go-cty, without their descriptions.
#[derive(Deserialize)]
struct Vectors {
    encode: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    group: String,
    /// Missing where it would be very long.
    hex: Option<String>,
    #[serde(rename = "type")]
    ty: Box<RawValue>,
}

/// The golden values of go-cty. Each goes to Python as Seasonings sends it, and comes back in the same bytes.
#[tokio::test]
async fn every_golden_value_comes_back_from_python() {
    let vectors = include_str!("../../../values/tests/data/cty_vectors.json");
    let vectors: Vectors = serde_json::from_str(vectors).expect("JSON");
    trial(tools::python_with_msgpack(), async |python, mark| {
        let (plugin, _) = start(&python, mark).await;
        let mut groups = std::collections::BTreeSet::new();
        let mut count = 0;
        for Vector { id, group, hex, ty } in vectors.encode {
            let Some(hex) = hex else {
                continue;
            };
            let ty = Type::from_json(ty.get())
                .expect("a type")
                .without_optional();
            let value = msgpack::decode(&bytes(&hex), &ty).expect("a golden value");
            let sent = encode(&value, &ty).expect("a value of its type");
            let params = Params::new().value("value", &value, &ty);
            let params = params.expect("a value of its type").into_payload();
            let answer = plugin.peer().call_raw("echo", Some(params)).await;
            let members = answer.expect("an answer").members().expect("a map");
            assert_eq!(members[0].1.bytes()[..], sent[..], "{id}");
            let back = decode(members[0].1.bytes(), &ty).expect("what was sent");
            let expected = decode(&sent, &ty).expect("what was sent");
            assert_eq!(back, expected, "{id}");
            groups.insert(group);
            count += 1;
        }
        assert!(count > 500 && groups.len() > 15, "{count} of {groups:?}");
        stop(plugin).await;
    })
    .await;
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |place| u8::from_str_radix(&hex[place..place + 2], 16).expect("hex");
    (0..hex.len()).step_by(2).map(digit).collect()
}

async fn called(peer: &Peer, offer: &Offer, name: &str, given: Option<Value>) -> String {
    let function: &Function = &offer.functions[name];
    let arguments: Vec<_> = { function.parameters.iter() }
        .zip(given.map(Argument::One))
        .collect();
    let call = CallFunction {
        name,
        arguments: &arguments,
        returns: &function.returns,
    };
    match calls::call(peer, &call).await {
        Ok(calls::Returned {
            result: Some(value),
            diagnostics,
        }) if diagnostics.is_empty() => format!("{value} of {}", value.ty()),
        Ok(other) => format!("unexpected: {other:?}"),
        Err(error) => format!("error: {error}"),
    }
}

/// What Python makes of its own, in every form that the protocol allows, and in some that it does not.
#[tokio::test]
async fn what_python_makes_is_read_by_its_type() {
    trial(tools::python_with_msgpack(), async |python, mark| {
        let (plugin, welcome) = start(&python, mark).await;
        let peer = plugin.peer();
        let schemas = calls::schemas(&peer, &welcome.capabilities).await;
        let offer = schemas.expect("schemas").offer().expect("a schema");
        let mut seen = String::new();
        for name in offer
            .functions
            .keys()
            .filter(|name| name.starts_with("made_"))
        {
            let made = called(&peer, &offer, name, None).await;
            let (start, end) = match made.char_indices().nth(200) {
                Some((place, _)) => (&made[..place], "..."),
                None => (made.as_str(), ""),
            };
            writeln!(seen, "{}: {start}{end}", &name["made_".len()..]).expect("memory");
        }
        insta::assert_snapshot!(seen);
        stop(plugin).await;
    })
    .await;
}

/// What Python sees of ours, in its own words.
#[tokio::test]
async fn python_sees_ordinary_values() {
    trial(tools::python_with_msgpack(), async |python, mark| {
        let (plugin, welcome) = start(&python, mark).await;
        let peer = plugin.peer();
        let schemas = calls::schemas(&peer, &welcome.capabilities).await;
        let offer = schemas.expect("schemas").offer().expect("a schema");
        let number =
            |text: &str| Value::from(text.parse::<tenon_values::Number>().expect("a number"));
        let unknown = || Value::unknown(Type::String);
        let prefixed = unknown()
            .refine_not_null()
            .and_then(|value| value.refine_prefix("ami-"));
        let mut seen = String::new();
        for value in [
            Value::from("é"),
            Value::from(true),
            Value::NULL,
            Value::null(Type::String),
            number("-7"),
            number("18446744073709551615"),
            number("0.1"),
            number("0.5"),
            number("1e100"),
            number("123456789012345678901234567890.5"),
            Value::unknown(Type::Dynamic),
            unknown(),
            prefixed.expect("a refinement"),
            Value::tuple(vec![Value::from(1), Value::from("x")]),
            Value::object([("a", Value::from(1)), ("b", Value::null(Type::Bool))]),
            Value::set(Type::Number, vec![Value::from(2), Value::from(1)]).expect("a set"),
            Value::map(Type::String, [("k", Value::from("v"))]).expect("a map"),
        ] {
            let shown = called(&peer, &offer, "seen", Some(value.clone())).await;
            writeln!(seen, "{value}: {shown}").expect("memory");
            let back = called(&peer, &offer, "same", Some(value.clone())).await;
            assert_eq!(back, format!("{value} of {}", value.ty()));
        }
        insta::assert_snapshot!(seen);
        stop(plugin).await;
    })
    .await;
}
