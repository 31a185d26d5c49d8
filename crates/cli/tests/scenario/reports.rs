//! What tools read: JSON lines, JUnit reports, graphs, lists; and which part of a file is run.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, action, action_after, python};

/// `a` succeeds, `b` fails, `c` needs it, `d` has a provider that dies, `e` needs nothing.
fn stage() -> Stage {
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

#[tokio::test]
async fn junit() {
    let mut stage = stage();
    let outcome = stage.run("tenon run demo.hcl --junit report.xml").await;
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    let script = "import sys, xml.etree.ElementTree as tree\n\
        for suite in tree.parse('report.xml').getroot():\n\
        \x20   counts = ['tests', 'failures', 'errors', 'skipped']\n\
        \x20   print(suite.get('name'), *[suite.get(name) for name in counts])\n\
        \x20   for case in sorted(suite, key=lambda case: case.get('name')):\n\
        \x20       print(case.get('name'), *[(part.tag, part.text) for part in case])\n";
    stage.shell.file("read.py", script);
    let read = stage.run(&format!("{} read.py", python())).await;
    assert_eq!(read.code, Some(0), "{}", read.stderr);
    assert_snapshot!(read.stdout);
}

/// Every scenario that was run is in the report.
#[tokio::test]
async fn junit_of_several() {
    let mut stage = Stage::new(json!({}));
    stage.shell.file("demo.hcl", &two_scenarios());
    let line = "tenon run demo.hcl --tags one,two --junit report.xml";
    let outcome = stage.run(line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let report = stage.text("report.xml");
    for name in ["first", "second"] {
        let suite = format!("<testsuite name=\"{name}\"");
        assert!(report.contains(&suite), "{report}");
    }
}

fn two_scenarios() -> String {
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

fn events(text: &str) -> Vec<Value> {
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

/// Who reads only the first line does not stop the run.
#[tokio::test]
async fn a_reader_that_goes_away() {
    let mut stage = Stage::new(json!({}));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    let line = "{ tenon run demo.hcl --json; echo $? > code; } | head -n 1";
    stage.run(line).await;
    assert_eq!(stage.text("code"), "0\n");
    assert_eq!(stage.statuses(), "a succeeded, b succeeded");
    assert_eq!(stage.rows("puppet").await, "a b");
    stage.assert_is_closed();
}
