//! Plugins that do not do their part: what is said, and which exit code it comes to.

use insta::assert_snapshot;

use crate::support::shell::Shell;

#[tokio::test]
async fn plugins_that_cannot_be_started() {
    let mut shell = Shell::new();
    shell.file("plain.py", "print()\n");
    shell.program("no-interpreter", "#!/missing/interpreter\n");
    shell.program("local", "#!/bin/sh\n");
    shell.run("tenon call echo -- ./missing").await;
    shell
        .run("tenon call echo -- tenon-missing --flag 'two words'")
        .await;
    shell.run("tenon call echo -- ./plain.py").await;
    shell.run("tenon call echo -- ./no-interpreter").await;
    shell.run("tenon call echo -- local").await;
    shell.run("tenon call echo -- .").await;
    shell.run("tenon call echo -- ''").await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn plugins_that_end_immediately() {
    let mut shell = Shell::new();
    shell.run("tenon call echo -- true").await;
    shell
        .run("tenon call echo -- sh -c 'echo \"config.toml is missing\" >&2; exit 7'")
        .await;
    shell
        .run("tenon call echo --protocol orchard -- sh -c 'echo \"config.toml is missing\" >&2; exit 7'")
        .await;
    shell.run("tenon call echo -- sh -c 'kill -9 $$'").await;
    shell
        .run("tenon call echo -- sh -c 'seq 1 100 >&2; exit 1'")
        .await;
    shell
        .run("tenon call exit '{\"code\":3}' -- tenon echo")
        .await;
    // Without a word, and without ending.
    shell
        .run("tenon call echo -- sh -c 'exec >&- <&-; sleep 30'")
        .await;
    shell.run("tenon call tick --event -- sh -c 'exit 7'").await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn plugins_that_close_their_stdin() {
    let mut shell = Shell::new();
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":5}"#;
    shell.file("answer", &format!("{answer}\n"));
    // What it has been asked already it can still answer.
    shell
        .run("tenon call echo -- sh -c 'read -r call; exec <&-; cat answer'")
        .await;
    shell
        .run("printf 'echo\\necho\\n' | tenon call --repl -- sh -c 'read -r call; exec <&-; cat answer; exec sleep 30'")
        .await;
    assert_snapshot!(shell.transcript());
}

/// Prints text, then reads on and never answers.
const PRINTS_TEXT: &str = "#!/bin/sh\necho Listening on port 80\nwhile read -r line; do :; done\n";

/// Answers its first call with what is in a file, then reads on and never answers again.
const ANSWERS: &str =
    "#!/bin/sh\nhead -c 1 > /dev/null\ncat \"$1\"\nwhile read -r line; do :; done\n";

/// Text where the stream cannot be trusted any more after it.
#[tokio::test]
async fn plugins_that_print_text() {
    let mut shell = Shell::new();
    shell.program("prints-text", PRINTS_TEXT);
    for how in [
        "--dialect json-rpc-headers",
        "--dialect msgpack-rpc",
        "--protocol seasonings",
        "--protocol orchard",
    ] {
        shell
            .run(&format!("tenon call echo {how} -- ./prints-text"))
            .await;
    }
    // The help of a program that has no idea what is going on, and ends.
    shell
        .run("tenon call echo -- sh -c 'echo \"usage: plugin FILE\"; exit 2'")
        .await;
    // Text and a good answer after it: the answer is what was asked for.
    shell
        .run("tenon call add '[1,2]' -- sh -c 'echo Listening; exec tenon echo'")
        .await;
    assert_snapshot!(shell.transcript());
}

/// Text that is ignored, so that only the limit ends the call.
#[tokio::test]
async fn plugins_that_print_text_and_never_answer() {
    let mut shell = Shell::new();
    shell.program("prints-text", PRINTS_TEXT);
    for dialect in ["json-rpc", "orchard"] {
        let line = format!("tenon call echo --dialect {dialect} --timeout 1s -- ./prints-text");
        shell.run(&line).await;
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn plugins_that_break_the_rules() {
    let mut shell = Shell::new();
    shell.program("answers", ANSWERS);
    for (name, answer) in [
        (
            "both",
            r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}}"#,
        ),
        ("neither", r#"{"jsonrpc":"2.0","id":1}"#),
        ("text", r#"{"jsonrpc":"2.0","id":1,"error":"a text"}"#),
        (
            "no-code",
            r#"{"jsonrpc":"2.0","id":1,"error":{"message":"no code"}}"#,
        ),
        (
            "no-message",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":7}}"#,
        ),
    ] {
        shell.file(name, &format!("{answer}\n"));
        shell
            .run(&format!("tenon call echo -- ./answers {name}"))
            .await;
    }
    shell
        .run("tenon call text '{\"length\":20000000}' -- tenon echo")
        .await;
    assert_snapshot!(shell.transcript());
}

/// Answers with a wrong id. If it is clear which call is meant, it fails without a time limit.
#[tokio::test]
async fn plugins_whose_answers_miss() {
    let mut shell = Shell::new();
    shell.program("answers", ANSWERS);
    for (name, options, answer) in [
        (
            "other-version",
            "",
            r#"{"jsonrpc":"1.0","id":1,"result":1}"#,
        ),
        (
            "other-id",
            "--timeout 1s ",
            r#"{"jsonrpc":"2.0","id":2,"result":1}"#,
        ),
        ("text-id", "", r#"{"jsonrpc":"2.0","id":"1","result":1}"#),
        (
            "no-id",
            "",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        ),
        ("cut", "", r#"{"jsonrpc":"2.0","id":1,"#),
    ] {
        shell.file(name, &format!("{answer}\n"));
        let line = format!("tenon call echo {options}-- ./answers {name}");
        shell.run(&line).await;
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn plugins_that_break_the_rules_of_msgpack() {
    let mut shell = Shell::new();
    for bytes in [
        // A response that stops in the middle, as does the plugin.
        r"\224\001\001\300",
        // A message of a type that there is not.
        r"\221\007",
        // An array of four billion.
        r"\335\377\377\377\377",
        // A byte that no value begins with.
        r"\224\001\001\301\300",
    ] {
        let plugin = format!("sh -c \"head -c 1 > /dev/null; printf '{bytes}'\"");
        shell
            .run(&format!(
                "tenon call echo --dialect msgpack-rpc -- {plugin}"
            ))
            .await;
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn first_calls_that_fail() {
    let mut shell = Shell::new();
    shell.program("answers", ANSWERS);
    shell.program("silent", "#!/bin/sh\nwhile read -r line; do :; done\n");
    for (name, answer) in [
        (
            "denobridge",
            r#"{"jsonrpc":"2.0","id":1,"result":{"ok":false}}"#,
        ),
        (
            "orchard",
            r#"{"id":1,"result":{"schema":{"protocol":"2"}}}"#,
        ),
    ] {
        shell.file(name, &format!("{answer}\n"));
        shell
            .run(&format!(
                "tenon call read --protocol {name} -- ./answers {name}"
            ))
            .await;
    }
    let refusal = r#"{"id":1,"error":{"code":"internal_error","message":"no licence"}}"#;
    shell.file("refusal", &format!("{refusal}\n"));
    shell
        .run("tenon call read --protocol orchard -- ./answers refusal")
        .await;
    // It takes the limit of the protocol, five seconds, to find this out.
    shell
        .run("tenon call read --protocol orchard -- ./silent")
        .await;
    assert_snapshot!(shell.transcript());
}
