//! Calls that go well, and error answers.

use std::io::Write;

use insta::assert_snapshot;

use crate::support::shell::Shell;

#[tokio::test]
async fn every_dialect() {
    let mut shell = Shell::new();
    for dialect in ["json-rpc", "json-rpc-headers", "msgpack-rpc", "orchard"] {
        let calls = [
            "echo '{\"b\":[1,-2.50,null,\"é\"],\"a\":{}}'",
            "add '[1,2]'",
            "echo",
            "fail '{\"code\":7,\"message\":\"as asked\",\"data\":{\"why\":[1]}}'",
            "nope",
            "add '{\"a\":1}'",
            "panic",
        ];
        for call in calls {
            let line = format!("tenon call {call} --dialect {dialect} -- tenon echo");
            shell.run(&line).await;
        }
    }
    assert_snapshot!(shell.transcript());
}

/// A plugin that detects the dialect answers in every one.
#[tokio::test]
async fn every_dialect_if_the_plugin_gets_it_as_an_option() {
    let shell = Shell::new();
    for dialect in ["json-rpc", "json-rpc-headers", "msgpack-rpc", "orchard"] {
        let line =
            format!("tenon call add '[1,2]' --dialect {dialect} -- tenon echo --dialect {dialect}");
        let outcome = shell.run_unnoted(&line).await;
        assert_eq!((outcome.stdout.as_str(), outcome.code), ("3\n", Some(0)));
    }
}

#[tokio::test]
async fn every_protocol() {
    let mut shell = Shell::new();
    // A language server gets the id of our process, which is never the same.
    for protocol in ["denobridge", "ipc", "acp", "mcp", "seasonings", "orchard"] {
        let line = format!("tenon call add '[1,2]' --protocol {protocol} --trace -- tenon echo");
        shell.run(&line).await;
    }
    assert_snapshot!(shell.transcript());
}

/// Text that a script prints without ending the line, before one answer and after the other.
#[tokio::test]
async fn text_around_an_answer_is_skipped() {
    let shell = Shell::new();
    shell.program(
        "prints",
        r#"#!/bin/sh
read -r health
printf 'Loading {plugins} ...%s\n' '{"jsonrpc":"2.0","id":1,"result":{"ok":true}}'
read -r call
printf '%s done\n' '{"jsonrpc":"2.0","id":2,"result":5}'
while read -r line; do :; done
"#,
    );
    let line = "tenon call echo --protocol denobridge -- ./prints";
    let outcome = shell.run_unnoted(line).await;
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("5\n", Some(0)));
}

