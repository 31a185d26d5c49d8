//! Which environment variables providers get, and that a teardown passes on the same.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, python};

/// A provider that writes its environment to `env.STEP` at each step: schema, execute, undo.
const WITNESS: &str = r#"
import json, os, sys

SCHEMA = {
    "name": "witness", "version": "1.0.0", "protocol": "1",
    "actions": {"look": {"attrs": {"is_undone": {"type": "bool", "default": False}, "lacks": {"type": "string", "default": ""}}}},
}

def note(step):
    with open(f"env.{step}", "w") as file:
        json.dump(dict(os.environ), file)

if sys.argv[1:] == ["schema"]:
    note("schema")
    print(json.dumps(SCHEMA))
    sys.exit()
for line in sys.stdin:
    request = json.loads(line)
    answer = {"result": {}}
    if request["method"] == "describe":
        answer["result"] = {"schema": SCHEMA}
    elif request["method"] == "execute":
        attrs = request["params"]["attrs"]
        note("undo" if attrs["is_undone"] else "execute")
        answer["result"] = {"outputs": {}}
        if attrs["lacks"]:
            answer = {"error": {"code": "ERROR", "message": f"{attrs['lacks']} is not set"}}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
"#;

const ACTION: &str = r#"
  action "look" "a" {
    lifecycle {
      teardown {
        is_undone = true
      }
    }
  }
"#;

/// A scenario with the witness, and these attributes of it in `required_providers`.
fn stage(attributes: &str, text: &str) -> Stage {
    let stage = Stage::new(json!({}));
    let program = format!("#!{}\n{WITNESS}", python());
    stage.shell.program("witness", &program);
    let provider = format!("witness = {{ source = \"exec:./witness\"{attributes} }}");
    stage.scenario_with(&provider, text);
    stage
}

/// The environment that the witness had at a step.
fn seen(stage: &Stage, step: &str) -> Value {
    let text = fs::read(stage.shell.path(&format!("env.{step}"))).expect("a step that was done");
    serde_json::from_slice(&text).expect("JSON")
}

async fn done(stage: &mut Stage, line: &str) {
    let outcome = stage.run(line).await;
    assert_eq!(outcome.code, Some(0), "{line}: {}", outcome.stderr);
}

const SECRETS: &str = "AWS_SECRET_ACCESS_KEY=s3cret TENON_VAR_dsn=s3cret GITHUB_TOKEN=s3cret";

#[tokio::test]
async fn providers_get_no_secrets_also_in_a_plan() {
    let mut stage = stage("", ACTION);
    done(&mut stage, &format!("{SECRETS} tenon plan demo.hcl")).await;
    let key = "TENON_RECORD_KEY=0123456789abcdef0123456789abcdef";
    done(&mut stage, &format!("{SECRETS} {key} tenon run demo.hcl")).await;
    for step in ["schema", "execute"] {
        let found = seen(&stage, step);
        assert!(found["PATH"].is_string());
        assert!(found["TENON_RECORD_KEY"].is_null());
        assert!(!found.to_string().contains("s3cret"), "{step}: {found}");
    }
}

