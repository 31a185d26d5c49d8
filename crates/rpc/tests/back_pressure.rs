//! A peer that does not read, and a peer that does not stop: memory stays bounded, because
//! somebody has to wait. The clocks are paused, so "waits" is no guess (see `stands_still`).

mod raw_peer;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use raw_peer::{
    RawPeer, answer, assert_works, call, encoded, router, stands_still, start, watched,
};
use tenon_rpc::{
    CloseReason, Connection, Dialect, Event, Format, Id, Message, Options, Payload, Router,
    RpcError,
    trace::{Direction, Seen},
    wire::{Inbound, Request},
};
use tokio::io::AsyncWriteExt;

/// Bytes that fit between the two ends; little, so that a peer that does not read is felt soon.
const ROOM: usize = 1024;

/// What the queue counts a message as, at least.
const UNIT: usize = 8 * 1024;

/// What a connection may have read and not yet looked at.
const READ_AT_ONCE: usize = 64 * 1024;

/// Counts the bytes that a connection has queued or written.
#[derive(Clone, Default)]
struct Meter(Arc<AtomicUsize>);

impl Meter {
    fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn watching(&self, options: Options) -> Options {
        let counter = self.0.clone();
        let tap = move |seen: Seen<'_>| {
            if seen.direction == Direction::Out {
                counter.fetch_add(seen.bytes.len(), Ordering::Relaxed);
            }
        };
        Options {
            tap: Some(Arc::new(tap)),
            ..options
        }
    }
}

fn small_queue(queue: u32) -> Options {
    Options {
        queue,
        running: 4,
        waiting_bytes: 4 * 1024,
        ..Options::default()
    }
}

fn connect(dialect: Dialect, options: Options) -> (RawPeer, Connection, Meter) {
    let meter = Meter::default();
    let (peer, connection) = RawPeer::connect(dialect, router(), meter.watching(options), ROOM);
    (peer, connection, meter)
}

fn request(dialect: Dialect, id: Id, method: &str) -> Vec<u8> {
    let request = Request {
        id,
        method: method.into(),
        params: None,
    };
    encoded(dialect, &Message::Request(request))
}

/// Sends `frame` again and again without reading any answer: how many bytes went before nothing
/// moved any more. `None` if it never came to that, which means that nobody waits.
async fn flood(peer: &mut RawPeer, frame: &[u8]) -> Option<usize> {
    for count in 0..4000 {
        if stands_still(peer.send(frame)).await {
            return Some(count * frame.len());
        }
    }
    None
}

#[tokio::test(start_paused = true)]
async fn senders_wait_for_a_peer_that_does_not_read() {
    for dialect in Dialect::ALL {
        let (mut peer, connection, meter) = connect(dialect, small_queue(16));
        let sender = connection.peer();
        let sending = tokio::spawn(async move {
            for number in 0..10_000u32 {
                let params = Payload::encode(sender.format(), &[number]).expect("a number");
                sender.send_raw("tick", Some(params)).await.expect("open");
            }
        });
        assert!(stands_still(connection.closed()).await, "nothing moves");
        assert!(!sending.is_finished(), "{dialect}: nobody waited");
        // A full queue, and a queue that was taken to be written.
        let most = ROOM + 2 * 16 * 64;
        assert!(meter.bytes() <= most, "{dialect}: {} bytes", meter.bytes());
        // The peer reads at last: everything comes, in order, and the sender goes on.
        for number in 0..10_000u32 {
            match watched(peer.frame()).await.map(|frame| frame.content) {
                Some(Inbound::Message(Message::Event(Event { params, .. }))) => {
                    let [found]: [u32; 1] = params.expect("params").decode().expect("one");
                    assert_eq!(number, found);
                }
                other => panic!("no event but {other:?}"),
            }
        }
        watched(sending).await.expect("it goes to its end");
    }
}

#[tokio::test(start_paused = true)]
async fn large_messages_count_for_what_they_are() {
    for dialect in Dialect::ALL {
        let (_peer, connection, meter) = connect(dialect, small_queue(16));
        let sender = connection.peer();
        let large = Payload::encode(dialect.format(), &["x".repeat(5 * UNIT)]).expect("a text");
        let sending = async {
            for _ in 0..100 {
                sender
                    .send_raw("tick", Some(large.clone()))
                    .await
                    .expect("open");
            }
        };
        assert!(stands_still(sending).await);
        // One frame may be in the middle of being written.
        let most = 16 * UNIT + 2 * large.bytes().len();
        assert!(meter.bytes() <= most, "{dialect}: {} bytes", meter.bytes());
    }
}

#[tokio::test(start_paused = true)]
async fn one_message_larger_than_the_whole_queue_still_goes() {
    let (mut peer, connection, _) = connect(Dialect::JsonRpcLines, small_queue(2));
    let sender = connection.peer();
    let large = Payload::encode(Format::Json, &["x".repeat(10 * UNIT)]).expect("a text");
    let sending = tokio::spawn(async move { sender.send_raw("tick", Some(large)).await });
    assert!(watched(peer.frame()).await.is_some());
    watched(sending).await.expect("no panic").expect("sent");
}

