//! However a stream is cut into pieces, the same frames come out of it, and no stream at all
//! makes a decoder panic or hold more than it may.

mod any_message;

use any_message::{any_dialect, any_message, any_soup};
use bytes::BytesMut;
use proptest::collection::vec;
use proptest::prelude::*;
use tenon_rpc::{
    Dialect, Message,
    options::{Limits, Oversized},
    wire::{Decoder, Frame, Inbound},
};

/// What came out of a stream: its frames, and whether it was sound to the end.
#[derive(Debug, PartialEq)]
struct Outcome {
    frames: Vec<Frame>,
    is_sound: bool,
}

/// Decodes a stream that arrives in pieces. `cuts` are the sizes of the first ones, again and
/// again until everything has arrived; `after_each` sees what stays behind.
fn decode(
    dialect: Dialect,
    limits: Limits,
    stream: &[u8],
    cuts: &[usize],
    mut after_each: impl FnMut(&BytesMut),
) -> Outcome {
    let mut decoder = Decoder::new(dialect, limits);
    let mut buffer = BytesMut::new();
    let mut frames = Vec::new();
    let mut rest = stream;
    for &cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, behind) = rest.split_at(cut.clamp(1, rest.len()));
        rest = behind;
        buffer.extend_from_slice(piece);
        loop {
            match decoder.decode(&mut buffer) {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(_) => {
                    return Outcome {
                        frames,
                        is_sound: false,
                    };
                }
            }
        }
        after_each(&buffer);
    }
    loop {
        match decoder.finish(&mut buffer) {
            Ok(Some(frame)) => frames.push(frame),
            Ok(None) => {
                return Outcome {
                    frames,
                    is_sound: true,
                };
            }
            Err(_) => {
                return Outcome {
                    frames,
                    is_sound: false,
                };
            }
        }
    }
}

fn at_once(dialect: Dialect, limits: Limits, stream: &[u8]) -> Outcome {
    decode(dialect, limits, stream, &[usize::MAX], |_| {})
}

/// A few messages of one dialect.
fn any_conversation() -> impl Strategy<Value = (Dialect, Vec<Message>)> {
    any_dialect().prop_flat_map(|dialect| (Just(dialect), vec(any_message(dialect), 1..5)))
}

/// Blanks that may stand between two frames.
fn blanks(dialect: Dialect) -> &'static [u8] {
    match dialect {
        Dialect::JsonRpcLines | Dialect::Orchard => b" \r\n\n",
        Dialect::JsonRpcHeaders => b"\r\n",
        Dialect::MsgpackRpc => b"",
    }
}

/// Small enough that random streams go over every one of them.
const SMALL: Limits = Limits {
    frame: 48,
    depth: 3,
    elements: 20,
    batch: 2,
    oversized: Oversized::End,
};

/// The same, but what is too long does not end it.
const SKIPPING: Limits = Limits {
    oversized: Oversized::Skip,
    ..SMALL
};

/// A header block may be this long, whatever the limit of a frame is.
const HEADERS: usize = 8 * 1024;

/// The head of a msgpack value that has not all arrived may stick out over the limit.
const HEAD: usize = 6;

