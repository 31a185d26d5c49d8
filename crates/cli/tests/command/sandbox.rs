//! Plugins, providers and scripts that are held to permissions.

use crate::support::shell::{Outcome, Shell};

/// Answers `read` with the text of a file, and `write` by writing one.
const PLUGIN: &str = r#"
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    try:
        path = request["params"]["path"]
        if request["method"] == "read":
            answer = {"result": open(path).read()}
        else:
            answer = {"result": open(path, "w").write("text")}
    except Exception as problem:
        answer = {"error": {"code": 1, "message": str(problem)}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
"#;

fn shell() -> Shell {
    let shell = Shell::new();
    for folder in ["plugin", "data", "home"] {
        std::fs::create_dir(shell.path(folder)).expect("a folder");
    }
    shell.file("plugin/plugin.py", PLUGIN);
    shell.file("data/a", "open");
    shell.file("home/secret", "closed");
    shell
}

/// Whether the kernel lacks what it takes; then the test says so.
fn is_unsupported(test: &str, outcome: &Outcome) -> bool {
    use std::io::Write;
    let is_unsupported = outcome.stderr.contains("Landlock");
    if is_unsupported {
        let reason = &outcome.stderr;
        let _shown = writeln!(std::io::stderr(), "{test} skipped: {reason}");
    }
    is_unsupported
}

#[tokio::test]
async fn a_plugin_may_do_what_options_allow() {
    let shell = shell();
    let call = |method: &str, path: &str, options: &str| {
        let line = format!(
            "tenon call {method} '{{\"path\":\"{path}\"}}' {options} -- python3 plugin/plugin.py"
        );
        let shell = &shell;
        async move { shell.run_unnoted(&line).await }
    };
    let first = call("read", "home/secret", "--sandbox").await;
    if is_unsupported("a_plugin_may_do_what_options_allow", &first) {
        return;
    }
    assert_eq!(first.code, Some(1), "{}", first.stderr);
    assert!(
        first.stderr.contains("Permission denied"),
        "{}",
        first.stderr
    );
    for (method, path, options, expected) in [
        ("read", "home/secret", "", true),
        ("read", "home/secret", "--allow-read data", false),
        ("read", "data/a", "--allow-read data", true),
        ("read", "data/a", "--allow-read . --deny-read data", false),
        ("read", "data/a", "--allow-read plugin,data", true),
        (
            "read",
            "data/a",
            "--allow-read=. --deny-read=home,data",
            false,
        ),
        ("write", "data/b", "--allow-read .", false),
        ("write", "data/b", "--allow-write data", true),
    ] {
        let outcome = call(method, path, options).await;
        let stderr = &outcome.stderr;
        assert_eq!(
            outcome.code == Some(0),
            expected,
            "{method} {path} {options}: {stderr}"
        );
    }
    let report = call("read", "home/secret", "--sandbox --sandbox-report").await;
    // The shell shows its folder in this way.
    let secret = "[folder]/home/secret";
    let expected = format!("sandbox: denied read {secret} (allowed by --allow-read {secret})");
    assert!(report.stderr.contains(&expected), "{}", report.stderr);
    for (option, said) in [
        ("--allow-net=example.com:443", "cannot distinguish hosts"),
        ("--allow-net=:99999", "is not a port"),
        ("--allow-read missing", "cannot be opened"),
        ("--allow-run=no-such-program", "was not found"),
    ] {
        let wrong = call("read", "data/a", option).await;
        assert_eq!(wrong.code, Some(2), "{option}: {}", wrong.stderr);
        assert!(wrong.stderr.contains(said), "{option}: {}", wrong.stderr);
    }
}

#[tokio::test]
async fn options_of_the_sandbox_need_a_plugin_and_a_sandbox() {
    let shell = shell();
    let server = shell
        .run_unnoted("tenon call a --sandbox --socket calc")
        .await;
    assert_eq!(server.code, Some(2), "{}", server.stderr);
    let report = shell
        .run_unnoted("tenon call a --sandbox-report -- true")
        .await;
    assert_eq!(report.code, Some(2), "{}", report.stderr);
    assert!(
        report
            .stderr
            .contains("add --sandbox or an --allow-... option"),
        "{}",
        report.stderr
    );
}

const PROVIDER: &str = r#"#!/usr/bin/env python3
import json, sys

SCHEMA = {
    "name": "files", "version": "1.0.0", "protocol": "1",
    "actions": {
        "read": {
            "attrs": {"path": {"type": "string", "required": True}},
            "outputs": {"type": "object({ text = string })"},
        }
    },
}

if sys.argv[1:] == ["schema"]:
    print(json.dumps(SCHEMA))
    sys.exit()
for line in sys.stdin:
    request = json.loads(line)
    answer = {"result": {}}
    if request["method"] == "describe":
        answer = {"result": {"schema": SCHEMA}}
    if request["method"] == "execute":
        try:
            text = open(request["params"]["attrs"]["path"]).read()
            answer = {"result": {"outputs": {"text": text}}}
        except Exception as problem:
            answer = {"error": {"code": "failed", "message": str(problem)}}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
"#;

#[tokio::test]
async fn a_provider_may_do_what_its_scenario_allows() {
    let shell = shell();
    shell.program("plugin/files", PROVIDER);
    let run = |path: &str, permissions: &str| {
        let scenario = format!(
            r#"
scenario "files" {{
  required_providers {{
    files = {{
      source      = "exec:./plugin/files"
      {permissions}
    }}
  }}
  action "read" "it" {{
    path = "{path}"
    lifecycle {{
      teardown {{
        path = "{path}"
      }}
    }}
  }}
  output "text" {{
    value = action.read.it.text
  }}
}}
"#
        );
        shell.file("files.hcl", &scenario);
        let shell = &shell;
        async move { shell.run_unnoted("tenon run files.hcl").await }
    };
    let permissions = "permissions = { allow = [\"read=./data\"] }";
    let allowed = run("data/a", permissions).await;
    if is_unsupported("a_provider_may_do_what_its_scenario_allows", &allowed) {
        return;
    }
    assert_eq!(
        allowed.code,
        Some(0),
        "{}{}",
        allowed.stdout,
        allowed.stderr
    );
    assert!(allowed.stdout.contains("text = open"), "{}", allowed.stdout);
    let denied = run("home/secret", permissions).await;
    assert_eq!(denied.code, Some(1), "{}", denied.stderr);
    let said = format!("{}{}", denied.stdout, denied.stderr);
    assert!(said.contains("Permission denied"), "{said}");
    let free = run("home/secret", "").await;
    assert!(free.stdout.contains("text = closed"), "{}", free.stderr);
}

/// A denied variable stays denied, also if it is passed by name or by value.
#[tokio::test]
async fn denied_variables_do_not_come_in_by_name() {
    let shell = shell();
    shell.file(
        "plugin/env.py",
        r#"
import json, os, sys

for line in sys.stdin:
    id = json.loads(line)["id"]
    found = [os.environ.get(name, "-") for name in ("AWS_PROFILE", "STAGE")]
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": " ".join(found)}), flush=True)
"#,
    );
    for (options, expected) in [
        ("--sandbox", "work test"),
        ("--deny-env=AWS_PROFILE", "- test"),
        ("--deny-env=STA*", "work -"),
        ("--allow-env --deny-env=AWS_*,STAGE", "- -"),
        ("--deny-env", "- -"),
    ] {
        let line = format!(
            "AWS_PROFILE=work tenon call get --env AWS_PROFILE --env STAGE=test {options} \
             -- python3 plugin/env.py"
        );
        let outcome = shell.run_unnoted(&line).await;
        if is_unsupported("denied_variables_do_not_come_in_by_name", &outcome) {
            return;
        }
        let expected = format!("\"{expected}\"\n");
        assert_eq!(outcome.stdout, expected, "{options}: {}", outcome.stderr);
    }
}
