//! What tools read: JSON lines, JUnit reports, graphs, lists; and which part of a file is run.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, action, action_after};

/// `a` succeeds, `b` fails, `c` needs it, `d` has a provider that dies, `e` needs nothing.
pub(crate) fn stage() -> Stage {
    let error = json!({
        "code": "execute_failed",
        "message": "<b> & \"co\" \u{1b}[31m",
        "detail": "]]> \u{0} end",
    });
    let stage = Stage::new(json!({ "execute b": [["error", error]] }));
    stage.puppet("mortal", json!({ "execute": ["kill"] }));
    let actions = [
        action("a", "provider = puppet"),
        action("b", "provider = puppet\n    input = action.put.a.name"),
        action("c", "provider = puppet\n    input = action.put.b.name"),
        action("d", "provider = mortal"),
        action("e", "provider = puppet"),
        "\n  output \"last\" {\n    value = action.put.e.name\n  }\n".into(),
    ];
    stage.scenario_with(
        "puppet = { source = \"exec:./puppet\" }\n    mortal = { source = \"exec:./mortal\" }",
        &actions.concat(),
    );
    stage
}

pub(crate) fn two_scenarios() -> String {
    let one = |name: &str, tag: &str, actions: String| {
        format!(
            "scenario \"{name}\" {{\n  description = \"The {name} one\"\n  tags = [\"{tag}\", \
             \"both\"]\n  required_providers {{\n    puppet = {{ source = \"exec:./puppet\" }}\n  \
             }}\n{actions}}}\n"
        )
    };
    let first = one("first", "one", action("a", ""));
    let second = one("second", "two", action("b", ""));
    format!("{first}{second}")
}

pub(crate) fn events(text: &str) -> Vec<Value> {
    let event = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
    text.lines().map(event).collect()
}

fn last_event(events: &[Value]) -> &str {
    let last = events.last().and_then(|event| event["event"].as_str());
    last.unwrap_or("none")
}

#[tokio::test]
async fn lines_of_json() {
    let mut stage = stage();
    let outcome = stage.run("tenon run demo.hcl --json").await;
    assert_eq!(outcome.code, Some(4));
    let seen = events(&outcome.stdout);
    assert_eq!(seen[0]["event"], "started");
    assert_eq!(last_event(&seen), "finished");
    let finished = &seen[seen.len() - 1];
    let counts = ["succeeded", "failed", "skipped", "maybe"];
    let counts: Vec<u64> = { counts.iter() }
        .map(|name| finished[name].as_u64().expect("a number"))
        .collect();
    assert_eq!(counts, [2, 1, 1, 1]);
    assert_eq!(finished["status"], "failed");
    let record = finished["record"].as_str().expect("a path");
    let outcome = stage.run(&format!("tenon teardown {record} --json")).await;
    let seen = events(&outcome.stdout);
    assert_eq!(last_event(&seen), "finished");
}

/// Also when no provider could be started.
#[tokio::test]
async fn lines_of_json_when_nothing_starts() {
    let mut stage = Stage::with_one_action(json!({ "describe": [["exit", 1]] }));
    let outcome = stage
        .run("tenon run demo.hcl --json --junit report.xml")
        .await;
    assert_eq!(outcome.code, Some(4));
    let seen = events(&outcome.stdout);
    assert_eq!(last_event(&seen), "finished", "{}", outcome.stdout);
    assert!(
        stage
            .text("report.xml")
            .contains("<testsuite name=\"demo\"")
    );
}

