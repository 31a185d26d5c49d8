//! What a server does for each client that comes, and for each that has left.

mod place;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use place::{Place, eventually, json};
use tenon_ipc::{FromClient, Session, Settings};
use tenon_rpc::{CloseReason, Router};
use tokio::sync::mpsc;

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"one"}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":1}"#;

fn router() -> Router<()> {
    Router::new(()).on_raw("one", |_, _| async { Ok(json("1")) })
}

fn on_connect(hook: impl Fn(&Session) + Send + Sync + 'static) -> Settings {
    Settings {
        on_connect: Some(Arc::new(hook)),
        ..Settings::default()
    }
}

/// Settings that tell why clients have left.
fn reasons() -> (Settings, mpsc::Receiver<(u64, CloseReason)>) {
    let (sender, receiver) = mpsc::channel(64);
    let hook = move |session: &Session, reason: &CloseReason| {
        let told = sender.try_send((session.number(), reason.clone()));
        told.unwrap();
    };
    let settings = Settings {
        on_disconnect: Some(Arc::new(hook)),
        ..Settings::default()
    };
    (settings, receiver)
}

#[tokio::test]
async fn a_client_is_greeted_before_its_first_call_is_handled() {
    let place = Place::new();
    let order = Arc::<Mutex<Vec<&str>>>::default();
    let (hook, handler) = (order.clone(), order.clone());
    let router = Router::new(()).on_raw("one", move |context, _| {
        handler.lock().unwrap().push("called");
        let kept = context.session().kept::<&str>();
        async move { Ok(json(&format!("{:?}", kept.unwrap()))) }
    });
    let settings = on_connect(move |session| {
        hook.lock().unwrap().push("came");
        session.keep("known");
        assert_eq!(session.clients().count(), 1, "it counts itself");
    });
    let _server = place.serve_with(router, settings);
    let mut raw = place.raw().await;
    let answer = raw.ask(CALL).await;
    assert_eq!(answer, r#"{"jsonrpc":"2.0","id":1,"result":"known"}"#);
    assert_eq!(*order.lock().unwrap(), ["came", "called"]);
}

#[tokio::test]
async fn the_hook_can_send_first() {
    let place = Place::new();
    let settings = on_connect(|session| {
        let welcome = tenon_rpc::calls::Prepared::new("welcome", Some(json("[1]")));
        assert!(session.offer(&Arc::new(welcome)));
    });
    let _server = place.serve_with(router(), settings);
    let mut raw = place.raw().await;
    let welcome = raw.receive().await.unwrap();
    assert_eq!(
        welcome,
        r#"{"jsonrpc":"2.0","method":"welcome","params":[1]}"#
    );
}

/// On Windows they do not.
#[cfg(unix)]
#[tokio::test]
async fn hooks_see_who_it_is() {
    let place = Place::new();
    let (sender, mut seen) = mpsc::channel(8);
    let left = sender.clone();
    let settings = Settings {
        on_connect: Some(Arc::new(move |session| {
            sender.try_send(session.credentials()).unwrap();
        })),
        on_disconnect: Some(Arc::new(move |session, _| {
            left.try_send(session.credentials()).unwrap();
        })),
        ..Settings::default()
    };
    let _server = place.serve_with(router(), settings);
    drop(place.raw().await);
    for _ in 0..2 {
        let credentials = seen.recv().await.unwrap();
        assert_eq!(
            credentials,
            Some(tenon_ipc::Credentials {
                user: rustix::process::getuid().as_raw(),
                group: rustix::process::getgid().as_raw(),
                process: i32::try_from(std::process::id()).ok(),
            })
        );
    }
}

#[tokio::test]
async fn the_reason_says_who_ended_it() {
    let place = Place::new();
    let (settings, mut reasons) = reasons();
    let server = place.serve_with(router(), settings);

    let mut left = place.raw().await;
    left.ask(CALL).await;
    drop(left);
    let (number, reason) = reasons.recv().await.unwrap();
    assert!(matches!(reason, CloseReason::PeerClosed), "{reason}");
    assert_eq!((number, server.clients().count()), (1, 0));

    let mut broken = place.raw().await;
    broken.send_bytes(b"Content-Length: x\r\n").await;
    let (number, reason) = reasons.recv().await.unwrap();
    assert!(matches!(reason, CloseReason::BrokenStream(_)), "{reason}");
    assert_eq!(number, 2);

    let mut closed = place.raw().await;
    closed.ask(CALL).await;
    server.clients().all()[0].close();
    let (number, reason) = reasons.recv().await.unwrap();
    assert!(matches!(reason, CloseReason::ClosedHere), "{reason}");
    assert_eq!((number, closed.receive().await), (3, None));

    let mut stopped = place.raw().await;
    stopped.ask(CALL).await;
    server.stop(Duration::from_secs(3600)).await;
    let (number, reason) = reasons.recv().await.unwrap();
    assert!(matches!(reason, CloseReason::ClosedHere), "{reason}");
    assert_eq!(number, 4);
    assert!(reasons.try_recv().is_err(), "once for each");
}

/// It affects only the client that it is for.
#[tokio::test]
async fn a_hook_that_panics_turns_its_client_away() {
    let place = Place::new();
    let settings = on_connect(|session| {
        assert_ne!(session.number(), 1, "this one panics");
    });
    let server = place.serve_with(router(), settings);
    let mut unlucky = place.raw().await;
    assert_eq!(unlucky.receive().await, None);
    let mut next = place.raw().await;
    assert_eq!(next.ask(CALL).await, ANSWER);
    let clients = server.clients();
    eventually("the first has left", || clients.count() == 1).await;
    assert_eq!(server.stop(Duration::from_secs(3600)).await.cut_off, 0);
}

#[tokio::test]
async fn a_panic_in_on_disconnect_affects_no_other_client() {
    let place = Place::new();
    let settings = Settings {
        on_disconnect: Some(Arc::new(|_, _| panic!("out of luck"))),
        ..Settings::default()
    };
    let server = place.serve_with(router(), settings);
    drop(place.raw().await);
    let mut next = place.raw().await;
    assert_eq!(next.ask(CALL).await, ANSWER);
    let clients = server.clients();
    eventually("the first has left", || clients.count() == 1).await;
    server.stop(Duration::from_secs(3600)).await;
    assert_eq!(next.receive().await, None);
}

/// What a client that is turned away has sent is not handled. On a pipe, it may not even be able to send it.
#[cfg(unix)]
#[tokio::test]
async fn closing_in_the_hook_turns_the_client_away() {
    let place = Place::new();
    let (begun, mut begins) = mpsc::channel::<()>(8);
    let router = Router::new(begun).on_raw("one", |context, _| async move {
        context.state.try_send(()).unwrap();
        Ok(json("1"))
    });
    let settings = on_connect(|session| {
        session.close();
        session.close(); // once more changes nothing
    });
    let server = place.serve_with(router, settings);
    // Before the server has so much as a chance to accept it.
    let mut raw = place.raw().await;
    raw.send(CALL).await;
    assert_eq!(raw.rest().await, Vec::<String>::new());
    let clients = server.clients();
    eventually("it has left", || clients.count() == 0).await;
    assert!(begins.try_recv().is_err());
}
