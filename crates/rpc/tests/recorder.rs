//! What a recorder writes down: both directions, in every dialect, without the secrets, and so
//! that it can be read back.

mod ext_names;
mod raw_peer;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use bytes::BytesMut;
use ext_names::EXT_NAMES;
use raw_peer::{RawPeer, call, watched};
use rmpv::Value as Msgpack;
use serde_json::{Value, json};
use tenon_rpc::{
    Connection, Dialect, Id, Message, Options, Payload, Router, Tap,
    options::Limits,
    trace::{Content, Direction, Record, RecordFormat, Recorder, Seen, read_records},
    wire::{Decoder, Inbound, Request},
};

/// A file in memory that the test can look into.
#[derive(Clone, Default)]
struct Sheet(Arc<Mutex<Vec<u8>>>);

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("whole").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sheet {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("whole").clone()).expect("UTF-8")
    }

    fn records(&self) -> Vec<Record> {
        let records = read_records(self.text().as_bytes()).collect::<io::Result<_>>();
        records.expect("what was written can be read")
    }
}

fn recorded(dialect: Dialect, masks: &[&str]) -> (RawPeer, Connection, Sheet) {
    let sheet = Sheet::default();
    let options = Options {
        tap: Some(Arc::new(Recorder::new(sheet.clone(), masks))),
        ..Options::default()
    };
    let (peer, connection) = raw_peer::start(dialect, options);
    (peer, connection, sheet)
}

/// The record of one incoming frame, which must be the same when it is written and read back.
fn record(dialect: Dialect, masks: &[&str], stream: &[u8]) -> Record {
    let sheet = Sheet::default();
    let recorder = Recorder::new(sheet.clone(), masks);
    let mut buffer = BytesMut::from(stream);
    let decoded = Decoder::new(dialect, Limits::default()).decode(&mut buffer);
    let frame = decoded.expect("a sound stream").expect("a whole frame");
    let seen = Seen {
        direction: Direction::In,
        dialect,
        bytes: &frame.bytes,
        content: Content::Inbound(&frame.content),
        ext_names: EXT_NAMES,
    };
    recorder.see(seen);
    let [read]: [Record; 1] = sheet.records().try_into().expect("one record");
    let again = serde_json::to_string(&read).expect("a record") + "\n";
    assert_eq!(again, sheet.text(), "a record is written as it was read");
    read
}

fn frame(record: &Record) -> Value {
    let text = record.frame.as_ref().expect("a readable frame").get();
    serde_json::from_str(text).expect("JSON")
}

fn msgpack(value: &Msgpack) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).expect("written to memory");
    bytes
}

/// An event `login` with one argument.
fn login(argument: Msgpack) -> Vec<u8> {
    let params = Msgpack::Array(vec![argument]);
    msgpack(&Msgpack::Array(vec![2.into(), "login".into(), params]))
}

