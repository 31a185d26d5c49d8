//! Plugins that use up more than they may.

#![cfg(unix)]

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use support::{ANSWER, Script, no_cgroup_is_left, watched};
use tenon_host::{
    Capture, CaptureError, Captured, Grant, Limits, Permission, Permissions, PluginCommand,
};

const MIB: u64 = 1024 * 1024;

fn memory(mebibytes: u64) -> Limits {
    Limits {
        memory: Some(mebibytes * MIB),
        ..Limits::default()
    }
}

fn processes(count: u32) -> Limits {
    Limits {
        processes: Some(count),
        ..Limits::default()
    }
}

fn script(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/limits");
    folder.join(name)
}

async fn run(command: &PluginCommand) -> Result<Captured, CaptureError> {
    let capture = Capture {
        time_limit: Some(Duration::from_secs(50)),
        ..Capture::default()
    };
    capture.run(command).await
}

fn said(captured: &Captured) -> String {
    let stdout = String::from_utf8_lossy(&captured.stdout);
    format!("{stdout}{}", String::from_utf8_lossy(&captured.stderr))
}

#[tokio::test]
async fn memory_is_limited() {
    watched(async {
        let allocate = |size: &str, how: &str| {
            let command = PluginCommand::new("python3").arg(script("allocate.py"));
            command.args([size, how])
        };
        for (size, how, limits, is_enough) in [
            ("600", "whole", Limits::default(), true),
            ("64", "parts", memory(256), true),
            ("64", "whole", memory(256), true),
            ("600", "parts", memory(256), false),
            ("2000", "whole", memory(256), false),
        ] {
            for permissions in [None, Some(Permissions::none())] {
                let mut command = allocate(size, how).limits(limits);
                let is_confined = permissions.is_some();
                if let Some(permissions) = permissions {
                    command = command.permissions(permissions);
                }
                let captured = match run(&command).await {
                    // This kernel has no sandbox.
                    Err(error) if is_confined && error.to_string().contains("Landlock") => continue,
                    captured => captured.unwrap(),
                };
                let said = said(&captured);
                assert_eq!(
                    captured.status.success(),
                    is_enough,
                    "{size} {how} {is_confined}: {said}"
                );
            }
        }
        no_cgroup_is_left().await;
    })
    .await;
}

#[tokio::test]
async fn an_error_says_that_memory_was_limited() {
    watched(async {
        let python = script("allocate.py").display().to_string();
        let mut limited = Script::new(&format!("{ANSWER}; exec python3 {python} 600 parts"));
        limited.command = limited.command.limits(memory(256));
        let mut plugin = limited.start().await.unwrap();
        assert!(!plugin.exited().await.success());
        let closed = tenon_rpc::CallError::Closed(tenon_rpc::CloseReason::PeerClosed);
        let error = plugin.explain(closed).await;
        let hints = [
            "hint: it reached its memory limit of 256 MiB",
            "hint: its memory is limited to 256 MiB; raise the limit if it needs more",
        ];
        let message = error.to_string();
        let expected = hints[usize::from(!error.memory_limit.as_ref().unwrap().was_reached)];
        assert!(message.contains(expected), "{message}");
    })
    .await;
}

#[tokio::test]
async fn processes_are_limited_or_the_plugin_is_not_started() {
    watched(async {
        let fork = PluginCommand::new("python3").arg(script("fork.py"));
        let unlimited = run(&fork).await.unwrap();
        assert_eq!(said(&unlimited), "100\n");
        let mut confined = fork
            .clone()
            .permissions(Permissions::none().allow(Permission::Run, Grant::All));
        for command in [&fork, &confined] {
            match run(&command.clone().limits(processes(20))).await {
                // It is one of the twenty itself.
                Ok(captured) => assert_eq!(said(&captured), "19\n"),
                Err(error) if error.to_string().contains("Landlock") => {}
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        message.contains("needs a cgroup with the pids"),
                        "{message}"
                    );
                }
            }
        }
        // No process is left, neither of those that were started nor of their groups.
        confined = confined.limits(Limits {
            memory: Some(256 * MIB),
            processes: Some(20),
        });
        let _ran_or_refused = run(&confined).await;
        no_cgroup_is_left().await;
    })
    .await;
}

/// Groups that a plugin has made inside its own are removed with it.
#[tokio::test]
async fn groups_inside_the_group_are_removed() {
    watched(async {
        let script = "own=$(grep -o '/.*tenon-[^/]*$' /proc/self/cgroup | head -n 1); \
                      [ -n \"$own\" ] || exit 0; \
                      for mount in /sys/fs/cgroup /sys/fs/cgroup/*; do \
                      if [ -d \"$mount$own\" ]; then mkdir -p \"$mount$own/inner/most\"; fi; done";
        let command = PluginCommand::new("sh").args(["-c", script]);
        let captured = run(&command.limits(memory(512))).await.unwrap();
        assert!(captured.status.success(), "{}", said(&captured));
        no_cgroup_is_left().await;
    })
    .await;
}

#[tokio::test]
async fn a_confined_plugin_cannot_lift_its_limits() {
    watched(async {
        let command = PluginCommand::new("python3")
            .arg(script("lift.py"))
            .limits(memory(512))
            .permissions(Permissions::none().allow(Permission::Read, Grant::All));
        match run(&command).await {
            Ok(captured) => assert_eq!(said(&captured), "tried\n"),
            Err(error) => assert!(error.to_string().contains("Landlock"), "{error}"),
        }
    })
    .await;
}
