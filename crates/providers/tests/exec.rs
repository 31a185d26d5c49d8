//! The provider `exec`, with real programs.

mod support;

use serde_json::{Value, json};
use support::{Host, assert_says, watched};

async fn host(config: Value) -> Host {
    Host::start("exec", config).await.unwrap()
}

#[tokio::test]
async fn a_program_gets_what_it_was_given() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("below")).unwrap();
        let dir = folder.path().canonicalize().unwrap();
        let host = host(json!({ "dir": dir, "env": { "A": "1", "B": "1" } })).await;
        let attrs = json!({
            "command": "sh",
            "args": ["-c", "pwd; echo $A $B \"$1\"; cat; echo oh >&2", "sh", "$(id); 'x'"],
            "dir": "below",
            "env": { "B": "2" },
            "stdin": "from stdin",
        });
        let outputs = host.run("exec_run", attrs).await.unwrap();
        let folder = dir.join("below");
        let expected = format!("{}\n1 2 $(id); 'x'\nfrom stdin", folder.display());
        assert_eq!(
            outputs,
            json!({
                "stdout": expected, "stdout_base64": null,
                "stderr": "oh\n", "stderr_base64": null,
                "exit_code": 0,
            })
        );
        host.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_command_is_not_run_by_a_shell() {
    watched(async {
        let host = host(json!({})).await;
        let (code, message) = host.fail("exec_run", json!({ "command": "echo hi" })).await;
        assert_eq!(code, "execute_failed");
        assert_says(&message, &["'echo hi' could not be started"]);
        let attrs = json!({ "command": "sh", "dir": "/no/such/folder" });
        let (code, message) = host.fail("exec_run", attrs).await;
        assert_eq!(code, "validation_failed");
        assert_says(&message, &["dir", "/no/such/folder"]);
    })
    .await;
}

#[tokio::test]
async fn a_path_is_relative_to_the_folder() {
    watched(async {
        use std::os::unix::fs::OpenOptionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o700);
        let mut file = file.open(folder.path().join("program")).unwrap();
        std::io::Write::write_all(&mut file, b"#!/bin/sh\necho it ran\n").unwrap();
        drop(file);
        let host = host(json!({ "dir": folder.path() })).await;
        let outputs = host
            .run("exec_run", json!({ "command": "./program" }))
            .await;
        assert_eq!(outputs.unwrap()["stdout"], "it ran\n");
    })
    .await;
}

#[tokio::test]
async fn a_failure_shows_the_beginning_of_stderr_but_no_arguments() {
    watched(async {
        let host = host(json!({})).await;
        let script = "printf %0399d 0 >&2; printf 'üü' >&2; exit 3";
        let attrs = json!({ "command": "sh", "args": ["-c", script, "s3cret"] });
        let (code, message) = host.fail("exec_run", attrs).await;
        assert_eq!(code, "execute_failed");
        let shown = "0".repeat(399);
        assert_eq!(
            message,
            format!("sh ended with exit status: 3\n  stderr: {shown}…")
        );
    })
    .await;
}

#[tokio::test]
async fn a_failure_may_be_allowed() {
    watched(async {
        let host = host(json!({})).await;
        for (script, exit_code) in [("exit 3", 3), ("kill -KILL $$", 137)] {
            let attrs = json!({ "command": "sh", "args": ["-c", script], "allow_failure": true });
            let outputs = host.run("exec_run", attrs).await.unwrap();
            assert_eq!(outputs["exit_code"], exit_code);
        }
    })
    .await;
}

#[tokio::test]
async fn what_takes_too_long_is_killed() {
    watched(async {
        let host = host(json!({})).await;
        let attrs = json!({ "command": "sleep", "args": ["1000"], "timeout_seconds": 0.2 });
        let (code, message) = host.fail("exec_run", attrs).await;
        assert_eq!(code, "outcome_unknown");
        assert_says(&message, &["sleep was killed", "200ms"]);
        let attrs = json!({ "command": "sleep", "timeout_seconds": -1 });
        let (code, message) = host.fail("exec_run", attrs).await;
        assert_eq!(code, "validation_failed");
        assert_says(&message, &["timeout_seconds"]);
    })
    .await;
}

/// It may have done anything until then.
#[tokio::test]
async fn the_outcome_of_a_program_that_was_killed_is_unknown() {
    watched(async {
        let host = host(json!({})).await;
        for script in ["kill -KILL $$", "head -c 5000000 /dev/zero"] {
            let attrs = json!({ "command": "sh", "args": ["-c", script] });
            let (code, message) = host.fail("exec_run", attrs).await;
            assert_eq!(code, "outcome_unknown", "{script}: {message}");
        }
        // A shell says with its exit code that its child was killed, and that is its own answer.
        let attrs = json!({ "command": "sh", "args": ["-c", "sh -c 'kill -KILL $$'; exit $?"] });
        let (code, message) = host.fail("exec_run", attrs).await;
        assert_eq!(code, "execute_failed", "{message}");
    })
    .await;
}

#[tokio::test]
async fn what_is_not_utf8_comes_in_base64() {
    watched(async {
        let host = host(json!({})).await;
        let attrs = json!({ "command": "printf", "args": ["\\000\\377"] });
        let outputs = host.run("exec_run", attrs).await.unwrap();
        assert_eq!(outputs["stdout"], Value::Null);
        assert_eq!(outputs["stdout_base64"], "AP8=");
        // As text they would be a frame that ends the connection.
        let attrs = json!({ "command": "head", "args": ["-c", "4000000", "/dev/zero"] });
        let outputs = host.run("exec_run", attrs).await.unwrap();
        assert_eq!(outputs["stdout"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn several_run_in_parallel() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let host = host(json!({ "dir": folder.path() })).await;
        // Each waits for the file that the other creates.
        let wait_for = |own: &str, other: &str| {
            let script = format!("touch {own}; until [ -e {other} ]; do sleep 0.01; done");
            host.run(
                "exec_run",
                json!({ "command": "sh", "args": ["-c", script] }),
            )
        };
        let (one, other) = tokio::join!(wait_for("a", "b"), wait_for("b", "a"));
        assert!(one.is_ok() && other.is_ok());
    })
    .await;
}
