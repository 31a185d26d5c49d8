//! Who can be called, and how much they may say.

use insta::assert_snapshot;

use crate::support::shell::Shell;
use crate::support::tools;
use crate::support::trial::trial;

/// A server on a port that the system chose, which answers every call of every client.
const SERVER: &str = r#"
import json, socketserver, sys

class Client(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            request = json.loads(line)
            answer = {"jsonrpc": "2.0", "id": request["id"], "result": request["method"]}
            self.wfile.write(json.dumps(answer).encode() + b"\n")

socketserver.ThreadingTCPServer.daemon_threads = True
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Client) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
"#;

#[tokio::test]
async fn tcp() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        shell.file("server.py", SERVER);
        let line = "python3 server.py > port & server=$!; \
            until [ -s port ]; do sleep 0.01; done; port=$(cat port); \
            tenon call first --tcp $port; \
            tenon call second --tcp localhost:$port; \
            printf 'third\\nfourth\\n' | tenon call --repl --tcp 127.0.0.1:$port; \
            kill $server; wait $server; \
            tenon call fifth --tcp $port 2>&1 | sed s/$port/PORT/";
        let outcome = shell.run_unnoted(line).await;
        let expected = "\"first\"\n\"second\"\n\"third\"\n\"fourth\"\n\
            error: could not connect to 127.0.0.1:PORT: Connection refused (os error 111)\n  \
            hint: does a server listen on that port?\n";
        assert_eq!(outcome.stdout, expected);
    })
    .await;
}

#[tokio::test]
async fn addresses_that_are_wrong() {
    let mut shell = Shell::new();
    shell.run("tenon call echo --tcp localhost").await;
    shell.run("tenon call echo --tcp 1 --socket s").await;
    shell.run("tenon call echo --tcp 1 -- tenon echo").await;
    shell.run("tenon call echo").await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn the_largest_message() {
    let shell = Shell::new();
    let text = |length: usize, options: &str| {
        format!("tenon call text '{{\"length\":{length}}}' {options} -- tenon echo | wc -c; true")
    };
    let outcome = shell.run_unnoted(&text(17_000_000, "")).await;
    assert!(
        outcome.stderr.contains("16777216 bytes"),
        "{}",
        outcome.stderr
    );
    let outcome = shell
        .run_unnoted(&text(17_000_000, "--max-message 32M"))
        .await;
    assert_eq!(outcome.stdout.trim(), "17000003", "{}", outcome.stderr);
    let outcome = shell.run_unnoted(&text(2_000, "--max-message 1KiB")).await;
    assert!(outcome.stderr.contains("1024 bytes"), "{}", outcome.stderr);
    // What the protocol allows is the default, and can be made less.
    let outcome = shell
        .run_unnoted(&text(17_000_000, "--protocol seasonings"))
        .await;
    assert_eq!(outcome.stdout.trim(), "17000003", "{}", outcome.stderr);
    let outcome = shell
        .run_unnoted("tenon call echo --max-message 0 -- tenon echo")
        .await;
    assert_eq!(outcome.code, Some(2));
}

/// A plugin that does not speak the protocol is not one that lacks the method.
#[tokio::test]
async fn a_first_call_that_fails_is_named() {
    let shell = Shell::new();
    shell.file(
        "plugin",
        "read -r call; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}'; cat > /dev/null",
    );
    let line = "tenon call greet --protocol denobridge -- sh plugin";
    let outcome = shell.run_unnoted(line).await;
    let expected = "error: the first call of denobridge, `health`: the peer answered with an error: \
        Method not found (code -32601)\n";
    assert!(outcome.stderr.starts_with(expected), "{}", outcome.stderr);
    assert_eq!(outcome.code, Some(1));
}
