//! Every golden frame of `conformance/dialects` is decoded as the file says, and the canonical
//! ones are written back byte for byte.

#[path = "../examples/desk/error_names.rs"]
mod error_names;
mod ext_names;
mod golden_file;
mod meaning;

use bytes::BytesMut;
use ext_names::EXT_NAMES;
use golden_file::Golden;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tenon_rpc::{
    Dialect, ErrorCode, Event, Format, Id, Message, Payload, RpcError,
    options::Limits,
    wire::{Decoder, Frame, Inbound, Request, Response},
};

/// What a canonical frame is written from.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sent<'a> {
    #[serde(borrow)]
    Request(SentCall<'a>),
    #[serde(borrow)]
    Event(SentCall<'a>),
    #[serde(borrow)]
    Response(SentResponse<'a>),
    #[serde(borrow)]
    Batch(Vec<Sent<'a>>),
}

#[derive(Deserialize)]
struct SentCall<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    method: String,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct SentResponse<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<SentError<'a>>,
}

#[derive(Deserialize)]
struct SentError<'a> {
    #[serde(borrow)]
    code: &'a RawValue,
    message: String,
    #[serde(borrow, default, deserialize_with = "present")]
    data: Option<&'a RawValue>,
}

/// A member that is there, even if it is `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// What is wrong, if anything is.
fn check(golden: &Golden, dialect: Dialect) -> Result<(), String> {
    let bytes = golden.bytes();
    let decoded = decode_only(dialect, &bytes);
    let meaning = match &decoded {
        Ok(frame) => meaning::describe(&frame.content, dialect),
        Err(problem) if problem.starts_with("broken") => r#"{"broken":true}"#.to_owned(),
        Err(problem) => return Err(problem.clone()),
    };
    if meaning != golden.means.get() {
        return Err(format!("means {meaning}, expected {}", golden.means.get()));
    }
    if !golden.canonical {
        return Ok(());
    }
    let same = |how: &str, again: Vec<u8>| match again == bytes {
        true => Ok(()),
        false => Err(format!(
            "{how} gives {:?}",
            again.escape_ascii().to_string()
        )),
    };
    let frame = decoded?;
    same("writing what was read", encode(dialect, frame.content))?;
    let sent: Sent<'_> = serde_json::from_str(golden.means.get()).expect("a message");
    same(
        "writing what it means",
        encode(dialect, sent.content(dialect.format())),
    )
}

/// The only frame in `bytes`.
fn decode_only(dialect: Dialect, bytes: &[u8]) -> Result<Frame, String> {
    let mut buffer = BytesMut::from(bytes);
    let mut decoder = Decoder::new(dialect, Limits::default());
    let broken = |error| format!("broken: {error}");
    let frame = match decoder.decode(&mut buffer).map_err(broken)? {
        Some(frame) => Some(frame),
        None => decoder.finish(&mut buffer).map_err(broken)?,
    };
    match decoder.finish(&mut buffer) {
        Ok(None) => frame.ok_or_else(|| "there is no frame in it".to_owned()),
        more => Err(format!("more than one frame: {more:?}")),
    }
}

fn encode(dialect: Dialect, content: Inbound) -> Vec<u8> {
    let mut out = BytesMut::new();
    match content {
        Inbound::Message(message) => dialect.encode(&message, &mut out).expect("encodable"),
        Inbound::Batch(items) => {
            let responses = items.into_iter().map(|item| match item {
                Inbound::Message(Message::Response(response)) => response,
                other => panic!("only answers are sent as a batch, not {other:?}"),
            });
            dialect
                .encode_batch(responses.collect(), &mut out)
                .expect("encodable");
        }
        Inbound::Malformed(malformed) => panic!("canonical, yet malformed: {malformed:?}"),
    }
    out.to_vec()
}

impl Sent<'_> {
    fn content(&self, format: Format) -> Inbound {
        let payload = |value: &RawValue| {
            let payload = Payload::from_json(value.get()).expect("JSON");
            payload
                .to_format_with(format, EXT_NAMES)
                .expect("spelled as in the README")
        };
        Inbound::Message(match self {
            Sent::Request(call) => Message::Request(Request {
                id: call.id.map_or(Id::Null, id),
                method: call.method.as_str().into(),
                params: call.params.map(payload),
            }),
            Sent::Event(call) => Message::Event(Event {
                method: call.method.as_str().into(),
                params: call.params.map(payload),
            }),
            Sent::Response(response) => Message::Response(Response {
                id: id(response.id),
                result: match &response.error {
                    None => Ok(payload(response.result.expect("a result or an error"))),
                    Some(error) => Err(Box::new(RpcError {
                        code: code(error.code),
                        message: error.message.clone(),
                        data: error.data.map(payload),
                    })),
                },
            }),
            Sent::Batch(items) => {
                return Inbound::Batch(items.iter().map(|item| item.content(format)).collect());
            }
        })
    }
}

