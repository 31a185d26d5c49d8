//! Both clients for local sockets: the same errors, and the same behaviour while they reconnect.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::support::tools;
use crate::support::trial::{run, trial_within};

const WATCHDOG: Duration = Duration::from_secs(300);

#[derive(Debug, Deserialize)]
struct Seen {
    /// The code of each class.
    errors: BTreeMap<String, String>,
    /// The result or the code of each call.
    outcomes: BTreeMap<String, serde_json::Value>,
}

/// What only one of them has, and why.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("Aborted", "in Python, the task is cancelled instead"),
    (
        "Overloaded",
        "in Python, calls wait until the server reads, which has their time limit",
    ),
];

fn programs() -> Result<[(PathBuf, PathBuf); 2], String> {
    let script = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
        folder.join(name)
    };
    Ok([
        (tools::python()?, script("reconnecting.py")),
        (tools::on_path("node")?, script("reconnecting.mjs")),
    ])
}

#[tokio::test]
async fn errors_and_reconnecting_are_the_same_in_python_and_typescript() {
    trial_within(WATCHDOG, programs(), async |programs, mark| {
        let mut seen = Vec::new();
        for (program, script) in programs {
            let place = tempfile::tempdir().expect("a folder");
            let socket = place.path().join("s");
            let args = [script.as_os_str(), socket.as_os_str()];
            let printed = run(&program, args, mark).await;
            let found: Seen = serde_json::from_str(&printed).expect("JSON");
            seen.push(found);
        }
        let [python, typescript] = seen.try_into().expect("two");
        let mut errors = typescript.errors.clone();
        for (name, _) in EXCEPTIONS {
            assert!(errors.remove(name).is_some(), "{name}: {typescript:?}");
        }
        assert_eq!(python.errors, errors);
        assert!(errors.len() >= 8, "{errors:?}");
        assert_eq!(python.outcomes, typescript.outcomes);
        let expected = serde_json::json!({
            "a call after close": "NOT_CONNECTED",
            "a call after that": "NOT_CONNECTED",
            "a call before connect": "NOT_CONNECTED",
            "a call that cannot wait": "TIMEOUT",
            "a call that waits": 3,
            "a call that waits when it is given up": "CONNECT_FAILED",
            "a call that waits when the client is closed": "DISCONNECTED",
            "a call when the server ends": "DISCONNECTED",
            "connect without a server": "CONNECT_FAILED",
        });
        assert_eq!(serde_json::json!(python.outcomes), expected);
    })
    .await;
}
