//! The example agent of `tenon-acp`, with clients of others.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::programs::{Run, Sdk, Sdks, folder_with_notes, guarded, text};
use crate::support::trial::trial_within;

/// Several runtimes are started, one after the other, on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

fn crate_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name);
    std::fs::read_to_string(path).expect(name)
}

fn counter() -> PathBuf {
    // Examples are beside the folder of the test that runs.
    let test = std::env::current_exe().expect("a test");
    let path = test
        .ancestors()
        .nth(2)
        .expect("a folder")
        .join("examples/counter");
    assert!(
        path.exists(),
        "{} is missing: cargo build -p tenon-acp --examples",
        path.display()
    );
    path
}

#[tokio::test]
async fn the_example_works_with_clients_of_both_sdks() {
    trial_within(WATCHDOG, Sdks::installed(), async |sdks, mark| {
        let steps = json!(["new", { "prompt": "notes.txt" }, "load", { "call": "session/list" }]);
        for client in Sdk::ALL {
            for (answer, status) in [("allow_once", "completed"), ("reject_once", "failed")] {
                let (folder, store) = (folder_with_notes(), tempfile::tempdir().expect("a folder"));
                let run = Run {
                    folder: folder.path(),
                    answer,
                    steps: &steps,
                    patience: 60_000,
                    mark,
                };
                let agent = vec![text(&counter()), text(store.path())];
                let seen = sdks.drive(client, agent, run).await;
                assert_eq!(seen.stop_reasons(), ["end_turn"]);
                let called = ["fs/read_text_file", "session/request_permission"];
                assert_eq!(&seen.agent_calls()[..2], called);
                assert_eq!(seen.status("write-0"), Some(status), "{client:?}");
                let written = std::fs::read_to_string(folder.path().join("notes.txt.count"));
                assert_eq!(written.is_ok(), answer == "allow_once");
                // Once in the turn, and once when the session is loaded.
                assert_eq!(seen.text(), "notes.txt: 1 words\n".repeat(2));
                let listed = &seen.answer("session/list")["result"]["sessions"];
                assert_eq!(listed[0]["title"], "notes.txt");
                assert_eq!(*seen.exit(), 0);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_examples_on_the_official_sdks_work_behind_the_guard() {
    trial_within(WATCHDOG, Sdks::installed(), async |sdks, mark| {
        let steps = json!(["new", { "prompt": "notes.txt" }]);
        for (client, agent) in [
            (Sdk::Python, Sdk::TypeScript),
            (Sdk::TypeScript, Sdk::Python),
        ] {
            let (folder, code) = (folder_with_notes(), tempfile::tempdir().expect("a folder"));
            let run = Run {
                folder: folder.path(),
                answer: "allow_once",
                steps: &steps,
                patience: 60_000,
                mark,
            };
            let guarded = guarded(&[], sdks.example(agent, code.path()));
            let seen = sdks.drive(client, guarded, run).await;
            assert_eq!(seen.stop_reasons(), ["end_turn"], "{agent:?}");
            assert_eq!(seen.agent_calls(), ["fs/read_text_file"], "{agent:?}");
            assert_eq!(seen.text(), "notes.txt: 1 words\n", "{agent:?}");
            assert_eq!(*seen.exit(), 0, "{agent:?}");
        }
    })
    .await;
}

/// The guide says so, and shows it.
#[test]
fn the_example_has_forty_lines_and_is_in_the_guide() {
    let example = crate_file("crates/acp/examples/counter.rs");
    let start = example.find("impl Agent for Counter").expect("the agent");
    let end = start + example[start..].find("\n}\n").expect("its end") + 2;
    let agent = &example[start..end];
    assert!(
        agent.lines().count() <= 40,
        "{} lines",
        agent.lines().count()
    );
    assert!(crate_file("docs/guide/acp-agent.md").contains(agent));
}
