//! Streams of bytes: how they are cut into frames, and what ends them.

#![cfg(unix)]

mod exact;
mod place;

use exact::{Exact, assert_fits};
use place::{Place, Raw, Wire, json};
use tenon_ipc::{Framing, Settings};
use tenon_rpc::{Router, methods};

methods! {
    /// How many there are.
    Count = "count" (Vec<i64>) -> usize;
}

fn router() -> Router<()> {
    Router::new(())
        .on(Count, |_, items| async move { Ok(items.len()) })
        .on_raw("echo", |_, params| async move {
            Ok(params.unwrap_or_else(|| json("null")))
        })
}

/// A call as it goes over the wire, and its answer.
const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"count","params":[1,2]}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":2}"#;
const UNREADABLE: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":"*"}}"#;
/// What is wrong with a stream is in the message, because it ends there.
const BROKEN: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"*"}}"#;

/// Sends a stream, closes it, and looks at everything that comes back until the other side closes.
async fn assert_answers(wire: Wire, settings: Settings, stream: &[u8], expected: &[&str]) {
    let place = Place::new();
    let _server = place.serve_with(router(), settings);
    let mut raw = Raw::connect(&place.path(), wire).await;
    raw.send_bytes(stream).await;
    raw.finish().await;
    let quote = String::from_utf8_lossy(&stream[..stream.len().min(100)]).into_owned();
    let rest = raw.rest().await;
    assert_eq!(rest.len(), expected.len(), "{quote:?}: {rest:?}");
    for (answer, expected) in rest.iter().zip(expected) {
        let (answer, expected) = (Exact::parse(answer), Exact::parse(expected));
        assert!(answer.fits(&expected), "{quote:?}: {answer:?}");
    }
}

#[tokio::test]
async fn streams_of_lines() {
    let streams: [(String, &[&str]); 15] = [
        (String::new(), &[]),
        ("\n\n\r\n".into(), &[]),
        ("   \n\t\n \r\n".into(), &[]),
        (format!("{CALL}\n"), &[ANSWER]),
        (format!("{CALL}\r\n{CALL}\r\n"), &[ANSWER, ANSWER]),
        (format!("\n\n{CALL}\n\n  \n{CALL}\n\n"), &[ANSWER, ANSWER]),
        (format!(" \t {CALL} \t \n"), &[ANSWER]),
        (CALL.into(), &[ANSWER]),
        (format!("{CALL}\n{CALL}"), &[ANSWER, ANSWER]),
        (format!("{CALL}\r"), &[ANSWER]),
        (format!("{CALL}\n   "), &[ANSWER]),
        (CALL[..30].into(), &[UNREADABLE]),
        (format!("{CALL}\n{}", &CALL[..30]), &[ANSWER, UNREADABLE]),
        (
            format!("GET / HTTP/1.1\r\n\r\n{CALL}\n"),
            &[UNREADABLE, ANSWER],
        ),
        (
            format!("{CALL}\nContent-Length: 5\n{CALL}\n"),
            &[ANSWER, UNREADABLE, ANSWER],
        ),
    ];
    for (stream, expected) in &streams {
        assert_answers(
            Wire::Lines,
            Settings::default(),
            stream.as_bytes(),
            expected,
        )
        .await;
    }
}

#[tokio::test]
async fn lines_that_are_not_utf_8() {
    let call = CALL.as_bytes();
    let streams: [(Vec<u8>, &[&str]); 6] = [
        ([b"\xff\xfe\n", call].concat(), &[UNREADABLE, ANSWER]),
        (
            [
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}\n",
                call,
            ]
            .concat(),
            &[UNREADABLE, ANSWER],
        ),
        ([b"\x00\n", call].concat(), &[UNREADABLE, ANSWER]),
        (
            [b"\x94\x00\x01\xa4echo\x90\n", call].concat(),
            &[UNREADABLE, ANSWER],
        ),
        (
            [b"\x16\x03\x01\x02\x00\x01\n", call].concat(),
            &[UNREADABLE, ANSWER],
        ),
        ([call, b"\n\xe2\x82"].concat(), &[ANSWER, UNREADABLE]),
    ];
    for (stream, expected) in &streams {
        assert_answers(Wire::Lines, Settings::default(), stream, expected).await;
    }
}