/// What a peer asks for without reading the answers, and how much may be queued for it: as many
/// answers as there are units, each of at most a unit unless it takes up more of them.
async fn assert_bounded(dialect: Dialect, frame: &[u8], what: &str) {
    let queue = 64;
    let (mut peer, _connection, meter) = connect(dialect, small_queue(queue));
    let sent = flood(&mut peer, frame).await;
    assert!(sent.is_some(), "{dialect}: {what}: everything was read");
    let most = queue as usize * UNIT + 4 * frame.len() + ROOM;
    let queued = meter.bytes();
    assert!(
        queued <= most,
        "{dialect}: {what}: {queued} bytes are queued, not {most}"
    );
    // Others do not notice.
    let (mut other, _other_connection) = start(dialect, Options::default());
    watched(assert_works(&mut other, dialect)).await;
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_calls_whose_answers_are_not_read() {
    for dialect in Dialect::ALL {
        assert_bounded(dialect, &call(dialect, 1, 10), "small answers").await;
        assert_bounded(dialect, &call(dialect, 1, 20_000), "large answers").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_unknown_methods_whose_answers_are_not_read() {
    for dialect in Dialect::ALL {
        let short = request(dialect, Id::from(1), "missing");
        assert_bounded(dialect, &short, "short names").await;
    }
}

/// The answer to an unknown method repeats its name, so it is as long as the peer likes.
#[tokio::test(start_paused = true)]
async fn a_flood_of_unknown_methods_with_long_names() {
    for dialect in Dialect::ALL {
        let long = request(dialect, Id::from(1), &"m".repeat(60_000));
        assert_bounded(dialect, &long, "long names").await;
    }
}

/// Every answer repeats the id, so it is as long as the peer likes.
#[tokio::test(start_paused = true)]
async fn a_flood_of_calls_with_long_ids() {
    for dialect in [Dialect::JsonRpcLines, Dialect::JsonRpcHeaders] {
        let long = request(dialect, Id::Text("i".repeat(60_000).into()), "echo");
        assert_bounded(dialect, &long, "long ids").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_errors_with_much_data() {
    let router = Router::new(()).on_raw("fail", |_, _| async {
        let data = Payload::encode(Format::Json, &"x".repeat(60_000)).expect("a text");
        Err(RpcError::internal("no").with_data(data))
    });
    let (meter, dialect) = (Meter::default(), Dialect::JsonRpcLines);
    let options = meter.watching(small_queue(64));
    let (mut peer, _connection) = RawPeer::connect(dialect, Arc::new(router), options, ROOM);
    let sent = flood(&mut peer, &request(dialect, Id::from(1), "fail")).await;
    assert!(sent.is_some(), "everything was read");
    let most = 64 * UNIT + 4 * 60_000;
    assert!(meter.bytes() <= most, "{} bytes are queued", meter.bytes());
}

/// Frames that are not messages are answered as well, and those answers need room like others.
#[tokio::test(start_paused = true)]
async fn a_flood_of_garbage_whose_answers_are_not_read() {
    let garbage: [(Dialect, &[u8]); 4] = [
        (Dialect::JsonRpcLines, b"oops\n"),
        (Dialect::JsonRpcHeaders, b"Content-Length: 4\r\n\r\noops"),
        (Dialect::MsgpackRpc, b"\x90"),
        (Dialect::Orchard, b"oops\n"),
    ];
    for (dialect, frame) in garbage {
        assert_bounded(dialect, &frame.repeat(64), "garbage").await;
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_wait_for_a_handler_are_bounded() {
    for dialect in Dialect::ALL {
        let (mut peer, connection, _) = connect(dialect, small_queue(64));
        let frame = request(dialect, Id::from(1), "wait");
        let sent = flood(&mut peer, &frame).await.expect("reading stops");
        assert_eq!(connection.running(), 4);
        assert!(
            sent <= READ_AT_ONCE + 8 * 1024,
            "{dialect}: {sent} bytes were read"
        );
    }
}

/// A request that waits costs its id and its method, not only its params.
#[tokio::test(start_paused = true)]
async fn requests_with_long_names_that_wait_are_bounded() {
    let router = || Arc::new(Router::new(()).fallback(|_, ()| std::future::pending()));
    let dialect = Dialect::JsonRpcLines;
    let long = "x".repeat(60_000);
    let frames = [
        request(dialect, Id::from(1), &long),
        request(dialect, Id::Text(long.as_str().into()), "wait"),
    ];
    for frame in frames {
        let (mut peer, _connection) = RawPeer::connect(dialect, router(), small_queue(64), ROOM);
        let sent = flood(&mut peer, &frame).await.expect("reading stops");
        // Four are handled, one fills the room for those that wait, one is being read.
        assert!(
            sent <= 7 * frame.len() + READ_AT_ONCE,
            "{sent} bytes were read"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_that_is_read_is_answered_to_the_last() {
    const CALLS: u32 = 10_000;
    for dialect in Dialect::ALL {
        let (mut peer, connection, _) = connect(dialect, small_queue(8));
        let mut writer = peer.take_writer();
        let sending = tokio::spawn(async move {
            for id in 0..CALLS {
                writer.write_all(&call(dialect, id, 3)).await?;
            }
            writer.shutdown().await
        });
        // Once some had to wait they are answered in any order; none may be missing or twice.
        let mut missing: HashSet<Id> = (0..CALLS).map(Id::from).collect();
        for frame in watched(peer.rest()).await {
            let (id, result) = answer(Some(frame));
            assert!(result.is_ok());
            assert!(missing.remove(&id), "{dialect}: {id} twice");
        }
        assert!(
            missing.is_empty(),
            "{dialect}: {} are missing",
            missing.len()
        );
        watched(sending).await.expect("no panic").expect("written");
        let reason = watched(connection.closed()).await;
        assert!(matches!(reason, CloseReason::PeerClosed), "{reason}");
    }
}
