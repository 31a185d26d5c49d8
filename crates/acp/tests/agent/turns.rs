//! Turns: updates, calls of the client, cancellation, failures.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_acp::agent::Settings;
use tenon_rpc::RpcError;

use crate::editor::{Editor, everything, prompt};
use crate::support::W;

fn details(error: &RpcError) -> Value {
    error.data.as_ref().unwrap().decode().unwrap()
}

#[tokio::test]
async fn updates_arrive_in_order_and_before_the_answer() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    let result = editor
        .prompt(&session, "think:a say:b tool done plan")
        .await
        .unwrap();
    assert_eq!(result, json!({ "stopReason": "end_turn" }));
    let updates = editor.updates();
    let kinds: Vec<Value> = { updates.iter() }
        .map(|update| update["sessionUpdate"].clone())
        .filter(|kind| kind != "available_commands_update")
        .collect();
    assert_eq!(
        kinds,
        [
            "agent_thought_chunk",
            "agent_message_chunk",
            "tool_call",
            "tool_call_update",
            "plan"
        ]
    );
    let last = editor.seen.lock().unwrap().last().cloned().unwrap();
    assert_eq!(last["result"]["stopReason"], "end_turn", "{last}");
    assert_eq!(
        editor.prompt(&session, "refuse").await.unwrap()["stopReason"],
        "refusal"
    );
}

#[tokio::test]
async fn commands_are_shown_when_the_client_knows_the_session() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    editor
        .until(|seen| seen.iter().any(|frame| frame["method"] == "session/update"))
        .await;
    let seen = editor.seen.lock().unwrap().clone();
    let answered = seen
        .iter()
        .position(|frame| frame["result"]["sessionId"] == session);
    let shown = seen.iter().position(|frame| {
        frame["params"]["update"]["sessionUpdate"] == "available_commands_update"
    });
    assert!(answered < shown && answered.is_some(), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn many_chunks_are_joined_and_none_is_lost() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    editor.prompt(&session, "flood:5000").await.unwrap();
    let expected: String = (0..5000).map(|number| format!("{number};")).collect();
    assert_eq!(editor.text("agent_message_chunk"), expected);
    assert!(editor.updates().len() < 1100, "{}", editor.updates().len());
}

#[tokio::test]
async fn long_text_is_sent_in_several_updates_and_without_null_characters() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    editor.prompt(&session, "large:100000 null").await.unwrap();
    let text = editor.text("agent_message_chunk");
    assert_eq!(text.len(), 200_000 + "a\u{fffd}b".len());
    assert!(text.ends_with("a\u{fffd}b"));
    let largest = editor
        .updates()
        .iter()
        .map(|update| update.to_string().len())
        .max();
    assert!(largest.unwrap() < 100 * 1024);
}

/// Clients may drop updates over 100 KB, and would not hear that the call is done.
#[tokio::test]
async fn long_output_of_a_tool_is_cut_and_its_end_is_reported() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    editor.prompt(&session, "tool output:65536").await.unwrap();
    let updates = editor.updates();
    let done = updates.last().unwrap();
    assert_eq!(done["status"], "completed");
    assert!(done.to_string().len() < 100 * 1024);
    let text = done["content"][0]["content"]["text"].as_str().unwrap();
    assert!(text.ends_with("more bytes)"), "{}", text.len());
}

#[tokio::test]
async fn an_agent_uses_what_the_client_offers() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    let words = "ask read:a.txt write:b.txt run:hi elicit notice supports:terminal/create";
    editor.prompt(&session, words).await.unwrap();
    let text = editor.text("agent_message_chunk");
    let file = Path::new(W).join("a.txt");
    assert_eq!(
        text,
        format!(
            "allowed=truecontents of {}Some(0) hiaccepted=truetrue",
            file.display()
        )
    );
    let calls = editor.calls();
    assert_eq!(
        calls,
        [
            "session/request_permission",
            "fs/read_text_file",
            "fs/write_text_file",
            "terminal/create",
            "terminal/wait_for_exit",
            "terminal/output",
            "terminal/release",
            "elicitation/create",
        ]
    );
}

