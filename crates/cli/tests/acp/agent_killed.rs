//! `tenon acp agent` is killed with SIGKILL at random moments of a turn, and loads the session again.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::editor::Editor;
use crate::support::shell::Shell;
use crate::support::trial::trial_within;

/// A round starts two agents.
const ROUNDS: u64 = 12;
const WATCHDOG: Duration = Duration::from_secs(300);
const ACTIONS: usize = 8;
const AGENT: &str = "tenon acp agent --store sessions";

/// Numbers that look random and are the same in each run of the test (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Actions that each create a file, one after the other.
fn scenario(folder: &Path) -> String {
    let mut text = "scenario \"files\" {\n  required_providers {\n    exec = { source = \"builtin/exec\" }\n  }\n".to_owned();
    for number in 0..ACTIONS {
        let file = folder.join(format!("made-{number}"));
        let file = file.display();
        let after = match number {
            0 => String::new(),
            number => format!("    depends_on = [action.exec_run.a{}]\n", number - 1),
        };
        text += &format!(
            "  action \"exec_run\" \"a{number}\" {{\n    command = \"sh\"\n    args = [\"-c\", \"touch {file}; sleep 0.05\"]\n{after}    \
             idempotent = true\n    lifecycle {{\n      teardown {{\n        command = \"rm\"\n        \
             args = [\"-f\", \"{file}\"]\n      }}\n    }}\n  }}\n"
        );
    }
    text + "}\n"
}

/// What a history keeps of the updates of a session: what is said in one go is joined.
fn history(editor: &Editor) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for event in &editor.events {
        let update = &event["params"]["update"];
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        let is_text = ["agent_message_chunk", "agent_thought_chunk"].contains(&kind);
        let is_kept = is_text
            || [
                "user_message_chunk",
                "tool_call",
                "tool_call_update",
                "plan",
            ]
            .contains(&kind);
        match kept.last_mut() {
            Some(last) if is_text && last["sessionUpdate"] == kind => {
                let joined = format!("{}{}", said(last), said(update));
                last["content"]["text"] = json!(joined);
            }
            _ if is_kept => kept.push(update.clone()),
            _ => {}
        }
    }
    kept
}

fn said(update: &Value) -> &str {
    update["content"]["text"].as_str().unwrap_or_default()
}

/// Everything that the client saw is there again, in order. Of the last text, the agent may have kept more.
#[track_caller]
fn assert_kept(seen: &[Value], replayed: &[Value]) {
    assert!(seen.len() <= replayed.len(), "{seen:#?}\n{replayed:#?}");
    for (at, (seen, replayed)) in seen.iter().zip(replayed).enumerate() {
        let is_begun =
            seen["content"]["text"].is_string() && said(replayed).starts_with(said(seen));
        assert!(seen == replayed || is_begun, "{at}: {seen:#}\n{replayed:#}");
    }
}

fn files(folder: &Path, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter(|name| is_meant(name)).collect()
}

/// Starts a run in a new session, kills the agent after some updates, and returns the session and its history.
async fn killed(shell: &Shell, folder: &Path, numbers: &mut Numbers) -> (String, Vec<Value>) {
    let mut editor = Editor::start(shell, AGENT);
    editor.open(folder).await;
    let params = editor.steps("/run files.hcl");
    let prompt = editor.send("session/prompt", params).await;
    let count = numbers.below(16) as usize;
    let mut is_over = false;
    while !is_over && editor.events.len() < count {
        let message = editor.read().await.expect("a message");
        is_over = message["id"] == prompt && message.get("method").is_none();
        editor.take(message).await;
    }
    // A moment between two updates.
    tokio::time::sleep(Duration::from_millis(numbers.below(120))).await;
    editor.signal(Signal::KILL);
    // What has reached the pipe is seen; half a line is not a message.
    while let Some(message) = editor.read_whole().await {
        editor.events.push_back(message);
    }
    let (session, seen) = (editor.session.clone(), history(&editor));
    editor.gone().await;
    (session, seen)
}

#[tokio::test]
async fn what_the_client_saw_is_loaded_again_and_runs_are_not_lost() {
    trial_within(WATCHDOG, Ok(()), async |(), _| {
        let mut numbers = Numbers(17);
        let mut unfinished = 0;
        for round in 0..ROUNDS {
            let shell = Shell::new();
            let folder = shell.path("").canonicalize().expect("a folder");
            shell.file("files.hcl", &scenario(&folder));
            let (session, seen) = killed(&shell, &folder, &mut numbers).await;

            let mut editor = Editor::start(&shell, AGENT);
            editor.session.clone_from(&session);
            let initialize = json!({ "protocolVersion": 1, "clientCapabilities": {} });
            editor.request("initialize", initialize).await;
            let load = json!({ "sessionId": session, "cwd": folder, "mcpServers": [] });
            let loaded = editor.request("session/load", load).await;
            assert!(loaded.get("error").is_none(), "{loaded}");
            let mut replayed = history(&editor);
            if !replayed.is_empty() {
                let prompt = replayed.remove(0);
                assert_eq!(said(&prompt), "/run files.hcl");
            }
            assert_kept(&seen, &replayed);
            // Nothing goes on: a call that was not over has failed.
            let calls = replayed.iter().rev();
            let last = calls.filter_map(|update| update["status"].as_str()).next();
            assert!(
                matches!(last, None | Some("completed" | "failed")),
                "{last:?}"
            );

            // A run that made something has a record, which undoes it.
            let made = |folder| files(folder, |name| name.starts_with("made-"));
            let records = files(&folder, |name| {
                name.starts_with("orchard_") && name.ends_with(".json")
            });
            assert!(
                made(&folder).is_empty() || records.len() == 1,
                "round {round}: {records:?}"
            );
            unfinished += usize::from((1..ACTIONS).contains(&made(&folder).len()));
            if let [record] = &records[..] {
                let answer = editor.prompt(&format!("/teardown {record}")).await;
                assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
                assert_eq!(
                    made(&folder),
                    [""; 0],
                    "round {round}: {:#?}",
                    editor.events
                );
            }
            assert_eq!(editor.leave().await.code, Some(0));
        }
        assert!(unfinished > 0, "no run was stopped in the middle");
    })
    .await;
}
