//! Runtimes reserve much more address space than they use. That does not count as memory.

use std::path::PathBuf;
use std::time::Duration;

use tenon_host::{Capture, Captured, Limits, PluginCommand};

use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::trial;

const SMALL: &str = "console.log('done')";
const LARGE: &str = "console.log(new Uint8Array(2e9).fill(1).length)";

async fn run(command: PluginCommand, mebibytes: u64, mark: &Mark) -> Captured {
    let command = command
        .variable(Mark::VARIABLE, mark.value())
        .limits(Limits {
            memory: Some(mebibytes * 1024 * 1024),
            ..Limits::default()
        });
    let capture = Capture {
        time_limit: Some(Duration::from_secs(50)),
        ..Capture::default()
    };
    capture.run(&command).await.expect("a program that starts")
}

/// It starts within its limit, and cannot get 2 GB.
async fn is_limited(command: PluginCommand, mebibytes: u64, mark: &Mark) {
    for (code, is_enough) in [(SMALL, true), (LARGE, false)] {
        let captured = run(command.clone().arg(code), mebibytes, mark).await;
        let stderr = String::from_utf8_lossy(&captured.stderr);
        assert_eq!(captured.status.success(), is_enough, "{code}: {stderr}");
    }
}

#[tokio::test]
async fn node_starts_within_a_memory_limit() {
    trial(tools::on_path("node"), async |node: PathBuf, mark| {
        is_limited(PluginCommand::new(node).arg("-e"), 512, mark).await;
    })
    .await;
}

/// V8 reserves more than 512 MiB for code here, as memory that can be written to.
#[tokio::test]
async fn deno_starts_within_a_memory_limit() {
    let deno = tools::installed("deno/stamp").and(tools::installed("deno/deno"));
    trial(deno, async |deno: PathBuf, mark| {
        let cache = tempfile::tempdir().expect("a folder");
        let deno = PluginCommand::new(deno).variable("DENO_DIR", cache.path());
        is_limited(deno.arg("eval"), 1024, mark).await;
    })
    .await;
}
