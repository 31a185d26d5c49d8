//! Questions that a client leaves open.

use serde_json::json;
use tenon_acp::guard::Settings;

use super::raw::Raw;
use super::{chosen, permission};

#[tokio::test(start_paused = true)]
async fn questions_of_a_cancelled_turn_are_answered_for_a_client_that_does_not() {
    let capabilities = json!({ "elicitation": { "form": {} } });
    let mut raw = Raw::open(Settings::default(), capabilities, "a").await;
    raw.prompt().await;
    raw.agent_calls("1", "session/request_permission", permission("t", "/a"))
        .await;
    let form = json!({ "sessionId": "s", "mode": "form", "message": "?", "requestedSchema": {} });
    raw.agent_calls("2", "elicitation/create", form).await;
    let asked = [raw.client.read().await, raw.client.read().await];
    raw.client_sends("session/cancel", json!({ "sessionId": "s" }))
        .await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    let mut answers = [raw.agent.read().await, raw.agent.read().await];
    answers.sort_by_key(|answer| answer["id"].to_string());
    let cancelled = json!({ "outcome": { "outcome": "cancelled" } });
    assert_eq!(answers[0]["result"], cancelled);
    assert_eq!(answers[1]["result"]["action"], "cancel");
    // The editor is told that its answers are no longer needed.
    let mut told = [raw.client.read().await, raw.client.read().await];
    told.sort_by_key(|event| event["params"]["requestId"].to_string());
    for (event, call) in told.iter().zip(&asked) {
        assert_eq!(event["method"], "$/cancel_request");
        assert_eq!(event["params"]["requestId"], call["id"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_answers_in_time_is_heard() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    raw.prompt().await;
    raw.agent_calls("1", "session/request_permission", permission("t", "/a"))
        .await;
    let call = raw.client.read().await;
    raw.client_sends("session/cancel", json!({ "sessionId": "s" }))
        .await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "outcome": { "outcome": "cancelled" }, "own": true } });
    raw.client.write(&answer.to_string()).await;
    assert_eq!(raw.agent.read().await["result"]["own"], true);
}

/// An agent might take any answer for a permission.
#[tokio::test]
async fn an_answer_that_was_not_offered_is_cancelled() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    raw.prompt().await;
    raw.agent_calls("1", "session/request_permission", permission("t", "/a"))
        .await;
    raw.client_answers(chosen("not-offered")).await;
    let answer = raw.agent.read().await;
    assert_eq!(
        answer["result"],
        json!({ "outcome": { "outcome": "cancelled" } })
    );
}
