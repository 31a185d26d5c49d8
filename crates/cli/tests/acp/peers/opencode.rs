//! opencode, an agent that writes files itself once it is allowed to.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::programs::{Command, Run, Sdk, Sdks, folder_with_notes, guarded, opencode, text};
use super::transcript::Transcript;
use crate::support::mark::Mark;
use crate::support::trial::optional_trial;

/// It takes ten seconds to start, and more on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

/// A turn that writes a file.
fn writing(folder: &Path) -> Value {
    let file = json!({ "filePath": folder.join("new.txt"), "content": "hello" });
    json!({ "prompt": format!("TOOL:write:{file}") })
}

async fn drive(
    (sdks, opencode): &(Sdks, Command),
    guard: Option<&[&str]>,
    run: Run<'_>,
) -> Transcript {
    let home = tempfile::tempdir().expect("a folder");
    let agent = sdks.with_service("opencode", home.path(), opencode.clone());
    let agent = match guard {
        Some(options) => guarded(options, agent),
        None => agent,
    };
    sdks.drive(Sdk::TypeScript, agent, run).await
}

fn run<'a>(folder: &'a Path, steps: &'a Value, mark: &'a Mark) -> Run<'a> {
    Run {
        folder,
        answer: "allow_once",
        steps,
        patience: 60_000,
        mark,
    }
}

#[tokio::test]
async fn edits_are_asked_for_turns_cancelled_and_sessions_loaded() {
    optional_trial(WATCHDOG, opencode(), async |tool, mark| {
        for guard in [None, Some(&[][..])] {
            let folder = folder_with_notes();
            let steps = json!([
                "new",
                writing(folder.path()),
                { "prompt": "SLOW", "cancel": "agent_message_chunk" },
                "load",
                { "call": "session/list" },
            ]);
            let seen = drive(&tool, guard, run(folder.path(), &steps, mark)).await;

            let answer = &seen.answer("initialize")["result"];
            assert_eq!(answer["agentInfo"]["name"], "OpenCode");
            assert_eq!(seen.stop_reasons(), ["end_turn", "cancelled"]);
            let calls = ["session/request_permission", "fs/write_text_file"];
            assert_eq!(seen.agent_calls(), calls);
            let written = std::fs::read_to_string(folder.path().join("new.txt"));
            assert_eq!(written.expect("a file"), "hello");
            // The second time is the replay.
            let said = seen.text();
            assert_eq!(said.matches("Working. All done.").count(), 2, "{said}");
            assert_eq!(seen.updates("user_message_chunk").len(), 2);
            let listed = &seen.answer("session/list")["result"]["sessions"];
            assert_eq!(listed.as_array().map(Vec::len), Some(1));
            assert!(seen.ended_by_itself());
            assert_eq!(*seen.exit(), 0);
        }
    })
    .await;
}

#[tokio::test]
async fn a_turn_is_cancelled_while_permission_is_asked_for() {
    optional_trial(WATCHDOG, opencode(), async |tool, mark| {
        let folder = folder_with_notes();
        let mut writing = writing(folder.path());
        writing["cancel"] = json!("permission");
        let steps = json!(["new", writing]);
        let seen = drive(&tool, Some(&[]), run(folder.path(), &steps, mark)).await;
        assert_eq!(seen.stop_reasons(), ["cancelled"]);
        assert!(!folder.path().join("new.txt").exists());
    })
    .await;
}

#[tokio::test]
async fn a_rule_prevents_an_edit() {
    const POLICY: &str = "rule \"nothing-new\" {\n  action = \"deny\"\n  kind = [\"edit\"]\n}\n";
    optional_trial(WATCHDOG, opencode(), async |tool, mark| {
        let folder = folder_with_notes();
        let policy = folder.path().join("policy.hcl");
        std::fs::write(&policy, POLICY).expect("a file");
        let steps = json!(["new", writing(folder.path())]);
        let options = ["--policy", &text(&policy)];
        let seen = drive(&tool, Some(&options), run(folder.path(), &steps, mark)).await;
        assert_eq!(seen.agent_calls(), [""; 0], "the guard has answered");
        assert!(!folder.path().join("new.txt").exists());
        let updates = seen.updates("tool_call_update");
        let last = updates.last().expect("what became of the call");
        assert_eq!(last["status"], "failed");
        assert_eq!(seen.answers("session/prompt").len(), 1);
    })
    .await;
}
