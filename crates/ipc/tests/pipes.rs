//! Named pipes: who may open one, and which names they can have.

#![cfg(windows)]

mod place;

use std::io::ErrorKind;

use place::{PATIENCE, Place, eventually, json};
use tenon_ipc::{Client, Listener, Settings, Users, connect, connect_to, socket_path};
use tenon_rpc::Router;
use tokio::net::windows::named_pipe::{ClientOptions, ServerOptions};

fn router() -> Router<()> {
    Router::new(()).on_raw("echo", |_, params| async move {
        Ok(params.unwrap_or_else(|| json("null")))
    })
}

#[tokio::test]
async fn names_lead_to_pipes_and_nowhere_else() {
    assert_eq!(
        socket_path("myapp").unwrap().to_str(),
        Some(r"\\.\pipe\myapp")
    );
    for name in [
        "",
        "..",
        "a*b",
        "a\nb",
        r"..\CON",
        r"C:\file",
        r"\\.\CON",
        r"\\.\pipe\..\x",
        r"\\.\pipe\",
        r"\\server\pipe\x",
        "//server/pipe/x",
    ] {
        let refused = socket_path(name).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{name}");
        let refused = connect_to(name, &Users::Own).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{name}");
        let refused = connect(name, &Users::Own).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{name}");
        let refused = Listener::bind(name, 0o600).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{name}");
    }
    let missing = connect_to("tenon-test-missing", &Users::Own)
        .await
        .unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound, "{missing}");
}

/// The name of a device is the name of a pipe like any other.
#[tokio::test]
async fn the_name_of_a_device_can_be_that_of_a_pipe() {
    let name = format!(r"\\.\pipe\CON-{}", std::process::id());
    let listener = Listener::bind(&name, 0o600).unwrap();
    let (accepted, connected) = tokio::join!(listener.accept(), connect(&name, &Users::Own));
    accepted.unwrap();
    connected.unwrap();
}

#[tokio::test]
async fn large_messages_and_many_clients_pass() {
    let place = Place::new();
    let server = place.serve(router());
    let client = place.client().await;
    let text = format!("\"{}\"", "x".repeat(5 << 20));
    let echoed = client.call_raw("echo", Some(json(&text))).await.unwrap();
    assert_eq!(echoed.bytes().len(), text.len());
    let mut clients = Vec::new();
    for _ in 0..64 {
        clients.push(place.client().await);
    }
    for client in &clients {
        client.call_raw("echo", None).await.unwrap();
    }
    drop(clients);
    eventually("the others have left", || server.clients().count() == 1).await;
}

/// On a runtime with one thread, which has not looked at the connection when it is refused.
#[tokio::test]
async fn a_client_over_the_limit_gets_the_reason() {
    let place = Place::new();
    let settings = Settings {
        connections: 1,
        ..Settings::default()
    };
    let _server = place.serve_with(router(), settings);
    let first = place.client().await;
    first.call_raw("echo", None).await.unwrap();
    let mut raw = place.raw().await;
    let told = tokio::time::timeout(PATIENCE, raw.receive()).await;
    let told = told.unwrap().expect("a refusal");
    assert!(told.contains("too many clients"), "{told}");
}

/// The only instance of the pipe serves another client. The clock jumps ahead whenever everybody waits.
#[tokio::test(start_paused = true)]
async fn a_busy_pipe_is_waited_for_as_long_as_the_client_says() {
    let place = Place::new();
    let mut options = ServerOptions::new();
    let _server = options.max_instances(1).create(place.path()).unwrap();
    let _first = ClientOptions::new().open(place.path()).unwrap();
    let error = Client::connect(&place.name()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    let said = error.to_string();
    assert!(said.contains("no server answered within 10s"), "{said}");
    let error = connect(place.path(), &Users::Own).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
    assert!(error.to_string().contains("is it stuck?"), "{error}");
}

/// Another program has created a pipe of this name with one instance, so that there is no room for a second one.
#[tokio::test]
async fn the_name_of_another_server_is_refused() {
    let place = Place::new();
    let mut options = ServerOptions::new();
    let _other = options.max_instances(1).create(place.path()).unwrap();
    let refused = Listener::bind(place.path(), 0o600).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AddrInUse, "{refused}");
    let said = refused.to_string();
    assert!(
        said.contains("another server listens there already"),
        "{said}"
    );
}
