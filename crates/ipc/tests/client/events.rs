//! The events that a client gets.

use tenon_ipc::{Client, ClientSettings, Events, Received, Server};
use tenon_rpc::{Event, Router, events};

use crate::Add;
use crate::place::{Place, json};

events! {
    /// Is handled by the router.
    Known = "known" (i64);
}

fn router() -> Router<()> {
    Router::new(()).on(Add, |_, (a, b)| async move { Ok(a + b) })
}

/// A server and a client it knows.
async fn met(place: &Place, settings: ClientSettings) -> (Server, Client) {
    let server = place.serve(router());
    let client = place.client_with(settings).await;
    client.call(Add, (1, 2)).await.unwrap();
    (server, client)
}

fn send(server: &Server, numbers: std::ops::Range<i64>) {
    for number in numbers {
        let params = json(&number.to_string());
        assert_eq!(server.clients().broadcast_raw("tick", Some(params)), 1);
    }
}

fn tick(number: i64) -> Option<Received> {
    Some(Received::Event(Event {
        method: "tick".into(),
        params: Some(json(&number.to_string())),
    }))
}

async fn assert_ticks(events: &mut Events, numbers: std::ops::Range<i64>) {
    for number in numbers {
        assert_eq!(events.next().await, tick(number));
    }
}

#[tokio::test]
async fn each_reader_gets_all_of_them_in_order() {
    let place = Place::new();
    let (server, client) = met(&place, ClientSettings::default()).await;
    let (mut one, mut two) = (client.events(), client.events());
    send(&server, 0..100);
    assert_ticks(&mut one, 0..100).await;
    assert_ticks(&mut two, 0..50).await;
    let mut late = client.events();
    send(&server, 100..101);
    assert_ticks(&mut two, 50..101).await;
    assert_ticks(&mut late, 100..101).await;
}

#[tokio::test]
async fn those_that_are_not_read_in_time_are_counted() {
    let place = Place::new();
    let settings = ClientSettings {
        events: 16,
        ..ClientSettings::default()
    };
    let (server, client) = met(&place, settings).await;
    let mut events = client.events();
    send(&server, 0..100);
    // Its answer comes behind them.
    client.call(Add, (1, 2)).await.unwrap();
    assert_eq!(events.next().await, Some(Received::Missed(84)));
    assert_ticks(&mut events, 84..100).await;
    send(&server, 100..101);
    assert_ticks(&mut events, 100..101).await;
}

#[tokio::test]
async fn the_end_comes_after_all_of_them() {
    let place = Place::new();
    let (server, client) = met(&place, ClientSettings::default()).await;
    let mut events = client.events();
    send(&server, 0..10);
    client.call(Add, (1, 2)).await.unwrap();
    client.close().await;
    assert_ticks(&mut events, 0..10).await;
    assert_eq!(events.next().await, None);
    assert_eq!(events.next().await, None);
    assert_eq!(client.events().next().await, None);
}

#[tokio::test]
async fn so_it_does_when_the_server_goes() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let mut events = client.events();
    for number in 0..10 {
        raw.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"tick","params":{number}}}"#
        ))
        .await;
    }
    drop(raw);
    assert_ticks(&mut events, 0..10).await;
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn events_with_a_handler_go_to_the_router() {
    let place = Place::new();
    let server = place.serve(router());
    let (sender, mut handled) = tokio::sync::mpsc::channel(8);
    let router = Router::new(sender).on_event(Known, |context, number| {
        context.state.try_send(number).unwrap();
    });
    let client = Client::connect_with(&place.name(), router, ClientSettings::default())
        .await
        .unwrap();
    client.call(Add, (1, 2)).await.unwrap();
    let mut events = client.events();
    assert_eq!(server.clients().broadcast(Known, &7).unwrap(), 1);
    send(&server, 0..1);
    assert_ticks(&mut events, 0..1).await;
    assert_eq!(handled.recv().await, Some(7));
}

/// A router that takes them all leaves none.
#[tokio::test]
async fn a_fallback_of_the_router_gets_all_events() {
    let place = Place::new();
    let server = place.serve(router());
    let (sender, mut taken) = tokio::sync::mpsc::channel(8);
    let router = Router::new(()).event_fallback(move |_, event| sender.try_send(event).unwrap());
    let client = Client::connect_with(&place.name(), router, ClientSettings::default())
        .await
        .unwrap();
    client.call(Add, (1, 2)).await.unwrap();
    let mut events = client.events();
    send(&server, 0..1);
    assert_eq!(taken.recv().await.map(Received::Event), tick(0));
    client.close().await;
    assert_eq!(events.next().await, None);
}

/// An event is one whatever it looks like.
#[tokio::test]
async fn odd_events_are_events() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let mut events = client.events();
    for (line, params) in [
        (r#"{"jsonrpc":"2.0","method":"e"}"#, None),
        (r#"{"jsonrpc":"2.0","method":"e","params":null}"#, None),
        (r#"{"method":"e","params":1.0}"#, Some("1.0")),
        (
            r#"{"jsonrpc":"2.0","method":"\u0065","params":[]}"#,
            Some("[]"),
        ),
        (
            r#"[{"jsonrpc":"2.0","method":"e","params":"in a batch"}]"#,
            Some("\"in a batch\""),
        ),
    ] {
        raw.send(line).await;
        let expected = Event {
            method: "e".into(),
            params: params.map(json),
        };
        assert_eq!(
            events.next().await,
            Some(Received::Event(expected)),
            "{line}"
        );
    }
}
