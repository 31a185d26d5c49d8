//! `--list`: what a server offers, where its protocol can tell.

use insta::assert_snapshot;

use crate::support::shell::Shell;
use crate::support::tools;
use crate::support::trial::trial;

/// A provider of Orchard with everything a schema can have.
const PROVIDER: &str = r#"
import json, sys
schema = {
    "name": "dice", "version": "1.0.0", "protocol": "1",
    "config": {"seed": {"type": "number", "description": "Where to begin."}},
    "actions": {
        "roll": {
            "description": "Rolls dice.\nAs often as you like.",
            "attrs": {
                "sides": {"type": "number", "default": 6},
                "names": {"type": "list(string)", "required": True, "description": "One for each."},
            },
            "outputs": {"type": "object({ eyes = number })"},
        },
        "stop": {"attrs": {}},
    },
}
for line in sys.stdin:
    request = json.loads(line)
    result = {"schema": schema} if request["method"] == "describe" else {}
    print(json.dumps({"id": request["id"], "result": result}), flush=True)
"#;

/// A plugin of Seasonings, as small as msgpack allows.
const SEASONING: &str = r#"
import msgpack, sys
functions = {"join": {
    "summary": "Joins texts.",
    "parameters": [{"name": "separator", "type": "string"}],
    "variadic": {"name": "parts", "type": "string"},
    "returns": ["list", "string"],
}}
resources = {"bucket": {"attributes": {
    "name": {"type": "string", "required": True},
    "id": {"type": "string", "computed": True},
}}}
answers = {
    "init": {"name": "salt", "version": "2", "capabilities": ["functions", "resources", "hooks.postPlan"]},
    "functions/getSchema": {"functions": functions},
    "resources/getSchema": {"resources": resources},
    "shutdown": {},
}
unpacker = msgpack.Unpacker()
while data := sys.stdin.buffer.read1():
    unpacker.feed(data)
    for _, number, method, _ in unpacker:
        sys.stdout.buffer.write(msgpack.packb([1, number, None, answers[method]]))
        sys.stdout.flush()
"#;

#[tokio::test]
async fn a_provider() {
    trial(tools::python(), async |_, _| {
        let mut shell = Shell::new();
        shell.file("provider.py", PROVIDER);
        for options in ["", " --json"] {
            let line =
                format!("tenon call --list --protocol orchard{options} -- python3 provider.py");
            shell.run(&line).await;
        }
        assert_snapshot!(shell.transcript());
    })
    .await;
}

#[tokio::test]
async fn a_plugin_of_seasonings() {
    trial(tools::python_with_msgpack(), async |python, _| {
        let shell = Shell::new();
        shell.file("plugin.py", SEASONING);
        let python = python.display();
        let line = format!("tenon call --list --protocol seasonings -- {python} plugin.py");
        let outcome = shell.run_unnoted(&line).await;
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        assert_snapshot!(outcome.stdout);
    })
    .await;
}

/// A server that turns in circles, page by page, and one that tells everything on three pages.
#[tokio::test]
async fn pages() {
    let server = r#"
import json, sys
page = 0
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "paged", "version": "1"}}
    elif request["method"] == "tools/list":
        assert request.get("params", {}).get("cursor") == (f"c{page}" if page else None)
        page += 1
        result = {"tools": [{"name": f"t{page}", "inputSchema": {}}]}
        if sys.argv[1] == "endless" or page < 3:
            result["nextCursor"] = f"c{page}"
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"#;
    trial(tools::python(), async |_, _| {
        let mut shell = Shell::new();
        shell.file("server.py", server);
        for pages in ["three", "endless"] {
            let line = format!("tenon call --list --protocol mcp -- python3 server.py {pages}");
            shell.run(&line).await;
        }
        assert_snapshot!(shell.transcript());
    })
    .await;
}

#[tokio::test]
async fn protocols_without_a_list() {
    let mut shell = Shell::new();
    for options in [
        "",
        "--protocol ipc",
        "--protocol denobridge",
        "--protocol acp",
    ] {
        shell
            .run(&format!("tenon call --list {options} -- tenon echo"))
            .await;
    }
    // They can, and have nothing to tell.
    for protocol in ["mcp", "lsp", "seasonings", "orchard"] {
        let line = format!("tenon call --list --protocol {protocol} -- tenon echo");
        shell.run(&line).await;
    }
    shell
        .run("tenon call echo --progress --protocol acp -- tenon echo")
        .await;
    shell
        .run("tenon call echo --list --protocol mcp -- tenon echo")
        .await;
    assert_snapshot!(shell.transcript());
}
