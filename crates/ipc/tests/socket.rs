//! Sockets that only their owner can reach, and files that are not ours to delete.

#![cfg(unix)]

mod place;

use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use place::{Place, json};
use rustix::io::FdFlags;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use tenon_ipc::{Client, ClientSettings, Listener, Settings, Users, connect};
use tenon_rpc::{Connection, Dialect, Router};
use tokio::net::UnixListener;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn two_processes_meet_on_a_socket() {
    let place = Place::new();
    let path = place.path();
    let listener = Listener::bind(&path, 0o600).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(listener.path(), path);
    let (client, accepted) = tokio::join!(connect(&path, &Users::Own), listener.accept());
    let (server, credentials) = accepted.unwrap();
    let credentials = credentials.unwrap();
    assert_eq!(credentials.user, rustix::process::getuid().as_raw());
    assert_eq!(credentials.process, i32::try_from(std::process::id()).ok());
    let router = Router::new(()).on_raw("echo", |_, params| async move { Ok(params.unwrap()) });
    let _server = Connection::start(server, Dialect::JsonRpcLines, router);
    let client = Connection::start(client.unwrap(), Dialect::JsonRpcLines, Router::new(()));
    let call = client.peer().call_raw("echo", Some(json("[1]"))).await;
    assert_eq!(call.unwrap(), json("[1]"));
}

#[tokio::test]
async fn a_dead_servers_socket_is_replaced_and_ours_removed() {
    let place = Place::new();
    let path = place.path();
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
    let place = Place::new();
    let path = place.path();
    let first = Listener::bind(&path, 0o600).unwrap();
    let second = Listener::bind(&path, 0o600).unwrap_err();
    assert_eq!(second.kind(), ErrorKind::AddrInUse);
    assert!(second.to_string().contains("another server"), "{second}");
    drop(first);

    std::fs::write(&path, "precious").unwrap();
    let error = Listener::bind(&path, 0o600).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    let error = connect(&path, &Users::Own).await.unwrap_err();
    assert!(
        error.to_string().contains("this is not a socket"),
        "{error}"
    );
}

#[tokio::test]
async fn a_socket_that_took_our_place_stays() {
    let place = Place::new();
    let path = place.path();
    let first = Listener::bind(&path, 0o600).unwrap();
    std::fs::remove_file(&path).unwrap();
    let second = Listener::bind(&path, 0o600).unwrap();
    drop(first);
    let (client, accepted) = tokio::join!(connect(&path, &Users::Own), second.accept());
    assert!(client.is_ok() && accepted.is_ok());
}

#[tokio::test]
async fn folders_that_are_missing_are_made_for_the_owner_alone() {
    let place = Place::new();
    let folder = place.folder().join("a/b");
    let _listener = Listener::bind(folder.join("s"), 0o600).unwrap();
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&place.folder().join("a")), 0o700);
}

#[tokio::test]
async fn the_mode_is_what_was_asked_for() {
    for wanted in [0o600, 0o660, 0o666] {
        let place = Place::new();
        let settings = Settings {
            mode: wanted,
            ..Settings::default()
        };
        let _server = place.serve_with(Router::new(()), settings);
        assert_eq!(mode(&place.path()), wanted);
    }
}

#[tokio::test]
async fn a_path_that_is_too_long_is_counted() {
    let place = Place::new();
    let longest = place.folder().join("x");
    let room = 107 - longest.as_os_str().len();
    let longest = place.folder().join("x".repeat(room + 1));
    let _fits = Listener::bind(&longest, 0o600).unwrap();
    let path = place.folder().join("y".repeat(room + 2));
    for error in [
        Listener::bind(&path, 0o600).unwrap_err(),
        connect(&path, &Users::Own).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        let text = error.to_string();
        assert!(text.contains("the path is 108 bytes long"), "{text}");
    }
    assert!(!path.exists());
}

#[tokio::test]
async fn links_are_left_alone() {
    let place = Place::new();
    let path = place.path();
    symlink(place.folder().join("nowhere"), &path).unwrap();
    let error = Listener::bind(&path, 0o600).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(path.is_symlink());
    assert!(!place.folder().join("nowhere").exists());
}

