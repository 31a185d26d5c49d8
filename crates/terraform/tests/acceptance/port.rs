//! Terraform and the provider over TCP, as on Windows.

use std::fs;

use crate::file::file;
use crate::trial::trial;

#[test]
fn a_resource_lives_its_life_over_tcp() {
    trial(&[], |workspace| {
        workspace.set("TENON_PROVIDER_NETWORK", "tcp");
        workspace.set("TF_LOG_PROVIDER", "debug");
        workspace.set("TF_LOG_PATH", workspace.path("log"));
        workspace.configure(&file("file.py", "./a.txt", "one"));
        workspace.apply();
        assert_eq!(workspace.read("a.txt"), "one");
        let log = workspace.read("log");
        assert!(log.contains("network=tcp"), "{log}");
        assert!(log.contains("address=127.0.0.1:"), "{log}");
        assert!(!log.contains("network=unix"), "{log}");
        workspace.assert_nothing_to_do();
        workspace.configure(&file("file.py", "./a.txt", "two"));
        workspace.apply();
        assert_eq!(workspace.read("a.txt"), "two");
        workspace.destroy();
        assert!(!workspace.has("a.txt"));
    });
}

/// Without certificates every user of the machine could use the provider.
#[test]
fn a_terraform_without_certificates_is_refused_over_tcp() {
    trial(&[], |workspace| {
        workspace.set("TENON_PROVIDER_NETWORK", "tcp");
        workspace.set("TF_DISABLE_PLUGIN_TLS", "1");
        workspace.configure(&file("file.py", "./a.txt", "one"));
        workspace.apply_fails().says("TF_DISABLE_PLUGIN_TLS");
        assert!(!workspace.has("a.txt"));
        workspace.set("TENON_PROVIDER_NETWORK", "unix");
        workspace.apply();
        assert_eq!(fs::read(workspace.path("a.txt")).unwrap(), b"one");
        workspace.destroy();
    });
}
