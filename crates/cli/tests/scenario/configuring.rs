//! Providers that break the rules in `configure`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::describing::refused;
use crate::stage::{Stage, at};

async fn refused_for(moves: Value, code: i32) -> String {
    refused(Stage::with_one_action(at("configure", moves)), code).await
}

#[tokio::test]
async fn invalid_answers() {
    let mut all = Vec::new();
    for text in [
        "connected\n",
        "{\"id\":$ID,\"result\":{},\"error\":{\"code\":\"x\",\"message\":\"y\"}}\n",
        "{\"id\":$ID}\n",
        "{\"id\":$ID,\"result\":7}\n",
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
async fn ends_that_come_too_early() {
    let death = refused_for(json!([["say", "no route to host"], ["exit", 7]]), 4).await;
    let flood = refused_for(json!([["flood", 100_000], "kill"]), 4).await;
    assert_snapshot!([death, flood].join("\n\n"));
}

#[tokio::test]
async fn refusals() {
    let mut all = Vec::new();
    for (code, message) in [
        ("configure_failed", "connection refused"),
        ("validation_failed", "greeting: too short"),
        ("internal_error", "a bug"),
        ("out_of_coffee", "come back later"),
    ] {
        let error = json!({ "code": code, "message": message, "detail": "line 1\nline 2" });
        all.push(refused_for(json!([["error", error]]), 1).await);
    }
    assert_snapshot!(all.join("\n\n"));
}

/// One that cannot be configured keeps the others from being used.
#[tokio::test]
async fn one_of_two() {
    let mut stage = Stage::with_one_action(json!({}));
    let error = json!({ "code": "configure_failed", "message": "connection refused" });
    stage.puppet("other", at("configure", json!([["error", error]])));
    stage.scenario_with(
        "puppet = { source = \"exec:./puppet\" }\n    other = { source = \"exec:./other\" }",
        r#"
  action "put" "a" {
    provider = puppet
    name     = "a"
  }
  action "put" "b" {
    provider = other
    name     = "b"
  }
"#,
    );
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    assert_eq!(stage.statuses(), "a pending, b pending");
    // Both are ended as they should be, also the one that refused.
    assert!(stage.text("puppet.heard").contains("\"shutdown\""));
    assert!(stage.text("other.heard").contains("\"shutdown\""));
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript());
}
