//! What a server prints.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::serving::Serving;
use crate::support::shell::Shell;
use crate::wire::Wire;

/// What happens to a server in its life, as far as a client can make it happen. That client is
/// still there then.
fn live(serving: &Serving) -> Wire {
    let mut wire = serving.wire();
    assert_eq!(wire.answer(json!(1), "add", json!([1, 2]))["result"], 3);
    assert_eq!(
        wire.answer(json!(2), "nope", json!([]))["error"]["code"],
        -32601
    );
    // What clients call their methods is for a terminal no command.
    wire.answer(json!(3), "\u{1b}[31mred\nclient 7 left", json!([]));
    wire.answer(json!(4), "exit", json!({ "code": 4 }));
    assert_eq!(wire.answer(json!(5), "add", json!([1, 2]))["result"], 3);
    wire
}

/// Numbers that differ from run to run are hidden.
fn plain(event: &Value) -> String {
    let mut event = event.clone();
    for name in ["milliseconds", "process", "user"] {
        if event[name].is_number() {
            event[name] = json!("[number]");
        } else if let Some(members) = event.as_object_mut() {
            members.remove(name);
        }
    }
    event.to_string()
}

#[tokio::test]
async fn events() {
    let serving = Serving::start("--json -- tenon echo").await;
    drop(live(&serving));
    serving.tells("\"event\":\"disconnected\"").await;
    let stopped = serving.stop().await;
    assert_eq!(stopped.stderr, "");
    let events = stopped.stdout.lines().map(|line| {
        let event: Value = serde_json::from_str(line).expect("JSON");
        plain(&event)
    });
    let events: Vec<String> = events.collect();
    assert_snapshot!(events.join("\n"));
}

#[tokio::test]
async fn a_failure_is_an_event_too() {
    let serving = Serving::start("--json --no-restart -- tenon echo").await;
    serving.call("exit '{\"code\":7}'").await;
    let ended = serving.ended().await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(3), ""));
    let last: Value =
        serde_json::from_str(ended.stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&last["event"], &last["exit_code"]),
        (&json!("error"), &json!(3))
    );
}

