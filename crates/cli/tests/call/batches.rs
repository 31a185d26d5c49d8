//! `--batch`: several calls in one frame.

use insta::assert_snapshot;

use crate::support::shell::Shell;

const BATCH: &str = r#"[
  {"method": "sleep", "params": {"ms": 50}},
  {"jsonrpc": "2.0", "method": "add", "params": [1, 2]},
  {"event": "tick", "params": {"number": 0}},
  {"method": "nope"},
  {"method": "ticks"}
]"#;

#[tokio::test]
async fn results_come_in_order() {
    let mut shell = Shell::new();
    shell.file("batch.json", BATCH);
    for options in [
        "batch.json",
        "- < batch.json",
        "batch.json --json",
        "batch.json --dialect json-rpc-headers --trace",
        "batch.json --protocol mcp --progress --trace",
    ] {
        let (file, redirection) = match options.split_once(" < ") {
            Some((file, from)) => (file, format!(" < {from}")),
            None => (options, String::new()),
        };
        shell
            .run(&format!(
                "tenon call --batch {file} -- tenon echo{redirection}"
            ))
            .await;
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn what_cannot_be_sent() {
    let mut shell = Shell::new();
    shell.file("batch.json", BATCH);
    shell.file("empty.json", "[]");
    shell.file("ids.json", r#"[{"id":1,"method":"add"}]"#);
    shell.file("call.json", r#"{"method":"add"}"#);
    for options in [
        "batch.json --dialect msgpack-rpc",
        "batch.json --protocol orchard",
        "empty.json",
        "ids.json",
        "call.json",
        "missing.json",
    ] {
        shell
            .run(&format!("tenon call --batch {options} -- tenon echo"))
            .await;
    }
    shell
        .run("tenon call add --batch batch.json -- tenon echo")
        .await;
    assert_snapshot!(shell.transcript());
}

/// A call that is not answered takes nothing from the others.
#[tokio::test]
async fn one_call_without_an_answer() {
    let mut shell = Shell::new();
    shell.file(
        "batch.json",
        r#"[{"method":"never"},{"method":"first"},{"method":"second"},{"method":"never"}]"#,
    );
    shell.file(
        "answers",
        "read -r batch; echo '[{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"2nd\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"1st\"}]'; cat > /dev/null",
    );
    for options in ["", "--json"] {
        shell
            .run(&format!(
                "tenon call --batch batch.json --timeout 500ms {options} -- sh answers"
            ))
            .await;
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn too_many_calls_are_not_sent() {
    let mut shell = Shell::new();
    let calls = "{\"method\":\"a\"},".repeat(1024);
    shell.file("batch.json", &format!("[{calls}{{\"method\":\"a\"}}]"));
    shell
        .run("tenon call --batch batch.json -- touch started; ls started")
        .await;
    assert_snapshot!(shell.transcript());
}

/// A server that knows no batches answers with an error about none of the calls, or not at all.
#[tokio::test]
async fn a_server_without_batches() {
    let mut shell = Shell::new();
    shell.file("batch.json", BATCH);
    shell.file(
        "refuses",
        "read -r batch; echo '{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"no batches\"}}'; cat > /dev/null",
    );
    shell
        .run("tenon call --batch batch.json -- sh refuses")
        .await;
    assert_snapshot!(shell.transcript());
}
