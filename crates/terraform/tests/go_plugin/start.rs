//! The handshake line, the socket, and errors at the start.

use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::Signal;

use crate::client::Client;
use crate::started::{COOKIE, PROVIDER, Started, WATCHDOG};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

/// Its output: on stderr for the log, and on stdout, which Terraform shows.
async fn fails(variables: &[(&str, &str)]) -> String {
    let provider = Started::by_terraform(variables);
    let ended = provider.end_and_leave_nothing().await;
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(ended.stderr.len(), 1, "{ended:?}");
    let error = ended.stderr.concat();
    assert_eq!(ended.stdout, [error.replace('|', "/")]);
    error
}

#[tokio::test]
async fn one_line_says_where_it_listens() {
    let provider = Started::by_terraform(&[]);
    let line = provider.line();
    let fields: Vec<_> = line.split('|').collect();
    let [core, protocol, network, address, kind, certificate] = fields[..] else {
        panic!("{line}");
    };
    assert_eq!((core, protocol, network, kind), ("1", "6", "unix", "grpc"));
    assert_eq!(certificate, "");
    let socket = Path::new(address);
    assert!(socket.metadata().unwrap().file_type().is_socket());
    assert_eq!(mode(socket), 0o600);
    let folder = socket.parent().unwrap();
    assert_eq!(mode(folder), 0o700);
    assert_eq!(folder.parent(), Some(provider.temporary()));
    provider.send(Signal::TERM);
    assert_eq!(provider.end_and_leave_nothing().await.stdout, [""; 0]);
}

#[test]
fn an_old_client_names_no_versions() {
    let provider = Started::new(&[PROVIDER], &[COOKIE]);
    assert!(provider.line().starts_with("1|6|unix|"));
}

#[test]
fn multiplexing_is_refused() {
    let provider = Started::by_terraform(&[("PLUGIN_MULTIPLEX_GRPC", "true")]);
    let line = provider.line();
    assert_eq!(line.split('|').nth(6), Some("false"), "{line}");
}

#[tokio::test]
async fn the_socket_can_be_elsewhere_and_for_a_group() {
    let folder = tempfile::tempdir().unwrap();
    let group = folder.path().metadata().unwrap().gid();
    let provider = Started::by_terraform(&[
        ("PLUGIN_UNIX_SOCKET_DIR", folder.path().to_str().unwrap()),
        ("PLUGIN_UNIX_SOCKET_GROUP", &group.to_string()),
    ]);
    let address = provider.address();
    let socket = Path::new(&address);
    assert_eq!(socket.parent(), Some(folder.path()));
    assert_eq!(mode(socket), 0o660);
    assert_eq!(socket.metadata().unwrap().gid(), group);
    Client::plain(&address)
        .await
        .health("plugin")
        .await
        .unwrap();
    provider.send(Signal::TERM);
    provider.end_and_leave_nothing().await;
    assert!(!socket.exists());
    assert!(folder.path().exists(), "it is not ours");
}

#[test]
fn a_group_reaches_the_socket_in_a_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let group = folder.path().metadata().unwrap().gid();
    let provider = Started::by_terraform(&[("PLUGIN_UNIX_SOCKET_GROUP", &group.to_string())]);
    let address = provider.address();
    assert_eq!(mode(Path::new(&address)), 0o660);
    assert_eq!(mode(Path::new(&address).parent().unwrap()), 0o710);
}

#[tokio::test]
async fn an_unknown_group_is_named() {
    let error = fails(&[("PLUGIN_UNIX_SOCKET_GROUP", "no such group")]).await;
    assert!(error.contains("\"no such group\""), "{error}");
    assert!(error.contains("PLUGIN_UNIX_SOCKET_GROUP"), "{error}");
}

#[tokio::test]
async fn versions_without_ours_are_named() {
    let error = fails(&[("PLUGIN_PROTOCOL_VERSIONS", "4,5")]).await;
    assert!(error.contains("\"4,5\""), "{error}");
    assert!(error.contains("version 6"), "{error}");
}

#[tokio::test]
async fn a_bad_certificate_is_an_error_and_not_served_plain() {
    for bad in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA"] {
        let error = fails(&[("PLUGIN_CLIENT_CERT", bad)]).await;
        assert!(error.contains("PLUGIN_CLIENT_CERT"), "{error}");
    }
}

