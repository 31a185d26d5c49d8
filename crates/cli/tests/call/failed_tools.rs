//! MCP reports a tool that fails in its result, with `isError`: the call was answered and has failed.

use insta::assert_snapshot;

use crate::support::shell::Shell;

/// A server with one tool, which fails if it is told to.
const SERVER: &str = r#"import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
    if request["method"] == "tools/call":
        fails = request["params"]["arguments"]["fails"]
        result = {"content": [{"type": "text", "text": "no" if fails else "yes"}], "isError": fails}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"#;

#[tokio::test]
async fn a_tool_that_fails_is_a_failed_call() {
    let mut shell = Shell::new();
    shell.file("server.py", SERVER);
    let call = |fails: bool| {
        format!("tools/call '{{\"name\":\"a\",\"arguments\":{{\"fails\":{fails}}}}}'")
    };
    for options in ["", " --json"] {
        for fails in [false, true] {
            let line = format!("tenon call {}{options}", call(fails));
            shell
                .run(&format!("{line} --protocol mcp -- python3 server.py"))
                .await;
        }
    }
    let typed = |fails: bool| call(fails).replace('\'', "");
    shell.file(
        "lines",
        &format!("{}\n{}\n{} &\n", typed(true), typed(false), typed(true)),
    );
    shell
        .run("tenon call --repl --protocol mcp -- python3 server.py < lines")
        .await;
    assert_snapshot!(shell.transcript());
}
