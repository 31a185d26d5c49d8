//! Providers that break the rules in `shutdown`, when all the work is done.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, at};

/// The actions are done whatever happens then. A provider that does not end as it should may have
/// lost something, so the run has failed: in the text, in the record, in the report and by its
/// exit code. So has a teardown.
async fn ran(moves: Value, code: i32) -> String {
    let mut stage = Stage::with_one_action(at("shutdown", moves));
    let outcome = stage.run("tenon run demo.hcl --junit report.xml").await;
    assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a succeeded");
    assert_eq!(stage.rows("puppet").await, "a");
    let is_good = code == 0;
    let (status, errors) = match is_good {
        true => ("succeeded", " errors=\"0\""),
        false => ("failed", " errors=\"1\""),
    };
    let record = stage.record();
    assert_eq!(record["status"], status);
    assert_eq!(record["provider_errors"].is_array(), !is_good, "{record}");
    assert!(
        outcome.stderr.contains(&format!("{status}: 1 done")),
        "{}",
        outcome.stderr
    );
    let report = stage.text("report.xml");
    assert!(report.contains(errors), "{report}");
    stage.assert_is_closed();
    let transcript = stage.transcript();
    let line = format!("tenon teardown {}", stage.record_name());
    let undone = stage.run(&line).await;
    assert_eq!(undone.code, Some(code), "{}", undone.stderr);
    assert!(
        undone.stderr.contains(&format!("{status}: 1 done")),
        "{}",
        undone.stderr
    );
    transcript
}

const NO_ANSWERS: [&str; 3] = [
    "goodbye\n",
    "{\"id\":$ID,\"result\":{},\"error\":{\"code\":\"x\",\"message\":\"y\"}}\n",
    "{\"id\":99,\"result\":{}}\n",
];

#[tokio::test]
async fn invalid_answers() {
    let mut all = Vec::new();
    for text in NO_ANSWERS {
        all.push(ran(json!([["print", text]]), 4).await);
    }
    assert_snapshot!(all.join("\n\n"));
}

/// That it ends as if all were well does not make them answers.
#[tokio::test]
async fn invalid_answers_before_a_successful_exit() {
    for text in NO_ANSWERS {
        ran(json!([["print", text], ["exit", 0]]), 4).await;
    }
}

#[tokio::test]
async fn a_refusal() {
    let error = json!({ "code": "internal_error", "message": "could not flush" });
    assert_snapshot!(ran(json!([["error", error], ["exit", 1]]), 1).await);
}

#[tokio::test]
async fn a_death() {
    assert_snapshot!(ran(json!([["say", "could not flush"], "kill"]), 4).await);
}

#[tokio::test]
async fn a_provider_that_ignores_shutdown() {
    assert_snapshot!(ran(json!(["stubborn", "hang"]), 5).await);
}

/// It says goodbye and stays.
#[tokio::test]
async fn a_long_goodbye() {
    assert_snapshot!(ran(json!(["stubborn", "answer", "hang"]), 5).await);
}

/// One that ends instead of answering has understood.
#[tokio::test]
async fn an_end_without_an_answer() {
    ran(json!([["exit", 0]]), 0).await;
}
