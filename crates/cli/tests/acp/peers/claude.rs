//! claude-code-acp, an agent that uses the files and the terminals of its client, and that ignores the end of its input.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::programs::{Command, Run, Sdk, Sdks, folder_with_notes, guarded, text};
use super::transcript::Transcript;
use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::optional_trial;

/// It takes seconds to start, and more on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

fn installed() -> Result<(Sdks, Command), String> {
    tools::installed("claude-code-acp/stamp")?;
    let script = "claude-code-acp/node_modules/@zed-industries/claude-code-acp/dist/index.js";
    let (sdks, script) = (Sdks::installed()?, tools::installed(script)?);
    let agent = sdks.node(&script);
    Ok((sdks, agent))
}

fn tool(name: &str, arguments: Value) -> Value {
    json!({ "prompt": format!("TOOL:mcp__acp__{name}:{arguments}") })
}

/// A turn that writes a file.
fn writing(folder: &Path) -> Value {
    let file = folder.join("new.txt");
    tool("Write", json!({ "file_path": file, "content": "hello" }))
}

/// A turn that runs a command.
fn running() -> Value {
    let arguments = json!({ "command": "echo hi", "timeout": 60_000, "run_in_background": false });
    tool("Bash", arguments)
}

async fn drive(
    (sdks, claude): &(Sdks, Command),
    guard: Option<&[&str]>,
    (folder, steps, mark): (&Path, &Value, &Mark),
) -> Transcript {
    let home = tempfile::tempdir().expect("a folder");
    let agent = sdks.with_service("claude", home.path(), claude.clone());
    let (agent, patience) = match guard {
        Some(options) => (guarded(options, agent), 60_000),
        // It would not end by itself.
        None => (agent, 0),
    };
    let run = Run {
        folder,
        answer: "allow_once",
        steps,
        patience,
        mark,
    };
    sdks.drive(Sdk::TypeScript, agent, run).await
}

#[tokio::test]
async fn files_and_terminals_of_the_client_are_used() {
    optional_trial(WATCHDOG, installed(), async |tool, mark| {
        for guard in [None, Some(&[][..])] {
            let folder = folder_with_notes();
            let steps = json!([
                "new",
                writing(folder.path()),
                running(),
                { "prompt": "SLOW", "cancel": "agent_message_chunk" },
                "load",
            ]);
            let seen = drive(&tool, guard, (folder.path(), &steps, mark)).await;

            let reasons = seen.stop_reasons();
            assert_eq!(reasons, ["end_turn", "end_turn", "cancelled"]);
            let calls = [
                "session/request_permission",
                "fs/write_text_file",
                "session/request_permission",
                "terminal/create",
                "terminal/wait_for_exit",
                "terminal/output",
                "terminal/release",
            ];
            assert_eq!(seen.agent_calls(), calls);
            let written = std::fs::read_to_string(folder.path().join("new.txt"));
            assert_eq!(written.expect("a file"), "hello");
            let session = &seen.answer("session/new")["result"];
            // It still has what was removed from the protocol.
            assert_eq!(session["models"]["currentModelId"], "default");
            assert!(seen.answer("session/load").get("error").is_none());
            // The three prompts, and its own note that one was interrupted.
            assert_eq!(seen.updates("user_message_chunk").len(), 4);
            // The guard ends the agent, which would not end by itself.
            assert_eq!(seen.ended_by_itself(), guard.is_some());
        }
    })
    .await;
}

#[tokio::test]
async fn rules_prevent_edits_and_commands() {
    const POLICY: &str = r#"
        rule "nothing-new" {
          action = "deny"
          path   = ["new.txt"]
        }

        rule "no-commands" {
          action  = "deny"
          command = ["echo *"]
        }
    "#;
    optional_trial(WATCHDOG, installed(), async |tool, mark| {
        let folder = folder_with_notes();
        let policy = folder.path().join("policy.hcl");
        std::fs::write(&policy, POLICY).expect("a file");
        let steps = json!(["new", writing(folder.path()), running()]);
        let options = ["--policy", &text(&policy)];
        let seen = drive(&tool, Some(&options), (folder.path(), &steps, mark)).await;
        assert_eq!(seen.agent_calls(), [""; 0], "the guard has answered");
        assert!(!folder.path().join("new.txt").exists());
        assert_eq!(seen.answers("session/prompt").len(), 2);
    })
    .await;
}
