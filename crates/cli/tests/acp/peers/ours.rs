//! `tenon acp agent` with clients of others, directly and through the guard.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::programs::{Command, Run, Sdk, Sdks, guarded, text};
use crate::support::mark::Mark;
use crate::support::trial::{TENON, trial_within};

/// Several runtimes are started, one after the other, on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

fn agent(store: &Path) -> Command {
    let words = [TENON, "acp", "agent", "--store"].map(str::to_owned);
    words.into_iter().chain([text(store)]).collect()
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
async fn clients_of_both_sdks_run_scenarios() {
    let steps = json!([
        "new",
        { "prompt": "/init" },
        { "prompt": "/plan scenarios/hello.hcl city=Lier" },
        { "prompt": "/run scenarios/hello.hcl city=Lier" },
        "load",
        { "call": "session/close" },
    ]);
    trial_within(WATCHDOG, Sdks::installed(), async |sdks, mark| {
        for client in Sdk::ALL {
            let mut calls = Vec::new();
            for is_guarded in [false, true] {
                let (folder, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
                let agent = match agent(store.path()) {
                    agent if is_guarded => guarded(&[], agent),
                    agent => agent,
                };
                let seen = sdks
                    .drive(client, agent, run(folder.path(), &steps, mark))
                    .await;
                assert_eq!(seen.stop_reasons(), ["end_turn"; 3]);
                assert!(folder.path().join("scenarios/hello.hcl").exists());
                let records = std::fs::read_dir(folder.path()).unwrap().flatten();
                let records = records.filter(|file| text(&file.path()).contains("orchard_"));
                assert_eq!(records.count(), 1, "the record of the run");
                assert!(!seen.updates("plan").is_empty(), "the actions of the run");
                // The history.
                assert_eq!(seen.updates("user_message_chunk").len(), 3);
                for method in ["session/load", "session/close"] {
                    assert!(seen.answer(method).get("error").is_none(), "{method}");
                }
                assert!(seen.ended_by_itself());
                assert_eq!(*seen.exit(), 0);
                let called: Vec<String> = { seen.agent_calls().into_iter() }
                    .map(str::to_owned)
                    .collect();
                assert!(called.contains(&"session/request_permission".to_owned()));
                calls.push(called);
            }
            assert_eq!(
                calls[0], calls[1],
                "{client:?}: directly, and through the guard"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_rule_of_the_guard_prevents_what_our_agent_would_write() {
    const POLICY: &str = "rule \"nothing-new\" {\n  action = \"deny\"\n  kind = [\"edit\"]\n}\n";
    trial_within(WATCHDOG, Sdks::installed(), async |sdks, mark| {
        let (folder, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let policy = store.path().join("policy.hcl");
        std::fs::write(&policy, POLICY).unwrap();
        let agent = guarded(&["--policy", &text(&policy)], agent(store.path()));
        let steps = json!(["new", { "prompt": "/init" }]);
        let run = run(folder.path(), &steps, mark);
        let seen = sdks.drive(Sdk::Python, agent, run).await;
        assert_eq!(seen.answers("session/prompt").len(), 1);
        assert!(!folder.path().join("scenarios/hello.hcl").exists());
    })
    .await;
}
