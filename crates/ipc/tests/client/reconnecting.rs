//! Clients that come back.

use std::time::Duration;

use tenon_ipc::{Client, ClientSettings, ClientState, Received, Reconnect, Server};
use tenon_rpc::{Backoff, CallError, CloseReason, Router};
use tokio::sync::mpsc;

use crate::place::{Place, json};
use crate::{Add, Hang};

fn router() -> Router<()> {
    Router::new(())
        .on(Add, |_, (a, b)| async move { Ok(a + b) })
        .on(Hang, |_, ()| std::future::pending())
}

fn returning(attempts: Option<u32>) -> ClientSettings {
    ClientSettings {
        reconnect: Some(Reconnect {
            backoff: Backoff::doubling(Duration::from_millis(5), Duration::from_millis(20)),
            attempts,
        }),
        ..ClientSettings::default()
    }
}

/// Every state that a client comes through from now on.
fn states(client: &Client) -> mpsc::Receiver<ClientState> {
    let (sender, receiver) = mpsc::channel(1000);
    let client = client.clone();
    tokio::spawn(async move {
        let mut state = client.state();
        while !matches!(state, ClientState::Closed(_)) {
            state = client.changed(&state).await;
            if sender.try_send(state.clone()).is_err() {
                return;
            }
        }
    });
    receiver
}

async fn stop(server: Server) {
    server.stop(Duration::ZERO).await;
}

#[tokio::test]
async fn it_is_lost_tries_and_is_back() {
    let place = Place::new();
    let server = place.serve(router());
    let client = place.client_with(returning(None)).await;
    assert!(matches!(client.state(), ClientState::Connected));
    let mut states = states(&client);
    tokio::task::yield_now().await;
    stop(server).await;
    for expected in 1..=4 {
        match states.recv().await.unwrap() {
            ClientState::Reconnecting { attempt, pause } => {
                assert_eq!(attempt, expected);
                assert!(pause <= Duration::from_millis(20), "{pause:?}");
            }
            other => panic!("{other:?}"),
        }
    }
    let _server = place.serve(router());
    let back = loop {
        match states.recv().await.unwrap() {
            ClientState::Reconnecting { .. } => {}
            other => break other,
        }
    };
    assert!(matches!(back, ClientState::Connected), "{back:?}");
    assert_eq!(client.call(Add, (1, 2)).await.unwrap(), 3);
}

#[tokio::test]
async fn calls_in_between_wait() {
    let place = Place::new();
    let server = place.serve(router());
    let client = place.client_with(returning(None)).await;
    client.call(Add, (1, 2)).await.unwrap();
    stop(server).await;
    client.changed(&ClientState::Connected).await;
    let calls: Vec<_> = (0..10)
        .map(|number| {
            let client = client.clone();
            tokio::spawn(async move { client.call(Add, (number, 1)).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let _server = place.serve(router());
    for (number, call) in (0..10).zip(calls) {
        assert_eq!(call.await.unwrap().unwrap(), number + 1);
    }
}

#[tokio::test]
async fn calls_in_progress_fail_immediately() {
    let place = Place::new();
    let raw_server = place.raw_server();
    let client = place.client_with(returning(None)).await;
    let mut raw = raw_server.accept().await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call(Hang, ()).await });
    raw.receive().await.unwrap();
    drop(raw);
    let error = call.await.unwrap().unwrap_err();
    assert!(
        matches!(error, CallError::Closed(CloseReason::PeerClosed)),
        "{error}: its outcome is unknown"
    );
    let mut back = raw_server.accept().await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call(Add, (1, 2)).await });
    let request = back.receive().await.unwrap();
    assert!(request.contains("add"), "{request}: nothing is sent again");
    back.send(&crate::answer(&request, "3")).await;
    assert_eq!(call.await.unwrap().unwrap(), 3);
}

#[tokio::test]
async fn a_call_that_waits_for_the_server_can_take_too_long() {
    let place = Place::new();
    let server = place.serve(router());
    let client = place.client_with(returning(None)).await;
    client.call(Add, (1, 2)).await.unwrap();
    stop(server).await;
    let limit = Duration::from_millis(20);
    let error = loop {
        // It may be on its way still when the server goes.
        match client.call_within(limit, Add, (1, 2)).await {
            Err(CallError::Closed(_)) => {}
            outcome => break outcome.unwrap_err(),
        }
    };
    assert!(matches!(error, CallError::TimedOut(_)), "{error}");
}