fn id(text: &RawValue) -> Id {
    match serde_json::from_str(text.get()).expect("JSON") {
        serde_json::Value::Null => Id::Null,
        serde_json::Value::String(text) => Id::Text(text.into()),
        number => number
            .as_i64()
            .map_or_else(|| Id::Verbatim(text.get().into()), Id::Number),
    }
}

fn code(text: &RawValue) -> ErrorCode {
    match serde_json::from_str(text.get()).expect("JSON") {
        serde_json::Value::String(name) => ErrorCode::Name(name.into()),
        _ => ErrorCode::Number(text.get().parse().expect("a code")),
    }
}

fn check_file(dialect: Dialect, at_least: usize) {
    let frames = golden_file::read(dialect);
    assert!(frames.len() >= at_least, "only {} frames", frames.len());
    let mut names: Vec<&str> = frames.iter().map(|golden| golden.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|two| two[0] != two[1]), "a name twice");
    let problems: Vec<String> = frames
        .iter()
        .filter_map(|golden| {
            Some(format!(
                "{}: {}",
                golden.name,
                check(golden, dialect).err()?
            ))
        })
        .collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn json_rpc() {
    check_file(Dialect::JsonRpcLines, 100);
}

#[test]
fn json_rpc_headers() {
    check_file(Dialect::JsonRpcHeaders, 40);
}

#[test]
fn msgpack_rpc() {
    check_file(Dialect::MsgpackRpc, 100);
}

#[test]
fn orchard() {
    check_file(Dialect::Orchard, 50);
}

/// One after the other, a byte at a time, as a peer that is in no hurry would send them.
#[test]
fn all_frames_of_a_file_as_one_stream() {
    for dialect in Dialect::ALL {
        let mut frames = golden_file::read(dialect);
        frames.retain(|golden| golden.means.get() != r#"{"broken":true}"#);
        if matches!(dialect, Dialect::JsonRpcLines | Dialect::Orchard) {
            frames.retain(|golden| golden.bytes().ends_with(b"\n"));
        }
        let mut decoder = Decoder::new(dialect, Limits::default());
        let mut buffer = BytesMut::new();
        let mut meanings = Vec::new();
        for byte in frames.iter().flat_map(Golden::bytes) {
            buffer.extend_from_slice(&[byte]);
            if let Some(frame) = decoder.decode(&mut buffer).expect("a sound stream") {
                meanings.push(meaning::describe(&frame.content, dialect));
            }
        }
        let expected: Vec<&str> = frames.iter().map(|golden| golden.means.get()).collect();
        assert_eq!(meanings, expected);
    }
}

/// What a dialect has no form for is refused, and nothing of it has been written.
#[test]
fn messages_that_a_dialect_cannot_express_are_refused() {
    let other = |dialect: Dialect| match dialect.format() {
        Format::Json => Format::Msgpack,
        Format::Msgpack => Format::Json,
    };
    for dialect in Dialect::ALL {
        let mut messages = vec![Message::Response(Response {
            id: Id::from(1),
            result: Ok(Payload::null(other(dialect))),
        })];
        if matches!(dialect, Dialect::MsgpackRpc | Dialect::Orchard) {
            let ids = [Id::from("one"), Id::Verbatim("1.5".into())];
            messages.extend(ids.map(|id| {
                Message::Request(Request {
                    id,
                    method: "a".into(),
                    params: None,
                })
            }));
        }
        if dialect == Dialect::MsgpackRpc {
            let result = Ok(Payload::null(Format::Msgpack));
            messages.push(Message::Response(Response {
                id: Id::Number(1 << 32),
                result,
            }));
        }
        for message in messages {
            let mut out = BytesMut::from(&b"before"[..]);
            assert!(dialect.encode(&message, &mut out).is_err(), "{message:?}");
            assert_eq!(out, &b"before"[..], "{dialect}");
        }
    }
}
