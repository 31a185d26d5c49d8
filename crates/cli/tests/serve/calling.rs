//! `tenon call` as a client of a server.

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::json;

use crate::serving::Serving;
use crate::support::program::{Program, eventually};

/// Events come as they are made. A server that ends is the end of watching it.
#[tokio::test]
async fn watching() {
    for (option, tick, end) in [
        ("", "tick {\"number\":1}", ""),
        (
            "--json",
            "{\"event\":{\"method\":\"tick\",\"params\":{\"number\":1}}}",
            "{\"error\":{\"message\":\"the connection to the server ended: the peer closed the connection\"}}",
        ),
    ] {
        let serving = Serving::start("--verbose -- tenon echo").await;
        let line = format!("tenon call --watch {option} --socket ./s");
        let watching = Program::start(&serving.shell, &line);
        serving.says("client 1 connected").await;
        serving
            .wire()
            .answer(json!(1), "emit", json!({ "count": 2 }));
        assert_eq!(watching.stdout.line_with("1").await, tick);
        serving.stop().await;
        let ended = watching.ended().await;
        assert_eq!(ended.code, Some(3));
        assert!(
            ended.stdout.ends_with(&format!("{tick}\n{end}").trim_end()),
            "{}",
            ended.stdout
        );
        match option {
            "" => assert_eq!(
                ended.stderr,
                "error: the connection to the server ended: the peer closed the connection"
            ),
            _ => assert_eq!(ended.stderr, ""),
        }
    }
}

/// With a method, its answer comes first, and what comes with it in its place.
#[tokio::test]
async fn watching_after_a_call() {
    for (option, expected) in [
        ("", "tick {\"number\":0}\n1\ntick {\"number\":0}"),
        (
            "--json",
            "{\"event\":{\"method\":\"tick\",\"params\":{\"number\":0}}}\n\
            {\"method\":\"emit\",\"result\":1}\n\
            {\"event\":{\"method\":\"tick\",\"params\":{\"number\":0}}}",
        ),
    ] {
        let serving = Serving::start("--verbose -- tenon echo").await;
        let line = format!("tenon call emit '{{\"count\":1}}' --watch {option} --socket ./s");
        let watching = Program::start(&serving.shell, &line);
        // An event that comes together with the answer is shown first.
        watching.stdout.line_with("1").await;
        serving
            .wire()
            .answer(json!(1), "emit", json!({ "count": 1 }));
        let lines = expected.lines().count();
        eventually("both ticks", || {
            watching.stdout.text().lines().count() == lines
        })
        .await;
        assert_eq!(watching.stdout.text(), expected);
        watching.signal(Signal::INT);
        let ended = watching.ended().await;
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(130), "error: interrupted")
        );
        // The watching client is gone, and the server continues.
        serving.says("client 1 left").await;
        serving.stop().await;
    }
}

/// A call that fails is not watched after.
#[tokio::test]
async fn watching_after_a_call_that_fails() {
    let serving = Serving::start("-- tenon echo").await;
    let outcome = serving.call("nope --watch").await;
    assert_eq!(outcome.code, Some(1));
    assert_eq!(
        outcome.stderr,
        "error: the peer answered with an error: Method not found (code -32601)\n  data: {\"method\":\"nope\"}\n"
    );
    serving.stop().await;
}

/// Every way to give params, every way to be answered, and every exit code.
#[tokio::test]
async fn params_results_and_exit_codes() {
    let mut serving = Serving::start("-- tenon echo").await;
    let shell = &mut serving.shell;
    shell.file("params.json", "[\n  20,\n  22\n]\n");
    for line in [
        "tenon call add '[1,2]' --socket ./s",
        "tenon call add -d '[1,2]' --socket ./s",
        "tenon call add --data @params.json --socket ./s",
        "echo '[3,4]' | tenon call add -d - --socket ./s",
        "echo '[3,4]' | tenon call add - --socket ./s",
        "tenon call echo --socket ./s",
        "tenon call echo 7 --json --socket ./s",
        "tenon call tick '{\"number\":0}' --event --socket ./s",
        "printf 'add [1,2]\\nticks\\n' | tenon call --repl --socket ./s",
        "tenon call fail '{\"code\":7,\"message\":\"as asked\",\"data\":[1]}' --socket ./s",
        "tenon call fail '{\"code\":7,\"message\":\"as asked\"}' --json --socket ./s",
        "tenon call emit '{\"count\":2}' --socket ./s",
        "tenon call call_back '{\"method\":\"question\",\"params\":[1]}' --socket ./s",
        "tenon call add '[1,2]' --trace --socket ./s",
        "tenon call add '[1,2]' --dialect json-rpc-headers --socket ./s",
        "tenon call add '[1,2]' --protocol ipc --allow-user root --socket ./s",
        "tenon call sleep '{\"ms\":300000}' --timeout 100ms --socket ./s",
        "tenon call exit '{\"code\":4}' --socket ./s",
        // What is wrong with the command line.
        "tenon call add '[1,2]' -d '[1,2]' --socket ./s",
        "tenon call add -d '{wrong' --socket ./s",
        "tenon call add -d @missing.json --socket ./s",
        "tenon call --socket ./s",
        "tenon call --watch --repl --socket ./s",
        "tenon call --watch",
        "tenon call add --allow-user nobody-of-this-name --socket ./s",
        // Where no server is. This one is a file in the folder, but not where its name says.
        "tenon call add --socket s",
        "tenon call add --socket tenon-test-that-is-nowhere",
        "tenon call add --socket ./params.json",
        "tenon call --watch --json --socket ./missing",
    ] {
        shell.run(line).await;
    }
    assert_snapshot!(shell.transcript());
    serving.stop().await;
}
