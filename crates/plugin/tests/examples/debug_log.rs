//! What `TENON_DEBUG` writes.

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::program::{in_time, rust, start_with};

/// Asks the weather plugin about a station, whose key is a secret. Returns stdout and stderr.
async fn ask(debug: &str) -> (String, String) {
    let weather = rust("weather");
    let mut child = start_with(&weather, &[], &[("TENON_DEBUG", debug)]);
    let props = json!({ "name": "roof", "city": "Oslo", "elevation": 1 });
    let plan = json!({
        "id": "roof",
        "planType": "update",
        "nextProps": props,
        "currentProps": props,
        "currentState": { "label": "roof" },
        "currentSensitiveState": { "key": "key-roof" },
    });
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "health" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "modifyPlan", "params": plan }),
    ];
    let mut stdin = child.stdin.take().unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    stdin.write_all(text.as_bytes()).await.unwrap();
    drop(stdin);
    let output = in_time(&weather, child.wait_with_output()).await.unwrap();
    assert!(output.status.success(), "{}", output.status);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

fn check(log: &str, stdout: &str) {
    let lines: Vec<Value> = { log.lines() }
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    // Two calls and their answers.
    assert_eq!(lines.len(), 4, "{log}");
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    assert!(log.contains("modifyPlan"), "{log}");
    assert!(!log.contains("key-roof"), "{log}");
}

#[tokio::test]
async fn one_writes_every_frame_to_stderr_without_secrets() {
    let (stdout, stderr) = ask("1").await;
    check(&stderr, &stdout);
}

#[tokio::test]
async fn a_path_writes_every_frame_to_the_end_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let (stdout, stderr) = ask(file.to_str().unwrap()).await;
    assert_eq!(stderr, "");
    let log = std::fs::read_to_string(&file).unwrap();
    check(&log, &stdout);
    ask(file.to_str().unwrap()).await;
    let longer = std::fs::read_to_string(&file).unwrap();
    assert!(
        longer.starts_with(&log) && longer.lines().count() == 8,
        "{longer}"
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_is_named_and_the_plugin_works() {
    let (stdout, stderr) = ask("/nowhere/log").await;
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    assert!(
        stderr.starts_with("TENON_DEBUG: cannot open /nowhere/log: "),
        "{stderr}"
    );
}
