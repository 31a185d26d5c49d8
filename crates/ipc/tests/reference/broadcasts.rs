//! Events for all clients.

use std::collections::BTreeMap;

use tenon_ipc::{FromClient, Received};
use tenon_rpc::{Router, events};

use crate::place::{Place, Raw, Wire, eventually, json};

events! {
    /// Has nothing to say.
    Beat = "beat" (());
    /// Counts.
    Tick = "tick" (u32);
    /// Has keys that are not texts.
    Unsayable = "unsayable" (BTreeMap<Vec<u8>, u8>);
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"one"}"#;

fn router() -> Router<()> {
    Router::new(()).on_raw("one", |_, _| async { Ok(json("1")) })
}

async fn joined(place: &Place, wire: Wire) -> Raw {
    let mut raw = Raw::connect(&place.path(), wire).await;
    raw.ask(CALL).await;
    raw
}

#[tokio::test]
async fn three_get_it_each_in_its_framing() {
    let place = Place::new();
    let server = place.serve(router());
    let mut raws = [
        joined(&place, Wire::Lines).await,
        joined(&place, Wire::Headers).await,
        joined(&place, Wire::Lines).await,
    ];
    let count = server
        .clients()
        .broadcast_raw("news", Some(json("{\"n\":1.0}")));
    assert_eq!(count, 3);
    for raw in &mut raws {
        let expected = r#"{"jsonrpc":"2.0","method":"news","params":{"n":1.0}}"#;
        assert_eq!(raw.receive().await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_broadcast_without_clients_reaches_none() {
    let place = Place::new();
    let server = place.serve(router());
    assert_eq!(server.clients().broadcast_raw("news", None), 0);
    assert_eq!(server.clients().broadcast(Tick, &1).unwrap(), 0);
}

#[tokio::test]
async fn a_client_that_has_disconnected_is_not_counted() {
    let place = Place::new();
    let server = place.serve(router());
    let clients = server.clients();
    let left = joined(&place, Wire::Lines).await;
    let mut stays = joined(&place, Wire::Lines).await;
    drop(left);
    eventually("one is left", || clients.count() == 1).await;
    assert_eq!(clients.broadcast(Tick, &1).unwrap(), 1);
    let expected = r#"{"jsonrpc":"2.0","method":"tick","params":1}"#;
    assert_eq!(stays.receive().await.unwrap(), expected);
    // Not even in the moment before it is noticed.
    clients.all()[0].close();
    clients.all()[0].peer().closed().await;
    assert_eq!(clients.broadcast(Tick, &2).unwrap(), 0);
}

/// Its dialect is not known yet; most speak lines.
#[tokio::test]
async fn a_client_that_has_sent_nothing_gets_lines() {
    let place = Place::new();
    let server = place.serve(router());
    let mut silent = place.raw().await;
    let clients = server.clients();
    eventually("it has come", || clients.count() == 1).await;
    assert_eq!(clients.broadcast(Beat, &()).unwrap(), 1);
    let expected = r#"{"jsonrpc":"2.0","method":"beat"}"#;
    assert_eq!(silent.receive().await.unwrap(), expected);
}

#[tokio::test]
async fn events_that_json_cannot_express_are_not_sent() {
    let place = Place::new();
    let server = place.serve(router());
    let mut raw = joined(&place, Wire::Lines).await;
    let params = BTreeMap::from([(vec![1], 1)]);
    assert!(server.clients().broadcast(Unsayable, &params).is_err());
    assert!(raw.ask(CALL).await.contains("result"), "nothing before it");
}

#[tokio::test]
async fn a_handler_reaches_everybody() {
    let place = Place::new();
    let router = router().on_raw("shout", |context, params| async move {
        let count = context.session().clients().broadcast_raw("shout", params);
        Ok(json(&count.to_string()))
    });
    let _server = place.serve(router);
    let (one, two) = (place.client().await, place.client().await);
    let (mut first, mut second) = (one.events(), two.events());
    two.call_raw("one", None).await.unwrap();
    let count = one.call_raw("shout", Some(json("[1]"))).await.unwrap();
    assert_eq!(count, json("2"));
    for events in [&mut first, &mut second] {
        let Some(Received::Event(event)) = events.next().await else {
            panic!("no event");
        };
        assert_eq!((&*event.method, event.params), ("shout", Some(json("[1]"))));
    }
}

#[tokio::test]
async fn all_see_the_same_order() {
    let place = Place::new();
    let server = place.serve(router());
    let mut raws = [
        joined(&place, Wire::Lines).await,
        joined(&place, Wire::Headers).await,
    ];
    let senders: Vec<_> = (0..4)
        .map(|sender| {
            let clients = server.clients();
            tokio::task::spawn_blocking(move || {
                for number in 0..50 {
                    let sent = clients.broadcast(Tick, &(sender * 50 + number));
                    assert_eq!(sent.unwrap(), 2);
                }
            })
        })
        .collect();
    let mut seen = [const { Vec::new() }; 2];
    for (raw, seen) in raws.iter_mut().zip(&mut seen) {
        for _ in 0..200 {
            seen.push(raw.receive().await.unwrap());
        }
    }
    assert_eq!(seen[0], seen[1]);
    for sender in senders {
        sender.await.unwrap();
    }
}
