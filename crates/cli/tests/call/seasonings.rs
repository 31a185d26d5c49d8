//! `--protocol seasonings`: values are plain JSON on the command line, written and read by the schema of the
//! plugin.

use insta::assert_snapshot;

use crate::support::shell::Shell;
use crate::support::tools;
use crate::support::trial::trial;

/// A plugin with a sensitive attribute, one of the type any, and methods that break their promises.
const PLUGIN: &str = r#"
import sys
sys.path.insert(0, "EXAMPLES")
from seasonings import serve
from msgpack_lite import UNKNOWN

BODY = {"attributes": {
    "name": {"type": "string", "required": True},
    "size": {"type": "number", "default": 0.1},
    "token": {"type": "string", "computed": True, "sensitive": True},
    "extra": {"type": "any", "optional": True},
}, "blocks": {"rule": {"nesting": "list", "attributes": {
    "key": {"type": "string", "optional": True, "sensitive": True},
}}}}
STATE = {"name": "a", "size": "123456789012345678901234567890", "token": "s3cret",
         "extra": [b'["list","string"]', ["x"]], "rule": [{"key": "s3cret"}, {}]}

def read(params):
    print("saw", params["state"], file=sys.stderr)
    return {"state": {**STATE, "name": params["state"]["name"]}, "private": b"\x00\xff"}

def plan(params):
    return {"planned": {**params["proposed"], "token": UNKNOWN}, "replace": [["name"]]}

def broken(params):
    return {"state": {"name": ["s3cret"], "token": "s3cret"}}

serve("vault", "1", {
    "functions/getSchema": lambda _: {"functions": {"bad": {"returns": "strin"}}},
    "functions/call": lambda params: {"result": params["arguments"]},
    "resources/getSchema": lambda _: {"resources": {"box": BODY}, "data_sources": {"box": BODY}},
    "resources/read": read,
    "resources/planChange": plan,
    "resources/readData": broken,
})
"#;

fn shell() -> Shell {
    let shell = Shell::new();
    let examples = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/seasonings/python"
    );
    shell.file("plugin.py", &PLUGIN.replace("EXAMPLES", examples));
    shell
}

#[tokio::test]
async fn values_are_written_and_read_by_the_schema() {
    trial(tools::python(), async |_, _| {
        let mut shell = shell();
        let end = "--protocol seasonings -- python3 -B plugin.py";
        for words in [
            // What people write is what the schema asks for; results show what the host would see.
            r#"resources/read '{"type":"box","state":{"name":"é","size":1e30,"token":"t","extra":{"a":[1]}}}' --verbose"#,
            r#"resources/read '{"type":"box","state":{"name":"a"}}' --show-sensitive"#,
            r#"resources.read '{"type":"box","state":{"name":"a"}}' --json"#,
            r#"resources/planChange '{"type":"box","proposed":{"name":{"$unknown":{"null":false,"prefix":"b-"}}}}'"#,
            // What does not fit is not sent.
            r#"resources/read '{"type":"box","state":{"rule":[{},{"kee":"k"}]}}'"#,
            r#"resources/read '{"type":"box","state":{"token":{"$sensitive":"***"}}}'"#,
            r#"resources/readData '{"type":"box","config":{"size":1}}'"#,
            // An answer that does not fit is refused, and shows no secret.
            r#"resources/readData '{"type":"box","config":{"name":"a"}}' --trace"#,
            // Without a usable schema, values are converted as they are.
            r#"functions/call '{"name":"bad","arguments":{"$unknown":true}}'"#,
            r#"resources/read '{"type":"bax","state":{"name":"a"}}'"#,
        ] {
            shell.run(&format!("tenon call {words} {end}")).await;
        }
        assert_snapshot!(shell.transcript());
    })
    .await;
}

/// A conversation keeps secrets to use them, and does not show them.
#[tokio::test]
async fn sensitive_values_are_kept_and_not_shown() {
    trial(tools::python(), async |_, _| {
        let mut shell = shell();
        let lines = [
            r#"box = resources/read {"type":"box","state":{"name":"a"}}"#,
            "$box.state.token",
            r#"resources/read {"type":"box","state":$box.state}"#,
            r#"resources/read {"type":"box","state":$box.state} &"#,
            ":wait",
            ":vars",
        ];
        shell.file("lines", &lines.join("\n"));
        for options in ["", " --json", " --trace", " --show-sensitive"] {
            let line = format!(
                "tenon call --repl --protocol seasonings{options} -- python3 -B plugin.py < lines"
            );
            let outcome = shell.run(&line).await;
            let shown = outcome.stdout.contains("s3cret") || outcome.stderr.contains("s3cret");
            assert_eq!(
                shown,
                options == " --show-sensitive",
                "{}",
                shell.transcript()
            );
        }
        assert_snapshot!(shell.transcript());
    })
    .await;
}