#[tokio::test(start_paused = true)]
async fn both_directions_in_the_order_they_went() {
    for dialect in Dialect::ALL {
        let (mut peer, connection, sheet) = recorded(dialect, &[]);
        peer.send(call(dialect, 7, 2)).await;
        assert!(watched(peer.frame()).await.is_some());
        let sender = connection.peer();
        watched(sender.send_raw("ready", None)).await.expect("open");
        assert!(watched(peer.frame()).await.is_some());
        peer.finish().await;
        watched(connection.closed()).await;

        let records = sheet.records();
        let directions: Vec<Direction> = records.iter().map(|record| record.direction).collect();
        assert_eq!(directions, [Direction::In, Direction::Out, Direction::Out]);
        assert!(records.is_sorted_by_key(|record| record.time));
        for record in &records {
            assert_eq!(record.dialect, dialect.name());
            assert_eq!(record.unreadable, None);
        }
        let frames: Vec<Value> = records.iter().map(frame).collect();
        let expected = match dialect {
            Dialect::MsgpackRpc => json!([
                [0, 7, "echo", ["xx"]],
                [1, 7, null, ["xx"]],
                [2, "ready", []]
            ]),
            Dialect::Orchard => json!([
                {"id": 7, "method": "echo", "params": ["xx"]},
                {"id": 7, "result": ["xx"]},
                {"method": "ready"}
            ]),
            Dialect::JsonRpcLines | Dialect::JsonRpcHeaders => json!([
                {"jsonrpc": "2.0", "id": 7, "method": "echo", "params": ["xx"]},
                {"jsonrpc": "2.0", "id": 7, "result": ["xx"]},
                {"jsonrpc": "2.0", "method": "ready"}
            ]),
        };
        assert_eq!(Value::from(frames), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_and_its_answers_are_a_record_each() {
    let (mut peer, _connection, sheet) = recorded(Dialect::JsonRpcLines, &[]);
    peer.send("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"},5]\n")
        .await;
    assert!(watched(peer.frame()).await.is_some());
    let records = sheet.records();
    assert_eq!(records.len(), 2);
    assert_eq!(
        frame(&records[1])[0],
        json!({"jsonrpc": "2.0", "id": 1, "result": null})
    );
}

#[tokio::test(start_paused = true)]
async fn secrets_are_masked_both_ways() {
    for dialect in Dialect::ALL {
        let (mut peer, _connection, sheet) = recorded(dialect, &["Password", "token"]);
        let secrets =
            json!([{"user": "ida", "PASSWORD": "hunter2", "deep": [{"token": ["hunter2"]}]}]);
        let params = Payload::encode(dialect.format(), &secrets).expect("encodable");
        let request = Request {
            id: Id::from(1),
            method: "echo".into(),
            params: Some(params),
        };
        peer.send(raw_peer::encoded(dialect, &Message::Request(request)))
            .await;
        // The answer holds them as well.
        let answer = watched(peer.frame()).await.expect("an answer");
        assert!(answer.bytes.windows(7).any(|bytes| bytes == b"hunter2"));
        assert_eq!(sheet.records().len(), 2);
        let text = sheet.text();
        assert!(!text.contains("hunter2"), "{dialect}: {text}");
        assert_eq!(text.matches("\"***\"").count(), 4, "{dialect}: {text}");
        assert_eq!(text.matches("ida").count(), 2, "{dialect}: {text}");
    }
}

#[test]
fn only_whole_names_are_masked_and_the_rest_is_untouched() {
    let text = r#"{"z":1.0,"tokens":1,"a":{"token":{"b":1}},"n":123456789012345678901,"token ":2}"#;
    let line = format!("{{\"id\":1,\"method\":\"a\",\"params\":{text}}}\n");
    let masked = record(Dialect::Orchard, &["token"], line.as_bytes());
    let expected = line.trim().replace(r#"{"b":1}"#, "\"***\"");
    assert_eq!(masked.frame.expect("readable").get(), expected);
    let plain = record(Dialect::Orchard, &[], line.as_bytes());
    assert_eq!(plain.frame.expect("readable").get(), line.trim());
}

/// A map whose keys are not all texts is shown in another form, in which names must be found
/// as well.
#[test]
fn secrets_in_maps_of_mixed_keys_are_masked() {
    let secret = || Msgpack::from("hunter2");
    let maps = [
        vec![(Msgpack::from("password"), secret()), (1.into(), 2.into())],
        vec![(Msgpack::Binary(b"password".to_vec()), secret())],
        vec![(Msgpack::from("$password"), secret())],
        vec![(
            Msgpack::from("a"),
            Msgpack::Map(vec![("PassWord".into(), secret())]),
        )],
    ];
    for map in maps {
        let shown = format!("{map:?}");
        let record = record(
            Dialect::MsgpackRpc,
            &["password", "$password"],
            &login(Msgpack::Map(map)),
        );
        assert!(
            !format!("{record:?}").contains("hunter2"),
            "{shown}: {record:?}"
        );
    }
}

#[test]
fn values_that_json_cannot_express_are_spelled_out() {
    let argument = Msgpack::Array(vec![
        Msgpack::Binary(b"hi".to_vec()),
        Msgpack::Ext(5, vec![1]),
        Msgpack::Ext(0, vec![0]),
        Msgpack::from(f64::INFINITY),
        Msgpack::Map(vec![(1.into(), 2.into())]),
    ]);
    let record = record(Dialect::MsgpackRpc, &[], &login(argument));
    let expected = json!([2, "login", [[
        {"$binary": "aGk="}, {"$ext": [5, "AQ=="]}, {"$unknown": true},
        {"$float": "Infinity"}, {"$map": [[1, 2]]}
    ]]]);
    assert_eq!(frame(&record), expected);
}

#[test]
fn an_unreadable_frame_is_quoted() {
    let record = record(Dialect::JsonRpcLines, &[], b"Listening on port 8080\n");
    assert!(record.frame.is_none());
    assert_eq!(
        record.unreadable.as_deref(),
        Some("\"Listening on port 8080\"")
    );
}

#[test]
fn an_unreadable_frame_shows_nothing_when_something_is_secret() {
    let unreadable: [(Dialect, &[u8]); 4] = [
        (Dialect::JsonRpcLines, b"{\"password\":\"hunter2\"\n"),
        (Dialect::JsonRpcLines, b"{\"password\":\"hunter2\xff\"}\n"),
        (
            Dialect::JsonRpcHeaders,
            b"Content-Length: 20\r\n\r\n{\"password\":hunter2}",
        ),
        (Dialect::Orchard, b"password=hunter2\n"),
    ];
    for (dialect, stream) in unreadable {
        let record = record(dialect, &["password"], stream);
        assert!(record.frame.is_none(), "{record:?}");
        let shown = record.unreadable.expect("something about it");
        assert!(shown.ends_with("bytes"), "{shown}");
        assert!(!shown.contains("hunter"), "{shown}");
    }
}

/// A body in headers may have newlines in it; a record is one line all the same.
#[test]
fn a_frame_of_several_lines_is_one_line() {
    let body = "{\n  \"jsonrpc\": \"2.0\",\r\n  \"method\": \"a\"\n}\n";
    let stream = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    for masks in [&[][..], &["password"]] {
        let record = record(Dialect::JsonRpcHeaders, masks, stream.as_bytes());
        assert_eq!(frame(&record), json!({"jsonrpc": "2.0", "method": "a"}));
    }
}

#[test]
fn the_deepest_frame_can_be_recorded() {
    let levels = 1000;
    let nested = "[".repeat(levels) + "{\"token\":\"hunter2\"}" + &"]".repeat(levels);
    let line = format!("{{\"method\":\"a\",\"params\":{nested}}}");
    let content = Inbound::Batch(Vec::new());
    let record = RecordFormat::new(["token"]).record(&Seen {
        direction: Direction::In,
        dialect: Dialect::JsonRpcLines,
        bytes: line.as_bytes(),
        content: Content::Inbound(&content),
        ext_names: &[],
    });
    let text = record.frame.expect("readable").get().to_owned();
    assert!(text.contains("***") && !text.contains("hunter2"), "{text}");
}

#[test]
fn reading_skips_blank_lines_and_names_the_invalid_one() {
    let good = r#"{"time":1.5,"direction":"in","dialect":"orchard","frame":{"id":1}}"#;
    let input = format!("\n{good}\n  \nnonsense\n{good}\n");
    let records: Vec<io::Result<Record>> = read_records(input.as_bytes()).collect();
    assert_eq!(records.len(), 3);
    assert_eq!(records[0].as_ref().expect("a record").time, 1.5);
    let error = records[1].as_ref().expect_err("no record").to_string();
    assert!(error.contains("line 4"), "{error}");
    assert!(records[2].is_ok());
}

/// A tap that sends would wait for itself if frames were shown under the lock of the queue.
#[tokio::test(start_paused = true)]
async fn frames_are_shown_without_a_lock_and_before_they_are_written() {
    let known: Arc<Mutex<Option<tenon_rpc::Peer>>> = Arc::default();
    let (sender, sheet) = (known.clone(), Sheet::default());
    let recorder = Recorder::new(sheet.clone(), [""; 0]);
    let tap = move |seen: Seen<'_>| {
        let text = String::from_utf8_lossy(seen.bytes).into_owned();
        recorder.see(seen);
        if text.contains("first")
            && let Some(peer) = &*sender.lock().expect("whole")
        {
            let sent = peer.try_send_raw("second", None);
            assert!(sent.expect("open"), "there is room");
        }
    };
    let options = Options {
        tap: Some(Arc::new(tap)),
        ..Options::default()
    };
    let router = Arc::new(Router::new(()));
    let (mut peer, connection) = RawPeer::connect(Dialect::JsonRpcLines, router, options, 1024);
    *known.lock().expect("whole") = Some(connection.peer());
    let sender = connection.peer();
    watched(sender.send_raw("first", None)).await.expect("open");
    for expected in ["first", "second"] {
        let frame = watched(peer.frame()).await.expect("a frame");
        let bytes = String::from_utf8_lossy(&frame.bytes).into_owned();
        assert!(bytes.contains(expected), "{bytes}");
        assert!(sheet.text().contains(expected), "{}", sheet.text());
    }
}

/// What is still queued when a connection is cut off is in the recording all the same.
#[tokio::test(start_paused = true)]
async fn nothing_queued_is_missing_when_the_connection_is_dropped() {
    let (_peer, connection, sheet) = recorded(Dialect::JsonRpcLines, &[]);
    let sender = connection.peer();
    for number in 0..10 {
        let method = format!("event-{number}");
        assert!(sender.try_send_raw(method, None).expect("open"), "room");
    }
    drop(connection);
    watched(sender.closed()).await;
    let records = sheet.records();
    let methods = records.iter().map(|record| frame(record)["method"].clone());
    let expected: Vec<Value> = { 0..10 }.map(|n| json!(format!("event-{n}"))).collect();
    assert_eq!(methods.collect::<Vec<_>>(), expected);
}