/// A line for people, without its numbers.
fn without_numbers(line: &str) -> String {
    let words = line.split(' ').map(|word| {
        let number = word.trim_end_matches(')');
        match number.parse::<f64>() {
            Ok(_) if number.len() > 1 => word.replace(number, "[number]"),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<String>>().join(" ")
}

#[tokio::test]
async fn texts() {
    let serving = Serving::start("--verbose -- tenon echo").await;
    drop(live(&serving));
    serving.says("client 1 left").await;
    let stopped = serving.stop().await;
    assert_eq!(stopped.stdout, "");
    let lines: Vec<String> = stopped.stderr.lines().map(without_numbers).collect();
    assert_snapshot!(lines.join("\n"));
}

#[tokio::test]
async fn without_verbose_only_start_and_end_are_printed() {
    let serving = Serving::start("-- tenon echo").await;
    let _client = live(&serving);
    let stopped = serving.stop().await;
    assert_eq!(stopped.stdout, "");
    assert_snapshot!(stopped.stderr);
}

#[tokio::test]
async fn stderr_of_the_plugin() {
    // Colours are dropped, everything else that is for a terminal is shown.
    let plugin = "sh -c 'printf \"one\\n\\033[31mtwo\\033[2Jé\\n\" >&2; exec tenon echo'";
    let serving = Serving::start(&format!("-- {plugin}")).await;
    serving.says("plugin: one").await;
    let line = serving.says("plugin: two").await;
    assert_eq!(line, "plugin: two\\u{1b}[2Jé");
    serving.stop().await;
}

/// What clients and plugins say is shown, but does nothing to a terminal and forges no line.
#[tokio::test]
async fn hostile_text() {
    let hostile =
        "\u{1b}]0;mine\u{7}\u{9b}7H\u{7f}\u{8}\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{e0041}";
    for options in ["--verbose --trace", "--json --trace"] {
        let plugin = format!("sh -c 'printf \"%s\\n\" \"shown{hostile}\" >&2; exec tenon echo'");
        let serving = Serving::start(&format!("{options} -- {plugin}")).await;
        let mut wire = serving.wire();
        let method = format!("shown{hostile}\r\nFORGED");
        wire.answer(json!(1), &method, json!([hostile]));
        drop(wire);
        serving.says("plugin: shown").await;
        let stopped = serving.stop().await;
        let printed = format!("{}{}", stopped.stdout, stopped.stderr);
        assert!(printed.contains("shown"), "{printed:?}");
        let is_hidden = |one: &char| !one.is_ascii_graphic();
        for character in hostile.chars().filter(is_hidden) {
            assert!(!printed.contains(character), "{character:?}: {printed:?}");
        }
        assert!(!printed.contains('\r'), "{printed:?}");
        let is_forged = |line: &str| line.starts_with("FORGED");
        assert!(!printed.lines().any(is_forged), "{printed:?}");
    }
}

#[tokio::test]
async fn frames_and_what_is_masked_in_them() {
    use std::os::unix::fs::PermissionsExt;
    let options = "--trace --record record --mask password -- tenon echo";
    let serving = Serving::start(options).await;
    let secret = json!({ "password": "s3cret", "user": "é" });
    let mut wire = serving.wire();
    assert_eq!(
        wire.answer(json!("x"), "echo", secret.clone())["result"],
        secret
    );
    let shown =
        r#"→ {"jsonrpc":"2.0","id":1,"method":"echo","params":{"password":"***","user":"é"}}"#;
    serving.says(shown).await;
    let masked = json!({ "password": "***", "user": "é" });
    assert_eq!(serving.frames("in")[0]["result"], masked);
    let file = std::fs::metadata(serving.shell.path("record")).expect("a recording");
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    let stopped = serving.stop().await;
    assert!(!stopped.stderr.contains("s3cret"));
}

/// The output has the methods that were called, not the params.
#[tokio::test]
async fn masked_members_are_not_printed() {
    for options in ["--verbose", "--json"] {
        let serving = Serving::start(&format!("{options} -- tenon echo")).await;
        let mut wire = serving.wire();
        let secret = json!({ "token": "s3cret" });
        assert_eq!(
            wire.answer(json!(1), "echo", secret.clone())["result"],
            secret
        );
        wire.send(r#"{"jsonrpc":"2.0","method":"unknown","params":{"token":"s3cret"}}"#);
        wire.send(r#"{"token":"s3cret","id":2}"#);
        let refused = wire.answer(json!("s3cret"), "nope", json!(["s3cret"]));
        assert_eq!(refused["error"]["code"], -32600, "the one before it");
        let unknown = wire.answer(json!(3), "add", json!([1, 2]));
        assert_eq!(unknown["error"]["code"], -32601, "the one before it");
        drop(wire);
        let stopped = serving.stop().await;
        let told = format!("{}{}", stopped.stdout, stopped.stderr);
        assert!(told.contains("nope"), "{told}");
        assert!(!told.contains("s3cret"), "{told}");
    }
}

/// Nor is the beginning of a message that is too long.
#[tokio::test]
async fn masked_members_of_unreadable_frames_are_not_printed() {
    let shell = Shell::new();
    shell.file(
        "leak",
        "read -r request; printf '{\"id\":1,\"result\":\"s3cret'; \
         head -c 17000000 /dev/zero | tr '\\0' x; read -r never",
    );
    let serving = Serving::start_in(shell, "--verbose -- sh leak").await;
    let mut wire = serving.wire();
    let answer = wire.answer(json!(1), "anything", json!({}));
    assert_eq!(answer["error"]["code"], -32603);
    let ended = serving.stop().await;
    assert!(ended.stderr.contains("longer than"), "{}", ended.stderr);
    let told = format!("{answer}{}", ended.stderr);
    assert!(!told.contains("s3cret"), "{told}");
}

/// A plugin with the wrong dialect: the server prints which one it seems to speak.
#[tokio::test]
async fn a_wrong_dialect() {
    for (own, spoken) in [
        ("json-rpc-headers", "json-rpc"),
        ("msgpack-rpc", "json-rpc"),
        ("msgpack-rpc", "json-rpc-headers"),
    ] {
        let shell = Shell::new();
        let message = match spoken {
            "json-rpc" => r#"{"jsonrpc":"2.0","method":"hello"}\n"#,
            _ => r"Content-Length: 2\r\n\r\n{}",
        };
        shell.file("plugin", &format!("printf '{message}'; read -r never"));
        let serving = Serving::spawn(shell, &format!("--dialect {own} -- sh plugin"));
        serving
            .says(&format!("looks like --dialect {spoken}"))
            .await;
        serving.program.signal(rustix::process::Signal::TERM);
        serving.ended().await;
    }
    // It says nothing that can be read, and calls to it are not answered.
    let shell = Shell::new();
    shell.file(
        "plugin",
        r"while read -r line; do printf 'Content-Length: 2\r\n\r\n{}'; done",
    );
    // `tenon call` prints it as well.
    shell.file(
        "once",
        r"read -r line; printf 'Content-Length: 2\r\n\r\n{}'",
    );
    let outcome = shell.run_unnoted("tenon call initialize -- sh once").await;
    let hint = "looks like the dialect json-rpc-headers; tenon call and tenon serve select that with `--dialect json-rpc-headers`";
    assert!(outcome.stderr.contains(hint), "{}", outcome.stderr);
    let serving = Serving::start_in(shell, "-- sh plugin").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "initialize", json!({}));
    let told = serving.says("has not answered its first call").await;
    assert!(
        told.ends_with("that looks like --dialect json-rpc-headers"),
        "{told}"
    );
    serving.program.signal(rustix::process::Signal::TERM);
    serving.says("stopping").await;
    serving.program.signal(rustix::process::Signal::INT);
    serving.ended().await;
}
