//! How a client ends, and what its callers are told.

use tenon_ipc::{Client, ClientState, Settings};
use tenon_rpc::{CallError, CloseReason, ErrorCode, Router};

use crate::place::{Place, eventually};
use crate::{Add, Hang, answer};

#[tokio::test]
async fn waiting_calls_fail_immediately_when_the_server_ends() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call(Hang, ()).await })
        })
        .collect();
    for _ in 0..10 {
        raw.receive().await.unwrap();
    }
    drop(raw);
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert!(
            matches!(error, CallError::Closed(CloseReason::PeerClosed)),
            "{error}"
        );
    }
    let state = client.changed(&ClientState::Connected).await;
    assert!(
        matches!(state, ClientState::Closed(CloseReason::PeerClosed)),
        "{state:?}"
    );
    let error = client.notify_raw("event", None).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(_)), "{error}");
}

#[tokio::test]
async fn closing_twice_is_closing_once() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call(Hang, ()).await });
    raw.receive().await.unwrap();
    tokio::join!(client.close(), client.close());
    client.close().await;
    assert_eq!(raw.receive().await, None);
    for error in [
        call.await.unwrap().unwrap_err(),
        client.call(Add, (1, 2)).await.unwrap_err(),
    ] {
        assert!(
            matches!(error, CallError::Closed(CloseReason::ClosedHere)),
            "{error}"
        );
    }
    assert!(matches!(client.state(), ClientState::Closed(_)));
}

#[tokio::test]
async fn the_last_clone_ends_the_connection() {
    let place = Place::new();
    let server = place.serve(Router::new(()));
    let clients = server.clients();
    let client = place.client().await;
    let clone = client.clone();
    eventually("it has come", || clients.count() == 1).await;
    drop(client);
    assert!(clone.call(Add, (1, 2)).await.is_err(), "it is answered");
    assert_eq!(clients.count(), 1);
    drop(clone);
    eventually("it has left", || clients.count() == 0).await;
}

fn refused(error: &CallError) {
    let CallError::Answered(error) = error else {
        panic!("the server said why: {error:?}");
    };
    assert_eq!(error.code, ErrorCode::Number(tenon_ipc::REFUSED));
    assert_eq!(error.message, "this server has too many clients already");
}

/// Whether it calls before it can know that it was refused, or long after.
#[tokio::test]
async fn a_refused_client_gets_the_reason() {
    let place = Place::new();
    let settings = Settings {
        connections: 0,
        ..Settings::default()
    };
    let _server = place.serve_with(Router::new(()), settings);
    let client = place.client().await;
    refused(&client.call(Add, (1, 2)).await.unwrap_err());

    let client = Client::connect(&place.name()).await.unwrap();
    client.changed(&ClientState::Connected).await;
    refused(&client.call(Add, (1, 2)).await.unwrap_err());
    refused(&client.notify_raw("event", None).await.unwrap_err());
}

/// A complaint that the server worked on after is no answer to what comes later.
#[tokio::test]
async fn an_earlier_complaint_is_not_an_answer() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let call = client.call(Add, (1, 2));
    let serve = async {
        let request = raw.receive().await.unwrap();
        let complaint =
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
        raw.send(complaint).await;
        raw.send(&answer(&request, "3")).await;
    };
    assert_eq!(tokio::join!(call, serve).0.unwrap(), 3);
    let call = client.call(Add, (1, 2));
    let serve = async move {
        raw.receive().await.unwrap();
        drop(raw);
    };
    let error = tokio::join!(call, serve).0.unwrap_err();
    assert!(
        matches!(error, CallError::Closed(CloseReason::PeerClosed)),
        "{error:?}"
    );
    client.changed(&ClientState::Connected).await;
    let error = client.call(Add, (1, 2)).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(_)), "{error:?}");
}

/// But one that it hangs up with is.
#[tokio::test]
async fn last_words_are_the_answer() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let call = client.call(Add, (1, 2));
    let serve = async move {
        raw.receive().await.unwrap();
        raw.send(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32099,"message":"go away"}}"#)
            .await;
        drop(raw);
    };
    let CallError::Answered(error) = tokio::join!(call, serve).0.unwrap_err() else {
        panic!("the server said why");
    };
    assert_eq!((error.code.number(), &*error.message), (-32099, "go away"));
}