#[tokio::test]
async fn folders_are_left_alone() {
    let place = Place::new();
    std::fs::create_dir(place.path()).unwrap();
    let error = Listener::bind(place.path(), 0o600).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(place.path().is_dir());
}

/// Not even for the administrator, whom permissions would not stop.
#[tokio::test]
async fn a_folder_that_cannot_be_is_named() {
    let place = Place::new();
    let file = place.folder().join("file");
    std::fs::write(&file, "").unwrap();
    let path = file.join("s");
    let error = Listener::bind(&path, 0o600).unwrap_err().to_string();
    assert!(error.starts_with(path.to_str().unwrap()), "{error}");
    assert!(error.ends_with("file is not a folder"), "{error}");
}

#[tokio::test]
async fn of_many_that_start_at_the_same_time_one_wins() {
    let place = Place::new();
    drop(std::os::unix::net::UnixListener::bind(place.path()).unwrap());
    let binding: Vec<_> = (0..4)
        .map(|_| {
            let path = place.path();
            tokio::task::spawn_blocking(move || Listener::bind(path, 0o600))
        })
        .collect();
    let mut bound = Vec::new();
    for binding in binding {
        bound.extend(binding.await.unwrap().ok());
    }
    assert_eq!(bound.len(), 1);
    assert!(connect(place.path(), &Users::Own).await.is_ok());
}

/// A socket with room for one client in its backlog, and a server that accepts none.
fn full_door(place: &Place) -> UnixListener {
    let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
    let socket = rustix::net::socket(family, kind, None).unwrap();
    rustix::io::fcntl_setfd(&socket, FdFlags::CLOEXEC).unwrap();
    let address = SocketAddrUnix::new(place.path()).unwrap();
    rustix::net::bind(&socket, &address).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let listener: std::os::unix::net::UnixListener = socket.into();
    listener.set_nonblocking(true).unwrap();
    UnixListener::from_std(listener).unwrap()
}

/// No client is accepted there, so none may wait for it: it is in use.
#[tokio::test]
async fn connecting_does_not_wait_for_a_server_that_accepts_no_client() {
    let place = Place::new();
    let door = full_door(&place);
    // The first one who knocks still has room.
    for _ in 0..3 {
        let error = Listener::bind(place.path(), 0o600).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse, "{error}");
        assert!(error.to_string().contains("another server"), "{error}");
    }
    drop(door);
    Listener::bind(place.path(), 0o600).unwrap();
}

#[tokio::test]
async fn a_client_waits_while_the_backlog_is_full() {
    let place = Place::new();
    let door = full_door(&place);
    let _first = connect(place.path(), &Users::Own).await.unwrap();
    let settings = ClientSettings {
        connect_timeout: Duration::from_millis(30),
        ..ClientSettings::default()
    };
    let error = Client::connect_with(&place.name(), Router::new(()), settings)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert!(error.to_string().contains("30ms"), "{error}");

    let path = place.path();
    let second = tokio::spawn(async move { connect(path, &Users::Own).await });
    tokio::task::yield_now().await;
    assert!(!second.is_finished());
    door.accept().await.unwrap();
    assert!(second.await.unwrap().is_ok());
}

/// More cannot be tested as a single user.
#[tokio::test]
async fn programs_of_the_same_user_trust_each_other() {
    let own = rustix::process::getuid().as_raw();
    for users in [Users::Own, Users::Also(vec![own + 1]), Users::Anyone] {
        let place = Place::new();
        let settings = Settings {
            users: users.clone(),
            ..Settings::default()
        };
        let router = Router::new(()).on_raw("one", |_, _| async { Ok(json("1")) });
        let _server = place.serve_with(router, settings);
        assert!(connect(place.path(), &users).await.is_ok());
        let client = Client::connect(&place.name()).await.unwrap();
        assert_eq!(client.call_raw("one", None).await.unwrap(), json("1"));
    }
}
