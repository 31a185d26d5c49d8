//! Sockets that only their owner can reach, and files that are not ours to delete.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use tenon_ipc::{Listener, Users, connect};
use tenon_rpc::{Connection, Dialect, Payload, Router};

#[tokio::test]
async fn two_processes_meet_on_a_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = Listener::bind(&path, 0o600).unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (client, accepted) = tokio::join!(connect(&path, &Users::Own), listener.accept());
    let (server, credentials) = accepted.unwrap();
    let credentials = credentials.unwrap();
    assert_eq!(credentials.user, rustix::process::getuid().as_raw());
    assert_eq!(credentials.process, i32::try_from(std::process::id()).ok());
    let router = Router::new(()).on_raw("echo", |_, params| async move { Ok(params.unwrap()) });
    let _server = Connection::start(server, Dialect::JsonRpcLines, router);
    let client = Connection::start(client.unwrap(), Dialect::JsonRpcLines, Router::new(()));
    let sent = Payload::from_json("[1]").unwrap();
    let call = client.peer().call_raw("echo", Some(sent.clone())).await;
    assert_eq!(call.unwrap(), sent);
}

#[tokio::test]
async fn a_dead_servers_socket_is_replaced_and_ours_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    // The standard library's listener leaves its file behind, as a killed server does.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let refused = connect(&path, &Users::Own).await.unwrap_err();
    assert!(refused.to_string().contains("has ended"), "{refused}");
    let listener = Listener::bind(&path, 0o600).unwrap();
    drop(listener);
    assert!(!path.exists());
    let missing = connect(&path, &Users::Own).await.unwrap_err();
    assert!(
        missing.to_string().contains("is the server running?"),
        "{missing}"
    );
}

#[tokio::test]
async fn a_living_server_and_a_foreign_file_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let first = Listener::bind(&path, 0o600).unwrap();
    let second = Listener::bind(&path, 0o600).unwrap_err();
    assert_eq!(second.kind(), ErrorKind::AddrInUse);
    assert!(second.to_string().contains("another server"), "{second}");
    drop(first);

    std::fs::write(&path, "precious").unwrap();
    let error = Listener::bind(&path, 0o600).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
}

#[tokio::test]
async fn a_socket_that_took_our_place_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let first = Listener::bind(&path, 0o600).unwrap();
    std::fs::remove_file(&path).unwrap();
    let second = Listener::bind(&path, 0o600).unwrap();
    drop(first);
    let both = async { tokio::join!(connect(&path, &Users::Own), second.accept()) };
    let (client, accepted) = tokio::time::timeout(Duration::from_secs(10), both)
        .await
        .unwrap();
    assert!(client.is_ok() && accepted.is_ok());
}