#[tokio::test]
async fn streams_behind_headers() {
    let frame = Wire::Headers.frame(CALL);
    let length = CALL.len();
    let pretty = CALL.replace(',', ",\n  ");
    let streams: [(String, &[&str]); 12] = [
        (frame.clone(), &[ANSWER]),
        (format!("{frame}{frame}"), &[ANSWER, ANSWER]),
        (format!("\r\n{frame}\r\n\r\n{frame}\r\n"), &[ANSWER, ANSWER]),
        (format!("content-length:{length}\r\n\r\n{CALL}"), &[ANSWER]),
        (
            format!("CONTENT-LENGTH:   {length}  \r\n\r\n{CALL}"),
            &[ANSWER],
        ),
        (
            format!("Content-Length: {length}\r\nX-Other: yes: no\r\n\r\n{CALL}"),
            &[ANSWER],
        ),
        (
            format!(
                "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: {length}\r\n\r\n{CALL}"
            ),
            &[ANSWER],
        ),
        (
            format!("Content-Length: {length}\r\nContent-Type: a/b; charset=utf8\r\n\r\n{CALL}"),
            &[ANSWER],
        ),
        (Wire::Headers.frame(&pretty), &[ANSWER]),
        (
            format!("Content-Length: 0\r\n\r\n{frame}"),
            &[UNREADABLE, ANSWER],
        ),
        (
            format!("Content-Length: 5\r\n\r\nhello{frame}"),
            &[UNREADABLE, ANSWER],
        ),
        (
            format!("Content-Length: {}\r\n\r\n{CALL}\n{frame}", length + 1),
            &[ANSWER, ANSWER],
        ),
    ];
    for (stream, expected) in &streams {
        assert_answers(
            Wire::Headers,
            Settings::default(),
            stream.as_bytes(),
            expected,
        )
        .await;
    }
}

/// Where one message ends cannot be told any more: the client is told, and that is the end. What it
/// asked for before is answered.
#[tokio::test]
async fn headers_that_are_none() {
    let frame = Wire::Headers.frame(CALL);
    let bad = [
        "Content-Type: text/plain\r\n\r\n{}".to_owned(),
        "Content-Length: many\r\n\r\n{}".to_owned(),
        "Content-Length: -1\r\n\r\n{}".to_owned(),
        "Content-Length: 1.5\r\n\r\n{}".to_owned(),
        "Content-Length: 0x10\r\n\r\n{}".to_owned(),
        "Content-Length:\r\n\r\n{}".to_owned(),
        "Content-Length: 99999999999999999999999\r\n\r\n{}".to_owned(),
        "Content-Length: 2\n\n{}".to_owned(),
        "Content-Length 2\r\n\r\n{}".to_owned(),
        "Content-Length: 2\r\nContent-Type: a/b; charset=utf-16\r\n\r\n{}".to_owned(),
        "Content-Length: 2\r\nno header\r\n\r\n{}".to_owned(),
        format!("C{}", "x".repeat(10_000)),
        format!("{CALL}\n"),
    ];
    for bad in bad {
        let settings = || Settings {
            framing: Framing::Headers,
            ..Settings::default()
        };
        let alone = format!("{bad}{frame}");
        assert_answers(Wire::Headers, settings(), alone.as_bytes(), &[BROKEN]).await;
        let behind = format!("{frame}{bad}{frame}");
        let expected = &[ANSWER, BROKEN];
        assert_answers(Wire::Headers, settings(), behind.as_bytes(), expected).await;
    }
}

#[tokio::test]
async fn a_body_that_is_cut_off() {
    let frame = Wire::Headers.frame(CALL);
    for end in ["Content-Le".len(), 20, frame.len() - 20, frame.len() - 1] {
        let cut = &frame[..end];
        assert_answers(
            Wire::Headers,
            Settings::default(),
            cut.as_bytes(),
            &[BROKEN],
        )
        .await;
        let behind = format!("{frame}{cut}");
        let expected = &[ANSWER, BROKEN];
        assert_answers(
            Wire::Headers,
            Settings::default(),
            behind.as_bytes(),
            expected,
        )
        .await;
    }
}

/// What still runs is answered first or last, but it is answered.
#[tokio::test]
async fn a_body_that_is_cut_off_while_a_call_runs() {
    let place = Place::new();
    let (go, gone) = tokio::sync::watch::channel(false);
    let router = Router::new(gone).on_raw("wait", |mut context, _| async move {
        context.state.wait_for(|go| *go).await.unwrap();
        Ok(json("\"late\""))
    });
    let _server = place.serve(router);
    let mut raw = Raw::connect(&place.path(), Wire::Headers).await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#)
        .await;
    raw.send_bytes(b"Content-Length: 38\r\n\r\n{\"jsonrpc\":")
        .await;
    raw.finish().await;
    assert_fits(&raw.receive().await.unwrap(), BROKEN);
    go.send_replace(true);
    let late = raw.receive().await.unwrap();
    assert_fits(&late, r#"{"jsonrpc":"2.0","id":1,"result":"late"}"#);
    assert_eq!(raw.receive().await, None);
}

/// However the bytes arrive, they mean the same.
#[tokio::test]
async fn one_byte_after_the_other() {
    let place = Place::new();
    let _server = place.serve(router());
    for wire in Wire::BOTH {
        let mut raw = Raw::connect(&place.path(), wire).await;
        let frame = r#"{"jsonrpc":"2.0","id":"ä","method":"echo","params":["🦀"]}"#;
        for byte in wire.frame(frame).bytes() {
            raw.send_bytes(&[byte]).await;
            tokio::task::yield_now().await;
        }
        let answer = raw.receive().await.unwrap();
        assert_fits(&answer, r#"{"jsonrpc":"2.0","id":"ä","result":["🦀"]}"#);
    }
}
