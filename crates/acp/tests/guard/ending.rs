//! Agents and editors that stop.

use std::time::Duration;

use serde_json::json;
use tenon_acp::guard::Settings;
use tenon_protocols::acp::Side;

use super::actors::{Agent, Stage, data, json_payload};
use super::{call, chunk, error};

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_is_reported() {
    let agent = Agent::new(|peer, _| async move {
        peer.close();
        std::future::pending().await
    });
    let stage = Stage::open(agent, Settings::default()).await;
    let lost = error(stage.prompt("go").await);
    assert_eq!(lost.code.number(), -32603, "-32000 would open a login page");
    assert_eq!(data(&lost)["reason"], "connection_lost");
    assert_eq!(stage.guard().closed().await.0, Side::Agent);
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_leaves_cancels_its_turns() {
    let (sender, mut cancelled) = tokio::sync::mpsc::channel(1);
    let agent = Agent::new(|_, _| std::future::pending()).on_cancel(sender);
    let mut stage = Stage::open(agent, Settings::default()).await;
    let editor = stage.editor().clone();
    let prompt = json_payload(&json!({ "sessionId": "s", "prompt": [] }));
    let asked = editor.ask("session/prompt", Some(prompt)).await.unwrap();
    stage.settle().await;
    stage.leave();
    drop(asked);
    let gone = stage.guard().closed().await;
    assert_eq!(gone.0, Side::Client);
    let session = tokio::time::timeout(Duration::from_secs(10), cancelled.recv()).await;
    assert_eq!(session.unwrap().unwrap(), "s");
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_times_out() {
    let agent = Agent::new(|_, _| std::future::pending()).mute();
    let mut stage = Stage::new(agent, Settings::default());
    let initialize = call(
        stage.editor(),
        "initialize",
        &json!({ "protocolVersion": 1 }),
    )
    .await;
    let late = error(initialize);
    assert_eq!((late.code.number(), &*late.message), (-32001, "Timeout"));
    assert_eq!(data(&late)["timeoutMs"], 30_000);
    stage.leave();
}

/// The limit of a turn counts the time in which nothing happens.
#[tokio::test(start_paused = true)]
async fn a_turn_times_out_when_nothing_happens() {
    let (sender, mut cancelled) = tokio::sync::mpsc::channel(1);
    let agent = Agent::new(|peer, _| async move {
        // Ten minutes in which something happens, and a question that takes an hour.
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_secs(120)).await;
            peer.send_raw("session/update", Some(json_payload(&chunk("x"))))
                .await
                .unwrap();
        }
        let request =
            json!({ "sessionId": "s", "toolCall": { "toolCallId": "slow" }, "options": [] });
        call(&peer, "session/request_permission", &request)
            .await
            .unwrap();
        std::future::pending().await
    })
    .on_cancel(sender);
    let stage = Stage::open(agent, Settings::default()).await;
    stage.answer_after(Duration::from_secs(3600));
    let started = tokio::time::Instant::now();
    let late = error(stage.prompt("go").await);
    assert_eq!((late.code.number(), &*late.message), (-32001, "Timeout"));
    let expected = Duration::from_secs(600 + 3600 + 300 + 10);
    let took = started.elapsed();
    assert!(
        took >= expected && took < expected + Duration::from_secs(2),
        "{took:?}"
    );
    assert_eq!(cancelled.recv().await.unwrap(), "s", "the agent was told");
}
