//! Clients that read more slowly than events come.

use std::sync::Arc;

use tenon_ipc::{FromClient, Server, Session, Settings, Slow};
use tenon_rpc::{CloseReason, Options, Router};
use tokio::sync::mpsc;

use crate::place::{Place, Raw, eventually, json};

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"one"}"#;
/// So many may wait.
const BACKLOG: usize = 3;
/// Of so many that are sent.
const EVENTS: usize = 60;

fn router() -> Router<()> {
    Router::new(()).on_raw("one", |_, _| async { Ok(json("1")) })
}

fn settings(slow: Slow) -> Settings {
    Settings {
        slow,
        backlog: BACKLOG,
        options: Options {
            queue: 1,
            ..Settings::default().options
        },
        ..Settings::default()
    }
}

/// So large that a socket has room for a few of them only.
fn event(number: usize) -> Option<tenon_rpc::Payload> {
    let filling = "x".repeat(50_000);
    Some(json(&format!("[{number},\"{filling}\"]")))
}

fn number(frame: &str) -> usize {
    let event: serde_json::Value = serde_json::from_str(frame).unwrap();
    usize::try_from(event["params"][0].as_u64().unwrap()).unwrap()
}

async fn joined(place: &Place) -> Raw {
    let mut raw = place.raw().await;
    raw.ask(CALL).await;
    raw
}

/// Sends to all, as fast as the one reads that does. It has to get everything.
async fn broadcast(server: &Server, reader: &mut Raw) {
    for sent in 0..EVENTS {
        server.clients().broadcast_raw("event", event(sent));
        assert_eq!(number(&reader.receive().await.unwrap()), sent);
    }
}

#[tokio::test]
async fn the_oldest_are_dropped_and_counted() {
    let place = Place::new();
    let server = place.serve_with(router(), settings(Slow::DropOldest));
    let (mut slow, mut fast) = (joined(&place).await, joined(&place).await);
    broadcast(&server, &mut fast).await;
    let sessions = server.clients().all();
    let missed = usize::try_from(sessions[0].missed()).unwrap();
    assert!((1..EVENTS).contains(&missed), "{missed}");
    assert_eq!(sessions[1].missed(), 0);
    let mut numbers = Vec::new();
    for _ in missed..EVENTS {
        numbers.push(number(&slow.receive().await.unwrap()));
    }
    assert!(numbers.is_sorted(), "{numbers:?}");
    let newest: Vec<usize> = (EVENTS - BACKLOG..EVENTS).collect();
    assert_eq!(numbers[numbers.len() - BACKLOG..], newest);
    assert!(slow.ask(CALL).await.contains("result"), "nothing between");
    assert_eq!(sessions[0].missed(), u64::try_from(missed).unwrap());
}

#[tokio::test]
async fn or_the_client_is_disconnected() {
    let place = Place::new();
    let (sender, mut left) = mpsc::channel(8);
    let settings = Settings {
        on_disconnect: Some(Arc::new(move |session: &Session, reason: &CloseReason| {
            let told = sender.try_send((session.number(), reason.clone()));
            told.unwrap();
        })),
        ..settings(Slow::Disconnect)
    };
    let server = place.serve_with(router(), settings);
    let (mut slow, mut fast) = (joined(&place).await, joined(&place).await);
    broadcast(&server, &mut fast).await;
    let (number, reason) = left.recv().await.unwrap();
    assert_eq!(number, 1);
    assert!(matches!(reason, CloseReason::ClosedHere), "{reason}");
    assert_eq!(server.clients().count(), 1);
    assert_eq!(server.clients().broadcast_raw("event", None), 1);
    while slow.receive().await.is_some() {}
}

/// Whoever can wait loses nothing.
#[tokio::test]
async fn those_who_wait_for_it_lose_nothing() {
    let place = Place::new();
    let (sender, mut sent) = mpsc::channel(EVENTS);
    let router = Router::new(sender).on_raw("flood", |context, _| async move {
        let session = context.session();
        for number in 0..EVENTS {
            session.notify_raw("event", event(number)).await.unwrap();
            context.state.try_send(number).unwrap();
        }
        Ok(json("\"all\""))
    });
    let server = place.serve_with(router, settings(Slow::Disconnect));
    let mut raw = place.raw().await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"flood"}"#)
        .await;
    assert_eq!(sent.recv().await, Some(0));
    for expected in 0..EVENTS {
        assert_eq!(number(&raw.receive().await.unwrap()), expected);
    }
    let answer = raw.receive().await.unwrap();
    assert_eq!(answer, r#"{"jsonrpc":"2.0","id":1,"result":"all"}"#);
    assert_eq!(server.clients().all()[0].missed(), 0);
}

/// What waits for it comes before what is sent later, whichever way.
#[tokio::test]
async fn a_notification_comes_after_earlier_broadcasts() {
    let place = Place::new();
    let server = place.serve_with(router(), settings(Slow::DropOldest));
    let mut raw = joined(&place).await;
    let session = server.clients().all().remove(0);
    for sent in 0..EVENTS {
        server.clients().broadcast_raw("event", event(sent));
        tokio::task::yield_now().await;
    }
    assert!(session.missed() > 0, "something waits");
    let last = tokio::spawn(async move { session.notify_raw("event", event(EVENTS)).await });
    let mut numbers = Vec::new();
    while numbers.last() != Some(&EVENTS) {
        numbers.push(number(&raw.receive().await.unwrap()));
    }
    assert!(numbers.is_sorted(), "{numbers:?}");
    assert!(numbers.contains(&(EVENTS - 1)));
    last.await.unwrap().unwrap();
}

/// One that went while it was slow leaves nothing behind.
#[tokio::test]
async fn a_client_that_disconnects_is_forgotten() {
    let place = Place::new();
    let server = place.serve_with(router(), settings(Slow::DropOldest));
    let (slow, mut fast) = (joined(&place).await, joined(&place).await);
    broadcast(&server, &mut fast).await;
    drop(slow);
    let clients = server.clients();
    eventually("it has left", || clients.count() == 1).await;
    broadcast(&server, &mut fast).await;
    assert_eq!(clients.broadcast_raw("event", None), 1);
}
