//! What a client may ask of a server.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::plugins::with_python;
use crate::serving::Serving;
use crate::support::program::eventually;

#[tokio::test]
async fn the_number_of_clients_is_limited() {
    let serving = Serving::start("--max-clients 2 --verbose -- tenon echo").await;
    let mut wires = [serving.wire(), serving.wire()];
    for wire in &mut wires {
        assert_eq!(wire.answer(json!(1), "add", json!([1, 2]))["result"], 3);
    }
    let refusal = serving.wire().rest();
    assert_eq!(
        refusal,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"this server has too many clients already\"}}\n"
    );
    // In the framing of the refused client, if its first bytes come in time, which a busy machine
    // may prevent now and then.
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;
    let request = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    eventually("a refusal behind a header", || {
        let mut refused = serving.wire();
        refused.send_bytes(request.as_bytes());
        let refusal = refused.rest();
        let Some((header, body)) = refusal.split_once("\r\n\r\n") else {
            return false;
        };
        assert_eq!(header, format!("Content-Length: {}", body.len()));
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["error"]["code"], -32000);
        true
    })
    .await;
    for words in ["add '[1,2]'", "--watch", "--event tick"] {
        let outcome = serving.call(words).await;
        assert_eq!(outcome.code, Some(3), "{words}");
        let reason = "this server has too many clients already (code -32000)";
        assert!(
            outcome.stderr.contains(reason),
            "{words}: {}",
            outcome.stderr
        );
    }
    // Those who were there first are still served, and one that leaves makes room.
    let [mut one, other] = wires;
    assert_eq!(one.answer(json!(2), "add", json!([3, 4]))["result"], 7);
    drop(other);
    serving.says("client 2 left").await;
    assert_eq!(
        serving.wire().answer(json!(1), "add", json!([5, 6]))["result"],
        11
    );
    serving.stop().await;
}

/// A client that has sent nothing yet is refused in the framing of the server's options.
#[tokio::test]
async fn a_refusal_behind_a_header() {
    let serving = Serving::start("--max-clients 1 --framing headers -v -- tenon echo").await;
    let _first = serving.wire();
    serving.says("client 1 connected").await;
    let refusal = serving.wire().rest();
    let (header, body) = refusal.split_once("\r\n\r\n").expect("a header");
    assert_eq!(header, format!("Content-Length: {}", body.len()));
    serving.stop().await;
}

#[tokio::test]
async fn requests_per_second_are_limited() {
    let serving = Serving::start("--requests-per-second 5 --record record -- tenon echo").await;
    let (mut greedy, mut modest) = (serving.wire(), serving.wire());
    let requests: Vec<Value> = (0..100)
        .map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "echo", "params": [id] }))
        .collect();
    let lines: String = requests
        .iter()
        .map(|request| format!("{request}\n"))
        .collect();
    greedy.send_bytes(lines.as_bytes());
    let mut refused = 0;
    for _ in 0..100 {
        let answer = greedy.message();
        if answer.get("error").is_some() {
            refused += 1;
            let error = &answer["error"];
            assert_eq!(error["code"], -32005, "{answer}");
            assert_eq!(
                error["message"],
                "too many requests: the limit is 5 per second"
            );
            let milliseconds = error["data"]["retryAfterMilliseconds"].as_u64();
            assert!(
                (1..=201).contains(&milliseconds.expect("a number")),
                "{answer}"
            );
        } else {
            assert_eq!(answer["result"], json!([answer["id"]]));
        }
    }
    let passed = serving.frames("out").len();
    assert_eq!(
        passed,
        100 - refused,
        "the plugin sees no more than what passes"
    );
    assert!((5..50).contains(&passed), "{passed}");
    assert_eq!(modest.answer(json!(1), "add", json!([1, 2]))["result"], 3);
    // Later it is let through again.
    eventually("another chance", || {
        greedy.answer(json!("again"), "add", json!([1, 2]))["result"] == 3
    })
    .await;
    serving.stop().await;
}

#[tokio::test]
async fn bytes_per_second_are_limited() {
    let serving = Serving::start("--bytes-per-second 256KiB -- tenon echo").await;
    let (mut greedy, mut modest) = (serving.wire(), serving.wire());
    let started = Instant::now();
    let greedy = std::thread::spawn(move || {
        let large = "x".repeat(1024 * 1024);
        let answer = greedy.answer(json!(1), "echo", json!([large]));
        assert!(answer["result"][0] == json!(large));
        started.elapsed()
    });
    assert_eq!(modest.answer(json!(1), "add", json!([1, 2]))["result"], 3);
    // A second's worth comes at once, another may be in the last read, the rest no faster than
    // allowed. It may take longer.
    let elapsed = greedy.join().expect("an answer");
    assert!(elapsed >= Duration::from_secs(1), "{elapsed:?}");
    serving.stop().await;
}

#[tokio::test]
async fn messages_are_limited_in_size() {
    let serving = Serving::start("--max-message 1KiB --record record -- tenon echo").await;
    let mut wire = serving.wire();
    for size in [1025, 100_000, 5_000_000] {
        wire.ask(json!(1), "echo", json!(["x".repeat(size)]));
        let answer = wire.message();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(1), &json!(-32600))
        );
    }
    assert_eq!(wire.answer(json!(2), "add", json!([1, 2]))["result"], 3);
    // Answers may be larger: the plugin is trusted with more than its clients.
    let text = wire.answer(json!(3), "text", json!({ "length": 100_000 }));
    assert_eq!(text["result"].as_str().map(str::len), Some(100_000));
    assert_eq!(serving.frames("out").len(), 2);
    // The command prints why there is no answer.
    serving
        .shell
        .file("large.json", &json!(["x".repeat(5000)]).to_string());
    let outcome = serving.call("echo @large.json").await;
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.stderr.contains("Invalid Request"),
        "{}",
        outcome.stderr
    );
    serving.stop().await;
}

