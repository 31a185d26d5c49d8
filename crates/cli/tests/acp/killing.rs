//! Agents that are killed in the middle of a turn.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::editor::{Editor, script};
use super::support::shell::Shell;
use super::support::trial::trial;

/// The same numbers in each run, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// What the agent does in a turn, which does not end by itself. Each step is at least one message.
fn turn() -> String {
    let step = |number| match number % 3 {
        0 => "say working",
        1 => "call fs/read_text_file {\"path\":\"CWD/a\"}",
        _ => "call session/request_permission {\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[]}",
    };
    let steps = (0..12).map(step).collect::<Vec<_>>().join("\n");
    format!("say PID\n{steps}\nwait")
}

#[tokio::test]
async fn whenever_an_agent_is_killed_everything_is_answered_and_nothing_is_left() {
    trial(script(), async |_, _| {
        let mut random = Random(0x5eed_2026);
        for round in 0..12 {
            let mut shell = Shell::new();
            let mut editor = Editor::guarded(&shell, "--record r.jsonl --no-summary");
            editor.open(&shell.path("")).await;
            let turn = editor.steps(&turn());
            let mut calls = vec![editor.send("session/prompt", turn).await];
            for _ in 0..random.below(4) {
                calls.push(editor.send("_vendor/call", json!({})).await);
            }
            editor.until(|editor| !editor.said().is_empty()).await;
            let pid: i32 = editor.said()[0].parse().expect("a process id");
            let moment = random.below(12) as usize;
            editor
                .until(|editor| editor.events.len() + editor.asked.len() > moment)
                .await;
            let pid = Pid::from_raw(pid).expect("a process id");
            kill_process(pid, Signal::KILL).expect("a running agent");
            let mut seen: Vec<Value> = editor.events.iter().cloned().collect();
            // This also shows that no process is left.
            let outcome = editor.ended().await;
            let last = outcome.stdout.lines().map(serde_json::from_str);
            seen.extend(last.map(|line| line.expect("JSON")));
            for id in calls {
                let is_answer =
                    |message: &&Value| message["method"].is_null() && message["id"] == id;
                let answers: Vec<&Value> = seen.iter().filter(is_answer).collect();
                assert_eq!(answers.len(), 1, "round {round}, call {id}: {answers:?}");
                let error = &answers[0]["error"];
                if error.is_object() {
                    assert_eq!(error["data"]["reason"], "connection_lost", "{error}");
                    let details = error["data"]["details"].as_str().unwrap_or_default();
                    assert!(details.contains("signal: 9"), "{error}");
                }
            }
            assert_eq!(outcome.code, Some(3), "round {round}: {}", outcome.stderr);
            let verified = shell.run("tenon acp verify r.jsonl").await;
            assert_eq!(verified.code, Some(0), "round {round}: {}", verified.stderr);
        }
    })
    .await;
}
