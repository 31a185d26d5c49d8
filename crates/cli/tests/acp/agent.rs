//! `tenon acp agent`, driven by the client of the official TypeScript SDK.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::mark::Mark;
use crate::support::shell::Shell;
use crate::support::tools;
use crate::support::trial::{TENON, run_with, trial_within};

/// Node takes its time on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

/// Node, and the folder with the SDK.
fn sdk() -> Result<(PathBuf, PathBuf), String> {
    tools::installed("acp/stamp")?;
    tools::python()?;
    Ok((tools::on_path("node")?, tools::installed("acp")?))
}

/// Runs one part of the script. It checks every message of the agent with the official schema.
async fn drive(part: &str) {
    trial_within(WATCHDOG, sdk(), async |(node, modules), mark: &Mark| {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acp/agent_client.mjs");
        let words = [
            script.as_os_str(),
            modules.as_os_str(),
            TENON.as_ref(),
            folder.path().as_os_str(),
            part.as_ref(),
        ];
        run_with(&node, words, &[], mark).await;
    })
    .await;
}

#[tokio::test]
async fn scenarios_are_written_planned_run_and_undone_from_an_editor() {
    drive("scenarios").await;
}

#[tokio::test]
async fn modes_rejections_and_wrong_commands_do_nothing() {
    drive("refusals").await;
}

#[tokio::test]
async fn plugins_are_called_from_an_editor() {
    drive("calls").await;
}

#[tokio::test]
async fn a_cancelled_run_is_stopped_and_can_be_undone() {
    drive("cancel").await;
}

#[tokio::test]
async fn a_killed_agent_loads_its_sessions_again() {
    drive("killed").await;
}

#[tokio::test]
async fn a_store_that_cannot_be_used_is_reported_at_the_start() {
    let shell = Shell::new();
    let outcome = shell
        .run_unnoted("touch file; tenon acp agent --store file")
        .await;
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("--no-store"), "{}", outcome.stderr);
}
