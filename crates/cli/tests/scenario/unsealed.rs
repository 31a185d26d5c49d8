//! Teardowns that need secrets which the record does not hold.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::sealed::{PASSWORD, RUN, SCENARIO, TOKEN, assert_hidden, everything_is_undone, stage};
use crate::stage::action;

/// Before anything is there that would have to be undone.
#[tokio::test]
async fn without_a_key_plan_and_run_say_what_will_be_needed() {
    let mut stage = stage(json!({}));
    let plan = "tenon plan demo.hcl --var-file secrets.json";
    let outcome = stage.run(plan).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("action.create.a.token"),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        stage.run(&format!("{plan} --record-key key")).await.stderr,
        ""
    );
    let outcome = stage.run(&format!("{plan} --json")).await;
    let shown: Value = serde_json::from_str(&outcome.stdout).expect("one object");
    assert_eq!(shown["warnings"].as_array().map(Vec::len), Some(3));
    assert_eq!(shown["warnings"][0]["severity"], "warning");
    // With ids and times, which are never the same.
    let outcome = stage.shell.run_unnoted(&format!("{RUN} --json")).await;
    let events: Vec<Value> = { outcome.stdout.lines() }
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    let warnings = events
        .iter()
        .take_while(|event| event["event"] == "diagnostic");
    assert_eq!(warnings.count(), 3, "{}", outcome.stdout);
    assert_eq!(events[3]["event"], "started");
    // Without a record there is no teardown.
    let unkept = stage.run(&format!("{RUN} --no-record")).await;
    assert!(!unkept.stderr.contains("warning"), "{}", unkept.stderr);
    assert_hidden(&stage, &[stage.shell.transcript(), &outcome.stdout]);
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn without_a_key_they_are_given_again() {
    let mut stage = stage(json!({}));
    assert_eq!(stage.run(RUN).await.code, Some(0));
    let record = stage.record_name();
    // The password is missing, and what `create` returned.
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let given = "--var-file secrets.json";
    let outcome = stage.run(&format!("tenon teardown {record} {given}")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a use");
    stage.assert_is_closed();
    stage.shell.file("token", &format!("{TOKEN}\n"));
    let given = format!("{given} --secret action.create.a.token=@token");
    everything_is_undone(&mut stage, &given).await;
    assert_snapshot!(stage.transcript());
}

/// The header cannot be made from the token any more, so it is given itself.
#[tokio::test]
async fn without_a_key_and_without_the_file() {
    let mut stage = stage(json!({}));
    assert_eq!(stage.run(RUN).await.code, Some(0));
    fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
    let record = stage.record_name();
    let given = format!("--var password={PASSWORD} --secret action.create.a.token={TOKEN}");
    let outcome = stage.run(&format!("tenon teardown {record} {given}")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let missing = "--secret action.put.use.teardown.secret=...";
    assert!(outcome.stderr.contains(missing), "{}", outcome.stderr);
    assert_hidden(&stage, &[&outcome.stdout, &outcome.stderr]);
    let header = format!("--secret 'action.put.use.teardown.secret=Bearer {TOKEN}'");
    everything_is_undone(&mut stage, &format!("{given} {header}")).await;
}

/// What is lost forever must not keep everything else.
#[tokio::test]
async fn the_rest_without_them() {
    let mut stage = stage(json!({}));
    stage.scenario(&format!("{SCENARIO}{}", action("free", "")));
    assert_eq!(stage.run(RUN).await.code, Some(0));
    let record = stage.record_name();
    let line = format!("tenon teardown {record} --var-file secrets.json --partial");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a use");
    assert_eq!(
        stage.statuses(),
        "a succeeded and skipped, use succeeded and failed, free succeeded and succeeded"
    );
    let given = format!("--var-file secrets.json --secret action.create.a.token={TOKEN}");
    everything_is_undone(&mut stage, &given).await;
}
