//! Providers that cannot say what they offer: `<provider> schema`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, at};

/// Neither plan nor run gets any further, for the same reason, and neither leaves a record.
async fn refused(stage: &mut Stage, code: i32) {
    let planned = stage.run("tenon plan demo.hcl").await;
    assert_eq!(planned.code, Some(code), "{}", planned.stderr);
    let run = stage.shell.run_unnoted("tenon run demo.hcl").await;
    assert_eq!((run.code, run.stderr), (Some(code), planned.stderr));
    assert!(stage.files("orchard_").is_empty());
    assert!(stage.files("puppet.started").is_empty());
}

async fn refused_for(moves: Value, code: i32) -> String {
    let mut stage = Stage::with_one_action(at("schema step", moves));
    refused(&mut stage, code).await;
    stage.transcript()
}

/// The same for one that may only lack the subcommand: `describe` is tried as well, and fails.
async fn refused_twice_for(moves: Value, code: i32) -> String {
    let orders = json!({ "schema step": moves, "describe": [["say", "not today"], ["exit", 9]] });
    let mut stage = Stage::with_one_action(orders);
    let planned = stage.run("tenon plan demo.hcl").await;
    assert_eq!(planned.code, Some(code), "{}", planned.stderr);
    let run = stage.shell.run_unnoted("tenon run demo.hcl").await;
    assert_eq!((run.code, run.stderr), (Some(code), planned.stderr));
    assert!(stage.files("orchard_").is_empty());
    stage.transcript()
}

/// What a program does that does not know `schema` is up to it.
#[tokio::test]
async fn one_without_the_subcommand_is_asked_to_describe_itself() {
    for moves in [
        json!([["say", "usage: puppet"], ["exit", 2]]),
        json!([]),
        json!([["print", "usage: puppet\n"]]),
    ] {
        let mut stage = Stage::with_one_action(at("schema step", moves));
        let planned = stage.run("tenon plan demo.hcl").await;
        assert_eq!(planned.code, Some(0), "{}", planned.stderr);
        // A plan starts it, and ends it as it should be ended.
        let heard = stage.text("puppet.heard");
        let methods: Vec<&str> = heard.split("\"method\":\"").skip(1).collect();
        assert_eq!(methods.len(), 2, "{heard}");
        assert!(methods[0].starts_with("describe\""), "{heard}");
        assert!(methods[1].starts_with("shutdown\""), "{heard}");
        let run = stage.run("tenon run demo.hcl").await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(stage.rows("puppet").await, "a");
    }
}

#[tokio::test]
async fn programs_that_cannot_be_started() {
    let mut stage = Stage::with_one_action(json!({}));
    stage.shell.file("plain", "print()\n");
    stage
        .shell
        .program("no-interpreter", "#!/missing/interpreter\n");
    for (source, code) in [
        ("exec:./missing", 3),
        ("exec:./plain", 3),
        ("exec:./no-interpreter", 3),
        ("exec:.", 3),
        ("builtin/nope", 3),
    ] {
        let providers = format!("puppet = {{ source = \"{source}\" }}");
        stage.scenario_with(&providers, "");
        refused(&mut stage, code).await;
    }
    assert_snapshot!(stage.transcript());
}

/// The sandbox would refuse them when the provider is started, but could not tell where they are written.
#[tokio::test]
async fn permissions_that_cannot_be_enforced() {
    let mut stage = Stage::with_one_action(json!({}));
    for permissions in [
        "allow = [\"read=./missing\"]",
        "allow = [\"net=example.com:443\"]",
        "allow = [\"net\"], deny = [\"net=:443\"]",
        "deny = [\"sys\"]",
    ] {
        let providers = format!(
            "puppet = {{\n      source = \"exec:./puppet\"\n      permissions = {{ {permissions} }}\n    }}"
        );
        stage.scenario_with(&providers, "");
        refused(&mut stage, 2).await;
    }
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn programs_that_fail() {
    let death = refused_twice_for(json!([["say", "no licence"], ["exit", 7]]), 4).await;
    let killed = refused_for(json!(["kill"]), 4).await;
    let silent = refused_twice_for(json!([]), 4).await;
    let flood = refused_twice_for(json!([["flood", 100_000], ["exit", 1]]), 4).await;
    assert_snapshot!([death, killed, silent, flood].join("\n\n"));
}

#[tokio::test]
async fn programs_that_print_something_else() {
    let mut all = Vec::new();
    for text in [
        "usage: puppet FILE\n",
        "{\"name\":\"puppet\",\"protocol\":\"1\"",
        "{\"name\":\"puppet\",\"protocol\":\"2\"}\n",
        "{\"name\":\"puppet\"}\n",
        "[]\n",
        "\u{ff}\u{fe}\n",
        "{\"name\":\"puppet\",\"protocol\":\"1\"}\n{\"name\":\"puppet\",\"protocol\":\"1\"}\n",
        "{\"name\":\"puppet\",\"protocol\":\"1\",\"config\":{\"a\":{\"type\":\"strin\"}}}\n",
    ] {
        let moves = json!([["print", text]]);
        all.push(match text.starts_with('{') {
            true => refused_for(moves, 4).await,
            false => refused_twice_for(moves, 4).await,
        });
    }
    assert_snapshot!(all.join("\n\n"));
}

#[tokio::test]
async fn too_deep_and_too_much() {
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let deep = refused_twice_for(json!([["print", deep]]), 4).await;
    let huge = refused_for(json!([["huge", 20_000_000]]), 4).await;
    assert_snapshot!([deep, huge].join("\n\n"));
}

#[tokio::test]
async fn one_that_hangs() {
    let hangs = refused_for(json!([["say", "just a moment"], "stubborn", "hang"]), 5).await;
    assert_snapshot!(hangs);
}

/// What scenarios say about actions cannot be what actions say themselves.
#[tokio::test]
async fn names_that_are_taken() {
    let mut all = Vec::new();
    for name in [
        "provider",
        "depends_on",
        "lifecycle",
        "for_each",
        "count",
        "timeout",
        "retry",
        "idempotent",
        "assert",
    ] {
        let attrs = json!({ name: { "type": "string" } });
        let schema = json!({ "actions": { "put": { "attrs": attrs } } });
        let mut stage = Stage::with_one_action(json!({ "schema": schema }));
        refused(&mut stage, 4).await;
        all.push(stage.transcript());
    }
    assert_snapshot!(all.join("\n\n"));
}
