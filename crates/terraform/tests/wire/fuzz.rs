//! Random bytes in every field of every request: there is an answer, and the provider goes on.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::DynamicValue;
use tenon_values::{Type, Value};

use crate::blocks::{packed, texts, value};
use crate::core::Core;
use crate::places::{PLACES, send};

/// A change of valid bytes.
#[derive(Clone, Debug)]
enum Harm {
    Set(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Repeat(Index, Index),
}

impl Harm {
    fn doing(self, mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.is_empty() {
            return bytes;
        }
        match self {
            Harm::Set(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            Harm::Cut(at) => bytes.truncate(at.index(bytes.len())),
            Harm::Insert(at, more) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, more);
            }
            Harm::Repeat(from, to) => {
                let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
                let again = bytes[from.min(to)..from.max(to)].to_vec();
                bytes.splice(to..to, again);
            }
        }
        bytes
    }
}

/// Bytes that often have a meaning in msgpack or JSON.
fn byte() -> impl Strategy<Value = u8> {
    let telling = b"\x80\x81\x90\x92\xa0\xc0\xc1\xc4\xc6\xc7\xc9\xca\xcb\xcf\xd3\xd4\xd8\xd9\xdb\xdc\xdd\xde\xdf\xff{}[]\",:\\0e-";
    prop_oneof![proptest::sample::select(&telling[..]), any::<u8>()]
}

fn harm() -> impl Strategy<Value = Vec<Harm>> {
    let one = prop_oneof![
        (any::<Index>(), byte()).prop_map(|(at, byte)| Harm::Set(at, byte)),
        any::<Index>().prop_map(Harm::Cut),
        (any::<Index>(), vec(byte(), 1..9)).prop_map(|(at, more)| Harm::Insert(at, more)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Harm::Repeat(from, to)),
    ];
    vec(one, 1..4)
}

/// Valid bytes to start with: a block with values of every kind.
fn good(core: &Core, place: usize) -> DynamicValue {
    let unknown = Value::unknown(Type::String).refine_prefix("ami-").unwrap();
    let props = Value::object([
        (
            "set",
            Value::set(Type::Number, vec![1.into(), value("0.1")]).unwrap(),
        ),
        ("map", Value::map(Type::String, [("k", unknown)]).unwrap()),
        ("list", texts(&["a", "b"])),
        ("null", Value::null(Type::Bool)),
        ("any", Value::unknown(Type::Dynamic)),
    ]);
    let shapes = &core.shapes;
    let path = ("path", Value::from(core.stage.puppet().as_str()));
    match place {
        0 | 1 => packed(
            &shapes.provider.block(&[("timeout", 5.into())]),
            &shapes.provider.ty,
        ),
        18 => packed(
            &shapes.data_source.block(&[path, ("props", props)]),
            &shapes.data_source.ty,
        ),
        19 => packed(
            &shapes.ephemeral.block(&[path, ("props", props)]),
            &shapes.ephemeral.ty,
        ),
        _ => packed(
            &shapes.resource.block(&[path, ("props", props)]),
            &shapes.resource.ty,
        ),
    }
}

fn run(cases: u32, strategy: impl Strategy<Value = (usize, bool, Vec<u8>, Vec<Harm>)>) {
    let runtime = crate::stage::runtime();
    let core = runtime.block_on(Core::new(json!({})));
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&strategy, |(place, is_json, bytes, harm)| {
        let good = good(&core, place).msgpack;
        let bytes = match bytes.is_empty() {
            true => harm.into_iter().fold(good, |bytes, harm| harm.doing(bytes)),
            false => bytes,
        };
        let sent = match is_json {
            true => DynamicValue {
                json: bytes,
                msgpack: Vec::new(),
            },
            false => DynamicValue {
                msgpack: bytes,
                json: Vec::new(),
            },
        };
        let answered = runtime.block_on(send(&core, place, sent));
        prop_assert!(answered.is_ok(), "place {place}: {answered:?}");
        Ok(())
    });
    outcome.unwrap();
    runtime.block_on(core.stage.end());
}

#[test]
fn any_bytes_at_all() {
    run(
        600,
        (
            0..PLACES,
            any::<bool>(),
            vec(byte(), 1..64),
            Just(Vec::new()),
        ),
    );
}

#[test]
fn damaged_bytes_are_refused() {
    run(600, (0..PLACES, Just(false), Just(Vec::new()), harm()));
}

/// JSON with anything in it, where blocks are expected.
#[test]
fn any_json_at_all() {
    let text = crate::documents::document(4).prop_map(String::into_bytes);
    run(300, (0..PLACES, Just(true), text, Just(Vec::new())));
}
