//! Answers that break the rules: each of our calls gets exactly one outcome, whatever the peer
//! makes of it, and an answer without a waiting call does nothing.

mod raw_peer;

use raw_peer::{RawPeer, assert_works, encoded, response, start, watched};
use tenon_rpc::{
    CallError, CloseReason, Connection, Dialect, Id, Message, Options, Payload,
    options::{Stray, Unclaimed},
    wire::{Inbound, Response},
};
use tokio::task::JoinHandle;

type Waiting = JoinHandle<Result<Payload, CallError>>;

/// A call of ours that is on its way: what will become of it, and its id.
async fn ask(peer: &mut RawPeer, connection: &Connection) -> (Waiting, u32) {
    let caller = connection.peer();
    let waiting = tokio::spawn(async move { caller.call_raw("name", None).await });
    match watched(peer.frame()).await.map(|frame| frame.content) {
        Some(Inbound::Message(Message::Request(request))) => match request.id {
            Id::Number(number) => (waiting, u32::try_from(number).expect("of 32 bits")),
            id => panic!("ids are numbers, not {id}"),
        },
        other => panic!("no request but {other:?}"),
    }
}

async fn outcome(waiting: Waiting) -> Result<u64, CallError> {
    let outcome = watched(waiting).await.expect("no panic");
    outcome.map(|payload| payload.decode().expect("a number"))
}

