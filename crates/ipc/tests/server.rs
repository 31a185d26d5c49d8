//! A server with its clients, from its first to its last moment.
//!
//! Stopping twice needs no test: `stop` takes the server.

mod exact;
mod place;

use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use exact::assert_fits;
use place::{Dropped, Place, eventually, json};
use tenon_ipc::{Client, Server, Session};
use tenon_rpc::{CallError, CloseReason, Router, RpcError, methods};
use tokio::sync::{mpsc, watch};

methods! {
    /// Adds two numbers.
    Add = "add" ((i64, i64)) -> i64;
    /// Never answers.
    Hang = "hang" (()) -> ();
}

/// Longer than any test may take.
const LONG: Duration = Duration::from_secs(3600);

fn router() -> Router<()> {
    Router::new(())
        .on(Add, |_, (a, b)| async move {
            a.checked_add(b)
                .ok_or_else(|| RpcError::invalid_params("too large"))
        })
        .on(Hang, |_, ()| std::future::pending())
}

/// Answers when it is told to, and tells when it has begun.
fn waiting() -> (Router<()>, mpsc::Receiver<()>, watch::Sender<bool>) {
    let (begun, begins) = mpsc::channel(8);
    let (go, may_go) = watch::channel(false);
    let hung = begun.clone();
    let router = router()
        .on(Hang, move |_, ()| {
            hung.try_send(()).unwrap();
            std::future::pending()
        })
        .on_raw("wait", move |_, _| {
            let (begun, mut may_go) = (begun.clone(), may_go.clone());
            async move {
                begun.try_send(()).unwrap();
                may_go.wait_for(|go| *go).await.unwrap();
                Ok(json("\"done\""))
            }
        });
    (router, begins, go)
}

#[tokio::test]
async fn clients_call_and_are_counted() {
    let place = Place::new();
    let server = place.serve(router());
    let clients = server.clients();
    assert_eq!(clients.count(), 0);
    let (one, two) = (place.client().await, place.client().await);
    assert_eq!(one.call(Add, (1, 2)).await.unwrap(), 3);
    assert_eq!(two.call(Add, (3, 4)).await.unwrap(), 7);
    assert_eq!(clients.count(), 2);
    let numbers: Vec<u64> = clients.all().iter().map(Session::number).collect();
    assert_eq!(numbers, [1, 2]);
    drop(one);
    eventually("one client", || clients.count() == 1).await;
    let three = place.client().await;
    three.call(Add, (0, 0)).await.unwrap();
    let numbers: Vec<u64> = clients.all().iter().map(Session::number).collect();
    assert_eq!(numbers, [2, 3], "a number is never used again");
}

#[tokio::test]
async fn a_name_is_needed() {
    let error = Server::bind("", router()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("such as `myapp`"), "{error}");
}

#[tokio::test]
async fn requests_of_a_disconnected_client_are_dropped() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    let place = Place::new();
    let (begun, mut begins) = mpsc::channel(8);
    let router = Router::new(begun).on(Hang, |context, ()| async move {
        let _dropped = Dropped(&DROPPED);
        context.state.try_send(()).unwrap();
        std::future::pending().await
    });
    let server = place.serve(router);
    let mut raw = place.raw().await;
    for id in 0..3 {
        let call = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"hang"}}"#);
        raw.send(&call).await;
        begins.recv().await.unwrap();
    }
    drop(raw);
    eventually("the handlers end", || DROPPED.load(Ordering::SeqCst) == 3).await;
    let clients = server.clients();
    eventually("the client has left", || clients.count() == 0).await;
}

