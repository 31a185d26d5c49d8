//! Providers that break the rules in `describe`, the first call of a run.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, at};

/// A run that fails while its providers start: nothing was done, and the record says so.
pub(crate) async fn refused(mut stage: Stage, code: i32) -> String {
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a pending");
    assert_eq!(stage.record()["status"], "failed");
    assert!(stage.diary().is_empty());
    stage.assert_is_closed();
    stage.transcript()
}

async fn refused_for(moves: Value, code: i32) -> String {
    refused(Stage::with_one_action(at("describe", moves)), code).await
}

#[tokio::test]
async fn invalid_answers() {
    let mut all = Vec::new();
    for text in [
        "Listening on port 80\n",
        "\u{ff}\u{fe}\n",
        "{\"id\":$ID,\"result\":{\"schema\":{}},\"error\":{\"code\":\"x\",\"message\":\"y\"}}\n",
        "{\"id\":$ID}\n",
        "{\"id\":$ID,\"result\":{}}\n",
        "{\"id\":$ID,\"result\":[]}\n",
        "{\"id\":$ID,\"error\":\"no\"}\n",
        "{\"id\":$ID,\"result\":{\"schema\":{\"name\":\"puppet\",\"protocol\":\"2\"}}}\n",
    ] {
        all.push(refused_for(json!([["print", text]]), 4).await);
    }
    assert_snapshot!(all.join("\n\n"));
}

#[tokio::test]
async fn an_answer_to_another_call() {
    let moves = json!([["print", "{\"id\":7,\"result\":{}}\n"]]);
    assert_snapshot!(refused_for(moves, 4).await);
}

#[tokio::test]
async fn an_answer_and_another() {
    let moves = json!(["answer", "answer"]);
    assert_snapshot!(refused_for(moves, 4).await);
}

#[tokio::test]
async fn ends_that_come_too_early() {
    let death = refused_for(json!([["say", "no licence"], ["exit", 7]]), 4).await;
    let killed = refused_for(json!(["kill"]), 4).await;
    let closed = refused_for(json!(["close", "hang"]), 4).await;
    let half = refused_for(json!([["print", "{\"id\":$ID,"], ["exit", 0]]), 4).await;
    assert_snapshot!([death, killed, closed, half].join("\n\n"));
}

#[tokio::test]
async fn one_that_hangs() {
    let moves = json!([["say", "just a moment"], "stubborn", "hang"]);
    assert_snapshot!(refused_for(moves, 5).await);
}

#[tokio::test]
async fn one_that_floods_stderr_and_dies() {
    let moves = json!([["flood", 100_000], ["exit", 1]]);
    assert_snapshot!(refused_for(moves, 4).await);
}

#[tokio::test]
async fn one_that_refuses() {
    let error = json!({ "code": "internal_error", "message": "no licence", "detail": "buy\none" });
    assert_snapshot!(refused_for(json!([["error", error]]), 1).await);
}

/// Its schema is not the one that it gave before.
#[tokio::test]
async fn another_schema_than_before() {
    let actions = json!({
        "put": { "attrs": { "name": { "type": "number", "required": true } } },
        "drop": {},
    });
    let schema = json!({
        "name": "puppet", "version": "1.0.1", "protocol": "1", "actions": actions,
        "max_in_flight": 4,
    });
    let moves = json!([["answer", { "schema": schema }]]);
    assert_snapshot!(refused_for(moves, 4).await);
}
