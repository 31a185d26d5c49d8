//! The socket itself: where it is, who may use it, and what was there before.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::json;

use crate::serving::Serving;
use crate::support::program::{Program, eventually};
use crate::support::shell::Shell;

fn mode(path: &Path) -> u32 {
    let file = std::fs::symlink_metadata(path).expect("a file");
    file.permissions().mode() & 0o7777
}

#[tokio::test]
async fn the_socket_is_private() {
    let serving = Serving::start("-- tenon echo").await;
    assert_eq!(mode(&serving.socket()), 0o600);
    serving.stop().await;
    let serving = Serving::start("--mode 660 -- tenon echo").await;
    assert_eq!(mode(&serving.socket()), 0o660);
    serving.stop().await;
}

#[tokio::test]
async fn folders_that_are_missing_are_made() {
    let shell = Shell::new();
    let line = "umask 000; tenon serve --socket new/deep/s -- tenon echo & server=$!; \
        while [ ! -S new/deep/s ]; do sleep 0.01; done; \
        stat -c '%a %n' new new/deep new/deep/s; \
        tenon call add '[1,2]' --socket new/deep/s; kill $server; wait $server";
    let outcome = shell.run_unnoted(line).await;
    assert_eq!(outcome.stdout, "700 new\n700 new/deep\n600 new/deep/s\n3\n");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// A name without a slash is in the user's own folder. Clients look in /tmp as well, where the
/// servers of ipc-jsonrpc are.
#[tokio::test]
async fn names_in_the_folder_of_the_user() {
    let shell = Shell::new();
    let name = format!("tenon-test-own-{}", std::process::id());
    for (option, folder) in [("", "$PWD/run"), ("--tmp", "/tmp")] {
        let line = format!(
            "mkdir -m 700 -p run; export XDG_RUNTIME_DIR=$PWD/run; \
            tenon serve --socket {name} {option} -- tenon echo & server=$!; \
            while [ ! -S {folder}/{name}.sock ]; do sleep 0.01; done; \
            for socket in {name} {name}.sock {folder}/{name}.sock; do \
                tenon call add '[1,2]' --socket $socket; done; \
            kill $server; wait $server; echo $?; ls run; tenon call add --socket {name}"
        );
        let outcome = shell.run_unnoted(&line).await;
        assert_eq!(outcome.stdout, "3\n3\n3\n0\n", "{}", outcome.stderr);
        let folder = folder.replace("$PWD", "[folder]");
        let listening = format!("listening on {folder}/{name}.sock for tenon echo\n");
        assert!(outcome.stderr.starts_with(&listening), "{}", outcome.stderr);
        let missing = format!(
            "error: [folder]/run/{name}.sock: there is no such socket, nor /tmp/{name}.sock; \
             is the server running?\n"
        );
        assert!(outcome.stderr.ends_with(&missing), "{}", outcome.stderr);
    }
}

/// A folder that others have access to is not used, by servers or by clients.
#[tokio::test]
async fn folders_that_others_can_write_to_are_refused() {
    let shell = Shell::new();
    let line = "mkdir -m 755 run; mkdir -m 777 open; export XDG_RUNTIME_DIR=$PWD/run; \
        chmod 777 open; for socket in name open/s; do \
            tenon serve --socket $socket -- tenon echo; echo $?; \
            tenon call add '[1,2]' --socket $socket; echo $?; done";
    let outcome = shell.run_unnoted(line).await;
    assert_eq!(outcome.stdout, "3\n3\n3\n3\n", "{}", outcome.stderr);
    let runtime = "[folder]/run: XDG_RUNTIME_DIR is not used: others have access to it (mode 755)";
    let open = "open/s: all users can replace files in the folder open; make it private: \
        chmod go-w open";
    for problem in [runtime, open] {
        assert_eq!(
            outcome.stderr.matches(problem).count(),
            2,
            "{}",
            outcome.stderr
        );
    }
}

/// Without a folder of the user's own, a name is in /tmp.
#[tokio::test]
async fn names() {
    let shell = Shell::new();
    let name = format!("tenon-test-{}", std::process::id());
    let line = format!(
        "tenon serve --socket {name} -- tenon echo & server=$!; \
        while [ ! -S /tmp/{name}.sock ]; do sleep 0.01; done; \
        for socket in {name} {name}.sock /tmp/{name}.sock; do \
            tenon call add '[1,2]' --socket $socket; done; \
        kill $server; wait $server; echo $?; ls /tmp/{name}.sock"
    );
    let outcome = shell.run_unnoted(&line).await;
    assert_eq!(outcome.stdout, "3\n3\n3\n0\n");
    let listening = format!("listening on /tmp/{name}.sock for tenon echo\n");
    assert!(outcome.stderr.starts_with(&listening), "{}", outcome.stderr);
    assert_eq!(outcome.code, Some(2), "ls finds nothing any more");
}

#[tokio::test]
async fn the_socket_of_a_dead_server_is_replaced() {
    let shell = Shell::new();
    // A listener of the standard library leaves its file behind.
    drop(UnixListener::bind(shell.path("s")).expect("a socket"));
    let serving = Serving::start_in(shell, "-- tenon echo").await;
    assert_eq!(
        serving.wire().answer(json!(1), "add", json!([1, 2]))["result"],
        3
    );
    serving.stop().await;
}

/// Nothing is taken from anybody: neither a socket that is in use nor a file of another kind.
#[tokio::test]
async fn what_cannot_be_listened_on() {
    let mut serving = Serving::start("-- tenon echo").await;
    let shell = &mut serving.shell;
    shell.file("plain", "precious");
    std::fs::create_dir(shell.path("folder")).expect("a folder");
    std::os::unix::fs::symlink("nowhere", shell.path("link")).expect("a link");
    let plugin = "-- sh -c 'echo started >&2; exec tenon echo'";
    for socket in [
        "./s",
        "./plain",
        "./folder",
        "./link",
        "plain/s",
        "/proc/tenon/s",
    ] {
        let line = format!("tenon serve --socket {socket} {plugin}");
        let outcome = shell.run(&line).await;
        assert_eq!(outcome.code, Some(3), "{socket}");
        assert!(!outcome.stderr.contains("started"), "{socket}");
    }
    let long = format!("./{}", "x".repeat(120));
    shell
        .run(&format!("tenon serve --socket {long} {plugin}"))
        .await;
    assert_snapshot!(shell.transcript());
    let precious = std::fs::read_to_string(shell.path("plain")).expect("a file");
    assert_eq!(precious, "precious");
    assert!(shell.path("folder").is_dir());
    assert_eq!(
        serving.wire().answer(json!(1), "add", json!([1, 2]))["result"],
        3
    );
    serving.stop().await;
}

/// A server whose socket was replaced does not remove the new one when it ends.
#[tokio::test]
async fn the_socket_of_a_successor_stays() {
    let first = Serving::start("-- tenon echo").await;
    let socket = first.socket();
    std::fs::remove_file(&socket).expect("its socket");
    let _successor = UnixListener::bind(&socket).expect("another socket");
    first.program.signal(Signal::TERM);
    let stopped = first.ended().await;
    assert_eq!(stopped.code, Some(0));
    assert!(socket.exists());
}

/// Of several that start at once, one listens, and the others say why they do not.
#[tokio::test]
async fn one_of_several_servers_gets_the_socket() {
    let shell = Shell::new();
    let serve = "tenon serve --socket ./s -- tenon echo";
    let mut programs: Vec<Program> = (0..6).map(|_| Program::start(&shell, serve)).collect();
    eventually("one that is left", || {
        let over = programs
            .iter_mut()
            .filter_map(|program| program.has_ended().then_some(()));
        over.count() == 5
    })
    .await;
    let mut wins = 0;
    for mut program in programs {
        let is_winner = !program.has_ended();
        if is_winner {
            program.stderr.line_with("listening").await;
            let outcome = shell
                .run_unnoted("tenon call add '[1,2]' --socket ./s")
                .await;
            assert_eq!(outcome.stdout, "3\n", "{}", outcome.stderr);
            program.signal(Signal::TERM);
            wins += 1;
        }
        let ended = program.ended().await;
        let lost = ended
            .stderr
            .contains("s: another server listens there already");
        assert_eq!(
            (is_winner, ended.code),
            (!lost, Some(if lost { 3 } else { 0 }))
        );
    }
    assert_eq!(wins, 1);
}

#[tokio::test]
async fn a_line_break_in_a_name_is_escaped() {
    let shell = Shell::new();
    for command in [
        "tenon call add --socket \"./$(printf 'a\\nb')\"",
        "tenon serve --socket \"./no/$(printf 'a\\nb')/$(printf 'x%.0s' $(seq 120))\" -- tenon echo",
    ] {
        let outcome = shell.run_unnoted(command).await;
        assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(r"a\nb"), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    }
}
