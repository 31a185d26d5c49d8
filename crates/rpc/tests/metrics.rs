//! What metrics are told: every call once, on both sides, and how much waits.

mod raw_peer;

use std::sync::{Arc, Mutex};

use raw_peer::{router, watched};
use tenon_rpc::{
    Connection, Dialect, Io, Options, Router,
    metrics::{Depths, FinishedCall, Metrics, Outcome},
    options::Cancel,
    trace::Direction,
};

type Finished = (String, Direction, Outcome);

#[derive(Clone, Default)]
struct Counts {
    finished: Arc<Mutex<Vec<Finished>>>,
    depths: Arc<Mutex<Vec<Depths>>>,
}

impl Metrics for Counts {
    fn call_finished(&self, call: &FinishedCall<'_>) {
        let finished = (call.method.to_owned(), call.direction, call.outcome);
        self.finished.lock().unwrap().push(finished);
    }

    fn depths(&self, depths: &Depths) {
        self.depths.lock().unwrap().push(*depths);
    }
}

impl Counts {
    fn options(&self) -> Options {
        Options {
            metrics: Some(Arc::new(self.clone())),
            cancel: Some(Cancel {
                method: "cancel",
                field: "id",
            }),
            ..Options::default()
        }
    }

    fn of(&self, method: &str) -> Vec<Outcome> {
        let finished = self.finished.lock().unwrap();
        let of_method = finished.iter().filter(|(name, ..)| name == method);
        of_method.map(|(_, _, outcome)| *outcome).collect()
    }

    fn deepest(&self, of: impl Fn(&Depths) -> usize) -> usize {
        let depths = self.depths.lock().unwrap();
        depths.iter().map(of).max().unwrap_or_default()
    }

    /// Waits until this many calls of a method are over.
    async fn reach(&self, method: &str, count: usize) {
        watched(async {
            while self.of(method).len() < count {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

fn connect(dialect: Dialect) -> (Connection, Counts, Connection, Counts) {
    let (here, there) = Io::pair();
    let (client, server) = (Counts::default(), Counts::default());
    let caller = Arc::new(Router::new(()));
    let here = Connection::start_with(here, dialect, caller, client.options());
    let there = Connection::start_with(there, dialect, router(), server.options());
    (here, client, there, server)
}

#[tokio::test]
async fn every_call_is_counted_once_on_both_sides() {
    for dialect in Dialect::ALL {
        let (here, client, _there, server) = connect(dialect);
        let peer = here.peer();
        for _ in 0..3 {
            watched(peer.call_raw("echo", None)).await.expect("an echo");
        }
        watched(peer.call_raw("nobody", None))
            .await
            .expect_err("no such method");
        {
            let mut given_up = Box::pin(peer.call_raw("wait", None));
            assert!(is_pending(&mut given_up).await, "it never answers");
            watched(async {
                while server.deepest(|depths| depths.running) == 0 {
                    tokio::task::yield_now().await;
                }
            })
            .await;
        }
        server.reach("wait", 1).await;
        for (counts, direction) in [(&client, Direction::Out), (&server, Direction::In)] {
            assert_eq!(counts.of("echo"), [Outcome::Ok; 3], "{dialect}");
            assert_eq!(counts.of("nobody"), [Outcome::Error], "{dialect}");
            assert_eq!(counts.of("wait"), [Outcome::Dropped], "{dialect}");
            let finished = counts.finished.lock().unwrap();
            assert!(finished.iter().all(|(_, way, _)| *way == direction));
        }
        assert_eq!(client.deepest(|depths| depths.pending), 1, "{dialect}");
        assert!(client.deepest(|depths| depths.running) == 0, "{dialect}");
    }
}

/// Polls once; whether it is still pending.
async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    std::future::poll_fn(|cx| {
        let polled = std::pin::Pin::new(&mut *future).poll(cx);
        std::task::Poll::Ready(polled.is_pending())
    })
    .await
}

#[tokio::test]
async fn calls_that_are_open_at_the_end_are_counted_and_depths_return_to_zero() {
    let (here, client, there, server) = connect(Dialect::MsgpackRpc);
    let peer = here.peer();
    let waiting = tokio::spawn(async move { peer.call_raw("wait", None).await });
    watched(async {
        while server.deepest(|depths| depths.running) == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    drop(there);
    watched(waiting).await.expect("no panic").expect_err("lost");
    watched(here.closed()).await;
    assert_eq!(client.of("wait"), [Outcome::Lost]);
    assert_eq!(server.of("wait"), [Outcome::Dropped]);
    for counts in [client, server] {
        let last = counts.depths.lock().unwrap().last().copied();
        assert_eq!(last, Some(Depths::default()));
    }
}

/// What waits because too many requests are being handled, and what a peer does not read.
#[tokio::test(start_paused = true)]
async fn depths_show_what_waits() {
    let counts = Counts::default();
    let options = Options {
        running: 2,
        ..counts.options()
    };
    let dialect = Dialect::JsonRpcLines;
    let (mut peer, connection) = raw_peer::RawPeer::connect(dialect, router(), options, 64);
    for id in 0..5 {
        let call = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"wait\"}}\n");
        peer.send(call).await;
    }
    for _ in 0..20 {
        let sent = connection.peer().try_send_raw("event", None);
        assert!(sent.expect("open"), "there is room");
    }
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let last = *counts.depths.lock().unwrap().last().expect("depths");
    assert_eq!((last.running, last.waiting, last.pending), (2, 3, 0));
    assert_eq!(last.queued_frames, 20);
    let frame = "{\"jsonrpc\":\"2.0\",\"method\":\"event\"}\n".len();
    assert_eq!(last.queued_bytes, 20 * frame - 64, "64 bytes are under way");
}
