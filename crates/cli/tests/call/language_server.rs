//! A real language server: bash-language-server, on Node.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::shell::Shell;
use crate::support::tools;
use crate::support::trial::trial_within;

/// Node takes its time on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

fn server() -> Result<PathBuf, String> {
    tools::installed("lsp/stamp")?;
    tools::on_path("node")?;
    tools::installed("lsp/node_modules/bash-language-server/out/cli.js")
}

/// What opens the document that it is asked about.
fn document() -> Value {
    json!({ "textDocument": {
        "uri": "file:///tmp/greet.sh",
        "languageId": "shellscript",
        "version": 1,
        "text": "greet() { echo hello; }\ngreet\n",
    }})
}

/// Until the server has read its configuration, it finds nothing: it is asked until it does.
const SESSION: &str = "\
mkfifo session; tenon call --repl --protocol lsp --json --trace -- node $SERVER start \
    < session > results 2> frames & exec 3> session
echo '!textDocument/didOpen @open.json' >&3
until grep -q '\"name\":\"greet\"' results; do
    echo 'symbols = textDocument/documentSymbol {\"textDocument\":{\"uri\":\"file:///tmp/greet.sh\"}}' >&3
    sleep 0.1
done
cat script >&3; exec 3>&-
wait $!; code=$?
cat results; cat frames >&2; exit $code";

const SCRIPT: &str = "\
document = {\"uri\":\"file:///tmp/greet.sh\"}
position = {\"line\":$symbols[0].location.range.start.line,\"character\":1}
textDocument/references {\"textDocument\":$document,\"position\":{\"line\":1,\"character\":1},\"context\":{\"includeDeclaration\":true}}
textDocument/hover {\"textDocument\":$document,\"position\":$position} &
workspace/symbol {\"query\":\"greet\"} &
";

#[tokio::test]
async fn a_conversation() {
    trial_within(WATCHDOG, server(), async |server, _| {
        let shell = Shell::new();
        shell.file("script", SCRIPT);
        shell.file("open.json", &document().to_string());
        let line = format!("SERVER={}; {SESSION}", server.display());
        let outcome = shell.run_unnoted(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let printed: Vec<Value> = outcome
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect(line))
            .collect();
        let result = |method: &str| {
            let found = printed.iter().find(|line| line["method"] == method);
            found.unwrap_or_else(|| panic!("no {method} in {}", outcome.stdout))["result"].clone()
        };
        let references = result("textDocument/references");
        assert_eq!(references.as_array().map(Vec::len), Some(2), "{references}");
        assert_eq!(result("workspace/symbol")[0]["name"], "greet");
        // What it asks every editor was answered.
        let asked = printed
            .iter()
            .find(|line| line["request"]["method"] == "workspace/configuration");
        let asked = &asked.unwrap_or_else(|| panic!("{}", outcome.stdout))["request"];
        assert_eq!(asked["result"], json!([null]));

        let sent: Vec<&str> = outcome
            .stderr
            .lines()
            .filter(|line| line.starts_with('→'))
            .collect();
        let place = |part: &str| {
            let place = sent.iter().position(|frame| frame.contains(part));
            place.unwrap_or_else(|| panic!("no {part} in {sent:#?}"))
        };
        assert_eq!(place("\"initialize\""), 0);
        assert_eq!(place("\"initialized\""), 1);
        assert!(sent[0].contains("\"processId\":"), "{}", sent[0]);
        assert!(sent[0].contains("\"rootUri\":\"file://"), "{}", sent[0]);
        assert_eq!(place("\"shutdown\""), sent.len() - 2);
        assert_eq!(place("\"exit\""), sent.len() - 1);
    })
    .await;
}

#[tokio::test]
async fn what_it_offers() {
    trial_within(WATCHDOG, server(), async |server, _| {
        let shell = Shell::new();
        let line = format!(
            "tenon call --list --protocol lsp -- node {} start",
            server.display()
        );
        let outcome = shell.run_unnoted(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        for method in [
            "textDocument/hover",
            "textDocument/references",
            "workspace/symbol",
        ] {
            assert!(
                outcome.stdout.contains(&format!("\n  {method}")),
                "{}",
                outcome.stdout
            );
        }
    })
    .await;
}

/// It asks for its settings while no call runs, and finds nothing unless somebody answers.
#[tokio::test]
async fn behind_a_socket() {
    trial_within(WATCHDOG, server(), async |server, _| {
        let shell = Shell::new();
        shell.file("open.json", &document().to_string());
        shell.file(
            "script",
            "!textDocument/didOpen @open.json\n\
             :wait textDocument/publishDiagnostics\n\
             textDocument/documentSymbol {\"textDocument\":{\"uri\":\"file:///tmp/greet.sh\"}}\n",
        );
        // Either the client initialises the server, or `tenon serve` does.
        for (socket, serve, call) in [
            ("a.sock", "--dialect json-rpc-headers", "--protocol lsp"),
            ("b.sock", "--protocol lsp", ""),
        ] {
            let line = format!(
                "tenon serve --socket ./{socket} {serve} -- node {} start 2> served & \
                 until [ -S {socket} ]; do sleep 0.1; done; \
                 tenon call --repl {call} --timeout 60s --socket ./{socket} < script; code=$?; \
                 kill $!; wait; exit $code",
                server.display()
            );
            let outcome = shell.run_unnoted(&line).await;
            assert_eq!(outcome.code, Some(0), "{serve}: {}", outcome.stderr);
            assert!(
                outcome.stdout.contains("\"name\":\"greet\""),
                "{serve}: {}\n{}",
                outcome.stdout,
                outcome.stderr
            );
        }
    })
    .await;
}
