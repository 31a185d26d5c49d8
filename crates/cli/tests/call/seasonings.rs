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