#[tokio::test(start_paused = true)]
async fn answers_to_nothing_do_nothing() {
    for dialect in Dialect::ALL {
        let (mut peer, connection) = start(dialect, Options::default());
        peer.send(response(dialect, 1, 5)).await;
        peer.send(response(dialect, 4_000_000_000, 5)).await;
        watched(assert_works(&mut peer, dialect)).await;
        // The answer that came before its question is not kept for it.
        let (waiting, id) = ask(&mut peer, &connection).await;
        assert_eq!(id, 1);
        peer.send(response(dialect, id, 6)).await;
        assert_eq!(outcome(waiting).await.expect("a result"), 6);
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_ids_and_second_answers_do_nothing() {
    for dialect in Dialect::ALL {
        let (mut peer, connection) = start(dialect, Options::default());
        let (first, first_id) = ask(&mut peer, &connection).await;
        let (second, second_id) = ask(&mut peer, &connection).await;
        assert_ne!(first_id, second_id);
        for (id, result) in [(99, 1), (second_id, 22), (second_id, 23), (first_id, 11)] {
            peer.send(response(dialect, id, result)).await;
        }
        peer.send(response(dialect, first_id, 12)).await;
        assert_eq!(outcome(first).await.expect("a result"), 11);
        assert_eq!(outcome(second).await.expect("a result"), 22);
        watched(assert_works(&mut peer, dialect)).await;
        // The first of them is remembered, to explain why a call gets no answer.
        let caller = connection.peer();
        let unclaimed = caller.unclaimed().unwrap_or_default();
        assert!(unclaimed.contains("id 99"), "{unclaimed}");
    }
}

#[tokio::test(start_paused = true)]
async fn ids_of_another_type_are_other_ids() {
    for dialect in [Dialect::JsonRpcLines, Dialect::JsonRpcHeaders] {
        let (mut peer, connection) = start(dialect, Options::default());
        let (waiting, id) = ask(&mut peer, &connection).await;
        let look_alikes = [
            Id::Text(id.to_string().into()),
            Id::Verbatim(format!("{id}.0").into()),
            Id::Number(-i64::from(id)),
            Id::Number(i64::from(id) + (1 << 32)),
            Id::Null,
        ];
        for id in look_alikes {
            let result = Ok(Payload::encode(dialect.format(), &1).expect("a number"));
            let message = Message::Response(Response { id, result });
            peer.send(encoded(dialect, &message)).await;
        }
        peer.send(response(dialect, id, 2)).await;
        assert_eq!(outcome(waiting).await.expect("a result"), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_fails_its_call() {
    let dialect = Dialect::JsonRpcLines;
    let options = Options {
        stray: Stray::Skip,
        ..Options::default()
    };
    let deep = "[".repeat(1000);
    for broken in ["NaN", "{\"a\":1,}", &deep] {
        let (mut peer, connection) = start(dialect, options.clone());
        let (first, first_id) = ask(&mut peer, &connection).await;
        let (second, second_id) = ask(&mut peer, &connection).await;
        let line = format!(r#"{{"jsonrpc":"2.0","id":{first_id},"result":{broken}}}"#);
        peer.send((line + "\n").into_bytes()).await;
        match outcome(first).await {
            Err(CallError::Malformed(what)) => {
                assert!(
                    what.contains("cannot be read") && !what.contains(broken),
                    "{what}"
                );
            }
            other => panic!("{other:?}"),
        }
        peer.send(response(dialect, second_id, 2)).await;
        assert_eq!(outcome(second).await.expect("a result"), 2);
    }
    // Whose answer this is cannot be told, so no call is left waiting.
    let (mut peer, connection) = start(dialect, options);
    let (waiting, _) = ask(&mut peer, &connection).await;
    peer.send(b"printed\n{\"jsonrpc\":\"2.0\",\"result\":\n".to_vec())
        .await;
    assert!(matches!(
        outcome(waiting).await,
        Err(CallError::Closed(CloseReason::BrokenStream(_)))
    ));
}

/// A plugin that prints something without ending the line, before its answer or after it.
#[tokio::test(start_paused = true)]
async fn an_answer_is_found_between_other_text() {
    for dialect in [Dialect::JsonRpcLines, Dialect::Orchard] {
        find_between_other_text(dialect).await;
    }
}

async fn find_between_other_text(dialect: Dialect) {
    let options = Options {
        stray: Stray::Skip,
        ..Options::default()
    };
    let (mut peer, connection) = start(dialect, options);
    let caller = connection.peer();
    for (before, after, quoted) in [
        ("progress...", "", "progress..."),
        ("", " {done}", "{done}"),
        ("{\"a\": {", "}", "{\\\"a\\\": {"),
        ("\u{1b}[2K\r100%", "\u{1b}[0m", "1b 5b 32"),
        (
            r#"got {"jsonrpc":"2.0","id":1,"method":"name"} "#,
            "",
            "got {",
        ),
    ] {
        let (waiting, id) = ask(&mut peer, &connection).await;
        caller.forget_stray();
        let answer = String::from_utf8(response(dialect, id, 8)).expect("text");
        let line = format!("{before}{}{after}\n", answer.trim_end());
        peer.send(line.into_bytes()).await;
        assert_eq!(outcome(waiting).await.expect("a result"), 8, "{before}");
        watched(assert_works(&mut peer, dialect)).await;
        // Nothing but the text is quoted.
        let quote = caller.stray().expect("what was printed").to_string();
        assert!(
            quote.contains(quoted) && !quote.contains("result"),
            "{quote}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn two_answers_on_one_line_find_their_calls() {
    let options = Options {
        stray: Stray::Skip,
        ..Options::default()
    };
    let (mut peer, connection) = start(Dialect::JsonRpcLines, options);
    let (first, first_id) = ask(&mut peer, &connection).await;
    let (second, second_id) = ask(&mut peer, &connection).await;
    let answer = |id, result| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    let line = answer(second_id, "2") + &answer(first_id, "1") + "\n";
    peer.send(line.into_bytes()).await;
    assert_eq!(outcome(first).await.expect("a result"), 1);
    assert_eq!(outcome(second).await.expect("a result"), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_behind_text_that_cannot_be_read_fails_its_call() {
    let dialect = Dialect::JsonRpcLines;
    let options = Options {
        stray: Stray::Skip,
        ..Options::default()
    };
    let (mut peer, connection) = start(dialect, options.clone());
    let (first, first_id) = ask(&mut peer, &connection).await;
    let (second, second_id) = ask(&mut peer, &connection).await;
    let line = format!("50%...{{\"jsonrpc\":\"2.0\",\"id\":{first_id},\"result\":NaN}}\n");
    peer.send(line.into_bytes()).await;
    match outcome(first).await {
        Err(CallError::Malformed(what)) => assert!(what.contains("after other text"), "{what}"),
        other => panic!("{other:?}"),
    }
    let quote = connection
        .peer()
        .stray()
        .expect("what was printed")
        .to_string();
    assert!(
        quote.contains("50%...") && !quote.contains("NaN"),
        "{quote}"
    );
    // A request that is quoted in a log, whole or cut off, is not an answer to anything.
    for log in ["}}", ""] {
        let log =
            format!("got {{\"jsonrpc\":\"2.0\",\"id\":{second_id},\"method\":\"name\"{log}\n");
        peer.send(log.into_bytes()).await;
    }
    peer.send(response(dialect, second_id, 2)).await;
    assert_eq!(outcome(second).await.expect("a result"), 2);
    // Whose answer this is cannot be told, so no call is left waiting.
    let (waiting, _) = ask(&mut peer, &connection).await;
    peer.send(b"50%...{\"jsonrpc\":\"2.0\",\"result\":\n".to_vec())
        .await;
    assert!(matches!(
        outcome(waiting).await,
        Err(CallError::Closed(CloseReason::BrokenStream(_)))
    ));
}

/// An answer to call 1 in each dialect that is no answer.
const MALFORMED: [(Dialect, &[u8]); 10] = [
    (
        Dialect::JsonRpcLines,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{\"code\":1,\"message\":\"no\"}}\n",
    ),
    (
        Dialect::JsonRpcLines,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no\"}\n",
    ),
    (
        Dialect::JsonRpcLines,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}\n",
    ),
    (
        Dialect::JsonRpcLines,
        b"{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":5}\n",
    ),
    (
        Dialect::JsonRpcHeaders,
        b"Content-Length: 39\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":[\"no\"]}",
    ),
    (Dialect::MsgpackRpc, b"\x94\x01\x01\x92\x01\xa2no\x05"),
    (Dialect::MsgpackRpc, b"\x93\x01\x01\xc0"),
    (Dialect::MsgpackRpc, b"\x95\x01\x01\xc0\x05\x05"),
    (Dialect::Orchard, b"{\"id\":1}\n"),
    (
        Dialect::Orchard,
        b"{\"id\":1,\"result\":{},\"error\":{\"code\":\"a\",\"message\":\"no\"}}\n",
    ),
];

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_fails_its_call_and_is_not_answered() {
    let mut problems = Vec::new();
    for (dialect, bytes) in MALFORMED {
        let (mut peer, connection) = start(dialect, Options::default());
        let (waiting, id) = ask(&mut peer, &connection).await;
        assert_eq!(id, 1, "the answers are written for it");
        peer.send(bytes).await;
        let shown = bytes.escape_ascii();
        // What is said about the answer comes before the answer to the call after it.
        peer.send(raw_peer::call(dialect, 4711, 1)).await;
        let (answered, _) = raw_peer::answer(watched(peer.frame()).await);
        if answered != Id::from(4711) {
            problems.push(format!("{dialect}: {shown} is answered"));
        }
        if !waiting.is_finished() {
            problems.push(format!("{dialect}: {shown} leaves the call waiting"));
            continue;
        }
        match outcome(waiting).await {
            Err(CallError::Malformed(_)) => {}
            other => problems.push(format!("{dialect}: {shown} gives {other:?}")),
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn a_result_that_was_left_out_is_null_to_the_one_who_waits() {
    let dialect = Dialect::JsonRpcLines;
    let (mut peer, connection) = start(dialect, Options::default());
    let (waiting, id) = ask(&mut peer, &connection).await;
    peer.send(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}}}\n"))
        .await;
    let result = watched(waiting).await.expect("no panic").expect("a result");
    assert!(result.is_null());
    // The call was abandoned: now it is a request without a method.
    peer.send(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}}}\n"))
        .await;
    let (answered, result) = raw_peer::answer(watched(peer.frame()).await);
    assert_eq!(answered, Id::from(id));
    assert!(result.is_err());
}

#[tokio::test(start_paused = true)]
async fn an_error_that_belongs_to_no_call_leaves_calls_alone() {
    let dialect = Dialect::JsonRpcLines;
    let (mut peer, connection) = start(dialect, Options::default());
    let (waiting, id) = ask(&mut peer, &connection).await;
    let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    peer.send(format!("{error}\n")).await;
    watched(assert_works(&mut peer, dialect)).await;
    assert!(!waiting.is_finished());
    peer.send(response(dialect, id, 7)).await;
    assert_eq!(outcome(waiting).await.expect("a result"), 7);
}

/// A host does not wait forever for a plugin that gets ids wrong.
#[tokio::test(start_paused = true)]
async fn a_wrong_id_fails_the_only_call_that_it_can_be_meant_for() {
    let options = Options {
        stray: Stray::Skip,
        unclaimed: Unclaimed::FailCall,
        ..Options::default()
    };
    for dialect in [Dialect::JsonRpcLines, Dialect::JsonRpcHeaders] {
        let wrong = |id| {
            let result = Ok(Payload::encode(dialect.format(), &1).expect("a number"));
            encoded(dialect, &Message::Response(Response { id, result }))
        };
        for id in [Id::Null, Id::from("1"), Id::Verbatim("1.0".into())] {
            let (mut peer, connection) = start(dialect, options.clone());
            let (waiting, number) = ask(&mut peer, &connection).await;
            // A plugin may print messages that are not for us.
            for foreign in [Id::from("x"), Id::from(99), Id::Verbatim("1.5".into())] {
                peer.send(wrong(foreign)).await;
            }
            peer.send(wrong(id.clone())).await;
            let expected = format!("it has the id {id}, but the call has the id {number}");
            match outcome(waiting).await {
                Err(CallError::Malformed(what)) => assert_eq!(what.as_str(), expected),
                other => panic!("{id}: {other:?}"),
            }
            watched(assert_works(&mut peer, dialect)).await;
        }
        let (mut peer, connection) = start(dialect, options.clone());
        let (first, first_id) = ask(&mut peer, &connection).await;
        let (second, second_id) = ask(&mut peer, &connection).await;
        // Which of the two it is meant for cannot be known.
        peer.send(wrong(Id::Null)).await;
        peer.send(wrong(Id::Text(second_id.to_string().into())))
            .await;
        assert!(matches!(
            outcome(second).await,
            Err(CallError::Malformed(_))
        ));
        // A second answer is not meant for the call that still waits.
        peer.send(response(dialect, second_id, 5)).await;
        peer.send(response(dialect, first_id, 7)).await;
        assert_eq!(outcome(first).await.expect("a result"), 7);
    }
}

/// An error with the id null says that a request could not be read.
#[tokio::test(start_paused = true)]
async fn an_error_without_an_id_answers_the_only_call() {
    let options = Options {
        stray: Stray::Skip,
        unclaimed: Unclaimed::FailCall,
        ..Options::default()
    };
    let dialect = Dialect::JsonRpcLines;
    let (mut peer, connection) = start(dialect, options);
    let (waiting, _) = ask(&mut peer, &connection).await;
    let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    peer.send(format!("{error}\n")).await;
    match outcome(waiting).await {
        Err(CallError::Answered(error)) => assert_eq!(&*error.message, "Parse error"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_wait_when_the_peer_leaves_all_fail() {
    for dialect in Dialect::ALL {
        let (mut peer, connection) = start(dialect, Options::default());
        let mut calls = Vec::new();
        for _ in 0..10 {
            calls.push(ask(&mut peer, &connection).await.0);
        }
        // Half an answer is no answer.
        let half = response(dialect, 1, 5);
        peer.send(&half[..half.len() / 2]).await;
        drop(peer);
        for waiting in calls {
            let failed = outcome(waiting).await.expect_err("no answer came");
            assert!(
                matches!(failed, CallError::Closed(_)),
                "{dialect}: {failed}"
            );
        }
        let reason = watched(connection.closed()).await;
        let is_expected = match dialect {
            Dialect::JsonRpcLines | Dialect::Orchard => matches!(reason, CloseReason::PeerClosed),
            _ => matches!(reason, CloseReason::BrokenStream(_)),
        };
        assert!(is_expected, "{dialect}: {reason}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_over_the_limit_fail_immediately() {
    for dialect in Dialect::ALL {
        let options = Options {
            calls: 2,
            ..Options::default()
        };
        let (mut peer, connection) = start(dialect, options);
        let (first, id) = ask(&mut peer, &connection).await;
        let (_second, _) = ask(&mut peer, &connection).await;
        let third = watched(connection.peer().call_raw("name", None)).await;
        assert!(
            matches!(third, Err(CallError::TooManyCalls(2))),
            "{third:?}"
        );
        peer.send(response(dialect, id, 1)).await;
        assert_eq!(outcome(first).await.expect("a result"), 1);
        // There is room again.
        ask(&mut peer, &connection).await;
    }
}

/// Agents of some SDKs answer so to what they cannot read.
#[tokio::test(start_paused = true)]
async fn an_error_without_an_id_is_about_no_call() {
    for stray in [Stray::Answer, Stray::Skip] {
        let options = Options {
            stray,
            ..Options::default()
        };
        let dialect = Dialect::JsonRpcLines;
        let (mut peer, connection) = start(dialect, options);
        let (waiting, id) = ask(&mut peer, &connection).await;
        let error = &b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}\n"[..];
        peer.send(error).await;
        peer.send(response(dialect, id, 7)).await;
        assert_eq!(outcome(waiting).await.expect("a result"), 7);
    }
}