#[tokio::test]
async fn a_scenario_passes_variables_on() {
    for env in [
        r#"["AWS_*", "MODE=fast"]"#,
        r#"["AWS_REGION", "AWS_NOT_SET", "MODE=fast"]"#,
    ] {
        let mut stage = stage(&format!(", env = {env}"), ACTION);
        let before = "AWS_REGION=here OTHER=s3cret";
        done(&mut stage, &format!("{before} tenon run demo.hcl")).await;
        for step in ["schema", "execute"] {
            let found = seen(&stage, step);
            assert_eq!(found["AWS_REGION"], "here", "{step}");
            assert_eq!(found["MODE"], "fast", "{step}");
            assert!(found["OTHER"].is_null(), "{step}");
        }
        // The record says so, whatever has become of the scenario.
        fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
        let record = stage.record_name();
        done(
            &mut stage,
            &format!("AWS_REGION=there tenon teardown {record}"),
        )
        .await;
        let found = seen(&stage, "undo");
        assert_eq!(
            (&found["AWS_REGION"], &found["MODE"]),
            (&json!("there"), &json!("fast"))
        );
    }
    let mut stage = stage(r#", env = { MODE = "fast", "a.b" = "c" }"#, ACTION);
    done(&mut stage, "tenon run demo.hcl").await;
    let found = seen(&stage, "execute");
    assert_eq!(
        (&found["MODE"], &found["a.b"]),
        (&json!("fast"), &json!("c"))
    );
}

#[tokio::test]
async fn the_command_line_passes_variables_on_and_a_teardown_passes_on_the_same() {
    let mut stage = stage(", env = [\"MODE=fast\"]", ACTION);
    let before = "STAGE=test OTHER=no";
    let options = "--env STAGE --env API_TOKEN=s3cret --env MODE=slow";
    done(
        &mut stage,
        &format!("{before} tenon run demo.hcl {options}"),
    )
    .await;
    let found = seen(&stage, "execute");
    assert_eq!(found["STAGE"], "test");
    assert_eq!(found["API_TOKEN"], "s3cret");
    assert_eq!(found["MODE"], "slow");
    assert!(found["OTHER"].is_null());
    let record = stage.record();
    let names = json!({ "names": ["API_TOKEN", "MODE", "STAGE"] });
    assert_eq!(record["environment"], names);
    assert!(!record.to_string().contains("s3cret"), "{record}");
    let name = stage.record_name();
    let refused = stage.run(&format!("MODE=slow tenon teardown {name}")).await;
    assert_eq!(refused.code, Some(2));
    for word in [
        "API_TOKEN, STAGE",
        "--env API_TOKEN=VALUE --env STAGE=VALUE",
    ] {
        assert!(refused.stderr.contains(word), "{}", refused.stderr);
    }
    let before = "STAGE=again MODE=slow";
    let line = format!("{before} tenon teardown {name} --env API_TOKEN=other");
    done(&mut stage, &line).await;
    let found = seen(&stage, "undo");
    assert_eq!(found["STAGE"], "again");
    assert_eq!(found["API_TOKEN"], "other");
    assert_eq!(found["MODE"], "slow");
}

#[tokio::test]
async fn all_variables_are_passed_on_if_asked_for() {
    let mut stage = stage("", ACTION);
    done(
        &mut stage,
        &format!("{SECRETS} tenon run demo.hcl --env-all"),
    )
    .await;
    let name = stage.record_name();
    done(&mut stage, &format!("{SECRETS} tenon teardown {name}")).await;
    for step in ["schema", "execute", "undo"] {
        let found = seen(&stage, step);
        assert_eq!(found["AWS_SECRET_ACCESS_KEY"], "s3cret", "{step}");
        assert!(found["TENON_VAR_dsn"].is_null(), "{step}");
    }
}

/// Programs that the built-in provider `exec` runs get what the provider gets.
#[tokio::test]
async fn programs_of_exec_get_what_the_provider_gets() {
    let stage = Stage::new(json!({}));
    let action = r#"
  action "exec_run" "env" {
    command = "env"
    env     = { OWN = "mine" }
  }
  output "env" { value = action.exec_run.env.stdout }
"#;
    for (env, expected) in [("", false), (", env = [\"STAGE\", \"TENON_VAR_*\"]", true)] {
        let provider = format!("exec = {{ source = \"builtin/exec\"{env} }}");
        stage.scenario_with(&provider, action);
        let line = format!("STAGE=test {SECRETS} tenon run demo.hcl --no-record");
        let outcome = stage.shell.run_unnoted(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let printed = outcome.stdout + &outcome.stderr;
        assert!(printed.contains("OWN=mine"), "{printed}");
        assert_eq!(printed.contains("STAGE=test"), expected, "{printed}");
        assert_eq!(printed.contains("TENON_VAR_dsn="), expected, "{printed}");
        assert!(!printed.contains("GITHUB_TOKEN"), "{printed}");
    }
}

#[tokio::test]
async fn missing_variables_are_named() {
    let action = "  action \"look\" \"a\" {\n    lacks = \"AWS_REGION\"\n  }\n";
    let mut stage = stage("", action);
    stage.run("AWS_REGION=here tenon run demo.hcl").await;
    stage
        .run("AWS_REGION=here tenon run demo.hcl --env AWS_REGION")
        .await;
    stage.shell.program(
        "witness",
        "#!/bin/sh\n: \"${AWS_REGION:?is not set}\"\nexec sleep 1\n",
    );
    stage.run("AWS_REGION=here tenon plan demo.hcl").await;
    assert_snapshot!(stage.transcript());
}

/// A secret that is passed on is hidden in what the provider says.
#[tokio::test]
async fn secrets_that_are_passed_on_are_masked() {
    let mut stage = stage("", ACTION);
    stage.shell.program(
        "witness",
        "#!/bin/sh\necho \"token: $API_TOKEN\" >&2\nexit 1\n",
    );
    let outcome = stage
        .run("API_TOKEN=s3cret-token tenon plan demo.hcl --env API_TOKEN")
        .await;
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("token: (sensitive)"),
        "{}",
        outcome.stderr
    );
}
