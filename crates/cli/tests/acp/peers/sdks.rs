//! The official SDKs for TypeScript and Python.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::programs::{CHANGED, Run, Sdk, Sdks, folder_with_notes, guarded, notes, tenon, text};
use crate::support::mark::Mark;
use crate::support::trial::trial_within;

/// Several runtimes are started, one after the other, on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

/// Everything that the agents can do.
fn steps() -> Value {
    json!([
        "new",
        { "prompt": "everything" },
        { "prompt": "wait", "cancel": "agent_message_chunk" },
        "load",
        { "call": "_peer/unknown", "params": { "text": "ü\u{1f980}" } },
        { "call": "session/close" },
    ])
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

/// Each client with each agent.
fn pairs() -> impl Iterator<Item = (Sdk, Sdk)> {
    Sdk::ALL
        .into_iter()
        .flat_map(|client| Sdk::ALL.map(|agent| (client, agent)))
}

#[tokio::test]
async fn both_sides_of_each_pair_see_through_the_guard_what_they_see_without_it() {
    trial_within(WATCHDOG, Sdks::installed(), async |sdks, mark| {
        let steps = steps();
        for (client, agent) in pairs() {
            let folder = folder_with_notes();
            let run = run(folder.path(), &steps, mark);
            let direct = sdks.drive(client, sdks.agent(agent), run).await;
            assert_eq!(notes(folder.path()), CHANGED);
            std::fs::write(folder.path().join("notes.txt"), "one\n").expect("a file");

            let guarded = guarded(&[], sdks.agent(agent));
            let through = sdks.drive(client, guarded, run).await;
            assert_eq!(notes(folder.path()), CHANGED);
            for side in ["client", "agent"] {
                let (direct, through) = (direct.comparable(side), through.comparable(side));
                assert_eq!(direct, through, "to the {side}: {client:?}, {agent:?}");
            }
            assert_eq!(through.stop_reasons(), ["end_turn", "cancelled"]);
            assert!(through.ended_by_itself());
            assert_eq!(*through.exit(), 0, "{client:?}, {agent:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_rules_decide_instead_of_the_user() {
    const POLICY: &str = r#"
        default = "ask"

        rule "notes-stay" {
          action = "deny"
          kind   = ["edit"]
          path   = ["notes.txt"]
        }

        rule "counting" {
          action  = "allow"
          kind    = ["execute"]
          command = ["wc *"]
        }
    "#;
    trial_within(WATCHDOG, Sdks::installed(), async |sdks, mark| {
        let steps = json!(["new", { "prompt": "everything" }]);
        for agent in Sdk::ALL {
            let folder = folder_with_notes();
            let policy = folder.path().join("policy.hcl");
            std::fs::write(&policy, POLICY).expect("a file");
            let record = text(&folder.path().join("record.jsonl"));
            let options = ["--policy", &text(&policy), "--record", &record];
            let guarded = guarded(&options, sdks.agent(agent));
            let run = run(folder.path(), &steps, mark);
            let seen = sdks.drive(Sdk::TypeScript, guarded, run).await;

            let calls = seen.agent_calls();
            assert!(!calls.contains(&"session/request_permission"), "{calls:?}");
            assert!(!calls.contains(&"fs/write_text_file"), "{calls:?}");
            assert!(calls.contains(&"terminal/create"), "{calls:?}");
            assert_eq!(seen.status("edit-1"), Some("failed"));
            assert_eq!(seen.status("run-1"), Some("completed"));
            assert_eq!(notes(folder.path()), "one\n");
            tenon(&["acp", "verify", &record], mark).await;
        }
    })
    .await;
}
