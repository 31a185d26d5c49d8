//! What the options of `tenon call` do.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::support::shell::Shell;

const CALLS: &str = "\
# a comment, then an empty line

add [1,2]
  echo   {\"a\": [1, 2]}
nope
echo {wrong
fail {\"code\":7,\"message\":\"as asked\"}
emit {\"count\":1}
echo
";

#[tokio::test]
async fn many_calls_in_one_connection() {
    let mut shell = Shell::new();
    shell.file("calls", CALLS);
    shell.run("tenon call --repl -- tenon echo < calls").await;
    shell
        .run("tenon call --repl --json -- tenon echo < calls")
        .await;
    shell
        .run("tenon call --repl --protocol seasonings -- tenon echo < calls")
        .await;
    // The plugin is the same all the time.
    shell
        .run("printf 'tick {\"number\":0}\\nticks' | tenon call --repl -- tenon echo")
        .await;
    shell
        .run("tenon call --repl -- tenon echo < /dev/null")
        .await;
    // A call that takes too long fails by itself; a plugin that ends, ends it all.
    shell
        .run("printf 'sleep {\"ms\":9000}\\nadd [1,2]\\n' | tenon call --repl --timeout 50ms -- tenon echo")
        .await;
    shell
        .run("printf 'add [1,2]\\nexit {\"code\":4}\\nadd [1,2]\\n' | tenon call --repl -- tenon echo")
        .await;
    assert_snapshot!(shell.transcript());
}

/// Answers are printed as they arrive: a program that pipes calls in one by one waits for each.
#[tokio::test]
async fn repl_prints_each_answer_as_it_arrives() {
    let shell = Shell::new();
    let line = "mkfifo calls; tenon call --repl -- tenon echo < calls | { \
        exec 3> calls; \
        echo 'add [1,2]' >&3; read -r first; \
        echo \"add [$first,4]\" >&3; read -r second; \
        exec 3>&-; echo \"$first $second\"; }";
    let outcome = shell.run_unnoted(line).await;
    assert_eq!(
        (outcome.stdout.as_str(), outcome.stderr.as_str()),
        ("3 7\n", "")
    );
}

#[tokio::test]
async fn timeout() {
    let mut shell = Shell::new();
    let started = Instant::now();
    for limit in ["50ms", "0.1s", "0s"] {
        let sleep = "sleep '{\"ms\":30000}'";
        shell
            .run(&format!(
                "tenon call {sleep} --timeout {limit} -- tenon echo"
            ))
            .await;
    }
    // Where the protocol has a cancellation, the plugin gets it.
    shell
        .run("tenon call sleep '{\"ms\":30000}' --timeout 50ms --protocol ipc --trace -- sleep 60")
        .await;
    assert!(started.elapsed() < Duration::from_secs(20));
    shell
        .run("tenon call sleep '{\"ms\":100}' --timeout none -- tenon echo")
        .await;
    shell
        .run("tenon call sleep '{\"ms\":100}' --timeout 1m -- tenon echo")
        .await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn event() {
    let mut shell = Shell::new();
    shell
        .run("tenon call tick '{\"number\":0}' --event --trace -- tenon echo")
        .await;
    shell
        .run("tenon call tick '{\"number\":0}' --event --trace --dialect msgpack-rpc -- tenon echo")
        .await;
    shell
        .run("tenon call nothing-listens --event -- tenon echo")
        .await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn trace_with_secrets_masked() {
    let mut shell = Shell::new();
    let params = "'{\"token\":\"s3cret\",\"deep\":[{\"Token\":{\"a\":1}}]}'";
    for dialect in ["json-rpc", "json-rpc-headers", "msgpack-rpc", "orchard"] {
        let line = format!(
            "tenon call echo {params} --trace --mask token --dialect {dialect} -- tenon echo > /dev/null"
        );
        let outcome = shell.run(&line).await;
        assert!(!outcome.stderr.contains("s3cret"));
    }
    shell
        .run("tenon call echo 1 --trace -- sh -c 'echo printed by mistake; exec tenon echo'")
        .await;
    shell
        .run("tenon call echo 1 --trace --mask token -- sh -c 'echo token=s3cret; exec tenon echo'")
        .await;
    assert_snapshot!(shell.transcript());
}

/// What stderr shows of an error, and of what is not a message.
#[tokio::test]
async fn errors_with_secrets_masked() {
    let mut shell = Shell::new();
    let error = r#"{"code":-32000,"message":"no","data":{"Token":"s3cret","hint":"look here"}}"#;
    let answer = format!("read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{error}}}'");
    shell.file("answer.sh", &answer);
    let outcome = shell
        .run("tenon call greet --mask token -- sh answer.sh")
        .await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("look here"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("s3cret"), "{}", outcome.stderr);
    shell.file("stray.sh", "echo '{\"token\":\"s3cret\",'; exit 3");
    let outcome = shell
        .run("tenon call greet --mask token -- sh stray.sh")
        .await;
    assert!(outcome.stderr.contains("token***"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("s3cret"), "{}", outcome.stderr);
}

#[tokio::test]
async fn recording() {
    let mut shell = Shell::new();
    let params = "'{\"token\":\"s3cret\"}'";
    shell
        .run(&format!("tenon call echo {params} --record frames --mask token --protocol seasonings -- tenon echo; cat frames"))
        .await;
    shell
        .run("tenon call nope --record frames -- sh -c 'echo printed by mistake; exec tenon echo'; cat frames")
        .await;
    shell
        .run("tenon call echo --record missing/frames -- tenon echo")
        .await;
    shell.run("tenon call echo --record . -- tenon echo").await;
    assert_snapshot!(shell.transcript());
    assert_eq!(mode(&shell, "frames"), 0o600);
}

#[tokio::test]
async fn stderr_of_the_plugin() {
    let mut shell = Shell::new();
    let plugin = "sh -c 'echo first >&2; echo >&2; printf \"no newline\" >&2; exec tenon echo'";
    shell.run(&format!("tenon call echo 1 -- {plugin}")).await;
    // What comes first and what later is up to the scheduler, so both are sorted.
    let line = format!("{{ tenon call echo 1 --verbose -- {plugin}; }} 2>&1 | sort");
    shell.run(&line).await;
    let line = format!("{{ tenon call echo 1 -v --json -- {plugin}; }} 2>&1 | sort");
    shell.run(&line).await;
    assert_snapshot!(shell.transcript());
}

/// Many clients on one socket; the server outlives each of them.
#[tokio::test]
async fn socket() {
    let mut shell = Shell::new();
    let serve = "tenon echo --socket ./s & server=$!; while [ ! -S s ]; do sleep 0.01; done";
    let calls = "tenon call add '[1,2]' --socket ./s; \
        tenon call add '[3,4]' --protocol seasonings --socket ./s; \
        tenon call sleep '{\"ms\":9000}' --socket ./s --timeout 50ms; \
        tenon call exit --socket ./s";
    shell
        .run(&format!(
            "{serve}; {calls}; wait $server; echo \"server: $?\""
        ))
        .await;
    shell.run("tenon call echo --socket ./s").await;
    shell.run("tenon call echo --socket ./missing").await;
    shell.file("plain", "");
    shell.run("tenon call echo --socket ./plain").await;
    shell.run("tenon echo --socket ./plain").await;
    shell.run("tenon echo --socket ./plain/s").await;
    let long = "x".repeat(120);
    shell
        .run(&format!("tenon call echo --socket ./{long}"))
        .await;
    assert_snapshot!(shell.transcript());
}

/// A server that takes connections and then neither reads nor answers.
async fn deaf(call: &str) -> Option<i32> {
    let shell = Shell::new();
    let _server = std::os::unix::net::UnixListener::bind(shell.path("s")).expect("a socket");
    let params = format!("[\"{}\"]", "x".repeat(5_000_000));
    shell.file("large.json", &params);
    shell.run_unnoted(&format!("timeout 20 {call}")).await.code
}

#[tokio::test]
async fn deaf_server() {
    let call = "tenon call echo 1 --timeout 100ms --socket ./s";
    assert_eq!(deaf(call).await, Some(5));
}

#[tokio::test]
async fn deaf_server_and_a_first_call() {
    let call = "tenon call echo 1 --timeout 100ms --protocol orchard --socket ./s";
    assert_eq!(deaf(call).await, Some(5));
}

#[tokio::test]
async fn deaf_server_and_large_params() {
    let call = "tenon call echo @large.json --timeout 100ms --socket ./s";
    assert_eq!(deaf(call).await, Some(5));
}

#[tokio::test]
async fn recording_over_a_file_that_others_can_read() {
    let shell = Shell::new();
    shell.program("frames", "");
    let call = "tenon call echo 1 --record frames -- tenon echo";
    assert_eq!(shell.run_unnoted(call).await.code, Some(0));
    assert_eq!(mode(&shell, "frames"), 0o600);
}

fn mode(shell: &Shell, name: &str) -> u32 {
    let file = std::fs::metadata(shell.path(name)).expect("a file");
    file.permissions().mode() & 0o777
}

/// A recording goes into a regular file of this user. It does not wait for the other end of a FIFO, and
/// what a link points at is left alone.
#[tokio::test]
async fn recording_where_something_else_is() {
    let mut shell = Shell::new();
    shell.file("mine", "precious\n");
    for (prepare, target) in [
        ("ln -s mine link", "link"),
        ("ln -s nowhere dangling", "dangling"),
        ("mkfifo fifo", "fifo"),
        ("ln mine second", "second"),
        ("echo > open && chmod 666 open", "open"),
        ("true", "/dev/full"),
    ] {
        assert_eq!(shell.run(prepare).await.code, Some(0));
        for command in ["call echo 1", "serve --socket ./s"] {
            let line = format!("tenon {command} --record {target} -- tenon echo");
            let outcome = shell.run(&line).await;
            assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        }
    }
    shell.run("cat mine; test -e nowhere").await;
    insta::assert_snapshot!(shell.transcript());
}

/// Only root can give a file away.
#[tokio::test]
async fn recording_into_the_file_of_a_stranger() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let mut shell = Shell::new();
    shell.file("theirs", "bait");
    std::os::unix::fs::chown(shell.path("theirs"), Some(65534), None).expect("a file of others");
    let outcome = shell
        .run("tenon call echo 1 --record theirs -- tenon echo")
        .await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("it belongs to user 65534"),
        "{}",
        outcome.stderr
    );
    let left = std::fs::read(shell.path("theirs")).expect("a file");
    assert_eq!(left, b"bait");
}
