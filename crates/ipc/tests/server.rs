//! A server with its clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tenon_ipc::{Client, FromClient, Received, Server, Settings};
use tenon_rpc::{CallError, Payload, Router, RpcError, methods};

methods! {
    /// Adds two numbers.
    Add = "add" ((i64, i64)) -> i64;
    /// Never answers.
    Hang = "hang" (()) -> ();
}

/// A folder for sockets, and the name of one in it.
fn place() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let name = folder
        .path()
        .join("server.sock")
        .to_str()
        .unwrap()
        .to_owned();
    (folder, name)
}

fn router() -> Router<()> {
    Router::new(())
        .on(Add, |_, (a, b)| async move {
            a.checked_add(b)
                .ok_or_else(|| RpcError::invalid_params("too large"))
        })
        .on(Hang, |_, ()| std::future::pending())
}

async fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), waiting).await;
    waited.unwrap_or_else(|_| panic!("this never came: {what}"));
}

#[tokio::test]
async fn clients_call_and_are_counted() {
    let (_folder, name) = place();
    let server = Server::bind(&name, router()).unwrap();
    let one = Client::connect(&name).await.unwrap();
    let two = Client::connect(&name).await.unwrap();
    assert_eq!(one.call(Add, (1, 2)).await.unwrap(), 3);
    assert_eq!(two.call(Add, (3, 4)).await.unwrap(), 7);
    assert_eq!(server.clients().count(), 2);
    drop(one);
    let clients = server.clients();
    eventually("one client", || clients.count() == 1).await;
}

#[tokio::test]
async fn everybody_gets_a_broadcast() {
    let (_folder, name) = place();
    let server = Server::bind(&name, router()).unwrap();
    let clients = [
        Client::connect(&name).await.unwrap(),
        Client::connect(&name).await.unwrap(),
    ];
    let mut events: Vec<_> = clients.iter().map(Client::events).collect();
    for client in &clients {
        client.call(Add, (1, 2)).await.unwrap();
    }
    let params = Payload::from_json("{\"n\":1}").unwrap();
    let count = server
        .clients()
        .broadcast_raw("heartbeat", Some(params.clone()));
    assert_eq!(count, 2);
    for events in &mut events {
        let Some(Received::Event(event)) = events.next().await else {
            panic!("no event");
        };
        assert_eq!(event.method, "heartbeat");
        assert_eq!(event.params, Some(params.clone()));
    }
}

#[tokio::test]
async fn what_a_client_that_left_asked_for_is_dropped() {
    struct Dropped(Arc<AtomicUsize>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (_folder, name) = place();
    let (begun, dropped) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let state = (begun.clone(), dropped.clone());
    let router = Router::new(state).on(Hang, |context, ()| async move {
        context.state.0.fetch_add(1, Ordering::SeqCst);
        let _dropped = Dropped(context.state.1.clone());
        std::future::pending().await
    });
    let left = Arc::<AtomicUsize>::default();
    let count = left.clone();
    let settings = Settings {
        on_disconnect: Some(Arc::new(move |_, _| {
            count.fetch_add(1, Ordering::SeqCst);
        })),
        ..Settings::default()
    };
    let server = Server::bind_with(&name, router, settings).unwrap();
    let client = Client::connect(&name).await.unwrap();
    let call = client.clone();
    let call = tokio::spawn(async move { call.call(Hang, ()).await });
    eventually("the handler begins", || begun.load(Ordering::SeqCst) == 1).await;
    client.close().await;
    let outcome = call.await.unwrap();
    assert!(matches!(outcome, Err(CallError::Closed(_))), "{outcome:?}");
    eventually("the handler ends", || dropped.load(Ordering::SeqCst) == 1).await;
    eventually("the client has left", || left.load(Ordering::SeqCst) == 1).await;
    assert_eq!(server.clients().count(), 0);
}

/// A client that has finished sending still gets its answers; one that has gone does not hold
/// anything up.
#[tokio::test]
async fn half_a_client_is_answered() {
    use std::io::{Read, Write};
    let (_folder, name) = place();
    let server = Server::bind(
        &name,
        Router::new(()).on_raw("wait", |_, _| async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(Payload::from_json("1").unwrap())
        }),
    )
    .unwrap();
    let path = name.clone();
    let answered = tokio::task::spawn_blocking(move || {
        let mut stream = std::os::unix::net::UnixStream::connect(path).unwrap();
        stream
            .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"wait\"}")
            .unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    assert_eq!(
        answered.await.unwrap(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n"
    );
    let clients = server.clients();
    eventually("nobody is left", || clients.count() == 0).await;
}

#[tokio::test]
async fn stopping_finishes_what_runs_within_its_budget() {
    let (folder, name) = place();
    let router = router().on_raw("slow", |context, _| async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(context.session().number(), 1);
        Ok(Payload::from_json("\"done\"").unwrap())
    });
    let server = Server::bind(&name, router).unwrap();
    let client = Client::connect(&name).await.unwrap();
    let (slow, hung) = (client.clone(), Client::connect(&name).await.unwrap());
    let slow = tokio::spawn(async move { slow.call_raw("slow", None).await });
    let hung = tokio::spawn(async move { hung.call(Hang, ()).await });
    let clients = server.clients();
    eventually("both are there", || clients.count() == 2).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let ended = server.stop(Duration::from_millis(500)).await;
    assert_eq!(ended.cut_off, 1);
    assert!(slow.await.unwrap().is_ok());
    assert!(hung.await.unwrap().is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