/// Failures are kept as inputs under `fuzz/regressions`, where everybody can read them.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn written_messages_are_read_back_in_any_pieces(
        (dialect, messages) in any_conversation(),
        cuts in vec(1usize..40, 1..20),
        with_blanks in any::<bool>(),
    ) {
        let mut stream = BytesMut::new();
        for message in &messages {
            dialect.encode(message, &mut stream).expect("the dialect can say it");
            if with_blanks {
                stream.extend_from_slice(blanks(dialect));
            }
        }
        let outcome = decode(dialect, Limits::default(), &stream, &cuts, |_| {});
        prop_assert!(outcome.is_sound);
        let read: Vec<Inbound> = outcome.frames.into_iter().map(|frame| frame.content).collect();
        let written: Vec<Inbound> = messages.into_iter().map(Inbound::Message).collect();
        prop_assert_eq!(read, written);
    }

    #[test]
    fn a_stream_cut_short_gives_the_whole_frames_before_the_cut(
        (dialect, messages) in any_conversation(),
        length in any::<prop::sample::Index>(),
    ) {
        let mut stream = BytesMut::new();
        let mut ends = vec![0];
        for message in &messages {
            dialect.encode(message, &mut stream).expect("the dialect can say it");
            ends.push(stream.len());
        }
        let length = length.index(stream.len());
        let whole = ends.iter().filter(|end| **end <= length).count() - 1;
        let outcome = at_once(dialect, Limits::default(), &stream[..length]);
        prop_assert!(outcome.frames.len() >= whole);
        // A last line counts without its newline, so there may be one frame more on lines.
        prop_assert!(outcome.frames.len() <= whole + 1);
        for (frame, message) in outcome.frames.iter().take(whole).zip(messages) {
            prop_assert_eq!(&frame.content, &Inbound::Message(message));
        }
        // Nothing may be passed over in silence: half a frame is an error, or at least a frame.
        let is_cut = !ends.contains(&length);
        prop_assert!(!is_cut || !outcome.is_sound || outcome.frames.len() == whole + 1);
    }

}

proptest! {
    #![proptest_config(config(4096))]

    #[test]
    fn random_input_decodes_the_same_in_any_pieces(
        (dialect, stream) in any_soup(),
        cuts in vec(1usize..9, 1..9),
    ) {
        for limits in [Limits::default(), SMALL, SKIPPING] {
            let pieces = decode(dialect, limits, &stream, &cuts, |_| {});
            prop_assert_eq!(pieces, at_once(dialect, limits, &stream), "{:?}", limits);
        }
    }

    #[test]
    fn random_bytes_decode_the_same_however_they_arrive(
        dialect in any_dialect(),
        stream in vec(any::<u8>(), 0..200),
        cuts in vec(1usize..9, 1..9),
    ) {
        let pieces = decode(dialect, SMALL, &stream, &cuts, |_| {});
        prop_assert_eq!(pieces, at_once(dialect, SMALL, &stream));
    }

    #[test]
    fn no_frame_and_no_rest_is_longer_than_the_limit(
        (dialect, stream) in any_soup(),
        cuts in vec(1usize..9, 1..9),
    ) {
        let most = match dialect {
            Dialect::JsonRpcHeaders => SMALL.frame + HEADERS,
            Dialect::MsgpackRpc => SMALL.frame + HEAD,
            Dialect::JsonRpcLines | Dialect::Orchard => SMALL.frame,
        };
        let mut longest = 0;
        let outcome = decode(dialect, SMALL, &stream, &cuts, |rest| {
            longest = longest.max(rest.len());
        });
        prop_assert!(longest <= most, "{} bytes were kept", longest);
        for frame in outcome.frames {
            prop_assert!(frame.bytes.len() <= SMALL.frame, "{:?}", frame);
        }
    }
}

/// The decoder has to say that it has had enough long before memory does.
#[test]
fn endless_frames_end_at_the_limit() {
    let endless: [(Dialect, &[u8], &[u8]); 6] = [
        (Dialect::JsonRpcLines, b"", b"[1,"),
        (Dialect::Orchard, b"{\"id\":\"", b"aaaa"),
        (Dialect::JsonRpcHeaders, b"", b"x: y\r\n"),
        (Dialect::JsonRpcHeaders, b"Content-Length: 49\r\n\r\n", b"1"),
        (
            Dialect::MsgpackRpc,
            b"\x94\x00\x01\xdb\xff\xff\xff\xff",
            b"aaaa",
        ),
        (Dialect::MsgpackRpc, b"\xdd\x00\x00\x00\x14", b"\xa3aaa"),
    ];
    for (dialect, start, more) in endless {
        let mut decoder = Decoder::new(dialect, SMALL);
        let mut buffer = BytesMut::from(start);
        let ended = (0..HEADERS).find_map(|_| {
            buffer.extend_from_slice(more);
            decoder.decode(&mut buffer).err()
        });
        let error = ended.unwrap_or_else(|| panic!("{dialect} puts up with anything"));
        let quoted = tenon_rpc::trace::Quote::of(&buffer).to_string();
        assert_eq!(error.quote.to_string(), quoted, "{dialect}");
    }
}
