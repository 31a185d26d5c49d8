//! Scripts that cannot be started, and what the user sees.

use serde_json::json;

use crate::outcome::Outcome;
use crate::tools::{self, Need};
use crate::trial::trial;
use crate::workspace::Workspace;

/// Creates a resource with these attributes, which must fail.
fn fails(workspace: &Workspace, attributes: &str) -> Outcome {
    workspace.configure(&format!(
        r#"
resource "denobridge_resource" "a" {{
  {attributes}
  props = {{}}
}}
"#
    ));
    let failed = workspace.apply_fails();
    failed.says("denobridge_resource");
    failed.says_nothing_of("Plugin did not respond");
    failed
}

#[test]
fn a_script_that_exits_immediately() {
    trial(&[], |workspace| {
        let moves = json!([{ "stderr": "no database" }, { "exit": 7 }]);
        workspace.moves(&json!({ "start": moves }));
        let failed = fails(workspace, r#"path = "./puppet.py""#);
        failed
            .says("exit status: 7")
            .says("no database")
            .says("puppet.py");
        failed.says(r#"9: path = "./puppet.py""#);
    });
}

#[test]
fn a_script_with_a_syntax_error() {
    trial(&[Need::Deno], |workspace| {
        workspace.write("wrong.py", "def (:\n");
        let failed = fails(workspace, r#"path = "./wrong.py""#);
        failed.says("SyntaxError").says("wrong.py\", line 1");
        workspace.write("wrong.ts", "const = 5;\n");
        let failed = fails(workspace, r#"path = "./wrong.ts""#);
        failed.says("wrong.ts:1:7");
        workspace.write("thrown.ts", "throw new Error('not today');\n");
        let failed = fails(workspace, r#"path = "./thrown.ts""#);
        failed.says("Error: not today").says("exit status: 1");
    });
}

#[test]
fn a_script_without_a_permission() {
    trial(&[Need::Deno], |workspace| {
        workspace.configure(
            r#"
resource "denobridge_resource" "a" {
  path  = "./file.ts"
  props = {
    path    = "a.txt"
    content = "one"
  }
  permissions = {
    allow = ["read"]
  }
}
"#,
        );
        let failed = workspace.apply_fails();
        failed.says("Requires write access to \"a.txt\"");
        failed.says(r#"in resource "denobridge_resource" "a": 14: permissions = {"#);
        assert!(!workspace.has("a.txt"));
    });
}

const READER: &str = r#"
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        break
    answer = {"result": {"ok": True}}
    if request["method"] == "read":
        try:
            with open(request["params"]["props"]["path"]) as file:
                answer = {"result": {"result": {"text": file.read()}}}
        except OSError as problem:
            answer = {"error": {"code": 1, "message": str(problem)}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
"#;

/// The kernel enforces the permissions of a script that Deno does not run.
#[test]
fn permissions_hold_scripts_without_deno() {
    trial(&[], |workspace| {
        for folder in ["scripts", "data"] {
            std::fs::create_dir(workspace.path(folder)).unwrap();
        }
        workspace.write("scripts/reader.py", READER);
        workspace.write("data/a.txt", "hello");
        let configure = |permissions: &str| {
            workspace.configure(&format!(
                r#"
data "denobridge_datasource" "a" {{
  path        = "./scripts/reader.py"
  props       = {{ path = "data/a.txt" }}
  permissions = {permissions}
}}
output "text" {{
  value = data.denobridge_datasource.a.result.text
}}
"#
            ));
        };
        configure("{ allow = [\"read=./data\"] }");
        if workspace.run("apply -auto-approve").has_said("Landlock") {
            tools::say("permissions_hold_scripts_without_deno skipped: no Landlock");
            return;
        }
        workspace.apply();
        assert_eq!(workspace.output("text"), json!("hello"));
        configure("{ allow = [\"net\"] }");
        workspace.apply_fails().says("Permission denied");
        configure("{ allow = [\"net=example.com:443\"] }");
        let refused = workspace.apply_fails();
        refused.says("cannot distinguish hosts");
        configure("{ allow = [\"reed\"] }");
        workspace
            .apply_fails()
            .says("Invalid permission")
            .says("permissions = { allow");
    });
}

#[test]
fn scripts_that_are_not_there() {
    trial(&[Need::Deno], |workspace| {
        workspace.write("plain.txt", "hello\n");
        for (path, seen) in [
            ("./missing.py", "missing.py"),
            ("./missing.ts", "missing.ts"),
            ("./missing", "missing"),
            ("./plain.txt", "plain.txt"),
        ] {
            let failed = fails(workspace, &format!("path = \"{path}\""));
            failed.says(seen).says(&format!("9: path = \"{path}\""));
        }
        let failed = fails(workspace, r#"command = ["no-such-program", "x"]"#);
        failed.says("no-such-program");
        failed.says(r#"9: command = ["no-such-program", "x"]"#);
    });
}

#[test]
fn a_machine_without_deno() {
    trial(&[], |workspace| {
        workspace.set("PATH", workspace.path("plugins"));
        workspace.write("empty.ts", "");
        let failed = fails(workspace, r#"path = "./empty.ts""#);
        failed
            .says("deno_binary_path")
            .says("TENON_DENO")
            .says("PATH")
            .says(r#"9: path = "./empty.ts""#);

        workspace.set("TENON_DENO", "/nowhere/deno");
        let failed = fails(workspace, r#"path = "./empty.ts""#);
        failed.says("/nowhere/deno");
    });
}

#[test]
fn exactly_one_of_path_and_command() {
    trial(&[], |workspace| {
        let both = fails(workspace, "path = \"./puppet.py\"\n  command = [\"true\"]");
        both.says("path").says("command");
        let neither = fails(workspace, "");
        neither.says("path").says("command");
        let empty = fails(workspace, "command = []");
        empty.says("9: command = []");
    });
}

/// Deno's configuration file beside a script is found, unless the block says otherwise.
#[test]
fn the_configuration_of_deno_is_found() {
    trial(&[Need::Deno], |workspace| {
        let greet = "export const greeting = \"hello\";\n";
        workspace.write("greeting.ts", greet);
        workspace.write("deno.json", r#"{"imports": {"greeting": "./greeting.ts"}}"#);
        workspace.write(
            "greet.ts",
            "import { greeting } from \"greeting\";\nimport { serve } from \"./serve.ts\";\nawait serve({ read: () => ({ result: greeting }) });\n",
        );
        let configure = |more: &str| {
            workspace.configure(&format!(
                r#"
data "denobridge_datasource" "a" {{
  path  = "./greet.ts"
  props = {{}}
  {more}
}}

output "greeting" {{
  value = data.denobridge_datasource.a.result
}}
"#
            ));
        };
        configure("");
        workspace.apply();
        assert_eq!(workspace.output("greeting"), "hello");
        configure(r#"config_file = "/dev/null""#);
        workspace.apply_fails().says("greeting");
    });
}

/// Options that Deno rejects are shown at the attribute that sets them.
#[test]
fn a_refused_setting_is_shown_at_its_attribute() {
    trial(&[Need::Deno], |workspace| {
        workspace.write("broken.json", "{");
        for (setting, seen) in [
            (r#"config_file = "gone.json""#, "gone.json"),
            (r#"config_file = "broken.json""#, "broken.json"),
            (
                r#"permissions = { allow = ["net=a:b:c"] }"#,
                "square brackets",
            ),
        ] {
            workspace.configure(&format!(
                r#"
data "denobridge_datasource" "a" {{
  path  = "./hash.ts"
  props = {{}}
  {setting}
}}
"#
            ));
            let failed = workspace.plan().fails();
            failed.says("Failed to start script").says(seen);
            // The line of the configuration that Terraform quotes.
            failed.says(&format!(":   {setting}"));
        }
    });
}