/// A provider that is only asked for its schema does nothing else.
#[tokio::test]
async fn plans_do_nothing() {
    let mut stage = stage();
    for form in ["", " --json", " --graph dot", " --graph mermaid"] {
        let outcome = stage.run(&format!("tenon plan demo.hcl{form}")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
    for left in [
        "orchard_",
        "diary",
        "puppet.started",
        "puppet.heard",
        "puppet.rows",
    ] {
        assert!(stage.files(left).is_empty(), "{left}");
    }
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn lists() {
    let mut stage = Stage::new(json!({}));
    stage.shell.file("demo.hcl", &two_scenarios());
    stage.shell.file("broken.hcl", "scenario \"x\" {\n");
    stage.shell.file("other.hcl", "resource \"x\" \"y\" {}\n");
    stage.run("tenon list demo.hcl").await;
    stage.run("tenon list demo.hcl --json").await;
    stage.run("tenon list demo.hcl --tags two").await;
    stage.run("tenon list").await;
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn targets() {
    let mut stage = Stage::new(json!({}));
    let actions = [
        action("a", ""),
        action_after("b", "a"),
        action_after("c", "b"),
        action("d", ""),
    ];
    stage.scenario(&actions.concat());
    let outcome = stage.run("tenon run demo.hcl --target action.put.b").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a b");
    assert_eq!(
        stage.statuses(),
        "a succeeded, b succeeded, c pending, d pending"
    );
    // The rest, later.
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a b c d");
    stage.run("tenon run demo.hcl --target action.put.x").await;
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn tags() {
    let mut stage = Stage::new(json!({}));
    stage.shell.file("demo.hcl", &two_scenarios());
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(2));
    assert_eq!(stage.run("tenon run demo.hcl --tags x").await.code, Some(2));
    assert!(stage.diary().is_empty());
    let outcome = stage.run("tenon run demo.hcl --tags two --no-record").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "b");
    let line = "tenon run demo.hcl --scenario first --no-record";
    assert_eq!(stage.run(line).await.code, Some(0));
    assert_eq!(stage.rows("puppet").await, "a b");
    let outcome = stage
        .run("tenon run demo.hcl --tags both --no-record")
        .await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a a b b");
    assert_snapshot!(stage.transcript());
}

/// None is run if one of them is wrong.
#[tokio::test]
async fn tags_are_checked_before_the_first_is_run() {
    let mut stage = Stage::new(json!({}));
    let wrong = two_scenarios().replace("name = \"b\"", "nome = \"b\"");
    stage.shell.file("demo.hcl", &wrong);
    for command in ["plan", "run"] {
        let line = format!("tenon {command} demo.hcl --tags both");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("\"nome\""), "{}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
    }
    assert!(stage.diary().is_empty());
    assert!(stage.files("orchard_").is_empty());
}

#[tokio::test]
async fn plans_by_tags() {
    let mut stage = Stage::new(json!({}));
    stage.shell.file("demo.hcl", &two_scenarios());
    let outcome = stage.run("tenon plan demo.hcl --tags both").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    for name in ["scenario: first\n", "scenario: second\n"] {
        assert!(outcome.stdout.contains(name), "{}", outcome.stdout);
    }
    let outcome = stage.run("tenon plan demo.hcl --tags two --json").await;
    let plan: Value = serde_json::from_str(&outcome.stdout).expect("one object");
    assert_eq!(plan["scenario"], "second");
    let outcome = stage.run("tenon plan demo.hcl --tags nope").await;
    assert_eq!(outcome.code, Some(2));
    let outcome = stage
        .run("tenon plan demo.hcl --tags one --scenario first")
        .await;
    assert_eq!(outcome.code, Some(2));
}

#[tokio::test]
async fn lists_leave_out_what_tools_put_there() {
    let mut stage = Stage::new(json!({}));
    let scenario = |name: &str| format!("scenario \"{name}\" {{}}\n");
    for folder in [
        "node_modules/x",
        "target/debug",
        ".hidden",
        "cache",
        "venv",
        "scenarios/inner",
    ] {
        std::fs::create_dir_all(stage.shell.path(folder)).expect("a folder");
        let name = folder.replace(['/', '.'], "_");
        stage
            .shell
            .file(&format!("{folder}/a.hcl"), &scenario(&name));
    }
    stage.shell.file("cache/CACHEDIR.TAG", "");
    stage.shell.file("venv/pyvenv.cfg", "");
    let around = stage.shell.path("scenarios/inner/around");
    std::os::unix::fs::symlink(stage.shell.path(""), around).expect("a link");
    let outcome = stage.run("tenon list").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "scenarios_inner  ./scenarios/inner/a.hcl\n");
    // A folder that is named is listed.
    let outcome = stage.run("tenon list node_modules").await;
    assert_eq!(outcome.stdout, "node_modules_x  node_modules/x/a.hcl\n");
}