#[tokio::test]
async fn what_the_client_does_not_offer_is_never_called() {
    let editor = Editor::with(json!({}), Settings::default()).await;
    let session = editor.session(W).await;
    for word in ["read:a", "write:a", "run:a", "elicit", "notice"] {
        let error = editor.prompt(&session, word).await.unwrap_err();
        assert_eq!(error.code.number(), -32603, "{word}");
        let details = details(&error)["details"].to_string();
        assert!(details.contains("the client has not stated"), "{details}");
    }
    assert_eq!(editor.calls(), Vec::<String>::new());
    editor
        .prompt(&session, "supports:fs/read_text_file ask")
        .await
        .unwrap();
    assert_eq!(editor.text("agent_message_chunk"), "falseallowed=true");
}

#[tokio::test]
async fn errors_of_the_client_keep_their_code_and_large_files_are_not_sent() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    let error = editor.prompt(&session, "read:missing").await.unwrap_err();
    assert_eq!(error.code.number(), -31700);
    let error = editor.prompt(&session, "huge").await.unwrap_err();
    assert_eq!(error.code.number(), -31702);
    assert_eq!(editor.calls(), ["fs/read_text_file"]);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_answer_does_not_hang_the_agent() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    let peer = editor.peer();
    let outcome = peer.call_raw(
        "session/prompt",
        Some(crate::support::payload(&prompt(&session, "read:stalled"))),
    );
    let Err(tenon_rpc::CallError::Answered(error)) = outcome.await else {
        panic!("it was answered");
    };
    assert!(
        details(&error)["details"]
            .to_string()
            .contains("a call of the client failed")
    );
    // Reading is tried again.
    assert_eq!(editor.calls(), ["fs/read_text_file"; 3]);
}

#[tokio::test]
async fn a_terminal_is_released_when_it_is_dropped() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    editor.prompt(&session, "leave").await.unwrap();
    editor
        .until(|seen| {
            seen.iter()
                .any(|frame| frame["method"] == "terminal/release")
        })
        .await;
}

#[tokio::test]
async fn a_cancelled_turn_ends_with_cancelled() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    for words in ["say:begun wait", "say:begun read:stalled say:never"] {
        editor.forget();
        let turn = editor.prompt(&session, words);
        let cancelling = async {
            editor
                .until(|seen| seen.iter().any(|frame| frame.to_string().contains("begun")))
                .await;
            editor
                .send("session/cancel", &json!({ "sessionId": session }))
                .await;
        };
        let (result, ()) = tokio::join!(turn, cancelling);
        assert_eq!(result.unwrap()["stopReason"], "cancelled", "{words}");
        assert!(!editor.text("agent_message_chunk").contains("never"));
    }
    // What cancels nothing does nothing.
    editor
        .send("session/cancel", &json!({ "sessionId": session }))
        .await;
    editor
        .send("session/cancel", &json!({ "sessionId": "nobody" }))
        .await;
    assert_eq!(
        editor.prompt(&session, "say:x").await.unwrap()["stopReason"],
        "end_turn"
    );
}