#[tokio::test]
async fn params_from_everywhere() {
    let mut shell = Shell::new();
    shell.file("params.json", "[\n  20,\n  22\n]\n");
    shell.run("tenon call add @params.json -- tenon echo").await;
    shell
        .run("echo '[3, 4]' | tenon call add - -- tenon echo")
        .await;
    shell.run("tenon call echo -5 -- tenon echo").await;
    shell.run("tenon call echo '\"text\"' -- tenon echo").await;
    // Single values go in an array where the dialect has no other params.
    shell
        .run("tenon call echo '\"text\"' --dialect msgpack-rpc -- tenon echo")
        .await;
    let exact = "'[18446744073709551615,123456789012345678901234567890,1.10,1e400]'";
    shell
        .run(&format!("tenon call echo {exact} -- tenon echo"))
        .await;
    let spelled =
        "'[{\"$binary\":\"aGk=\"},{\"$ext\":[5,\"aGk=\"]},{\"$unknown\":true},{\"$map\":[[1,2]]}]'";
    shell
        .run(&format!(
            "tenon call echo {spelled} --dialect msgpack-rpc -- tenon echo"
        ))
        .await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn what_the_plugin_sends_by_itself() {
    let mut shell = Shell::new();
    shell
        .run("tenon call emit '{\"count\":2}' -- tenon echo")
        .await;
    shell
        .run("tenon call emit '{\"count\":2}' --json -- tenon echo")
        .await;
    let asks = "'{\"method\":\"who\",\"params\":[1]}'";
    shell
        .run(&format!("tenon call call_back {asks} -- tenon echo"))
        .await;
    shell
        .run(&format!("tenon call call_back {asks} --json -- tenon echo"))
        .await;
    shell
        .run("tenon call call_back '{\"method\":\"who\"}' --dialect msgpack-rpc -- tenon echo")
        .await;
    // What a terminal would take for commands is shown, not obeyed.
    shell.file(
        "paints",
        "read -r request; echo '{\"jsonrpc\":\"2.0\",\"method\":\"\\u001b[31mred\"}'; \
         echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\\u001b[2J\"}}'",
    );
    shell.run("tenon call paint --watch -- sh paints").await;
    shell.run("tenon call paint -- sh paints").await;
    assert_snapshot!(shell.transcript());
}

/// `head` ends after one line, and so does the command, whether more events come or not.
#[tokio::test]
async fn a_watch_ends_with_its_reader() {
    let shell = Shell::new();
    for count in [1, 1000] {
        let line = format!(
            "{{ tenon call emit '{{\"count\":{count}}}' --json --watch -- tenon echo; echo $? > code; }} \
             | head -n 1; until [ -s code ]; do sleep 0.01; done; cat code; rm code"
        );
        let outcome = shell.run_unnoted(&line).await;
        let lines: Vec<&str> = outcome.stdout.lines().collect();
        assert_eq!(lines.len(), 2, "{}", outcome.stdout);
        assert!(lines[0].contains("tick"), "{}", lines[0]);
        assert_eq!(lines[1], "0", "{}", outcome.stderr);
    }
}

#[tokio::test]
async fn everything_as_json() {
    let mut shell = Shell::new();
    shell
        .run("tenon call add '[1,2]' --json -- tenon echo")
        .await;
    shell.run("tenon call nope --json -- tenon echo").await;
    shell
        .run("tenon call fail '{\"code\":7,\"message\":\"no\",\"data\":[1]}' --json --dialect orchard -- tenon echo")
        .await;
    shell
        .run("tenon call exit '{\"code\":3}' --json -- tenon echo")
        .await;
    shell
        .run("tenon call sleep '{\"ms\":9000}' --json --timeout 50ms -- tenon echo")
        .await;
    shell
        .run("tenon call tick '{\"number\":0}' --event --json -- tenon echo")
        .await;
    shell.run("tenon call echo --json -- ./missing").await;
    shell.run("tenon call echo '{' --json -- tenon echo").await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn the_data_of_an_error_keeps_its_digits() {
    let shell = Shell::new();
    let error = r#"{"code":7,"data":[123456789012345678901234567890.5],"message":"no"}"#;
    let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#);
    shell.program(
        "server",
        &format!("#!/bin/sh\nread line\necho '{answer}'\n"),
    );
    let line = "tenon call x --json --dialect json-rpc -- ./server";
    let outcome = shell.run_unnoted(line).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(
        outcome.stdout,
        format!("{{\"method\":\"x\",\"error\":{error}}}\n")
    );
}

/// On a terminal results are laid out for reading. `script` gives the command one.
#[tokio::test]
async fn results_on_a_terminal() {
    let shell = Shell::new();
    if shell.run_unnoted("command -v script").await.code != Some(0) {
        let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(!is_ci, "needs the program script under CI=true");
        // Not the print macros: what they print in a test that passes is never seen.
        let skipped = "skipped: results_on_a_terminal: there is no script on PATH";
        let _nobody_reads = writeln!(std::io::stderr(), "{skipped}");
        return;
    }
    shell.program(
        "run",
        "#!/bin/sh\nexec tenon call echo '{\"a\":[1]}' -- tenon echo\n",
    );
    let outcome = shell.run_unnoted("script -qec ./run /dev/null").await;
    assert_eq!(
        outcome.stdout.replace('\r', ""),
        "{\n  \"a\": [\n    1\n  ]\n}\n"
    );
}
