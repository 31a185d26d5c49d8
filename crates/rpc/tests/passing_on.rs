//! What a router that passes messages on needs of a connection: peers that are not read for a
//! while, events that keep their place, and calls that are taken back in several ways.

mod raw_peer;

use std::sync::{Arc, Mutex};

use raw_peer::{RawPeer, watched};
use tenon_rpc::{
    Call, CallError, Connection, Dialect, Event, Format, Io, Options, Payload, Router,
    options::{Cancel, EventOrder, Limits, Oversized, Stray, Withdrawal},
};
use tokio::sync::Semaphore;

/// What came, in order. Calls to `hold` wait until they are let go.
#[derive(Clone)]
struct Desk {
    came: Arc<Mutex<Vec<String>>>,
    gate: Arc<Semaphore>,
}

impl Desk {
    fn new() -> Desk {
        Desk {
            came: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
        }
    }

    fn note(&self, what: String) {
        self.came.lock().unwrap().push(what);
    }

    fn came(&self) -> Vec<String> {
        self.came.lock().unwrap().clone()
    }

    fn router(&self) -> Arc<Router<Desk>> {
        let router = Router::new(self.clone())
            .fallback(|call: Call, desk: Desk| async move {
                desk.note(call.method.to_string());
                if call.method == "hold" {
                    desk.gate.acquire().await.unwrap().forget();
                }
                Ok(Payload::null(Format::Json))
            })
            .event_fallback(|context, event| context.state.note(event.method.to_string()));
        Arc::new(router)
    }

    fn connect(&self, options: Options) -> (RawPeer, Connection) {
        RawPeer::connect(Dialect::JsonRpcLines, self.router(), options, 64 * 1024)
    }
}

fn call(id: u32, method: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}}\n").into_bytes()
}

fn event(method: &str, params: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n").into_bytes()
}

