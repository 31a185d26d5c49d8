//! Sensitive values are nowhere to be seen, whatever a provider does with them.

use serde_json::{Value, json};

use crate::stage::{Stage, action, action_after};

pub(crate) const PASSWORD: &str = "hunter2-correct-horse";

const TOKEN: &str = "tok\"en\\with-odd-letters";

/// A scenario with a secret variable, a secret in a configuration and one in an attribute.
pub(crate) fn stage(orders: Value) -> Stage {
    let stage = Stage::new(orders);
    let secret = "secret = var.token\n    input  = { quoted = \"<${var.token}>\" }";
    stage.scenario(&format!(
        r#"
  variable "password" {{
    type      = string
    sensitive = true
  }}
  variable "token" {{
    type      = string
    sensitive = true
  }}
  provider "puppet" {{
    password = var.password
  }}
{}{}
  output "token" {{
    value     = var.token
    sensitive = true
  }}
"#,
        action("a", secret),
        action_after("b", "a")
    ));
    let variables = json!({ "password": PASSWORD, "token": TOKEN });
    stage.shell.file("secrets.json", &variables.to_string());
    stage
}

/// Nothing that was printed or left behind has a secret in it, as it is or as JSON writes it.
#[track_caller]
fn assert_hidden(stage: &Stage, printed: &str) {
    let mut places = vec![("what was printed".to_owned(), printed.to_owned())];
    for name in ["orchard_", "report", "seen"] {
        let files = stage.files(name);
        places.extend(
            files
                .into_iter()
                .map(|name| (name.clone(), stage.text(&name))),
        );
    }
    // Parts reveal as much as the whole.
    for (place, text) in places {
        for part in [
            "hunter2",
            "correct-horse",
            "tok\"",
            "tok\\",
            "with-odd-letters",
        ] {
            assert!(!text.contains(part), "{part} is in {place}: {text}");
        }
    }
}

/// Runs it in all forms, and looks everywhere.
async fn run_and_look(orders: Value) {
    for flags in ["", "--verbose", "--json"] {
        let mut stage = stage(orders.clone());
        let line = format!("tenon run demo.hcl --var-file secrets.json --junit report.xml {flags}");
        let outcome = stage.run(&line).await;
        assert!(outcome.code.is_some_and(|code| code < 100));
        let printed = format!("{}{}", outcome.stdout, outcome.stderr);
        assert_hidden(&stage, &printed);
    }
}

#[tokio::test]
async fn when_all_goes_well() {
    run_and_look(json!({})).await;
}

#[tokio::test]
async fn in_lines_on_stderr() {
    let say = json!(["confess", "work", "answer"]);
    run_and_look(json!({ "configure": say, "execute a": say })).await;
}

#[tokio::test]
async fn in_the_last_lines_of_stderr() {
    run_and_look(json!({ "execute a": ["confess", ["exit", 1]] })).await;
    run_and_look(json!({ "configure": ["confess", ["exit", 1]] })).await;
}

#[tokio::test]
async fn in_errors() {
    run_and_look(json!({ "execute a": ["complain"] })).await;
    run_and_look(json!({ "configure": ["complain"] })).await;
}

/// What it was asked comes back as text, quoted as evidence.
#[tokio::test]
async fn in_bytes_that_are_quoted() {
    run_and_look(json!({ "execute a": ["echo"] })).await;
    run_and_look(json!({ "configure": ["echo"] })).await;
}

/// The evidence is cut in the middle of the secret.
#[tokio::test]
async fn in_bytes_that_are_cut() {
    for before in [40, 50, 60, 70, 80, 110, 120, 180, 190] {
        let moves = json!([["echo_after", before]]);
        let mut stage = stage(json!({ "execute a": moves }));
        let outcome = stage
            .run("tenon run demo.hcl --var-file secrets.json")
            .await;
        assert_hidden(&stage, &format!("{}{}", outcome.stdout, outcome.stderr));
    }
}

#[tokio::test]
async fn in_outputs_of_another_type() {
    run_and_look(json!({ "execute a": [["hand_back", "list"]] })).await;
}

/// The whole request comes back as an output.
#[tokio::test]
async fn in_what_an_action_returns() {
    let schema = json!({ "actions": { "put": {
        "attrs": {
            "name": { "type": "string", "required": true },
            "is_removed": { "type": "bool" },
            "input": { "type": "any" },
            "secret": { "type": "string", "sensitive": true },
        },
        "outputs": { "type": "object({name=string,secret=string})", "sensitive": true },
    } } });
    run_and_look(json!({ "schema": schema, "execute": ["work", "hand_back"] })).await;
}

