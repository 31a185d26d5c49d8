//! The provider on a TCP port, as on Windows.

use std::net::TcpListener;

use rustix::process::Signal;

use crate::encryption::Identity;
use crate::started::{PROVIDER, Started};

const TCP: (&str, &str) = ("TENON_PROVIDER_NETWORK", "tcp");

/// Starts a provider that must refuse to serve, and returns what it says. Terraform shows the line on stdout.
async fn refusal(variables: &[(&str, &str)]) -> String {
    let ended = { Started::by_terraform(variables) }
        .end_and_leave_nothing()
        .await;
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(ended.stdout, ended.stderr);
    ended.stdout.concat()
}

/// The port in the line of a provider that Terraform started with this range, and nothing on the disk.
async fn port_of(range: &[(&str, &str)]) -> u16 {
    let certificate = Identity::new().certificate.pem();
    let certificate = [("PLUGIN_CLIENT_CERT", certificate.as_str()), TCP];
    let provider = Started::by_terraform(&[&certificate[..], range].concat());
    let line = provider.line();
    let address = { line.strip_prefix("1|6|tcp|127.0.0.1:") }.expect("an address of this machine");
    let (port, rest) = address.split_once('|').unwrap();
    assert!(rest.starts_with("grpc|MII"), "{rest}");
    assert_eq!(provider.temporary().read_dir().unwrap().count(), 0);
    provider.send(Signal::TERM);
    let ended = provider.end_and_leave_nothing().await;
    assert_eq!(ended.status.code(), Some(0));
    port.parse().unwrap()
}

#[tokio::test]
async fn without_a_certificate_nothing_is_served_on_a_port() {
    let said = refusal(&[TCP]).await;
    assert!(said.contains("PLUGIN_CLIENT_CERT"), "{said}");
    assert!(said.contains("TF_DISABLE_PLUGIN_TLS"), "{said}");
}

#[tokio::test]
async fn debugging_is_not_served_on_a_port() {
    let ended = { Started::new(&[PROVIDER, "--debug"], &[TCP]) }
        .end_and_leave_nothing()
        .await;
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(ended.stdout, [""; 0]);
    assert!(ended.stderr.concat().contains("--debug"), "{ended:?}");
}

#[tokio::test]
async fn the_port_is_the_first_free_one_of_those_that_terraform_names() {
    assert_ne!(port_of(&[]).await, 0);
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = held.local_addr().unwrap().port();
    let first = taken.to_string();
    let range = [
        ("PLUGIN_MIN_PORT", first.as_str()),
        ("PLUGIN_MAX_PORT", "65535"),
    ];
    assert!(port_of(&range).await > taken);
}

#[tokio::test]
async fn ports_that_cannot_be_used_are_named() {
    let certificate = Identity::new().certificate.pem();
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = held.local_addr().unwrap().port().to_string();
    for (first, last, needle) in [
        ("http", "25000", "PLUGIN_MIN_PORT is \"http\""),
        ("1", "65536", "PLUGIN_MAX_PORT is \"65536\""),
        ("25000", "10000", "greater than"),
        (&taken, &taken, &taken),
    ] {
        let said = refusal(&[
            ("PLUGIN_CLIENT_CERT", &certificate),
            ("PLUGIN_MIN_PORT", first),
            ("PLUGIN_MAX_PORT", last),
            TCP,
        ])
        .await;
        assert!(said.contains(needle), "{said}");
    }
    let said = refusal(&[("TENON_PROVIDER_NETWORK", "udp")]).await;
    assert!(
        said.contains("\"udp\"") && said.contains("\"tcp\""),
        "{said}"
    );
}