/// A client that has finished sending still gets its answers. A pipe cannot be closed in one direction.
#[cfg(unix)]
#[tokio::test]
async fn half_a_client_is_answered() {
    let place = Place::new();
    let (router, mut begins, go) = waiting();
    let server = place.serve(router);
    let mut raw = place.raw().await;
    let call = br#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#;
    raw.send_bytes(call).await;
    raw.finish().await;
    begins.recv().await.unwrap();
    go.send_replace(true);
    assert_eq!(
        raw.rest().await,
        [r#"{"jsonrpc":"2.0","id":1,"result":"done"}"#]
    );
    let clients = server.clients();
    eventually("no client is left", || clients.count() == 0).await;
}

/// One that finished sending and then goes altogether does not keep its handlers.
#[cfg(unix)]
#[tokio::test]
async fn half_a_client_that_goes_is_noticed() {
    let place = Place::new();
    let (router, mut begins, _go) = waiting();
    let server = place.serve(router);
    let mut raw = place.raw().await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#)
        .await;
    raw.finish().await;
    begins.recv().await.unwrap();
    drop(raw);
    let clients = server.clients();
    eventually("no client is left", || clients.count() == 0).await;
}

#[tokio::test]
async fn stopping_finishes_what_runs_and_cuts_off_what_does_not_end() {
    let place = Place::new();
    let (router, mut begins, go) = waiting();
    let server = place.serve(router);
    let (slow, hung) = (place.client().await, place.client().await);
    let slow = tokio::spawn(async move { slow.call_raw("wait", None).await });
    let hang = tokio::spawn(async move { hung.call(Hang, ()).await });
    for _ in 0..2 {
        begins.recv().await.unwrap();
    }
    let stopping = tokio::spawn(server.stop(Duration::from_millis(300)));
    eventually("it listens no more", || !place.path().exists()).await;
    go.send_replace(true);
    assert!(slow.await.unwrap().is_ok());
    assert!(matches!(
        hang.await.unwrap(),
        Err(CallError::Closed(CloseReason::PeerClosed))
    ));
    assert_eq!(stopping.await.unwrap().cut_off, 1);
    assert_eq!(std::fs::read_dir(place.folder()).unwrap().count(), 0);
}

/// Clients that want nothing need no time.
#[tokio::test]
async fn stopping_does_not_wait_for_idle_clients() {
    let place = Place::new();
    let server = place.serve(router());
    let client = place.client().await;
    client.call(Add, (1, 2)).await.unwrap();
    let mut raw = place.raw().await;
    raw.ask(r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#)
        .await;
    let clients = server.clients();
    let ended = server.stop(LONG).await;
    assert_eq!((ended.cut_off, clients.count()), (0, 0));
    assert_eq!(raw.receive().await, None);
    let error = client.call(Add, (1, 2)).await.unwrap_err();
    assert!(
        matches!(error, CallError::Closed(CloseReason::PeerClosed)),
        "{error}"
    );
    let error = Client::connect(&place.name()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn no_request_is_started_while_the_server_stops() {
    let place = Place::new();
    let (router, mut begins, go) = waiting();
    let server = place.serve(router);
    let mut raw = place.raw().await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#)
        .await;
    begins.recv().await.unwrap();
    let stopping = tokio::spawn(server.stop(LONG));
    eventually("it listens no more", || !place.path().exists()).await;
    // The connection learns of it a moment later than the file goes.
    let refused = loop {
        let answer = raw
            .ask(r#"{"jsonrpc":"2.0","id":2,"method":"add","params":[1,2]}"#)
            .await;
        if answer.contains("error") {
            break answer;
        }
    };
    let expected =
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"the connection is closing"}}"#;
    assert_fits(&refused, expected);
    go.send_replace(true);
    assert_fits(
        &raw.rest().await.concat(),
        r#"{"jsonrpc":"2.0","id":1,"result":"done"}"#,
    );
    assert_eq!(stopping.await.unwrap().cut_off, 0);
}

#[tokio::test]
async fn dropping_it_ends_everything() {
    let place = Place::new();
    let server = place.serve(router());
    let mut raw = place.raw().await;
    raw.ask(r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#)
        .await;
    drop(server);
    assert_eq!(raw.receive().await, None);
    eventually("the file is gone", || !place.path().exists()).await;
}

/// What stopped can be started again at once, under the same name.
#[tokio::test]
async fn the_next_one_takes_the_name() {
    let place = Place::new();
    for _ in 0..3 {
        let server = place.serve(router());
        assert_eq!(server.path(), place.path());
        let client = place.client().await;
        assert_eq!(client.call(Add, (1, 2)).await.unwrap(), 3);
        server.stop(LONG).await;
    }
}