#[tokio::test]
async fn events_wait_behind_requests_that_wait() {
    for (events, expected) in [
        (EventOrder::AtOnce, ["hold", "event", "urgent", "next"]),
        (
            EventOrder::InTurn {
                except: &["urgent"],
            },
            ["hold", "urgent", "next", "event"],
        ),
    ] {
        let desk = Desk::new();
        let options = Options {
            running: 1,
            events,
            ..Options::default()
        };
        let (mut peer, _connection) = desk.connect(options);
        let messages = [
            call(1, "hold"),
            call(2, "next"),
            event("event", "{}"),
            event("urgent", "{}"),
        ];
        watched(async {
            peer.send(&messages.concat()).await;
            while !desk.came().contains(&"urgent".to_owned()) {
                tokio::task::yield_now().await;
            }
            desk.gate.add_permits(1);
            while desk.came().len() < expected.len() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert_eq!(desk.came(), expected, "{events:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_held_is_not_read() {
    let desk = Desk::new();
    let (mut peer, connection) = desk.connect(Options::default());
    let hold = connection.peer().hold();
    peer.send(&event("held", "{}")).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(desk.came().is_empty());
    // An answer may lie behind it, for which somebody waits.
    let question = connection.peer();
    let asking = tokio::spawn(async move { question.call_raw("question", None).await });
    watched(async {
        while desk.came().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    })
    .await;
    hold.entirely();
    peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n")
        .await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(!asking.is_finished(), "not even an answer is read");
    drop(hold);
    let answer = watched(asking).await.unwrap().unwrap();
    assert_eq!(answer.bytes(), "7");
}

const WITHDRAWALS: &[Withdrawal] = &[
    Withdrawal {
        cancel: Cancel {
            method: "answered",
            field: "id",
        },
        is_answered: true,
    },
    Withdrawal {
        cancel: Cancel {
            method: "silent",
            field: "requestId",
        },
        is_answered: false,
    },
];

#[tokio::test]
async fn calls_can_be_cancelled_in_several_ways() {
    let desk = Desk::new();
    let options = Options {
        withdrawals: WITHDRAWALS,
        ..Options::default()
    };
    let (mut peer, connection) = desk.connect(options);
    watched(async {
        let calls = [call(1, "hold"), call(2, "hold"), call(3, "hold")];
        peer.send(&calls.concat()).await;
        peer.send(&event("silent", r#"{"requestId":1}"#)).await;
        peer.send(&event("silent", r#"{"requestId":9}"#)).await;
        peer.send(&event("answered", r#"{"id":2}"#)).await;
        let answer = peer.line().await.unwrap();
        assert!(answer.contains("-32800"), "{answer}");
        while connection.running() > 1 {
            tokio::task::yield_now().await;
        }
        desk.gate.add_permits(1);
        let answer = peer.line().await.unwrap();
        assert!(answer.contains("\"id\":3"), "{answer}");
    })
    .await;
    let came = desk.came();
    assert_eq!(
        came[3..],
        ["silent", "silent", "answered"],
        "the router hears of them"
    );
}

/// A caller may say itself that it gives up.
#[tokio::test]
async fn a_call_is_withdrawn_with_an_event_of_the_callers_own() {
    let desk = Desk::new();
    let cancel = Cancel {
        method: "$/cancelRequest",
        field: "id",
    };
    let options = Options {
        cancel: Some(cancel),
        ..Options::default()
    };
    let (mut peer, connection) = desk.connect(options);
    watched(async {
        let asked = connection.peer().ask("question", None).await.unwrap();
        let params = Payload::from_json(r#"{"id":1,"why":"x"}"#).unwrap();
        let event = || Event {
            method: "$/cancelRequest".into(),
            params: Some(params.clone()),
        };
        assert!(connection.peer().withdraw(&asked.id(), event()));
        assert!(!connection.peer().withdraw(&asked.id(), event()));
        drop(asked);
        connection.peer().send_raw("last", None).await.unwrap();
        let _question = peer.line().await.unwrap();
        let withdrawn = peer.line().await.unwrap();
        assert!(withdrawn.contains("why"), "{withdrawn}");
        let last = peer.line().await.unwrap();
        assert!(last.contains("last"), "{last}");
    })
    .await;
}

/// It is still waited for, and dropping it does not cancel it again.
#[tokio::test]
async fn a_call_is_cancelled_once() {
    let desk = Desk::new();
    let cancel = Cancel {
        method: "$/cancelRequest",
        field: "id",
    };
    let options = Options {
        cancel: Some(cancel),
        ..Options::default()
    };
    let (mut peer, connection) = desk.connect(options);
    watched(async {
        let mut asked = connection.peer().ask("question", None).await.unwrap();
        asked.cancel();
        asked.cancel();
        drop(asked);
        connection.peer().send_raw("last", None).await.unwrap();
        let _question = peer.line().await.unwrap();
        let cancelled = peer.line().await.unwrap();
        assert!(cancelled.contains("$/cancelRequest"), "{cancelled}");
        let last = peer.line().await.unwrap();
        assert!(last.contains("last"), "{last}");
    })
    .await;
}

/// An answer that is too long fails its call and no other, in every dialect.
#[tokio::test]
async fn an_answer_that_is_too_long() {
    for dialect in Dialect::ALL {
        let (here, there) = Io::pair();
        let router = Router::new(()).fallback(|call: Call, ()| async move {
            let length = match call.method.as_str() {
                "long" => 100_000,
                _ => 10,
            };
            Ok(Payload::encode(call.peer.format(), &"x".repeat(length)).unwrap())
        });
        let _server = Connection::start(there, dialect, router);
        let options = Options {
            limits: Limits {
                frame: 1_000,
                oversized: Oversized::Skip,
                ..Limits::default()
            },
            stray: Stray::Fail,
            ..Options::default()
        };
        let router = Arc::new(Router::new(()));
        let client = Connection::start_with(here, dialect, router, options);
        watched(async {
            let peer = client.peer();
            let (short, long) =
                tokio::join!(peer.call_raw("short", None), peer.call_raw("long", None));
            assert!(short.is_ok(), "{dialect}: {short:?}");
            assert!(
                matches!(long, Err(CallError::TooLong(1_000))),
                "{dialect}: {long:?}"
            );
            assert!(peer.call_raw("short", None).await.is_ok(), "{dialect}");
        })
        .await;
    }
}