/// A plugin that repeats its secrets wherever it can.
const LEAKY: &str = r#"
import os, sys, time
sys.path.insert(0, "EXAMPLES")
from msgpack_lite import pack
import seasonings
from seasonings import Failure, serve

BODY = {"attributes": {
    "name": {"type": "string", "required": True},
    "token": {"type": "string", "optional": True, "sensitive": True},
    "pin": {"type": "number", "optional": True, "sensitive": True},
}}
stdout = os.dup(1)
config = {}

def read(params):
    token = params["state"]["token"]
    print("the token is", token, "and the pin", params["state"]["pin"], file=sys.stderr, flush=True)
    os.write(stdout, pack([2, "log", [{"level": "info", "message": f"token {token}"}]]))
    return {"state": params["state"], "diagnostics": [
        {"severity": "warning", "summary": f"weak token {token}", "detail": str(params["state"]["pin"])}]}

def plan(params):
    raise Failure(f"no token {params['proposed']['token']}", data={"pin": params["proposed"]["pin"]})

def call(params):
    if params["name"] == "cut":
        os.write(stdout, b"\x94\x01\x03\xc0\x81\xa6res")
        os._exit(7)
    return {"result": config.get("greeting", "none")}

serve("leaky", "1", {
    "functions/getSchema": lambda _: {"functions": {
        "greet": {"parameters": [{"name": "who", "type": "string", "optional": True}], "returns": "string"},
        "cut": {"parameters": [], "returns": "string"},
    }},
    "functions/call": call,
    "resources/getSchema": lambda _: {"resources": {"box": BODY}},
    "resources/read": read,
    "resources/planChange": plan,
}, configure=config.update)
"#;

fn leaky() -> Shell {
    let shell = Shell::new();
    let examples = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/seasonings/python"
    );
    shell.file("plugin.py", &LEAKY.replace("EXAMPLES", examples));
    shell
}

#[tokio::test]
async fn secrets_are_masked_wherever_a_plugin_repeats_them() {
    trial(tools::python(), async |_, _| {
        let mut shell = leaky();
        let values = r#"{"name":"a","token":"tok-12345","pin":987654}"#;
        for words in [
            format!(r#"resources/read '{{"type":"box","state":{values}}}' --verbose"#),
            format!(r#"resources/read '{{"type":"box","state":{values}}}' --json"#),
            format!(r#"resources/planChange '{{"type":"box","proposed":{values}}}'"#),
            format!(
                r#"resources/planChange '{{"type":"box","proposed":{values}}}' --json --trace"#
            ),
        ] {
            let line = format!("tenon call {words} --protocol seasonings -- python3 -B plugin.py");
            let outcome = shell.run(&line).await;
            let all = format!("{}{}", outcome.stdout, outcome.stderr);
            for secret in ["tok-12345", "987654"] {
                assert!(!all.contains(secret), "{}", shell.transcript());
            }
        }
        assert_snapshot!(shell.transcript());
    })
    .await;
}

#[tokio::test]
async fn mistakes_are_found_before_anything_is_sent() {
    trial(tools::python(), async |_, _| {
        let mut shell = leaky();
        shell.file("config.json", r#"{"greeting":"hello from a file"}"#);
        for words in [
            "functions/call",
            r#"functions/call '{"arguments":{}}'"#,
            r#"functions/call '{"name":"greet","arguments":{"who":{"$unknown":true}}}'"#,
            r#"resources/validate '{"type":"box","config":{"name":"a"}}'"#,
            r#"resources/validate '{"kind":"resuorce","type":"box","config":{"name":"a"}}'"#,
            r#"resources/read '{"state":null}'"#,
            // What the plugin is configured with.
            r#"functions/call '{"name":"greet"}' --config '{"greeting":"hello"}'"#,
            r#"functions/call '{"name":"greet"}' --config @config.json"#,
            r#"functions/call '{"name":"greet"}' --config '[1]'"#,
            // An error without data has none, and a plugin that ends within a message is told with how it ended.
            "storage/read --json",
            r#"functions/call '{"name":"cut"}'"#,
        ] {
            let line = format!("tenon call {words} --protocol seasonings -- python3 -B plugin.py");
            shell.run(&line).await;
        }
        shell
            .run("tenon call x --config '{}' -- python3 -B plugin.py")
            .await;
        assert_snapshot!(shell.transcript());
    })
    .await;
}
