//! Providers that break the rules in `execute`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, action, action_after, at};

/// Three actions: `a` goes wrong, `b` needs it, `c` does not.
fn stage(moves: Value) -> Stage {
    let stage = Stage::new(at("execute a", moves));
    stage.scenario(&format!(
        "{}{}{}",
        action("a", ""),
        action_after("b", "a"),
        action("c", "")
    ));
    stage
}

async fn ran(moves: Value, code: i32, statuses: &str) -> String {
    let mut stage = stage(moves);
    let outcome = stage.run("tenon run demo.hcl -j 1").await;
    assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), statuses);
    assert_eq!(stage.record()["status"], "failed");
    stage.assert_is_closed();
    stage.transcript()
}

/// The provider is not trusted any more: `c` is not begun.
const BROKEN: &str = "a maybe, b skipped, c failed";

#[tokio::test]
async fn invalid_answers() {
    let mut all = Vec::new();
    for text in [
        "done!\n",
        "\u{ff}\u{fe}\n",
        "{\"id\":$ID,\"result\":{},\"error\":{\"code\":\"x\",\"message\":\"y\"}}\n",
        "{\"id\":$ID}\n",
        "{\"id\":$ID,\"result\":7}\n",
    ] {
        all.push(ran(json!([["print", text]]), 4, BROKEN).await);
    }
    assert_snapshot!(all.join("\n\n"));
}

#[tokio::test]
async fn an_answer_to_another_call() {
    let moves = json!([[
        "print",
        "{\"id\":99,\"result\":{\"outputs\":{\"name\":\"a\"}}}\n"
    ]]);
    assert_snapshot!(ran(moves, 4, BROKEN).await);
}

#[tokio::test]
async fn an_answer_and_another() {
    let mut stage = stage(json!(["work", "answer", "answer"]));
    let outcome = stage.run("tenon run demo.hcl -j 1").await;
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn too_deep_and_too_much() {
    let deep = ran(json!([["deep", 200]]), 4, BROKEN).await;
    let huge = ran(json!([["huge", 17_000_000]]), 4, BROKEN).await;
    assert_snapshot!([deep, huge].join("\n\n"));
}

/// The work is done, but what it brought cannot be used.
#[tokio::test]
async fn outputs_of_another_type() {
    let mut all = Vec::new();
    for outputs in [
        json!({}),
        json!({ "name": ["a"] }),
        json!({ "name": "a", "more": 1 }),
        json!("a"),
    ] {
        let moves = json!(["work", ["answer", { "outputs": outputs }]]);
        let mut stage = stage(moves);
        stage.run("tenon run demo.hcl -j 1").await;
        all.push(format!("{}\n{}", stage.transcript(), stage.statuses()));
        stage.assert_is_closed();
    }
    assert_snapshot!(all.join("\n\n"));
}

#[tokio::test]
async fn ends_in_the_middle() {
    let death = ran(json!([["say", "out of memory"], ["exit", 7]]), 4, BROKEN).await;
    let killed = ran(json!(["work", "kill"]), 4, BROKEN).await;
    let flood = ran(json!([["flood", 100_000], ["exit", 1]]), 4, BROKEN).await;
    let half = ran(json!([["print", "{\"id\":$ID,"], ["exit", 0]]), 4, BROKEN).await;
    let closed = ran(json!(["close", "hang"]), 4, BROKEN).await;
    assert_snapshot!([death, killed, flood, half, closed].join("\n\n"));
}

/// Who floods stderr and answers has done nothing wrong.
#[tokio::test]
async fn a_flood_and_an_answer() {
    let mut stage = stage(json!([["flood", 100_000], "work", "answer"]));
    let outcome = stage.run("tenon run demo.hcl -j 1").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let outcome = stage
        .run("tenon run demo.hcl -j 1 --verbose > seen 2>&1")
        .await;
    assert_eq!(outcome.code, Some(0));
    // The rest is not shown, so that it does not bury everything else.
    assert!(stage.text("seen").lines().count() < 1100);
    assert!(
        stage
            .text("seen")
            .contains("further lines of providers are not shown")
    );
}

#[tokio::test]
async fn refusals() {
    let mut all = Vec::new();
    for code in [
        "invalid_request",
        "unknown_method",
        "unknown_action",
        "validation_failed",
        "configure_failed",
        "execute_failed",
        "internal_error",
        "out_of_coffee",
    ] {
        let error = json!({ "code": code, "message": "no", "detail": "line 1\nline 2" });
        let moves = json!([["error", error]]);
        all.push(ran(moves, 1, "a failed, b skipped, c succeeded").await);
    }
    assert_snapshot!(all.join("\n\n"));
}

/// An error without what it should have.
#[tokio::test]
async fn invalid_error_answers() {
    let mut all = Vec::new();
    for error in [
        json!("no"),
        json!({}),
        json!({ "code": 7, "message": "no" }),
    ] {
        let mut stage = stage(json!([["error", error]]));
        stage.run("tenon run demo.hcl -j 1").await;
        stage.assert_is_closed();
        all.push(format!("{}\n{}", stage.transcript(), stage.statuses()));
    }
    assert_snapshot!(all.join("\n\n"));
}

/// What a provider says is shown, but does nothing to the terminal it is shown on.
#[tokio::test]
async fn control_characters() {
    let text = "\u{1b}[2J\u{1b}]0;mine\u{7} now";
    let error = json!({ "code": "execute_failed", "message": text, "detail": text });
    for moves in [
        json!([["say", text], ["error", error]]),
        json!([["say", text], "kill"]),
    ] {
        let mut stage = stage(moves);
        let outcome = stage.run("tenon run demo.hcl -j 1 --verbose").await;
        assert!(outcome.stderr.contains("now"), "{}", outcome.stderr);
        let is_harmless = |letter: char| letter == '\n' || !letter.is_control();
        assert!(
            outcome.stderr.chars().all(is_harmless),
            "{:?}",
            outcome.stderr
        );
    }
}

/// Each is a few bytes in the answer, and no more in the record, in events and to other providers.
#[tokio::test]
async fn numbers_with_far_exponents() {
    let numbers = vec!["1e157000,-2.5e-157000"; 10_000].join(",");
    let answer = format!("{{\"id\":$ID,\"result\":{{\"outputs\":{{\"all\":[{numbers}]}}}}}}\n");
    let mut stage = Stage::new(json!({
        "schema": {
            "actions": {
                "put": {
                    "attrs": {
                        "name": { "type": "string", "required": true },
                        "is_removed": { "type": "bool", "default": false },
                        "input": { "type": "any" },
                    },
                    "outputs": { "type": "any" },
                },
            },
        },
        "execute a 1": ["work", ["print", answer]],
    }));
    let output = "  output \"all\" {\n    value = action.put.a.all\n  }\n";
    let b = action("b", "input = action.put.a.all");
    stage.scenario(&format!("{}{b}{output}", action("a", "")));
    let outcome = stage.run("tenon run demo.hcl --json").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.len() < 10 * numbers.len());
    assert!(
        stage.text("puppet.heard").contains(&numbers),
        "not passed on as it came"
    );
    let record = stage.text(&stage.record_name());
    // As an output of the action and of the scenario.
    assert_eq!(record.replace([' ', '\n'], "").matches(&numbers).count(), 2);
    assert!(record.len() < 20 * numbers.len());
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
}
