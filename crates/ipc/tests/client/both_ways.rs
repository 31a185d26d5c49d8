//! Servers that ask their clients.

use std::sync::atomic::{AtomicUsize, Ordering};

use tenon_ipc::{Client, ClientSettings, FromClient, Settings};
use tenon_rpc::{CallError, ErrorCode, Router, RpcError, methods};
use tokio::sync::mpsc;

use crate::exact::assert_fits;
use crate::place::{Dropped, Place, eventually, json};
use crate::{Add, Hang};

methods! {
    /// Asks the client for a number and adds one to it.
    Next = "next" (i64) -> i64;
    /// What the client is asked.
    Double = "double" (i64) -> i64;
}

/// Asks its client before it answers.
fn asking() -> Router<()> {
    Router::new(()).on(Next, |context, number| async move {
        let session = context.session();
        let doubled = session.peer().call(Double, number).await;
        match doubled {
            Ok(doubled) => Ok(doubled + 1),
            Err(CallError::Answered(error)) => Err(error),
            Err(other) => Err(RpcError::internal(other.to_string())),
        }
    })
}

async fn connect<S>(place: &Place, router: Router<S>) -> Client
where
    S: Clone + Send + Sync + 'static,
{
    Client::connect_with(&place.name(), router, ClientSettings::default())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_handler_calls_its_caller() {
    let place = Place::new();
    let _server = place.serve(asking());
    let router = Router::new(()).on(Double, |_, number| async move { Ok(number * 2) });
    let client = connect(&place, router).await;
    assert_eq!(client.call(Next, 20).await.unwrap(), 41);
}

/// The server takes one request at a time, but answers to its own questions are no requests.
#[tokio::test]
async fn also_if_answers_come_in_order() {
    let place = Place::new();
    let settings = Settings {
        in_order: true,
        ..Settings::default()
    };
    let _server = place.serve_with(asking(), settings);
    let router = Router::new(()).on(Double, |_, number| async move { Ok(number * 2) });
    let client = connect(&place, router).await;
    let (one, two) = tokio::join!(client.call(Next, 1), client.call(Next, 2));
    assert_eq!((one.unwrap(), two.unwrap()), (3, 5));
}

#[tokio::test]
async fn a_call_that_the_client_refuses_is_an_error() {
    let place = Place::new();
    let _server = place.serve(asking());
    let client = place.client().await;
    let CallError::Answered(error) = client.call(Next, 1).await.unwrap_err() else {
        panic!("it was answered");
    };
    assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
    assert_eq!(error.data, Some(json(r#"{"method":"double"}"#)));

    let failure = || RpcError::new(ErrorCode::Number(7), "odd").with_data(json("[1.0]"));
    let router = Router::new(()).on(Double, move |_, _| async move { Err(failure()) });
    let client = connect(&place, router).await;
    let CallError::Answered(error) = client.call(Next, 1).await.unwrap_err() else {
        panic!("it was answered");
    };
    assert_eq!(error, failure(), "code and data are kept on both ways");
}

#[tokio::test]
async fn on_the_wire_it_is_a_call_like_any_other() {
    let place = Place::new();
    let _server = place.serve(asking());
    let mut raw = place.raw().await;
    let asked = raw
        .ask(r#"{"jsonrpc":"2.0","id":"a","method":"next","params":5}"#)
        .await;
    let expected = r#"{"jsonrpc":"2.0","id":1,"method":"double","params":5}"#;
    assert_fits(&asked, expected);
    let answer = raw.ask(r#"{"jsonrpc":"2.0","id":1,"result":10}"#).await;
    assert_fits(&answer, r#"{"jsonrpc":"2.0","id":"a","result":11}"#);
}

#[tokio::test]
async fn both_sides_call_at_the_same_time_without_a_deadlock() {
    const CALLS: i64 = 500;
    let place = Place::new();
    let server = place.serve(asking());
    let router = Router::new(()).on(Double, |context, number| async move {
        // The client asks in its turn, while the server waits for it.
        match number % 2 {
            0 => Ok(number * 2),
            _ => match context.peer.call(Next, number - 1).await {
                Ok(next) => Ok(next + 1),
                Err(error) => Err(RpcError::internal(error.to_string())),
            },
        }
    });
    let client = connect(&place, router).await;
    client.call(Next, 0).await.unwrap();
    let session = server.clients().all().remove(0);
    let calls: Vec<_> = (0..CALLS)
        .map(|number| {
            let (client, session) = (client.clone(), session.clone());
            tokio::spawn(async move {
                tokio::join!(
                    client.call(Next, number),
                    session.peer().call(Double, number)
                )
            })
        })
        .collect();
    for (number, call) in (0..CALLS).zip(calls) {
        let (next, doubled) = call.await.unwrap();
        assert_eq!(
            (next.unwrap(), doubled.unwrap()),
            (number * 2 + 1, number * 2)
        );
    }
}

#[tokio::test]
async fn a_client_stops_a_handler_that_the_server_cancels() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    let place = Place::new();
    let server = place.serve(Router::new(()).on(Add, |_, (a, b)| async move { Ok(a + b) }));
    let (begun, mut begins) = mpsc::channel(8);
    let router = Router::new(begun).on(Hang, |context, ()| async move {
        let _dropped = Dropped(&DROPPED);
        context.state.try_send(()).unwrap();
        std::future::pending().await
    });
    let client = connect(&place, router).await;
    client.call(Add, (1, 2)).await.unwrap();
    let session = server.clients().all().remove(0);
    let call = tokio::spawn(async move { session.peer().call(Hang, ()).await });
    begins.recv().await.unwrap();
    call.abort();
    eventually("it is dropped", || DROPPED.load(Ordering::SeqCst) == 1).await;
}

/// What the server asked is answered before a client that closes is gone.
#[tokio::test]
async fn closing_answers_what_was_asked() {
    let place = Place::new();
    let server = place.raw_server();
    let (begun, mut begins) = mpsc::channel(8);
    let (go, may_go) = tokio::sync::watch::channel(false);
    let router = Router::new((begun, may_go)).on_raw("wait", |mut context, _| async move {
        context.state.0.try_send(()).unwrap();
        context.state.1.wait_for(|go| *go).await.unwrap();
        Ok(json("1"))
    });
    let client = connect(&place, router).await;
    let mut raw = server.accept().await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#)
        .await;
    begins.recv().await.unwrap();
    let closing = tokio::spawn(async move { client.close().await });
    tokio::task::yield_now().await;
    go.send_replace(true);
    assert_eq!(raw.rest().await, [r#"{"jsonrpc":"2.0","id":1,"result":1}"#]);
    closing.await.unwrap();
}