#[tokio::test]
async fn a_path_that_is_too_long_names_the_variable() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a".repeat(100));
    std::fs::create_dir(&folder).unwrap();
    let error = fails(&[("TMPDIR", folder.to_str().unwrap())]).await;
    assert!(error.contains("107"), "{error}");
    assert!(error.contains("set TMPDIR"), "{error}");
    assert!(folder.read_dir().unwrap().next().is_none());
    let error = fails(&[("PLUGIN_UNIX_SOCKET_DIR", folder.to_str().unwrap())]).await;
    assert!(error.contains("set PLUGIN_UNIX_SOCKET_DIR"), "{error}");
}

#[tokio::test]
async fn a_path_that_would_break_the_line_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a|b");
    std::fs::create_dir(&folder).unwrap();
    let error = fails(&[("TMPDIR", folder.to_str().unwrap())]).await;
    assert!(error.contains("a|b"), "{error}");
    assert!(folder.read_dir().unwrap().next().is_none());
}

#[tokio::test]
async fn started_by_hand_it_says_what_it_is() {
    let ended = Started::new(&[PROVIDER], &[]).end_and_leave_nothing().await;
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(ended.stdout, [""; 0]);
    let text = ended.stderr.join("\n");
    for needle in [
        "provider \"denobridge\"",
        "tenon provider install",
        "--debug",
        "--help",
    ] {
        assert!(text.contains(needle), "{needle}: {text}");
    }
}

#[tokio::test]
async fn help_and_version_go_to_stdout() {
    let ended = Started::new(&[PROVIDER, "--help"], &[]).end().await;
    assert_eq!(ended.status.code(), Some(0));
    assert!(ended.stdout.join("\n").contains("TF_REATTACH_PROVIDERS"));
    let ended = Started::new(&[PROVIDER, "--version"], &[]).end().await;
    assert_eq!(ended.status.code(), Some(0));
    // First the version that `terraform init` shows.
    let tenon = env!("CARGO_PKG_VERSION");
    let version = format!("terraform-provider-denobridge 0.4.1 (Tenon {tenon})");
    assert_eq!(ended.stdout, [version]);
}

#[tokio::test]
async fn an_unknown_argument_is_wrong_usage() {
    let ended = Started::new(&[PROVIDER, "--port"], &[]).end().await;
    assert_eq!(ended.status.code(), Some(2));
    let text = ended.stderr.concat();
    assert!(
        text.contains("\"--port\"") && text.contains("--help"),
        "{text}"
    );
}

/// If it cannot open enough files, it reports that, whatever the limit is, and does not panic.
#[tokio::test]
async fn with_few_open_files_it_fails_but_does_not_panic() {
    let mut explained = 0;
    for limit in 3..40 {
        let script = format!("ulimit -n {limit}; exec {PROVIDER}");
        let versions = ("PLUGIN_PROTOCOL_VERSIONS", "5,6");
        let provider = Started::new(&["sh", "-c", &script], &[versions, COOKIE]);
        let line = provider.first_line().unwrap_or_default();
        if line.starts_with("1|6|") {
            provider.send(Signal::TERM);
        }
        let ended = provider.end().await;
        let stderr = ended.stderr.join("\n");
        assert!(!stderr.contains("panicked"), "{limit}: {stderr}");
        assert_ne!(ended.status.code(), Some(101), "{limit}: {stderr}");
        if stderr.contains("raise the limit with `ulimit -n") {
            explained += 1;
            assert_eq!(ended.status.code(), Some(1), "{limit}: {stderr}");
            assert!(line.contains("raise the limit"), "{limit}: {line}");
        }
    }
    assert!(explained > 0);
}

/// A provider that is killed cannot remove its socket. The next one does.
#[tokio::test]
async fn what_a_killed_provider_left_is_removed_by_the_next() {
    let shared = tempfile::tempdir().unwrap();
    let variables = [("TMPDIR", shared.path().to_str().unwrap())];
    let killed = Started::by_terraform(&variables);
    let address = killed.address();
    let folder = Path::new(&address).parent().unwrap();
    killed.send(Signal::KILL);
    killed.end().await;
    assert!(folder.exists());
    // Recent folders are kept: their provider may not listen yet.
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let opened = std::fs::File::open(folder).unwrap();
    opened.set_modified(hour_ago).unwrap();
    let next = Started::by_terraform(&variables);
    let living = next.address();
    let begun = Instant::now();
    while folder.exists() {
        assert!(begun.elapsed() < WATCHDOG, "{} stays", folder.display());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(Path::new(&living).exists());
    next.send(Signal::TERM);
    next.end().await;
}