#[tokio::test]
async fn the_size_limit_can_be_raised() {
    let serving = Serving::start("--max-message 32MiB -- tenon echo").await;
    let mut wire = serving.wire();
    let text = wire.answer(json!(1), "text", json!({ "length": 20_000_000 }));
    assert_eq!(text["result"].as_str().map(str::len), Some(20_000_000));
    serving.stop().await;
}

/// An answer that is too long is an error for its caller only.
#[tokio::test]
async fn an_answer_that_is_too_long() {
    for dialect in ["json-rpc", "json-rpc-headers", "msgpack-rpc"] {
        let options = format!("--dialect {dialect} --record record -- tenon echo");
        let serving = Serving::start(&options).await;
        let (mut wire, mut other) = (serving.wire(), serving.wire());
        other.ask(json!(1), "sleep", json!({ "ms": 2000 }));
        eventually("another one's call", || serving.frames("out").len() == 1).await;
        let text = wire.answer(json!(1), "text", json!({ "length": 20_000_000 }));
        assert_eq!(
            text["error"]["code"], -32603,
            "{dialect}: {}",
            text["error"]
        );
        let message = text["error"]["message"].as_str().expect("a text");
        for part in ["longer than 16777216 bytes", "--max-message"] {
            assert!(message.contains(part), "{dialect}: {message}");
        }
        assert_eq!(wire.answer(json!(2), "add", json!([1, 2]))["result"], 3);
        let slept = other.message();
        assert_eq!(
            slept,
            json!({ "jsonrpc": "2.0", "id": 1, "result": null }),
            "{dialect}"
        );
        let stopped = serving.stop().await;
        assert!(!stopped.stderr.contains("restarting"), "{}", stopped.stderr);
    }
}

/// The id may come behind what is too long.
#[tokio::test]
async fn an_answer_whose_id_comes_last() {
    with_python("--max-message 16MiB", async |serving| {
        let mut wire = serving.wire();
        let long = wire.answer(json!(1), "long", json!({ "length": 20_000_000 }));
        assert_eq!(
            (&long["id"], &long["error"]["code"]),
            (&json!(1), &json!(-32603))
        );
        let short = wire.answer(json!(2), "long", json!({ "length": 10 }));
        assert_eq!(short["result"], "xxxxxxxxxx");
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn answers_come_in_order_if_asked_for() {
    for (option, expected) in [("--in-order", [1, 2, 3]), ("", [2, 3, 1])] {
        let serving = Serving::start(&format!("{option} -- tenon echo")).await;
        let (mut wire, mut other) = (serving.wire(), serving.wire());
        wire.ask(json!(1), "sleep", json!({ "ms": 3000 }));
        wire.ask(json!(2), "add", json!([1, 2]));
        // Others do not have to wait.
        assert_eq!(other.answer(json!(9), "add", json!([1, 2]))["id"], 9);
        wire.ask(json!(3), "nope", json!([]));
        let ids: Vec<Value> = (0..3).map(|_| wire.message()["id"].clone()).collect();
        assert_eq!(json!(ids), json!(expected), "{option}");
        serving.stop().await;
    }
}

const MANY: u64 = 100_000;

/// A client that does not read loses the oldest events, and nothing else.
#[tokio::test]
async fn a_slow_client_misses_events() {
    with_python("--json", async |serving| {
        let (mut slow, mut other) = (serving.wire(), serving.wire());
        slow.ask(json!(1), "flood", json!({ "count": MANY }));
        serving.tells("\"client\":2").await;
        // The plugin does one thing after the other: this is answered after all events.
        other.ask(json!(1), "echo", json!([]));
        while other.message().get("id").is_none() {}
        let mut numbers = Vec::new();
        let answer = loop {
            let message = slow.message();
            match message["params"]["number"].as_u64() {
                Some(number) => numbers.push(number),
                None => break message,
            }
        };
        assert_eq!(answer["result"], MANY);
        assert!(numbers.is_sorted());
        assert!(numbers.len() < 50_000, "{} events", numbers.len());
        assert_eq!(
            numbers.last(),
            Some(&(MANY - 1)),
            "the newest is never dropped"
        );
        drop(slow);
        let left = serving.tells("\"event\":\"disconnected\"").await;
        let missed = left["missed"].as_u64().expect("a number");
        let received = u64::try_from(numbers.len()).expect("a number");
        assert_eq!(missed + received, MANY);
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_slow_client_is_disconnected_if_asked_for() {
    let options = "--events callers --slow disconnect --verbose -- tenon echo";
    let serving = Serving::start(options).await;
    let mut slow = serving.wire();
    slow.ask(json!(1), "emit", json!({ "count": MANY }));
    serving.says("client 1 left").await;
    let rest = slow.rest();
    assert!(!rest.contains("\"result\""));
    assert!(rest.lines().count() < 50_000);
    serving.stop().await;
}
