//! A served plugin that is held to permissions.

use std::io::Write;

use crate::serving::Serving;
use crate::support::shell::Shell;

/// Answers each call with the text of the file that it names, or with why it cannot.
const PLUGIN: &str = r#"
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = open(request["params"]["path"]).read()
    except OSError as problem:
        answer = str(problem)
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer}), flush=True)
"#;

#[tokio::test]
async fn a_served_plugin_may_do_what_options_allow() {
    for (options, expected) in [
        ("", "closed"),
        ("--sandbox", "Permission denied"),
        ("--allow-read home", "closed"),
    ] {
        let shell = Shell::new();
        for folder in ["plugin", "home"] {
            std::fs::create_dir(shell.path(folder)).expect("a folder");
        }
        shell.file("plugin/plugin.py", PLUGIN);
        shell.file("home/secret", "closed");
        let tried = "tenon call read '{\"path\":\"/\"}' --sandbox -- python3 plugin/plugin.py";
        let tried = shell.run_unnoted(tried).await;
        if tried.stderr.contains("Landlock") {
            let reason = tried.stderr;
            let _shown = writeln!(std::io::stderr(), "skipped: {reason}");
            return;
        }
        let serve = format!("{options} -- python3 plugin/plugin.py");
        let serving = Serving::start_in(shell, &serve).await;
        let outcome = serving.call("read '{\"path\":\"home/secret\"}'").await;
        let stdout = &outcome.stdout;
        assert!(stdout.contains(expected), "{options}: {stdout}");
        serving.stop().await;
    }
}
