//! Random messages: everything that each dialect can say, and what nearly is a message.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use rmpv::Value as Msgpack;
use serde_json::{Map, Value as Json};
use tenon_rpc::{
    Dialect, ErrorCode, Event, Format, Id, Message, Payload, RpcError, Text,
    wire::{Request, Response},
};

/// Any of the dialects.
pub(crate) fn any_dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

/// One message of the dialect.
pub(crate) fn any_message(dialect: Dialect) -> impl Strategy<Value = Message> {
    let request = (any_id(dialect), any_method(), any_params(dialect))
        .prop_map(|(id, method, params)| Message::Request(Request { id, method, params }));
    let event = (any_method(), any_params(dialect))
        .prop_map(|(method, params)| Message::Event(Event { method, params }));
    let result = prop_oneof![
        any_payload(dialect.format()).prop_map(Ok),
        any_error(dialect).prop_map(Err)
    ];
    let response = (any_id(dialect), result).prop_map(|(id, result)| {
        Message::Response(Response {
            id,
            result: result.map_err(Box::new),
        })
    });
    prop_oneof![request, event, response]
}

fn any_id(dialect: Dialect) -> BoxedStrategy<Id> {
    match dialect {
        Dialect::MsgpackRpc => any::<u32>().prop_map(Id::from).boxed(),
        Dialect::Orchard => any::<i64>().prop_map(Id::Number).boxed(),
        Dialect::JsonRpcLines | Dialect::JsonRpcHeaders => prop_oneof![
            Just(Id::Null),
            any::<i64>().prop_map(Id::Number),
            (i64::MAX as u64 + 1..).prop_map(|id| Id::Verbatim(id.to_string().into())),
            any_text(0).prop_map(Id::Text),
            prop::sample::select(vec!["1.5", "-0", "1e3", "1E+2", "18446744073709551616"])
                .prop_map(|number| Id::Verbatim(number.into())),
        ]
        .boxed(),
    }
}

fn any_method() -> impl Strategy<Value = Text> {
    any_text(1)
}

/// Any characters, control characters and those beyond the first 65,536 included.
fn any_text(at_least: usize) -> impl Strategy<Value = Text> {
    vec(any::<char>(), at_least..12).prop_map(|text| Text::from(String::from_iter(text)))
}

fn any_params(dialect: Dialect) -> BoxedStrategy<Option<Payload>> {
    match dialect.format() {
        // `null` and nothing are the same to the reader.
        Format::Json => option::of(any_json().prop_filter("null", |value| !value.is_null()))
            .prop_map(|value| value.map(|value| json_payload(&value)))
            .boxed(),
        // No params are an empty array on the wire, so there is always something to read.
        Format::Msgpack => vec(any_msgpack(), 0..4)
            .prop_map(|items| Some(msgpack_payload(&Msgpack::Array(items))))
            .boxed(),
    }
}

fn any_error(dialect: Dialect) -> impl Strategy<Value = RpcError> {
    let number = any::<i64>().prop_map(ErrorCode::Number).boxed();
    let name = any_text(0).prop_map(ErrorCode::Name).boxed();
    let (code, data) = match dialect {
        Dialect::JsonRpcLines | Dialect::JsonRpcHeaders => (number, any_payload(Format::Json)),
        Dialect::MsgpackRpc => (
            prop_oneof![number, name].boxed(),
            any_payload(Format::Msgpack),
        ),
        Dialect::Orchard => {
            let detail = any_text(0).prop_map(|text| json_payload(&Json::from(text.as_str())));
            (name, detail.boxed())
        }
    };
    (code, any_text(0), option::of(data)).prop_map(|(code, message, data)| RpcError {
        code,
        message: message.to_string(),
        data,
    })
}