#[tokio::test]
async fn attempts_are_limited() {
    let place = Place::new();
    let server = place.serve(router());
    let client = place.client_with(returning(Some(3))).await;
    client.call(Add, (1, 2)).await.unwrap();
    let mut states = states(&client);
    tokio::task::yield_now().await;
    stop(server).await;
    for expected in 1..=3 {
        let state = states.recv().await.unwrap();
        assert!(
            matches!(state, ClientState::Reconnecting { attempt, .. } if attempt == expected),
            "{state:?}"
        );
    }
    let state = states.recv().await.unwrap();
    assert!(
        matches!(state, ClientState::Closed(CloseReason::PeerClosed)),
        "{state:?}"
    );
    let error = client.call(Add, (1, 2)).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(_)), "{error}");
    assert_eq!(client.events().next().await, None);
}

/// Attempts are counted anew each time.
#[tokio::test]
async fn it_comes_back_again_and_again() {
    let place = Place::new();
    let mut server = place.serve(router());
    let client = place.client_with(returning(Some(200))).await;
    let mut events = client.events();
    for round in 0..5 {
        assert_eq!(client.call(Add, (round, 1)).await.unwrap(), round + 1);
        let params = json(&format!("[{round}]"));
        assert_eq!(server.clients().broadcast_raw("tick", Some(params)), 1);
        let Some(Received::Event(event)) = events.next().await else {
            panic!("no event");
        };
        assert_eq!(event.params, Some(json(&format!("[{round}]"))));
        stop(server).await;
        client.changed(&ClientState::Connected).await;
        server = place.serve(router());
    }
}

#[tokio::test]
async fn closing_ends_the_search() {
    let place = Place::new();
    let server = place.serve(router());
    let client = place.client_with(returning(None)).await;
    stop(server).await;
    client.changed(&ClientState::Connected).await;
    let waiting = client.clone();
    let call = tokio::spawn(async move { waiting.call(Add, (1, 2)).await });
    tokio::task::yield_now().await;
    client.close().await;
    assert!(matches!(client.state(), ClientState::Closed(_)));
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed(_)), "{error}");
}

#[tokio::test]
async fn it_does_not_come_back_if_it_need_not() {
    let place = Place::new();
    let server = place.serve(router());
    let client = place.client().await;
    client.call(Add, (1, 2)).await.unwrap();
    stop(server).await;
    let state = client.changed(&ClientState::Connected).await;
    assert!(matches!(state, ClientState::Closed(_)), "{state:?}");
}

/// The first time has to succeed.
#[tokio::test]
async fn it_does_not_wait_for_a_server_that_never_was() {
    let place = Place::new();
    let connecting = Client::connect_with(&place.name(), router(), returning(None)).await;
    assert_eq!(connecting.unwrap_err().kind(), std::io::ErrorKind::NotFound);
}

/// Being let in is not being served: a server that hangs up at once, or says that it is full, is
/// tried as seldom as one that is not there.
#[tokio::test]
async fn being_turned_away_counts_as_an_attempt() {
    let place = Place::new();
    let raw_server = place.raw_server();
    let settings = ClientSettings {
        reconnect: Some(Reconnect {
            backoff: Backoff::doubling(Duration::from_millis(5), Duration::from_millis(10)),
            attempts: Some(3),
        }),
        ..ClientSettings::default()
    };
    let client = place.client_with(settings).await;
    let mut raw = raw_server.accept().await;
    let refusal = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"full"}}"#;
    let mut times = 1;
    loop {
        raw.send(refusal).await;
        drop(raw);
        tokio::select! {
            again = raw_server.accept() => raw = again,
            () = over(&client) => break,
        }
        times += 1;
    }
    assert_eq!(times, 1 + 3, "the first time, and three attempts");
    let error = client.call(Add, (1, 2)).await.unwrap_err();
    assert!(error.to_string().contains("full"), "{error}");
}

async fn over(client: &Client) {
    let mut state = client.state();
    while !matches!(state, ClientState::Closed(_)) {
        state = client.changed(&state).await;
    }
}
