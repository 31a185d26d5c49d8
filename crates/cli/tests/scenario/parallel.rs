//! How many actions run at once, and in what order.

use serde_json::{Value, json};

use crate::stage::{Stage, action, action_after};

/// Notes when it begins and ends, after `count` have come together.
fn meeting(count: usize) -> Value {
    json!([
        ["note", "begin"],
        ["meet", count],
        ["sleep", 0.02],
        ["note", "end"],
        "answer"
    ])
}

/// The most that were at work at the same time.
fn most_at_once(diary: &[String]) -> usize {
    let mut now: usize = 0;
    let mut most = 0;
    for line in diary {
        match line.starts_with("begin") {
            true => now += 1,
            false => now -= 1,
        }
        most = most.max(now);
    }
    most
}

/// Four providers with an action each, of which so many have to come together.
async fn four_providers(jobs: usize, count: usize) -> Vec<String> {
    let mut stage = Stage::new(json!({}));
    let mut providers = String::new();
    let mut actions = String::new();
    for name in ["p", "q", "r", "s"] {
        stage.puppet(name, json!({ "execute": meeting(count) }));
        providers += &format!("{name} = {{ source = \"exec:./{name}\" }}\n");
        actions += &action(name, &format!("provider = {name}"));
    }
    stage.scenario_with(&providers, &actions);
    let outcome = stage.run(&format!("tenon run demo.hcl -j {jobs}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.diary().len(), 8);
    stage.diary()
}

#[tokio::test]
async fn several_providers_in_parallel() {
    // They wait for each other, so that many do run at once; the diary says that no more do.
    assert_eq!(most_at_once(&four_providers(8, 4).await), 4);
    assert_eq!(most_at_once(&four_providers(2, 2).await), 2);
    assert_eq!(most_at_once(&four_providers(1, 1).await), 1);
}

/// One provider with six actions, of which so many have to come together.
async fn one_provider(max_in_flight: Option<usize>, jobs: usize, count: usize) -> Vec<String> {
    let mut orders = json!({ "execute": meeting(count) });
    if let Some(limit) = max_in_flight {
        orders["schema"] = json!({ "max_in_flight": limit });
    }
    let mut stage = Stage::new(orders);
    let actions: String = ["a", "b", "c", "d", "e", "f"]
        .iter()
        .map(|name| action(name, ""))
        .collect();
    stage.scenario(&actions);
    let outcome = stage.run(&format!("tenon run demo.hcl -j {jobs}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.text("puppet.started"), ".");
    assert_eq!(stage.diary().len(), 12);
    stage.diary()
}

#[tokio::test]
async fn a_provider_gets_as_many_calls_as_it_allows() {
    assert_eq!(most_at_once(&one_provider(None, 8, 1).await), 1);
    assert_eq!(most_at_once(&one_provider(Some(1), 8, 1).await), 1);
    assert_eq!(most_at_once(&one_provider(Some(3), 8, 3).await), 3);
    assert_eq!(most_at_once(&one_provider(Some(100), 2, 2).await), 2);
}

/// Two configurations of one provider are two processes.
#[tokio::test]
async fn aliases_are_separate_processes() {
    let mut stage = Stage::new(json!({ "execute": meeting(2) }));
    let a = action("a", "provider = puppet.left");
    let b = action("b", "provider = puppet.right");
    let blocks = "  provider \"puppet\" {\n    alias = \"left\"\n  }\n  \
                    provider \"puppet\" {\n    alias = \"right\"\n  }\n";
    stage.scenario(&format!("{blocks}{a}{b}"));
    let outcome = stage.run("tenon run demo.hcl -j 8").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.text("puppet.started"), "..");
}

#[tokio::test]
async fn what_is_needed_comes_first() {
    let orders = json!({ "schema": { "max_in_flight": 8 } });
    let mut stage = Stage::new(orders);
    let both = "input = [action.put.b.name, action.put.c.name]";
    // Written backwards, so that it is not the order of the file.
    let actions = [
        action("d", both),
        action_after("c", "a"),
        action_after("b", "a"),
        action("a", ""),
    ];
    stage.scenario(&actions.concat());
    for jobs in [1, 2, 8] {
        stage.shell.file("diary", "");
        let outcome = stage.run(&format!("tenon run demo.hcl -j {jobs}")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let diary = stage.diary();
        let place = |line: &str| {
            diary
                .iter()
                .position(|other| other == line)
                .expect("a line")
        };
        for (before, after) in [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")] {
            let (before, after) = (format!("end {before}"), format!("begin {after}"));
            assert!(place(&before) < place(&after), "{diary:?}");
        }
    }
    // Undone in the opposite order.
    stage.shell.file("diary", "");
    let record = stage.record_names().pop().expect("a record");
    let outcome = stage.run(&format!("tenon teardown {record} -j 8")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let diary = stage.diary();
    assert_eq!(diary.first().map(String::as_str), Some("begin removing d"));
    assert_eq!(diary.last().map(String::as_str), Some("end removing a"));
}

/// What does not depend on what fails is done nevertheless.
#[tokio::test]
async fn a_failure_stops_what_depends_on_it() {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let mut stage = Stage::new(json!({ "execute b": [["error", error]] }));
    let actions = [
        action("a", ""),
        action_after("b", "a"),
        action_after("c", "b"),
        action_after("d", "c"),
        action_after("e", "a"),
        action("f", ""),
    ];
    stage.scenario(&actions.concat());
    for jobs in [1, 8] {
        let outcome = stage.run(&format!("tenon run demo.hcl -j {jobs}")).await;
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        let record = stage.record_names().pop().expect("a record");
        let record = serde_json::from_str(&stage.text(&record)).expect("a whole record");
        let mut statuses: Vec<String> = crate::stage::statuses(&record)
            .split(", ")
            .map(str::to_owned)
            .collect();
        statuses.sort();
        let expected = [
            "a succeeded",
            "b failed",
            "c skipped",
            "d skipped",
            "e succeeded",
            "f succeeded",
        ];
        assert_eq!(statuses, expected);
        std::fs::remove_file(stage.shell.path(&stage.record_name())).expect("a record");
    }
}
