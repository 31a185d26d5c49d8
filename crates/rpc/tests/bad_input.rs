//! What a connection does with a peer that breaks the rules: the right answer, or a clean end
//! with an error that quotes what came. No other connection is affected.

#[path = "../examples/desk/error_names.rs"]
mod error_names;
mod golden_file;
mod raw_peer;

use error_names::ERROR_NAMES;
use raw_peer::{RawPeer, answer, assert_works, broken, call, encoded, nobody, start, watched};
use serde_json::Value;
use tenon_rpc::{
    CloseReason, Dialect, ErrorCode, Format, Id, Message, Options, Payload, RpcError,
    options::Limits, trace::Quote, wire::Request,
};

fn with_limits(limits: Limits) -> Options {
    Options {
        limits,
        ..Options::default()
    }
}

/// The only answer is an error, and then the stream ends.
async fn assert_told_and_ended(peer: &mut RawPeer, dialect: Dialect) -> RpcError {
    let mut rest = peer.rest().await;
    let (id, result) = answer(rest.pop());
    assert_eq!(id, nobody(dialect), "it belongs to no call");
    assert!(rest.is_empty(), "{rest:?}");
    result.expect_err("an error")
}

fn is_on_lines(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::JsonRpcLines | Dialect::Orchard)
}

#[tokio::test(start_paused = true)]
async fn a_frame_cut_short_by_the_end_of_the_stream() {
    for dialect in Dialect::ALL {
        let frame = call(dialect, 1, 1);
        for length in 0..frame.len() {
            let (mut peer, connection) = start(dialect, Options::default());
            peer.send(&frame[..length]).await;
            peer.finish().await;
            let answers = watched(peer.rest()).await;
            let reason = watched(connection.closed()).await;
            if length == 0 {
                assert!(matches!(reason, CloseReason::PeerClosed), "{reason}");
                assert!(answers.is_empty());
            } else if is_on_lines(dialect) {
                // What is left counts as the last line.
                assert!(matches!(reason, CloseReason::PeerClosed), "{reason}");
                let (_, result) = answer(answers.into_iter().next());
                assert_eq!(result.is_ok(), length == frame.len() - 1, "{length}");
            } else {
                let CloseReason::BrokenStream(error) = reason else {
                    panic!("{dialect}: {length} bytes end with {reason}");
                };
                assert!(error.problem.contains("middle"), "{error}");
                assert_eq!(error.quote, Quote::of(&frame[..length]));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_is_too_long() {
    for dialect in Dialect::ALL {
        let short = call(dialect, 1, 100);
        let limits = Limits {
            frame: short.len(),
            ..Limits::default()
        };
        let (mut peer, connection) = start(dialect, with_limits(limits));
        let (mut other, _other_connection) = start(dialect, Options::default());
        peer.send(&short).await;
        assert!(answer(watched(peer.frame()).await).1.is_ok(), "{dialect}");
        let long = call(dialect, 1, 200);
        peer.send(&long).await;
        let told = watched(assert_told_and_ended(&mut peer, dialect)).await;
        let CloseReason::BrokenStream(error) = watched(connection.closed()).await else {
            panic!("{dialect}: not a broken stream");
        };
        assert!(error.is_over_limit, "a larger limit would help: {error}");
        for text in [&told.message, &error.to_string()] {
            assert!(text.contains(&format!("{} bytes", limits.frame)), "{text}");
            let start = Quote::of(&long[..8]).to_string();
            let start = start.trim_end_matches('"');
            assert!(text.contains(start), "{text} does not quote {start}");
        }
        assert_works(&mut other, dialect).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_never_ends() {
    let endless: [(Dialect, &[u8], &[u8]); 5] = [
        (Dialect::JsonRpcLines, b"{\"jsonrpc\":\"", b"a"),
        (Dialect::Orchard, b"{\"id\":", b"1"),
        (Dialect::JsonRpcHeaders, b"X-First: 1\r\n", b"X-More: 1\r\n"),
        (Dialect::MsgpackRpc, b"\xdd\x00\x01\x00\x00", b"\x01"),
        (
            Dialect::MsgpackRpc,
            b"\x94\x00\x01\xa1a\xdc\xff\xff",
            b"\xdc\xff\xff",
        ),
    ];
    for (dialect, first, more) in endless {
        let limits = Limits {
            frame: 1024,
            elements: 1 << 20,
            ..Limits::default()
        };
        let (mut peer, connection) = start(dialect, with_limits(limits));
        peer.send(first).await;
        let sending = async {
            loop {
                peer.send(more.repeat(512)).await;
                tokio::task::yield_now().await;
            }
        };
        let reason = tokio::select! {
            reason = watched(broken(&connection)) => reason,
            () = sending => unreachable!("it goes on for ever"),
        };
        let quote = Quote::of(first).to_string();
        let quote = quote.trim_end_matches('"');
        assert!(reason.contains(quote), "{reason} does not quote {quote}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_is_nested_too_deeply() {
    let limits = Limits {
        depth: 16,
        ..Limits::default()
    };
    let nested = |dialect: Dialect, levels: usize| {
        let text = "[".repeat(levels) + &"]".repeat(levels);
        let params = Payload::from_json(text)
            .expect("JSON")
            .to_format(dialect.format());
        let request = Request {
            id: Id::from(1),
            method: "echo".into(),
            params: Some(params.expect("transcodable")),
        };
        encoded(dialect, &Message::Request(request))
    };
    for dialect in Dialect::ALL {
        let (mut peer, connection) = start(dialect, with_limits(limits));
        peer.send(nested(dialect, 15)).await;
        assert!(answer(watched(peer.frame()).await).1.is_ok(), "{dialect}");
        peer.send(nested(dialect, 18)).await;
        if dialect.format() == Format::Msgpack {
            let told = watched(assert_told_and_ended(&mut peer, dialect)).await;
            assert!(told.message.contains("16 levels"), "{told}");
            assert!(watched(broken(&connection)).await.contains("16 levels"));
        } else {
            let error = answer(watched(peer.frame()).await).1.expect_err("too deep");
            assert!(
                format!("{error:?}").contains("nested too deeply"),
                "{error:?}"
            );
            assert_works(&mut peer, dialect).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_bomb_of_brackets() {
    for dialect in Dialect::ALL {
        let (mut peer, connection) = start(dialect, Options::default());
        let bomb = match dialect {
            Dialect::JsonRpcLines | Dialect::Orchard => "[{\"a\":".repeat(100_000) + "\n",
            Dialect::JsonRpcHeaders => {
                format!("Content-Length: 100000\r\n\r\n{}", "[".repeat(100_000))
            }
            Dialect::MsgpackRpc => String::new(),
        };
        if dialect == Dialect::MsgpackRpc {
            peer.send([0x91; 100_000]).await;
            assert!(watched(broken(&connection)).await.contains("levels deep"));
        } else {
            watched(peer.send(bomb)).await;
            assert!(answer(watched(peer.frame()).await).1.is_err());
            assert_works(&mut peer, dialect).await;
        }
    }
}

/// Wrong types, invalid UTF-8, both result and error, and whatever else the files hold.
#[tokio::test(start_paused = true)]
async fn every_malformed_golden_frame() {
    let mut problems = Vec::new();
    for dialect in Dialect::ALL {
        for golden in golden_file::read(dialect) {
            let means: Value = serde_json::from_str(golden.means.get()).expect("JSON");
            let Some(malformed) = means.get("malformed") else {
                continue;
            };
            let options = Options {
                error_names: ERROR_NAMES,
                ..Options::default()
            };
            let (mut peer, _connection) = start(dialect, options);
            peer.send(golden.bytes()).await;
            // A good call behind it: whatever comes before its answer is about the bad frame.
            peer.send(call(dialect, 4711, 1)).await;
            let (first, result) = answer(watched(peer.frame()).await);
            let found = match result {
                Ok(_) => "nothing".to_owned(),
                Err(error) => format!("{first} {}", code(&error, dialect)),
            };
            let id = malformed.get("id").map(Value::to_string);
            let id = id.unwrap_or_else(|| nobody(dialect).to_string());
            let expected = match malformed["kind"].as_str() {
                Some("response") => "nothing".to_owned(),
                _ => format!("{id} {}", malformed["code"]),
            };
            if found != expected {
                problems.push(format!(
                    "{dialect}, {}: {found}, not {expected}",
                    golden.name
                ));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

fn code(error: &RpcError, dialect: Dialect) -> Value {
    match (&error.code, dialect) {
        (code, Dialect::Orchard) => Value::from(code.name().as_str()),
        (ErrorCode::Number(number), _) => Value::from(*number),
        (ErrorCode::Name(name), _) => Value::from(name.as_str()),
    }
}

#[tokio::test(start_paused = true)]
async fn every_broken_golden_stream() {
    for dialect in Dialect::ALL {
        for golden in golden_file::read(dialect) {
            if golden.means.get() != r#"{"broken":true}"# {
                continue;
            }
            let (mut peer, connection) = start(dialect, Options::default());
            peer.send(golden.bytes()).await;
            peer.finish().await;
            let reason = watched(broken(&connection)).await;
            assert!(
                reason.contains("; it began with "),
                "{}: {reason}",
                golden.name
            );
            let rest = watched(peer.rest()).await;
            assert!(rest.len() <= 1, "{}: {rest:?}", golden.name);
        }
    }
}
