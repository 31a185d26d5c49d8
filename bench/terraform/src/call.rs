//! What the bridge adds to a call: `ReadResource` over gRPC beside `read` over the script's pipes.

use std::io;
use std::time::Duration;

use bench_terraform::calls::{self, Calls, Subject, Way};
use bench_terraform::identity::Identity;

use crate::round_trip::measure;
use crate::tools::Tools;

/// The name of the rows that call no script.
const NONE: &str = "none";

pub async fn run(rounds: usize, millis: u64, tools: &Tools) -> io::Result<Calls> {
    let subject = Subject {
        heading: "script",
        about: "`read` of a script, and `ReadResource` of the provider that calls it. Without a \
                script it is `GetMetadata`.",
        provider: "the bridge",
        bar: 300.0,
    };
    let identity = Identity::new()?;
    let each = Duration::from_millis(millis);
    let scripts = tools.scripts();
    let languages = scripts.iter().map(|(language, _)| *language);
    let ways = |language| Way::ALL.map(|way| (language, way));
    let rows = [NONE].into_iter().chain(languages).flat_map(ways);
    // What calls no script has no pipes.
    let rows = rows.filter(|&row| row != (NONE, Way::Pipes));
    calls::run(rounds, subject, rows, async |language, way| {
        let script = scripts.iter().find(|(known, _)| *known == language);
        let script = script.map(|(_, path)| path.as_path());
        measure(script, way, &identity, tools, each).await
    })
    .await
}
