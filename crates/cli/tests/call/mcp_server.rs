//! The reference server of the Model Context Protocol, on Node.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::shell::{Outcome, Shell};
use crate::support::tools;
use crate::support::trial::trial_within;

/// Node takes its time on a busy machine, and each call starts it anew.
const WATCHDOG: Duration = Duration::from_secs(300);

fn server() -> Result<PathBuf, String> {
    tools::installed("mcp/stamp")?;
    tools::on_path("node")?;
    tools::installed("mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
}

/// What `tenon call` prints, given its arguments before the server.
async fn call(shell: &Shell, server: &Path, arguments: &str) -> Outcome {
    let server = server.display();
    let line = format!("tenon call {arguments} --protocol mcp -- node {server}");
    shell.run_unnoted(&line).await
}

fn parsed(outcome: &Outcome) -> Value {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.stdout))
}

#[tokio::test]
async fn calls_just_work() {
    trial_within(WATCHDOG, server(), async |server, _| {
        let shell = Shell::new();
        let tools = parsed(&call(&shell, &server, "tools/list").await);
        assert_eq!(tools["tools"][0]["name"], "echo");
        let params = "'{\"name\":\"get-sum\",\"arguments\":{\"a\":2,\"b\":3}}'";
        let sum = parsed(&call(&shell, &server, &format!("tools/call {params}")).await);
        assert_eq!(sum["content"][0]["text"], "The sum of 2 and 3 is 5.");
    })
    .await;
}

#[tokio::test]
async fn what_it_offers() {
    trial_within(WATCHDOG, server(), async |server, _| {
        let shell = Shell::new();
        let listed = call(&shell, &server, "--list").await;
        assert_eq!(listed.code, Some(0), "{}", listed.stderr);
        for part in [
            "mcp-servers/everything 2.0.0\n",
            "\ntools\n  echo  - Echoes back the input string\n      message: string, required  - Message to echo\n",
            "      messageType: \"error\" | \"success\" | \"debug\", required",
            "      includeImage: boolean, default false",
            "  call one with: tools/call '{\"arguments\":{\"message\":\"\"},\"name\":\"echo\"}'\n",
            "\nprompts\n",
            "\nresources\n  demo://resource/static/document/",
            "\nresource templates\n  demo://resource/dynamic/text/{resourceId}",
        ] {
            assert!(listed.stdout.contains(part), "no {part:?} in {}", listed.stdout);
        }
        let listed = call(&shell, &server, "--list --json").await;
        let offers: Vec<Value> = listed
            .stdout
            .lines()
            // Events stand among them.
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let sum = offers.iter().find(|offer| offer["name"] == "get-sum").expect("an offer");
        assert_eq!(sum["kind"], "tool");
        assert_eq!(
            sum["parameters"][0],
            json!({ "name": "a", "type": "number", "required": true, "about": "First number" })
        );
        assert_eq!(
            sum["call"],
            json!({ "method": "tools/call", "params": { "name": "get-sum", "arguments": { "a": 0, "b": 0 } } })
        );
    })
    .await;
}

/// Two servers ask for something: the client's roots and a sample of a model.
#[tokio::test]
async fn its_questions_are_answered() {
    trial_within(WATCHDOG, server(), async |server, _| {
        let shell = Shell::new();
        let answer = "{\"role\":\"assistant\",\"model\":\"none\",\"content\":{\"type\":\"text\",\"text\":\"by hand\"}}";
        shell.file("sample.json", answer);
        let params = "'{\"name\":\"trigger-sampling-request\",\"arguments\":{\"prompt\":\"hi\"}}'";
        let arguments = format!("tools/call {params} --answer sampling/createMessage=@sample.json");
        let sampled = call(&shell, &server, &arguments).await;
        let shown = parsed(&sampled).to_string();
        assert!(shown.contains("by hand"), "{shown}");
        assert!(sampled.stderr.contains("request sampling/createMessage"), "{}", sampled.stderr);

        // What is not offered is not there to be used.
        let refused = call(&shell, &server, &format!("tools/call {params}")).await;
        let shown = format!("{}{}", refused.stdout, refused.stderr);
        assert!(shown.contains("trigger-sampling-request not found"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn progress_and_cancellation() {
    trial_within(WATCHDOG, server(), async |server, _| {
        let shell = Shell::new();
        let long = |seconds: u32| {
            format!(
                "tools/call '{{\"name\":\"trigger-long-running-operation\",\"arguments\":{{\"duration\":{seconds},\"steps\":2}}}}'"
            )
        };
        let done = call(&shell, &server, &format!("{} --progress", long(1))).await;
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        for step in [1, 2] {
            let expected = format!("\"progress\":{step}");
            let mut events = done.stderr.lines().filter(|line| line.starts_with("event notifications/progress"));
            assert!(events.any(|event| event.contains(&expected)), "{}", done.stderr);
        }
        let quiet = call(&shell, &server, &long(1)).await;
        assert!(!quiet.stderr.contains("notifications/progress"), "{}", quiet.stderr);

        let arguments = format!("{} --timeout 5s --trace", long(600));
        let cancelled = call(&shell, &server, &arguments).await;
        assert_eq!(cancelled.code, Some(5), "{}", cancelled.stderr);
        let expected = "→ {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}";
        assert!(cancelled.stderr.contains(expected), "{}", cancelled.stderr);
    })
    .await;
}

#[tokio::test]
async fn a_conversation() {
    trial_within(WATCHDOG, server(), async |server, _| {
        let shell = Shell::new();
        shell.file(
            "script",
            "tools = tools/list\n\
             tools/call {\"name\":$tools.tools[0].name,\"arguments\":{\"message\":\"hello\"}}\n\
             !notifications/roots/list_changed\n\
             tools/call {\"name\":\"get-sum\",\"arguments\":{\"a\":1,\"b\":1}} &\n\
             ping &\n",
        );
        let line = format!(
            "tenon call --repl --protocol mcp -- node {} < script",
            server.display()
        );
        let outcome = shell.run_unnoted(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        for expected in ["Echo: hello", "The sum of 1 and 1 is 2.", "\n{}\n"] {
            assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
        }
    })
    .await;
}