fn any_payload(format: Format) -> BoxedStrategy<Payload> {
    match format {
        Format::Json => any_json().prop_map(|value| json_payload(&value)).boxed(),
        Format::Msgpack => any_msgpack()
            .prop_map(|value| msgpack_payload(&value))
            .boxed(),
    }
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        any_text(0).prop_map(|text| Json::from(text.as_str())),
        "[a-z ]{0,80}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        let member = (any_text(0), inner.clone());
        prop_oneof![
            vec(inner, 0..6).prop_map(Json::from),
            vec(member, 0..6).prop_map(|members| {
                let members = members
                    .into_iter()
                    .map(|(name, value)| (name.to_string(), value));
                Json::Object(Map::from_iter(members))
            }),
        ]
    })
}

fn any_msgpack() -> impl Strategy<Value = Msgpack> {
    let leaf = prop_oneof![
        Just(Msgpack::Nil),
        any::<bool>().prop_map(Msgpack::from),
        any::<u64>().prop_map(Msgpack::from),
        any::<i64>().prop_map(Msgpack::from),
        any::<f32>().prop_map(Msgpack::from),
        any::<f64>().prop_map(Msgpack::from),
        any_text(0).prop_map(|text| Msgpack::from(text.as_str())),
        vec(any::<u8>(), 0..300).prop_map(Msgpack::Binary),
        (any::<i8>(), vec(any::<u8>(), 0..20)).prop_map(|(kind, bytes)| Msgpack::Ext(kind, bytes)),
    ];
    leaf.prop_recursive(4, 24, 20, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..20).prop_map(Msgpack::Array),
            vec((inner.clone(), inner), 0..20).prop_map(Msgpack::Map),
        ]
    })
}

fn json_payload(value: &Json) -> Payload {
    Payload::new(Format::Json, value.to_string())
}

fn msgpack_payload(value: &Msgpack) -> Payload {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).expect("written to memory");
    Payload::new(Format::Msgpack, bytes)
}

/// The pieces from which frames of each dialect are made, in any order: much nearer to the truth
/// than random bytes, and so much further into the decoder.
pub(crate) fn any_soup() -> impl Strategy<Value = (Dialect, Vec<u8>)> {
    const LINES: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\\",
        b"\n",
        b"\r\n",
        b" ",
        b"\"id\":",
        b"1",
        b"\"method\":\"a\"",
        b"\"result\":null",
        b"\"error\":{\"code\":1}",
        b"\"params\":[1]",
        b"\"jsonrpc\":\"2.0\"",
        b"{\"id\":1,\"method\":\"a\"}\n",
        b"\xff",
        b"\xc3\xa9",
        b"\x0c",
    ];
    const HEADERS: &[&[u8]] = &[
        b"Content-Length:",
        b"content-length: 2",
        b"Content-Type: a; charset=",
        b"utf-8",
        b"\r\n",
        b"\r\n\r\n",
        b"\n",
        b"\r",
        b" ",
        b"2",
        b"0",
        b"{}",
        b"null",
        b"x: y",
        b"x",
        b":",
        b"\xff",
        b"Content-Length: 2\r\n\r\n{}",
        b"Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",",
    ];
    const MSGPACK: &[&[u8]] = &[
        b"\x90",
        b"\x91",
        b"\x93",
        b"\x94",
        b"\x00",
        b"\x01",
        b"\x02",
        b"\x7f",
        b"\xc0",
        b"\xc1",
        b"\xc4\x02",
        b"\xd9\x03",
        b"\xa1a",
        b"\xdc\x00\x04",
        b"\xdd\x00\x00\x00\x02",
        b"\xdd\xff",
        b"\x81",
        b"\xcd",
        b"\xff",
        b"\xd4\x00\x00",
        b"\xc7\x00\x05",
        b"\x94\x00\x01\xa1a\x90",
        b"\xdb\x00\x00\x00\x00",
        b"\x93\x02\xa1a\x90",
        b"\x94\x01\x01\xc0\x05",
        b"\xcb",
    ];
    any_dialect().prop_flat_map(|dialect| {
        let pieces = match dialect {
            Dialect::JsonRpcLines | Dialect::Orchard => LINES,
            Dialect::JsonRpcHeaders => HEADERS,
            Dialect::MsgpackRpc => MSGPACK,
        };
        let soup = vec(prop::sample::select(pieces), 0..24);
        (Just(dialect), soup.prop_map(|pieces| pieces.concat()))
    })
}
