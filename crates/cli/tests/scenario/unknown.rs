//! Actions whose outcome is unknown because their provider says so: what is recorded, what is shown,
//! and that nothing is done twice unless that does no harm.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, action, action_after};

/// The provider does its work, and says that it does not know what came of it.
fn unknown() -> Value {
    let error = json!({ "code": "outcome_unknown", "message": "the connection was lost" });
    json!(["work", ["error", error]])
}

fn retry(more: &str) -> String {
    format!("retry {{\n      attempts = 3\n      delay    = \"10ms\"\n      {more}\n    }}")
}

/// How often `a` was executed.
fn attempts(stage: &Stage) -> usize {
    stage.text("puppet.a.attempts").len()
}

/// Recorded as unknown, not repeated by a resume, and undone by what the teardown says.
#[tokio::test]
async fn is_recorded_shown_and_undone() {
    let mut stage = Stage::new(json!({ "execute a 1": unknown() }));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    let line = "tenon run demo.hcl --junit report.xml";
    assert_eq!(stage.run(line).await.code, Some(1));
    assert_eq!(stage.statuses(), "a maybe, b skipped");
    let report = stage.text("report.xml");
    assert!(report.contains("errors=\"1\""), "{report}");
    assert!(
        report.contains("<error message=\"the connection was lost (outcome_unknown)\""),
        "{report}"
    );
    let record = stage.record_name();
    let resume = format!("tenon run --resume {record}");
    assert_eq!(stage.run(&resume).await.code, Some(2));
    assert_eq!(attempts(&stage), 1);
    let teardown = format!("tenon teardown {record}");
    assert_eq!(stage.run(&teardown).await.code, Some(0));
    assert_eq!(stage.rows("puppet").await, "");
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn is_an_event_of_its_own() {
    let mut stage = Stage::new(json!({ "execute a": unknown() }));
    stage.scenario(&action("a", ""));
    let outcome = stage.run("tenon run demo.hcl --json").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let events: Vec<Value> = { outcome.stdout.lines() }
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    let named = |name: &str| events.iter().find(|event| event["event"] == name);
    assert_eq!(named("action_finished").expect("an end")["status"], "maybe");
    let finished = named("finished").expect("an end");
    assert_eq!(
        (&finished["failed"], &finished["maybe"]),
        (&json!(0), &json!(1))
    );
}

/// It is run again only if the user says so, and both executions are undone.
#[tokio::test]
async fn is_run_again_on_request() {
    let mut stage = Stage::new(json!({ "execute a 1": unknown() }));
    stage.scenario(&action("a", ""));
    stage.run("tenon run demo.hcl").await;
    let record = stage.record_name();
    for flags in ["--redo-maybe", "--redo action.put.a"] {
        let line = format!("tenon run --resume {record} {flags}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
    assert_eq!(stage.rows("puppet").await, "a a a");
}

/// To try again would be to do it twice.
#[tokio::test]
async fn is_not_retried() {
    for (name, moves, more, code) in [
        ("answered", unknown(), "", 1),
        (
            "timed out",
            json!(["work", "hang"]),
            "timeout = \"500ms\"",
            5,
        ),
    ] {
        let mut stage = Stage::new(json!({ "execute a": moves }));
        stage.scenario(&action("a", &format!("{more}\n    {}", retry(""))));
        let outcome = stage.run("tenon run demo.hcl").await;
        assert_eq!(outcome.code, Some(code), "{name}: {}", outcome.stderr);
        assert_eq!(attempts(&stage), 1, "{name}");
        assert_eq!(stage.statuses(), "a maybe", "{name}");
        assert_eq!(stage.rows("puppet").await, "a", "{name}");
    }
}

/// Asking for it without `idempotent` is an error before anything is done.
#[tokio::test]
async fn a_retry_after_it_needs_an_idempotent_action() {
    let mut stage = Stage::new(json!({}));
    stage.scenario(&action("a", &retry("on = [\"outcome_unknown\"]")));
    assert_eq!(stage.run("tenon plan demo.hcl").await.code, Some(2));
    stage.scenario(&action("a", &retry("on = [\"timed_out\"]")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(2));
    stage.scenario(&action(
        "a",
        &format!("idempotent = true\n    {}", retry("on = [\"timed_out\"]")),
    ));
    assert_eq!(stage.run("tenon plan demo.hcl > plan").await.code, Some(0));
    assert_snapshot!(stage.transcript());
}

/// Declared in the scenario, or by the provider.
#[tokio::test]
async fn an_idempotent_action_is_retried_and_resumed() {
    let mut actions = json!({ "put": {
        "attrs": {
            "name": { "type": "string", "required": true },
            "is_removed": { "type": "bool", "default": false },
            "input": { "type": "any" },
        },
        "outputs": { "type": "object({name=string})" },
    }});
    actions["put"]["idempotent"] = json!(true);
    for (schema, more) in [
        (json!({}), "idempotent = true"),
        (json!({ "actions": actions }), ""),
    ] {
        let orders = |steps: &[&str]| {
            let mut orders = json!({ "schema": schema });
            for step in steps {
                orders[*step] = unknown();
            }
            orders
        };
        let mut stage = Stage::new(orders(&["execute a 1"]));
        stage.scenario(&action("a", &format!("{more}\n    {}", retry(""))));
        let outcome = stage.run("tenon run demo.hcl").await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(attempts(&stage), 2);

        let mut stage = Stage::new(orders(&["execute a 1"]));
        stage.scenario(&action("a", more));
        assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
        assert_eq!(stage.statuses(), "a maybe");
        let record = stage.record_name();
        let outcome = stage.run(&format!("tenon run --resume {record}")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(stage.statuses(), "a succeeded");
        assert_eq!(attempts(&stage), 2);
        // What it returned in the end undoes both.
        assert_eq!(stage.record()["nodes"][0].get("earlier"), None);
    }
}

/// What it would be repeated with is not what it was: that is another action.
#[tokio::test]
async fn an_idempotent_action_is_repeated_with_the_same_values_only() {
    let mut stage = Stage::new(json!({ "execute": unknown() }));
    let variable = "  variable \"input\" {\n    default = \"one\"\n  }\n";
    let idempotent = "idempotent = true\n    input = var.input";
    stage.scenario(&format!("{variable}{}", action("a", idempotent)));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --var input=two");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("the variable \"input\""),
        "{}",
        outcome.stderr
    );
    assert_eq!(attempts(&stage), 1);
}

/// An action that may be repeated, and is not because what it needs fails, is as unknown as before.
#[tokio::test]
async fn what_is_not_run_again_stays_unknown() {
    let refusal = json!([["error", { "code": "execute_failed", "message": "no" }]]);
    let mut stage = Stage::new(json!({ "execute b 1": unknown(), "execute a 2": refusal }));
    let second = action("b", "idempotent = true\n    input = action.put.a.name");
    stage.scenario(&format!("{}{second}", action("a", "")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    assert_eq!(stage.statuses(), "a succeeded, b maybe");
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --redo action.put.a");
    assert_eq!(stage.run(&line).await.code, Some(1));
    assert_eq!(stage.statuses(), "a failed, b maybe");
}

/// What the teardown needs from others may come later than the end of the action.
#[tokio::test]
async fn is_undone_with_what_others_returned_later() {
    let mut stage = Stage::new(json!({ "execute a 1": unknown() }));
    let later = r#"
  action "put" "a" {
    name = "a"
    lifecycle {
      teardown {
        name       = "a"
        is_removed = action.put.b.name == "b"
      }
    }
  }
  action "put" "b" {
    name       = "b"
    depends_on = [action.put.c]
  }
  action "put" "c" {
    name = "c"
  }
"#;
    stage.scenario(later);
    assert_eq!(stage.run("tenon run demo.hcl -j 1").await.code, Some(1));
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "b c");
}

/// A teardown whose outcome is unknown is done again by the next one.
#[tokio::test]
async fn a_teardown_may_be_unknown_as_well() {
    let mut stage = Stage::new(json!({ "execute a 2": unknown() }));
    stage.scenario(&action("a", ""));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let teardown = format!("tenon teardown {record}");
    assert_eq!(stage.run(&teardown).await.code, Some(1));
    assert_eq!(stage.statuses(), "a succeeded and maybe");
    assert_eq!(stage.run(&teardown).await.code, Some(0));
    assert_snapshot!(stage.transcript());
}

/// What cannot be undone without what it returned is named.
#[tokio::test]
async fn what_only_its_outputs_undo_is_named() {
    let mut stage = Stage::new(json!({ "execute a 1": unknown() }));
    stage.scenario(&action("a", "").replace("name       = \"a\"", "name = self.name"));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(
        outcome
            .stderr
            .contains("its outcome is unknown, and its teardown"),
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.rows("puppet").await, "a");
}

/// It would be repeated with something else: that is not to repeat it.
#[tokio::test]
async fn an_idempotent_action_with_other_attributes_is_unknown_as_any_other() {
    for input in ["uuid()", "file(\"data.txt\")", "\"one\""] {
        let mut stage = Stage::new(json!({ "execute a 1": unknown() }));
        stage.shell.file("data.txt", "before");
        let text = |input: &str| action("a", &format!("idempotent = true\n    input = {input}"));
        stage.scenario(&text(input));
        assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
        stage.shell.file("data.txt", "after");
        stage.scenario(&text(&input.replace("one", "two")));
        let record = stage.record_name();
        let outcome = stage.run(&format!("tenon run --resume {record}")).await;
        assert_eq!(outcome.code, Some(2), "{input}: {}", outcome.stderr);
        let said = "action.put.a (its attributes are not the same as before)";
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        assert_eq!(attempts(&stage), 1);
        let line = format!("tenon run --resume {record} --redo-maybe");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        // Both executions are undone.
        let earlier = &stage.record()["nodes"][0]["earlier"];
        assert_eq!(earlier.as_array().map(Vec::len), Some(1), "{input}");
        assert_eq!(stage.record()["nodes"][0].get("attributes_sha256"), None);
    }
}

/// What it is given is known only when another action was run again.
#[tokio::test]
async fn other_attributes_are_noticed_when_their_turn_comes() {
    let mut stage = Stage::new(json!({
        "execute b 1": unknown(),
        "execute a 2": ["work", ["answer", { "outputs": { "name": "other" } }]],
    }));
    let second = action("b", "idempotent = true\n    input = action.put.a.name");
    stage.scenario(&format!("{}{second}", action("a", "")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --redo action.put.a");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(
        outcome
            .stderr
            .contains("its attributes are not the same as before"),
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.statuses(), "a succeeded, b maybe");
    assert_eq!(stage.text("puppet.b.attempts").len(), 1);
}

/// How often a thing was removed.
fn removals(stage: &Stage) -> usize {
    let diary = stage.diary();
    diary
        .iter()
        .filter(|line| *line == "begin removing a")
        .count()
}

/// A teardown with the same attributes undoes one execution each time: `n = n - 1` does.
#[tokio::test]
async fn what_was_run_twice_is_undone_twice() {
    let mut stage = Stage::new(json!({ "execute a 1": unknown() }));
    stage.scenario(&action("a", ""));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    let record = stage.record_name();
    for flags in ["--redo-maybe", "--redo action.put.a"] {
        let line = format!("tenon run --resume {record} {flags}");
        assert_eq!(stage.run(&line).await.code, Some(0));
    }
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(removals(&stage), 3);
}

/// To repeat an idempotent action is to do it once, however often, and also if that fails.
#[tokio::test]
async fn what_was_repeated_is_undone_once() {
    let no = json!([["error", { "code": "execute_failed", "message": "no" }]]);
    let mut stage = Stage::new(json!({
        "execute a 1": unknown(), "execute a 2": no, "execute a 3": unknown(),
    }));
    stage.scenario(&action("a", "idempotent = true"));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    let record = stage.record_name();
    for _ in 0..2 {
        let outcome = stage.run(&format!("tenon run --resume {record}")).await;
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert_eq!(stage.statuses(), "a maybe");
    }
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!((attempts(&stage), removals(&stage)), (4, 1));
}

/// With `--no-record`, the advice names no record.
#[tokio::test]
async fn without_a_record_the_advice_does_not_name_one() {
    let mut stage = Stage::new(json!({ "execute a 1": unknown() }));
    stage.scenario(&action("a", ""));
    let outcome = stage.run("tenon run demo.hcl --no-record").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("this run has no record"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.stderr.contains("RECORD"), "{}", outcome.stderr);
}
