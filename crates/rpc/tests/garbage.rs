//! What a plugin prints before it speaks the protocol, and peers that take their time: what each
//! choice of [`Stray`] makes of it, and how the dialect is still found.

mod raw_peer;

use raw_peer::{RawPeer, answer, assert_works, broken, call, nobody, start, watched};
use tenon_rpc::{CallError, Connection, Dialect, Id, Options, options::Stray};

const GARBAGE: &str = "Listening on port 8080\n";

/// In these a line that is not a message does not break the stream.
const ON_LINES: [Dialect; 2] = [Dialect::JsonRpcLines, Dialect::Orchard];

/// In these nothing that follows garbage can be trusted.
const NOT_ON_LINES: [Dialect; 2] = [Dialect::JsonRpcHeaders, Dialect::MsgpackRpc];

fn start_with(dialect: Dialect, stray: Stray) -> (RawPeer, Connection) {
    let options = Options {
        stray,
        ..Options::default()
    };
    start(dialect, options)
}

fn assert_quoted(connection: &Connection) {
    let peer = connection.peer();
    let quote = peer
        .stray()
        .map_or(String::new(), |quote| quote.to_string());
    assert!(quote.contains("Listening on port 8080"), "{quote}");
}

#[tokio::test(start_paused = true)]
async fn garbage_on_a_line_is_answered() {
    for dialect in ON_LINES {
        let (mut peer, connection) = start_with(dialect, Stray::Answer);
        peer.send(GARBAGE).await;
        let (id, result) = answer(watched(peer.frame()).await);
        assert_eq!(id, nobody(dialect));
        assert!(result.is_err());
        assert_quoted(&connection);
        watched(assert_works(&mut peer, dialect)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_lines_are_skipped() {
    for dialect in ON_LINES {
        let (mut peer, connection) = start_with(dialect, Stray::Skip);
        peer.send(GARBAGE.repeat(3)).await;
        peer.send("\n\r\n  \n{}\n[]\n5\n\u{feff}\n").await;
        peer.send(b"\xff\xfe\x00\n").await;
        watched(assert_works(&mut peer, dialect)).await;
        assert_quoted(&connection);
    }
}

#[tokio::test(start_paused = true)]
async fn garbage_on_a_line_ends_the_connection() {
    for dialect in ON_LINES {
        let (mut peer, connection) = start_with(dialect, Stray::Fail);
        let (mut other, _other_connection) = start_with(dialect, Stray::Fail);
        watched(assert_works(&mut peer, dialect)).await;
        let caller = connection.peer();
        let waiting = tokio::spawn(async move { caller.call_raw("name", None).await });
        // The call is on its way when the garbage comes.
        assert!(watched(peer.frame()).await.is_some());
        peer.send(GARBAGE).await;
        assert!(
            watched(peer.rest()).await.is_empty(),
            "nothing is said to it"
        );
        let reason = watched(broken(&connection)).await;
        assert!(reason.contains("Listening on port 8080"), "{reason}");
        let failed = watched(waiting).await.expect("no panic");
        assert!(matches!(&failed, Err(CallError::Closed(_))), "{failed:?}");
        assert!(format!("{failed:?}").contains("Listening on port 8080"));
        watched(assert_works(&mut other, dialect)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn garbage_elsewhere_breaks_the_stream() {
    for dialect in NOT_ON_LINES {
        for stray in [Stray::Answer, Stray::Skip, Stray::Fail] {
            let (mut peer, connection) = start_with(dialect, stray);
            let (mut other, _other_connection) = start_with(dialect, stray);
            peer.send(GARBAGE).await;
            let reason = watched(broken(&connection)).await;
            assert!(reason.contains("Listening on port 8080"), "{reason}");
            assert_quoted(&connection);
            let mut rest = watched(peer.rest()).await;
            if stray == Stray::Answer {
                let (id, result) = answer(rest.pop());
                assert_eq!(id, nobody(dialect));
                let told = result.expect_err("an error").message;
                assert!(told.contains("Listening on port 8080"), "{told}");
            }
            assert!(rest.is_empty(), "{rest:?}");
            watched(assert_works(&mut other, dialect)).await;
        }
    }
}

/// A plugin that prints a line and then speaks a binary protocol: the line is what helps.
#[tokio::test(start_paused = true)]
async fn text_in_front_of_binary_is_quoted_as_text() {
    let dialect = Dialect::MsgpackRpc;
    let (mut peer, connection) = start(dialect, Options::default());
    let mut bytes = GARBAGE.as_bytes().to_vec();
    bytes.extend(call(dialect, 1, 1));
    peer.send(bytes).await;
    let reason = watched(broken(&connection)).await;
    assert!(reason.contains("Listening on port 8080"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn only_the_first_garbage_is_kept() {
    let (mut peer, connection) = start_with(Dialect::JsonRpcLines, Stray::Skip);
    peer.send(format!("{GARBAGE}second\nthird\n")).await;
    watched(assert_works(&mut peer, Dialect::JsonRpcLines)).await;
    assert_quoted(&connection);
}

/// Passing over one part of a batch must not leave the callers of the others without an answer.
#[tokio::test(start_paused = true)]
async fn garbage_in_a_batch_does_not_swallow_the_answers_to_the_rest() {
    let (mut peer, _connection) = start_with(Dialect::JsonRpcLines, Stray::Skip);
    peer.send("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"},5]\n")
        .await;
    let line = watched(peer.line()).await;
    assert_eq!(
        line.as_deref(),
        Some(r#"[{"jsonrpc":"2.0","id":1,"result":null}]"#)
    );
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_invalid_messages_is_skipped() {
    let (mut peer, _connection) = start_with(Dialect::JsonRpcLines, Stray::Skip);
    peer.send("[1,2,\"three\"]\n").await;
    watched(assert_works(&mut peer, Dialect::JsonRpcLines)).await;
}

#[tokio::test(start_paused = true)]
async fn one_byte_at_a_time() {
    for dialect in Dialect::ALL {
        let (mut peer, _connection) =
            RawPeer::connect(dialect, raw_peer::router(), Options::default(), 1);
        let calls: Vec<u8> = (1..=3).flat_map(|id| call(dialect, id, 40)).collect();
        for byte in calls {
            watched(peer.send([byte])).await;
            tokio::task::yield_now().await;
        }
        for id in 1..=3u32 {
            let (answered, result) = answer(watched(peer.frame()).await);
            assert_eq!(answered, Id::from(id));
            assert!(result.is_ok());
        }
    }
}

fn detecting() -> Options {
    Options {
        detect: &Dialect::ALL,
        ..Options::default()
    }
}

#[tokio::test(start_paused = true)]
async fn the_dialect_is_found_one_byte_at_a_time() {
    for dialect in Dialect::ALL {
        // The raw peer speaks `dialect`; the connection has to find that out.
        let (mut peer, connection) = start(dialect, detecting());
        for byte in call(dialect, 1, 1) {
            watched(peer.send([byte])).await;
            tokio::task::yield_now().await;
        }
        assert!(answer(watched(peer.frame()).await).1.is_ok());
        assert_eq!(connection.peer().dialect(), dialect);
    }
}

#[tokio::test(start_paused = true)]
async fn the_dialect_is_found_behind_blank_lines() {
    for dialect in [
        Dialect::JsonRpcLines,
        Dialect::Orchard,
        Dialect::JsonRpcHeaders,
    ] {
        let (mut peer, connection) = start(dialect, detecting());
        peer.send("\r\n\n").await;
        peer.send(call(dialect, 1, 1)).await;
        assert!(answer(watched(peer.frame()).await).1.is_ok());
        assert_eq!(connection.peer().dialect(), dialect);
    }
}

#[tokio::test(start_paused = true)]
async fn the_dialect_stays_what_it_was_found_to_be() {
    // Each of these beginnings would be taken for another dialect at the start of a stream.
    for tail in ["Content-Length: 5", "cut sh", "\u{90}"] {
        let dialect = Dialect::JsonRpcLines;
        let (mut peer, connection) = start(dialect, detecting());
        watched(assert_works(&mut peer, dialect)).await;
        peer.send(tail).await;
        peer.finish().await;
        let rest = watched(peer.rest()).await;
        assert_eq!(rest.len(), 1, "the last line is answered: {rest:?}");
        assert!(answer(rest.into_iter().next()).1.is_err());
        assert_eq!(connection.peer().dialect(), dialect, "{tail}");
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_input_is_an_error_of_the_first_dialect() {
    let options = Options {
        detect: &[Dialect::MsgpackRpc, Dialect::JsonRpcHeaders],
        ..Options::default()
    };
    let (mut peer, connection) = start(Dialect::MsgpackRpc, options);
    peer.send(GARBAGE).await;
    let reason = watched(broken(&connection)).await;
    assert!(reason.contains("msgpack-rpc"), "{reason}");
    assert_quoted(&connection);
}