#[tokio::test]
async fn in_a_journal() {
    let stage = stage(json!({ "execute b": [["gate", "here"], "answer"] }));
    let line = "tenon run demo.hcl --var-file secrets.json";
    let started = stage.start(line);
    stage.reached("puppet", "here").await;
    started.kill().await;
    assert_eq!(stage.journal().len(), 3);
    assert_hidden(&stage, "");
}

#[tokio::test]
async fn in_a_plan() {
    let mut stage = stage(json!({}));
    for flags in ["", "--json", "--graph dot", "--graph mermaid"] {
        let line = format!("tenon plan demo.hcl --var-file secrets.json {flags}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_hidden(&stage, &format!("{}{}", outcome.stdout, outcome.stderr));
    }
}

/// The scenario does not call it a secret, but the provider's schema does, of the attribute that it
/// goes into. So it is one wherever it stands: as the variable, in other attributes, in outputs.
#[tokio::test]
async fn that_only_a_schema_calls_sensitive() {
    let ways = [
        ("secret = var.token", ""),
        ("secret = local.token", ""),
        ("secret = \"<${var.nested.token}>\"", ""),
        (
            "for_each = { one = var.token }\n    secret = each.value\n    depends_on = []",
            "",
        ),
        ("secret = component.box.one.token", ""),
        ("", "secret = var.token"),
        ("", "secret = local.token"),
    ];
    for (attribute, teardown) in ways {
        for flags in ["", "--json", "--verbose"] {
            let confess = json!(["confess", "work", "answer"]);
            let mut stage = Stage::new(json!({ "execute": confess }));
            stage.scenario(&format!(
                r#"
  variable "token" {{}}
  variable "nested" {{
    type = object({{ token = string, plain = string }})
  }}
  locals {{
    token = var.token
  }}
  component "box" "one" {{
    source = "./box.hcl"
    inputs = {{ token = var.nested.token }}
  }}
  action "put" "a" {{
    name = "a"
    {attribute}
    lifecycle {{
      teardown {{
        name       = "a"
        is_removed = true
        {teardown}
      }}
    }}
  }}
  action "put" "b" {{
    name       = "b"
    input      = {{ token = var.token, nested = var.nested, text = "a ${{var.nested.token}}" }}
    depends_on = [action.put.a]
  }}
  action "put" "c" {{
    name   = "c"
    secret = "${{var.token}} ${{var.nested.token}}"
  }}
  output "token" {{
    value = [var.token, var.nested]
  }}
"#
            ));
            let inner = "component \"box\" {\n  variable \"token\" {}\n  output \"token\" {\n    \
                         value = var.token\n  }\n}\n";
            stage.shell.file("box.hcl", inner);
            let nested = json!({ "token": TOKEN, "plain": "in-the-open" });
            let variables = json!({ "token": PASSWORD, "nested": nested });
            stage.shell.file("secrets.json", &variables.to_string());
            let given = "--var-file secrets.json";
            let plan = stage.run(&format!("tenon plan demo.hcl {given}")).await;
            assert_eq!(plan.code, Some(0), "{}", plan.stderr);
            let plan_json = stage
                .run(&format!("tenon plan demo.hcl {given} --json"))
                .await;
            let line = format!("tenon run demo.hcl {given} --junit report.xml {flags}");
            let run = stage.run(&line).await;
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            let record = stage.record_name();
            let kept = stage.text(&record);
            assert!(kept.contains("in-the-open"), "{kept}");
            let line = format!("tenon teardown {record} {given} {flags}");
            let teardown = stage.run(&line).await;
            assert_eq!(teardown.code, Some(0), "{}", teardown.stderr);
            for outcome in [plan, plan_json, run, teardown] {
                assert_hidden(&stage, &format!("{}{}", outcome.stdout, outcome.stderr));
            }
        }
    }
}

/// A configuration may be made of locals as well.
#[tokio::test]
async fn in_a_configuration_that_is_made_of_locals() {
    let mut stage = Stage::new(json!({ "configure": ["confess", "answer"] }));
    let text = "variable \"token\" {}\nlocals {\n  password = \"<${var.token}>\"\n}\nprovider \"puppet\" \
                {\n  password = local.password\n}\noutput \"token\" {\n  value = var.token\n}\n";
    stage.scenario(&format!("{text}{}", action("a", "input = var.token")));
    let line = format!("TENON_VAR_token={PASSWORD} tenon");
    let outcome = stage.run(&format!("{line} run demo.hcl --verbose")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_hidden(&stage, &format!("{}{}", outcome.stdout, outcome.stderr));
    let record = stage.record_name();
    let outcome = stage
        .run(&format!("{line} teardown {record} --verbose"))
        .await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_hidden(&stage, &format!("{}{}", outcome.stdout, outcome.stderr));
}

/// The same for what an action returns.
#[tokio::test]
async fn outputs_that_only_a_schema_calls_sensitive() {
    for flags in ["", "--json"] {
        let answer = json!(["work", ["answer", { "outputs": { "name": PASSWORD } }]]);
        let mut stage = Stage::new(json!({ "execute a": answer }));
        let told = "output \"name\" {\n  value = action.put.a.name\n}\n";
        let second = action(
            "b",
            "secret = action.put.a.name\n    input = [action.put.a]",
        );
        stage.scenario(&format!("{}{second}{told}", action("a", "")));
        let line = format!("tenon run demo.hcl --junit report.xml {flags}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_hidden(&stage, &format!("{}{}", outcome.stdout, outcome.stderr));
        let record = stage.record_name();
        let outcome = stage.run(&format!("tenon teardown {record} {flags}")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_hidden(&stage, &format!("{}{}", outcome.stdout, outcome.stderr));
    }
}

#[tokio::test]
async fn nonsensitive_is_believed() {
    let mut stage = Stage::new(json!({}));
    let text = "variable \"host\" {\n  default = \"example.org\"\n}\noutput \"host\" {\n  value = \
                var.host\n}\n";
    let first = action("a", "secret = \"https://${nonsensitive(var.host)}/\"");
    stage.scenario(&format!("{text}{first}"));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.stdout, "host = example.org\n", "{}", outcome.stderr);
}

/// What a provider prints instead of a schema may be a variable of its environment.
#[tokio::test]
async fn in_what_is_printed_instead_of_a_schema() {
    let print = format!("{}{PASSWORD}\n", "x".repeat(190));
    let moves = json!([["say", PASSWORD], ["print", print]]);
    let mut stage = Stage::new(json!({ "schema step": moves, "describe": [["exit", 1]] }));
    let secret = "variable \"token\" {\n  sensitive = true\n}\n";
    stage.scenario(&format!("{secret}{}", action("a", "")));
    let line = format!("TENON_VAR_token={PASSWORD} tenon plan demo.hcl");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    assert_hidden(&stage, &outcome.stderr);
}

/// Secrets are not in the record, so a resumed run needs them again.
#[tokio::test]
async fn going_on_needs_them_again() {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let mut stage = stage(json!({ "execute b 1": [["error", error]] }));
    let line = "tenon run demo.hcl --var-file secrets.json";
    assert_eq!(stage.run(line).await.code, Some(1));
    let record = stage.record_name();
    for command in ["run --resume", "teardown"] {
        let outcome = stage.run(&format!("tenon {command} {record}")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("password"), "{}", outcome.stderr);
        stage.assert_is_closed();
    }
    let given = "--var-file secrets.json";
    let outcome = stage
        .run(&format!("tenon run --resume {record} {given}"))
        .await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let outcome = stage.run(&format!("tenon teardown {record} {given}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
    assert_hidden(&stage, "");
}

/// A provider that cannot read what it is sent does not print it.
#[tokio::test]
async fn in_what_a_provider_cannot_read() {
    let mut stage = Stage::new(json!({}));
    let start = r#"{"id":1,"method":"configure","params":{"config":{"token":"hunter2"#;
    stage.shell.file(
        "long.jsonl",
        &format!("{start}{}\n", "x".repeat(17 * 1024 * 1024)),
    );
    stage
        .shell
        .file("wrong.jsonl", "{\"id\":7,\"params\":\"hunter2\"}\n");
    let outcome = stage.run("tenon builtin exec < long.jsonl").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("broken input"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.stderr.contains("hunter2"), "{}", outcome.stderr);
    let outcome = stage.run("tenon builtin exec < wrong.jsonl").await;
    assert_eq!(
        outcome.stdout,
        "{\"id\":7,\"error\":{\"code\":\"invalid_request\",\
         \"message\":\"an id without method, result or error\"}}\n"
    );
}
