//! Events of plugins and clients.

use serde_json::{Value, json};

use crate::plugins::with_python;
use crate::serving::Serving;
use crate::support::program::eventually;
use crate::wire::Wire;

/// The params of the next messages, which are events with this name.
fn events(wire: &mut Wire, name: &str, count: usize) -> Vec<Value> {
    let event = |_| {
        let event = wire.message();
        assert_eq!(event["method"], name, "{event}");
        assert_eq!(event.get("id"), None);
        event["params"].clone()
    };
    (0..count).map(event).collect()
}

fn ticks(count: u64) -> Vec<Value> {
    (0..count)
        .map(|number| json!({ "number": number }))
        .collect()
}

/// Waits until the server knows this client.
fn arrive(wire: &mut Wire) {
    assert_eq!(wire.answer(json!("here"), "echo", json!([]))["id"], "here");
}

#[tokio::test]
async fn all_clients_get_the_plugins_events() {
    let serving = Serving::start("-- tenon echo").await;
    let (mut caller, mut other) = (serving.wire(), serving.wire());
    arrive(&mut other);
    caller.ask(json!(1), "emit", json!({ "count": 100 }));
    assert_eq!(events(&mut caller, "tick", 100), ticks(100));
    assert_eq!(caller.message()["result"], 100, "after what it told");
    assert_eq!(events(&mut other, "tick", 100), ticks(100));
    serving.stop().await;
}

#[tokio::test]
async fn events_of_a_plugin_that_speaks_msgpack() {
    let serving = Serving::start("--dialect msgpack-rpc -- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "emit", json!({ "count": 3 }));
    assert_eq!(events(&mut wire, "tick", 3), ticks(3));
    assert_eq!(wire.message()["result"], 3);
    for number in 0..3 {
        let tick = json!({ "jsonrpc": "2.0", "method": "tick", "params": { "number": number } });
        wire.send(&tick.to_string());
    }
    let seen = wire.answer(json!(2), "ticks", Value::Null);
    assert_eq!(seen["result"], json!({ "count": 3, "in_order": true }));
    serving.stop().await;
}

#[tokio::test]
async fn events_go_only_to_callers_if_asked_for() {
    let serving = Serving::start("--events callers --record record -- tenon echo").await;
    let (mut caller, mut other) = (serving.wire(), serving.wire());
    arrive(&mut other);
    caller.ask(json!(1), "emit", json!({ "count": 10 }));
    assert_eq!(events(&mut caller, "tick", 10), ticks(10));
    assert_eq!(caller.message()["result"], 10);
    // Had it been sent a tick, that would come first.
    assert_eq!(other.answer(json!(2), "add", json!([1, 2]))["result"], 3);
    // One who waits for something else is a caller as well.
    other.ask(json!(3), "sleep", json!({ "ms": 3000 }));
    eventually("that call", || {
        let sent = serving.frames("out");
        sent.iter().any(|frame| frame["method"] == "sleep")
    })
    .await;
    caller.ask(json!(4), "emit", json!({ "count": 2 }));
    assert_eq!(events(&mut other, "tick", 2), ticks(2));
    assert_eq!(other.message()["id"], 3);
    serving.stop().await;
}

/// While no call runs, events go to all clients, also with `--events callers`.
#[tokio::test]
async fn events_without_a_caller_go_to_all_clients() {
    for who in ["everyone", "callers"] {
        with_python(&format!("--events {who}"), async |serving| {
            let (mut one, mut other) = (serving.wire(), serving.wire());
            arrive(&mut one);
            arrive(&mut other);
            one.send(r#"{"jsonrpc":"2.0","method":"announce","params":["news",1]}"#);
            for wire in [&mut one, &mut other] {
                assert_eq!(events(wire, "announced", 1), [json!(["news", 1])]);
            }
            serving.stop().await;
        })
        .await;
    }
}

/// Two callers at once, each with a token: each gets only its own progress.
#[tokio::test]
async fn progress_goes_to_the_one_whose_token_it_is() {
    for who in ["everyone", "callers"] {
        with_python(&format!("--events {who}"), async |serving| {
            let mut wires = [serving.wire(), serving.wire(), serving.wire()];
            wires.iter_mut().for_each(arrive);
            let [one, two, third] = &mut wires;
            let tokens = [json!("mine"), json!(7)];
            for (wire, token) in [&mut *one, &mut *two].into_iter().zip(&tokens) {
                wire.ask(
                    json!(1),
                    "gather",
                    json!({ "count": 2, "workDoneToken": token }),
                );
            }
            for (wire, token) in [one, two].into_iter().zip(&tokens) {
                let steps: Vec<Value> = (0..3)
                    .map(|step| json!({ "token": token, "value": step }))
                    .collect();
                assert_eq!(events(wire, "$/progress", 3), steps);
                assert_eq!(events(wire, "gathered", 1), [json!({ "count": 2 })]);
                assert!(wire.message()["result"].is_string());
            }
            if who == "everyone" {
                assert_eq!(events(third, "gathered", 1), [json!({ "count": 2 })]);
            }
            arrive(third);
            serving.stop().await;
        })
        .await;
    }
}

/// Two clients that chose the same token hear of their own work alone, and an unknown token
/// goes where all events go.
#[tokio::test]
async fn tokens_that_are_not_one_callers() {
    with_python("", async |serving| {
        let (mut one, mut two, mut third) = (serving.wire(), serving.wire(), serving.wire());
        arrive(&mut third);
        for wire in [&mut one, &mut two] {
            wire.ask(
                json!(1),
                "gather",
                json!({ "count": 2, "workDoneToken": "same" }),
            );
        }
        for wire in [&mut one, &mut two] {
            let steps: Vec<Value> = (0..3)
                .map(|step| json!({ "token": "same", "value": step }))
                .collect();
            assert_eq!(events(wire, "$/progress", 3), steps);
            events(wire, "gathered", 1);
            assert_eq!(wire.message()["id"], 1);
        }
        events(&mut third, "gathered", 1);
        one.ask(json!(2), "gather", json!({ "count": 1 }));
        let nobodys = json!({ "token": null, "value": 0 });
        assert_eq!(events(&mut third, "$/progress", 3)[0], nobodys);
        serving.stop().await;
    })
    .await;
}

/// Events and calls of one client reach the plugin in the order in which it sent them.
#[tokio::test]
async fn events_of_clients_keep_their_place_among_calls() {
    with_python("", async |serving| {
        const COUNT: u64 = 400;
        let mut wire = serving.wire();
        let mut lines = String::new();
        for number in 0..COUNT {
            let note = json!({ "jsonrpc": "2.0", "method": "note", "params": number });
            let mark =
                json!({ "jsonrpc": "2.0", "id": number, "method": "mark", "params": number });
            lines += &format!("{note}\n{mark}\n");
        }
        wire.send_bytes(lines.as_bytes());
        for number in 0..COUNT {
            assert_eq!(wire.message()["id"], number);
        }
        let came = wire.answer(json!("came"), "came", json!([]));
        let expected: Vec<Value> = (0..COUNT)
            .flat_map(|number| [json!(["note", number]), json!(["mark", number])])
            .collect();
        let came = came["result"].as_array().expect("a list");
        let odd = came
            .iter()
            .zip(&expected)
            .position(|(came, sent)| came != sent);
        let odd = odd.map(|place| (place, &came[place..came.len().min(place + 5)]));
        assert_eq!((came.len(), odd), (expected.len(), None));
        serving.stop().await;
    })
    .await;
}