/// The event follows the prompt at once.
#[tokio::test]
async fn a_cancellation_right_behind_its_prompt_is_not_lost() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    let peer = editor.peer();
    let asked = peer.ask(
        "session/prompt",
        Some(crate::support::payload(&prompt(&session, "wait"))),
    );
    let asked = asked.await.unwrap();
    editor
        .send("session/cancel", &json!({ "sessionId": session }))
        .await;
    let result: Value = crate::support::within(asked)
        .await
        .unwrap()
        .decode()
        .unwrap();
    assert_eq!(result["stopReason"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_ignores_its_cancellation_is_stopped() {
    let settings = Settings {
        grace: Duration::from_secs(3),
        ..Settings::default()
    };
    let editor = Editor::with(everything(), settings).await;
    let session = editor.session(W).await;
    let turn = editor.prompt(&session, "ignore");
    let params = json!({ "sessionId": session });
    let cancelling = editor.send("session/cancel", &params);
    let (result, ()) = tokio::join!(turn, cancelling);
    assert_eq!(result.unwrap()["stopReason"], "cancelled");
    assert_eq!(
        editor.prompt(&session, "say:x").await.unwrap()["stopReason"],
        "end_turn"
    );
}

/// `$/cancel_request` is answered at once, and the session is free when the turn has ended.
#[tokio::test]
async fn a_prompt_whose_request_is_cancelled_ends_its_turn() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    let params = crate::support::payload(&prompt(&session, "say:begun wait"));
    let asked = editor
        .peer()
        .ask("session/prompt", Some(params))
        .await
        .unwrap();
    editor
        .until(|seen| seen.iter().any(|frame| frame.to_string().contains("begun")))
        .await;
    drop(asked);
    editor
        .until(|seen| {
            seen.iter()
                .any(|frame| frame.to_string().contains("stopping"))
        })
        .await;
    crate::support::within(async {
        while editor.prompt(&session, "say:x").await.is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn failures_and_panics_reveal_nothing_internal_and_the_session_continues() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    for word in ["fail", "panic"] {
        let error = editor
            .prompt(&session, &format!("say:{word} {word}"))
            .await
            .unwrap_err();
        assert_eq!(error.code.number(), -32603);
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
    let error = editor.prompt(&session, "explain").await.unwrap_err();
    assert_eq!(details(&error)["details"], "the disk is full");
    assert_eq!(
        editor.prompt(&session, "say:x").await.unwrap()["stopReason"],
        "end_turn"
    );
    assert_eq!(editor.text("agent_message_chunk"), "failpanicx");
}

#[tokio::test]
async fn sessions_work_at_the_same_time_and_each_has_one_turn() {
    let editor = Editor::new().await;
    let (one, other) = (editor.session(W).await, editor.session(W).await);
    let waiting = editor.prompt(&one, "say:begun wait");
    let meanwhile = async {
        editor
            .until(|seen| seen.iter().any(|frame| frame.to_string().contains("begun")))
            .await;
        let locked = editor.prompt(&one, "say:x").await.unwrap_err();
        assert_eq!(
            (locked.code.number(), &*locked.message),
            (-31902, "Session locked")
        );
        let mode = json!({ "sessionId": one, "modeId": "plan" });
        editor.call("session/set_mode", &mode).await;
        assert_eq!(
            editor.prompt(&other, "say:y").await.unwrap()["stopReason"],
            "end_turn"
        );
        editor
            .send("session/cancel", &json!({ "sessionId": one }))
            .await;
    };
    let (result, ()) = tokio::join!(waiting, meanwhile);
    assert_eq!(result.unwrap()["stopReason"], "cancelled");
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_turns() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::stored(folder.path()).await;
    let session = editor.session(W).await;
    let params = crate::support::payload(&prompt(&session, "say:begun wait"));
    let asked = editor
        .peer()
        .ask("session/prompt", Some(params))
        .await
        .unwrap();
    editor
        .until(|seen| seen.iter().any(|frame| frame.to_string().contains("begun")))
        .await;
    editor.leave().await;
    drop(asked);
    // It is free again.
    let editor = Editor::stored(folder.path()).await;
    let params = json!({ "sessionId": session, "cwd": W, "mcpServers": [] });
    editor.call("session/load", &params).await;
    assert!(editor.text("agent_message_chunk").starts_with("begun"));
}

/// A guard lets an agent read a hundred files in a minute. The others are read later instead of being refused.
#[tokio::test(start_paused = true)]
async fn files_over_the_limit_of_a_guard_are_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    // On Windows its name has the prefix `\\?\`, and each file is still counted once.
    let root = folder.path().canonicalize().unwrap();
    let (editor, guard) = Editor::guarded().await;
    let session = editor.session(root.to_str().unwrap()).await;
    let prompt = "read:a ".repeat(150);
    editor.prompt(&session, &prompt).await.unwrap();
    let expected = format!("contents of {}", root.join("a").display());
    let text = editor.text("agent_message_chunk");
    assert_eq!(text, expected.repeat(150));
    let read = guard.summary().read;
    assert_eq!(read.values().sum::<u64>(), 150, "{read:?}");
}
