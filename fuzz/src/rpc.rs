//! Properties that must hold for any bytes that arrive on a connection.
//! `crates/rpc/tests/regressions.rs` tries those under `regressions/`.

use std::collections::BTreeMap;

use bytes::BytesMut;
use tenon_rpc::{
    Dialect, Format, Message, Payload,
    options::{ExtContent, ExtName, Limits, Oversized},
    trace::{Content, Direction, RecordFormat, Seen},
    wire::{Decoder, Frame, Inbound, Packed},
};

/// JSON-RPC, one message per line.
pub fn json_rpc(data: &[u8]) {
    decoder(Dialect::JsonRpcLines, data);
}

/// JSON-RPC with `Content-Length` headers.
pub fn json_rpc_headers(data: &[u8]) {
    decoder(Dialect::JsonRpcHeaders, data);
}

/// msgpack-rpc.
pub fn msgpack_rpc(data: &[u8]) {
    decoder(Dialect::MsgpackRpc, data);
}

/// Orchard's envelope.
pub fn orchard(data: &[u8]) {
    decoder(Dialect::Orchard, data);
}

/// Names such as a protocol has them, for an ext type of each kind.
const EXT_NAMES: &[ExtName] = &[
    ExtName {
        code: 0,
        name: "$unknown",
        content: ExtContent::Fixed(&[0]),
    },
    ExtName {
        code: 12,
        name: "$unknown",
        content: ExtContent::Map(&[(1, "null"), (2, "prefix")]),
    },
];

/// From msgpack to JSON and from JSON to msgpack, there and back, with and without names.
pub fn transcode(data: &[u8]) {
    for names in [&[], EXT_NAMES] {
        transcode_with(names, data);
    }
}

fn transcode_with(names: &[ExtName], data: &[u8]) {
    for (here, there) in [
        (Format::Msgpack, Format::Json),
        (Format::Json, Format::Msgpack),
    ] {
        let Ok(first) = Payload::new(here, data.to_vec()).to_format_with(there, names) else {
            continue;
        };
        if there == Format::Json {
            let text = String::from_utf8(first.bytes().to_vec()).expect("JSON is UTF-8");
            Payload::from_json(text).expect("what looks like JSON is JSON");
        }
        // What was written once can be read back, and is written the same again.
        let back = first.to_format_with(here, names).expect("the way back");
        let again = back
            .to_format_with(there, names)
            .expect("the way there again");
        assert_eq!(first, again);
    }
}

/// A map in msgpack or JSON, split into its members and read into values that keep their bytes.
pub fn members(data: &[u8]) {
    for format in [Format::Msgpack, Format::Json] {
        let whole = Payload::new(format, data.to_vec());
        let Ok(members) = whole.members() else {
            continue;
        };
        // The JSON form of what JSON cannot express may be invalid.
        let packed: BTreeMap<String, Packed> = match whole.decode() {
            Ok(packed) => packed,
            Err(_) if format == Format::Json => continue,
            Err(error) => panic!("{members:?} is not read: {error}"),
        };
        assert_eq!(packed.len(), members.len());
        for (name, member) in members {
            let value = Payload::from(packed[name.as_str()].clone());
            let member = member.to_format(Format::Msgpack).expect("it was packed");
            assert_eq!(value, member, "{name}");
        }
        let written = Payload::encode(Format::Msgpack, &packed).expect("it was read");
        assert_eq!(
            written.decode::<BTreeMap<_, _>>().expect("it was written"),
            packed
        );
    }
}

/// Limits that are low enough for short inputs to exceed each of them.
const SMALL: Limits = Limits {
    frame: 64,
    depth: 4,
    elements: 32,
    batch: 3,
    oversized: Oversized::End,
};

/// The same, but a frame that is too long is skipped.
const SKIPPING: Limits = Limits {
    oversized: Oversized::Skip,
    ..SMALL
};

/// Higher limits for reading again: an error that is written again may be one level deeper.
const LARGE: Limits = Limits {
    frame: 1 << 26,
    depth: 1000,
    elements: 1 << 24,
    batch: 1 << 16,
    oversized: Oversized::End,
};

/// The maximum length of the headers, whatever the limit of a frame is.
const HEADERS: usize = 8 * 1024;

/// The head of an incomplete msgpack value may exceed the limit by this much.
const HEAD: usize = 6;

fn decoder(dialect: Dialect, data: &[u8]) {
    for limits in [Limits::default(), SMALL, SKIPPING] {
        let whole = decode(dialect, limits, data, data.len().max(1));
        for step in [1, 3, 16] {
            let pieces = decode(dialect, limits, data, step);
            assert_eq!(whole, pieces, "in pieces of {step}");
        }
        for frame in &whole.0 {
            check(dialect, frame);
        }
    }
}

/// The frames in `data`, which arrives in pieces of `step` bytes, and whether the stream is intact.
fn decode(dialect: Dialect, limits: Limits, data: &[u8], step: usize) -> (Vec<Frame>, bool) {
    let most = match dialect {
        Dialect::JsonRpcHeaders => limits.frame + HEADERS,
        Dialect::MsgpackRpc => limits.frame + HEAD,
        Dialect::JsonRpcLines | Dialect::Orchard => limits.frame,
    };
    let mut decoder = Decoder::new(dialect, limits);
    let mut buffer = BytesMut::new();
    let mut frames = Vec::new();
    for piece in data.chunks(step) {
        buffer.extend_from_slice(piece);
        loop {
            match decoder.decode(&mut buffer) {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(_) => return (frames, false),
            }
        }
        assert!(buffer.len() <= most, "{} bytes are kept", buffer.len());
    }
    loop {
        match decoder.finish(&mut buffer) {
            Ok(Some(frame)) => frames.push(frame),
            Ok(None) => break,
            Err(_) => return (frames, false),
        }
    }
    for frame in &frames {
        assert!(frame.bytes.len() <= limits.frame, "{frame:?} is too long");
    }
    (frames, true)
}

/// What was read can be recorded and written, and what was written is read the same.
fn check(dialect: Dialect, frame: &Frame) {
    RecordFormat::new(["token"]).record(&Seen {
        direction: Direction::In,
        dialect,
        bytes: &frame.bytes,
        content: Content::Inbound(&frame.content),
        ext_names: EXT_NAMES,
    });
    match &frame.content {
        Inbound::Message(message) => check_message(dialect, message),
        Inbound::Batch(items) => items.iter().for_each(|item| {
            if let Inbound::Message(message) = item {
                check_message(dialect, message);
            }
        }),
        Inbound::Malformed(malformed) => assert!(!malformed.error.message.is_empty()),
    }
}

fn check_message(dialect: Dialect, message: &Message) {
    let write = |message: &Message| {
        let mut out = BytesMut::new();
        dialect
            .encode(message, &mut out)
            .expect("it was read in this dialect");
        out
    };
    let first = write(message);
    let (frames, is_sound) = decode(dialect, LARGE, &first, first.len());
    assert!(is_sound);
    match &frames[..] {
        // The first writing may change the form of the message; after that nothing changes.
        [
            Frame {
                content: Inbound::Message(again),
                ..
            },
        ] => assert_eq!(first, write(again)),
        other => panic!("{first:?} is read as {other:?}"),
    }
}
