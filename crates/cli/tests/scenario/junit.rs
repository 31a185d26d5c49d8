//! Reports for CI.

use insta::assert_snapshot;
use serde_json::json;

use crate::reports::{stage, two_scenarios};
use crate::stage::{Stage, action, action_after, python};
use crate::support::program::eventually;

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

#[tokio::test]
async fn asserts_that_hold_are_test_cases() {
    let mut stage = Stage::new(json!({}));
    stage.scenario(&format!(
        "{}\n  output \"id\" {{\n    value = action.put.a.name\n    assert {{\n      condition = \
         self.value == \"a\"\n    }}\n    assert {{\n      condition = self.value != \"a\"\n      \
         message = \"it is a\"\n    }}\n  }}\n",
        action("a", "")
    ));
    let outcome = stage.run("tenon run demo.hcl --junit report.xml").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let report = stage.text("report.xml");
    for part in [
        "tests=\"3\" failures=\"1\" errors=\"0\"",
        "name=\"output.id\" time=\"0.000\"/>",
        "name=\"output.id (2)\" time=\"0.000\">\n      <failure message=\"it is a\">",
    ] {
        assert!(report.contains(part), "{part} in {report}");
    }
}

/// The report says why, whatever it was.
#[tokio::test]
async fn junit_of_what_is_not_run() {
    let mut stage = Stage::new(json!({}));
    let good = two_scenarios();
    let cases = [
        ("scenario \"demo\" {\n", "", 2, "never closed"),
        (
            good.as_str(),
            "--scenario third",
            2,
            "unknown scenario `third`",
        ),
        (
            good.as_str(),
            "--scenario first --var x=1",
            2,
            "no variable &quot;x&quot;",
        ),
        (
            good.as_str(),
            "--scenario first --target action.put.x",
            2,
            "action.put.x",
        ),
        (
            good.as_str(),
            "--scenario first --record-dir nowhere",
            2,
            "nowhere",
        ),
    ];
    for (text, flags, code, reason) in cases {
        stage.shell.file("demo.hcl", text);
        let line = format!("tenon run demo.hcl --junit report.xml {flags}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
        let report = stage.text("report.xml");
        assert!(
            report.contains("errors=\"1\"") && report.contains(reason),
            "{report}"
        );
        assert!(!report.contains("time=\"-"), "{report}");
    }
    assert!(stage.diary().is_empty());
}

#[tokio::test]
async fn junit_of_a_teardown() {
    let mut stage = Stage::with_one_action(json!({
        "execute a 2": [["error", { "code": "execute_failed", "message": "it is stuck" }]],
    }));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let line = format!("tenon teardown {} --junit report.xml", stage.record_name());
    assert_eq!(stage.run(&line).await.code, Some(1));
    let report = stage.text("report.xml");
    assert!(
        report.contains("failures=\"1\"") && report.contains("it is stuck"),
        "{report}"
    );
}

/// No report of a teardown that failed looks like a success.
#[tokio::test]
async fn junit_of_a_teardown_that_cannot_begin() {
    for (orders, code, done) in [
        (json!({ "describe": [["exit", 1]] }), 4, 0),
        (json!({ "configure": [["exit", 1]] }), 4, 0),
        (json!({ "shutdown": [["exit", 1]] }), 4, 1),
    ] {
        let mut stage = Stage::with_one_action(json!({}));
        assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
        stage.puppet("puppet", orders);
        let line = format!("tenon teardown {} --junit report.xml", stage.record_name());
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
        let report = stage.text("report.xml");
        let counts = format!("tests=\"{}\" failures=\"0\" errors=\"1\"", done + 1);
        assert!(report.contains(&counts), "{report}");
        assert!(report.contains("name=\"providers\""), "{report}");
        assert!(stage.record().get("provider_errors").is_none());
    }
}

/// The first execution could not be undone, the second one could.
#[tokio::test]
async fn junit_of_an_earlier_execution() {
    let named = |name: &str| json!(["work", ["answer", { "outputs": { "name": name } }]]);
    let mut stage = Stage::new(json!({
        "execute a 1": named("one"),
        "execute a 2": named("two"),
        "execute one": [["error", { "code": "execute_failed", "message": "it is stuck" }]],
    }));
    let own = "self.name\n        is_removed";
    stage.scenario(&action("a", "").replace("\"a\"\n        is_removed", own));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --redo action.put.a");
    assert_eq!(stage.run(&line).await.code, Some(0));
    let line = format!("tenon teardown {record} --junit report.xml");
    assert_eq!(stage.run(&line).await.code, Some(1));
    let report = stage.text("report.xml");
    for part in [
        "tests=\"2\" failures=\"1\"",
        "name=\"action.put.a@earlier1\"",
        "it is stuck",
    ] {
        assert!(report.contains(part), "{part} in {report}");
    }
}

/// What was not begun is skipped; that alone would be a green report.
#[tokio::test]
async fn junit_of_an_interrupted_run() {
    let stage = Stage::new(json!({ "execute a 1": ["work", ["gate", "here"], "answer"] }));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    let started = stage.start("tenon run demo.hcl --junit report.xml --grace 1h --json > seen");
    stage.reached("puppet", "here").await;
    started.signal(rustix::process::Signal::INT);
    let is_heard = || stage.text("seen").contains("\"interrupted\"");
    eventually("the interrupt is heard", is_heard).await;
    stage.open("puppet", "here");
    let outcome = started.ended().await;
    assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
    let report = stage.text("report.xml");
    assert!(
        report.contains("<error message=\"it was interrupted\""),
        "{report}"
    );
}

/// Before anything is done.
#[tokio::test]
async fn a_report_that_cannot_be_written() {
    let mut stage = Stage::with_one_action(json!({}));
    let outcome = stage
        .run("tenon run demo.hcl --junit nowhere/report.xml")
        .await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(
        outcome
            .stderr
            .contains("nowhere/report.xml cannot be written"),
        "{}",
        outcome.stderr
    );
    for path in [".", "/dev/full"] {
        let line = format!("tenon run demo.hcl --junit {path}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2), "{path}: {}", outcome.stderr);
    }
    assert!(stage.diary().is_empty() && stage.files("orchard_").is_empty());
    let outcome = stage.run("tenon run demo.hcl --junit /dev/null").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// Under whatever name.
#[tokio::test]
async fn a_report_that_would_overwrite_what_is_read() {
    let mut stage = Stage::with_one_action(json!({}));
    stage.shell.file("more.json", "{}");
    std::fs::hard_link(stage.shell.path("more.json"), stage.shell.path("again")).expect("a link");
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let teardown = format!("teardown {record} --secret x=@more.json");
    let resume = format!("run --resume {record}");
    let new = "run demo.hcl --var-file more.json";
    let diary = stage.diary();
    for (command, path) in [
        (new, "./demo.hcl"),
        (new, "again"),
        (&resume, "demo.hcl"),
        (&resume, &record),
        (&teardown, "demo.hcl"),
        (&teardown, "again"),
        (&teardown, &record),
    ] {
        let before = stage.text(path);
        let line = format!("tenon {command} --junit {path}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2), "{line}: {}", outcome.stderr);
        let said = "would overwrite";
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        assert_eq!(stage.text(path), before);
    }
    assert_eq!(stage.diary(), diary);
    stage.assert_is_closed();
}

/// Files that only the scenario names.
#[tokio::test]
async fn a_report_that_would_overwrite_what_the_scenario_uses() {
    let mut stage = Stage::new(json!({}));
    let component = "component \"part\" {\n  output \"x\" {\n    value = 1\n  }\n}\n";
    stage.shell.file("part.hcl", component);
    stage.shell.file("data.txt", "data");
    let text = "  component \"part\" \"p\" {\n    source = \"./part.hcl\"\n  }\n";
    stage.scenario(&format!(
        "{text}{}",
        action("a", "input = file(\"data.txt\")")
    ));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let record = stage.record_name();
    let diary = stage.diary();
    let commands = [
        "run demo.hcl".to_owned(),
        format!("run --resume {record}"),
        format!("teardown {record}"),
    ];
    for command in commands {
        for path in ["part.hcl", "puppet", "data.txt"] {
            let before = stage.text(path);
            let line = format!("tenon {command} --junit {path}");
            let outcome = stage.run(&line).await;
            assert_eq!(outcome.code, Some(2), "{line}: {}", outcome.stderr);
            assert!(
                outcome.stderr.contains("would overwrite"),
                "{}",
                outcome.stderr
            );
            assert_eq!(stage.text(path), before, "{line}");
        }
    }
    assert_eq!(stage.diary(), diary);
    // A report is replaced, and so is an empty file.
    stage.shell.file("report.xml", "");
    for _ in 0..2 {
        let outcome = stage.run("tenon run demo.hcl --junit report.xml").await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
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
