//! Agents and editors that stop.

use std::time::Duration;

use serde_json::{Value, json};
use tenon_acp::guard::Settings;
use tenon_protocols::acp::{Profile, Side};

use super::actors::{Agent, Stage, data, json_payload};
use super::raw::Raw;
use super::{call, chunk, error, everything};

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

/// The user has not cancelled the turn, so `cancelled` would not say why it ended.
#[tokio::test(start_paused = true)]
async fn a_turn_that_was_idle_is_a_timeout_whatever_the_agent_answers() {
    for profile in [Profile::V1, Profile::Seed] {
        for answer in [
            json!({ "result": { "stopReason": "cancelled" } }),
            json!({ "result": { "stopReason": "end_turn" } }),
            json!({ "error": { "code": -32800, "message": "Request cancelled" } }),
        ] {
            let (mut raw, prompt) = begin_turn(profile).await;
            tokio::time::sleep(ALMOST).await;
            assert_eq!(raw.agent.read().await["method"], "session/cancel");
            raw.agent_writes_answer(&prompt, answer.clone()).await;
            let late = raw.client.read().await;
            let error = &late["error"];
            assert_eq!(
                (&late["id"], &error["code"], &error["message"]),
                (&json!("p"), &json!(-32001), &json!("Timeout")),
                "{profile:?}: {answer}"
            );
            let expected = json!({ "method": "session/prompt", "timeoutMs": 300_000 });
            assert_eq!(error["data"], expected);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_the_user_has_cancelled_is_cancelled_however_late() {
    let (mut raw, prompt) = begin_turn(Profile::V1).await;
    tokio::time::sleep(ALMOST).await;
    raw.client_sends("session/cancel", json!({ "sessionId": SESSION }))
        .await;
    for from in ["the user", "the guard, after the limit"] {
        assert_eq!(raw.agent.read().await["method"], "session/cancel", "{from}");
    }
    let cancelled = json!({ "result": { "stopReason": "cancelled" } });
    raw.agent_writes_answer(&prompt, cancelled).await;
    let answer = raw.client.read().await;
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
}

/// A name that both profiles take.
const SESSION: &str = "0198a7c1-1111-7222-8333-444455556666";

/// With a turn that the agent works on, and the call of it.
async fn begin_turn(profile: Profile) -> (Raw, Value) {
    let settings = Settings {
        profile,
        ..Settings::default()
    };
    let mut raw = Raw::new(settings);
    raw.initialize(everything(), "a").await;
    raw.client_calls("n", "session/new", json!({ "cwd": "/", "mcpServers": [] }))
        .await;
    raw.agent_answers(json!({ "sessionId": SESSION })).await;
    raw.client.read().await;
    let prompt = json!({ "sessionId": SESSION, "prompt": [{ "type": "text", "text": "go" }] });
    raw.client_calls("p", "session/prompt", prompt).await;
    let prompt = raw.agent.read().await;
    (raw, prompt)
}

/// Less than a turn may be silent.
const ALMOST: Duration = Duration::from_secs(290);

/// A build may print nothing for as long as it takes.
#[tokio::test(start_paused = true)]
async fn a_program_that_is_waited_for_may_be_silent() {
    let mut raw = Raw::open(Settings::default(), everything(), "a").await;
    raw.prompt().await;
    let create = json!({ "sessionId": "s", "command": "make" });
    raw.agent_calls("1", "terminal/create", create).await;
    raw.client_answers(json!({ "result": { "terminalId": "t" } }))
        .await;
    raw.agent.read().await;
    let terminal = json!({ "sessionId": "s", "terminalId": "t" });
    raw.agent_calls("2", "terminal/wait_for_exit", terminal.clone())
        .await;
    let waits = raw.client.read().await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    // A terminal that was released is waited for no longer.
    raw.agent_calls("3", "terminal/release", terminal).await;
    raw.client_answers(json!({ "result": {} })).await;
    assert_eq!(raw.agent.read().await["id"], "3", "the turn goes on");
    let released = tokio::time::Instant::now();
    tokio::time::sleep(ALMOST).await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    let silent = released.elapsed().as_secs();
    assert!((299..302).contains(&silent), "{silent} s");
    let answer = json!({ "jsonrpc": "2.0", "id": waits["id"], "result": { "exitCode": 0 } });
    raw.client.write(&answer.to_string()).await;
    assert_eq!(raw.agent.read().await["id"], "2");
}

#[tokio::test(start_paused = true)]
async fn calls_of_the_editor_and_their_answers_are_activity() {
    let mut raw = Raw::open(Settings::default(), everything(), "a").await;
    raw.prompt().await;
    let mode = json!({ "sessionId": "s", "modeId": "m" });
    tokio::time::sleep(Duration::from_secs(270)).await;
    raw.client_calls("m", "session/set_mode", mode).await;
    let call = raw.agent.read().await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": {} });
    raw.agent.write(&answer.to_string()).await;
    assert_eq!(raw.client.read().await["id"], "m");
    let answered = tokio::time::Instant::now();
    tokio::time::sleep(ALMOST).await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    let silent = answered.elapsed().as_secs();
    assert!((299..302).contains(&silent), "{silent} s");
}

#[tokio::test(start_paused = true)]
async fn a_turn_of_a_session_that_was_closed_has_a_limit() {
    let mut raw = Raw::new(Settings::default());
    let initialize = json!({ "protocolVersion": 1 });
    raw.client_calls("i", "initialize", initialize).await;
    let able = json!({ "sessionCapabilities": { "close": {} } });
    raw.agent_answers(json!({ "protocolVersion": 1, "agentCapabilities": able }))
        .await;
    raw.client.read().await;
    raw.client_calls("n", "session/new", json!({ "cwd": "/", "mcpServers": [] }))
        .await;
    raw.agent_answers(json!({ "sessionId": "s" })).await;
    raw.client.read().await;
    raw.prompt().await;
    raw.client_calls("c", "session/close", json!({ "sessionId": "s" }))
        .await;
    raw.agent_answers(json!({})).await;
    assert_eq!(raw.client.read().await["id"], "c");
    tokio::time::sleep(ALMOST).await;
    let late = raw.client.read().await;
    assert_eq!(
        (&late["id"], &late["error"]["code"]),
        (&json!("p"), &json!(-32001))
    );
}
