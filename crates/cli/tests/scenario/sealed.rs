//! Secrets that a teardown or a resumed run needs: encrypted in the record, or given again.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, action};

pub(crate) const PASSWORD: &str = "hunter2-correct-horse";

pub(crate) const TOKEN: &str = "tok-3141592653";

const OTHER: &str = "other-2718281828";

const KEY: &str = "a6Jm9FhT3kQp0ZxWv8LsRc2NyBd5GuE1";

/// `create` returns secrets, which its teardown and `use` need; the provider needs one as well.
pub(crate) fn stage(orders: Value) -> Stage {
    let outputs = json!({ "name": "a", "token": TOKEN, "other": OTHER });
    let ty = "object({name=string,token=string,other=string})";
    let attributes = json!({
        "name": { "type": "string", "required": true },
        "is_removed": { "type": "bool", "default": false },
        "input": { "type": "any" },
        "secret": { "type": "string", "sensitive": true },
    });
    let actions = json!({
        "put": { "attrs": attributes, "outputs": { "type": "object({name=string})" } },
        "create": { "attrs": attributes, "outputs": { "type": ty, "sensitive": true } },
    });
    let mut all = json!({
        "schema": { "actions": actions },
        "execute a": ["work", ["answer", { "outputs": outputs }]],
    });
    let object = all.as_object_mut().expect("an object");
    object.extend(orders.as_object().expect("an object").clone());
    let stage = Stage::new(all);
    stage.scenario(SCENARIO);
    stage
        .shell
        .file("secrets.json", &json!({ "password": PASSWORD }).to_string());
    stage.shell.file("key", &format!("{KEY}\n"));
    stage
}

pub(crate) const SCENARIO: &str = r#"
  variable "password" {
    type      = string
    sensitive = true
  }
  provider "puppet" {
    password = var.password
  }
  action "create" "a" {
    name = "a"
    lifecycle {
      teardown {
        name       = "a"
        is_removed = true
        secret     = self.token
      }
    }
  }
  action "put" "use" {
    name   = "use"
    secret = "Bearer ${action.create.a.token}"
    lifecycle {
      teardown {
        name       = "use"
        is_removed = true
        secret     = "Bearer ${action.create.a.token}"
      }
    }
  }
"#;

pub(crate) const RUN: &str = "tenon run demo.hcl --var-file secrets.json";

/// Nothing that was printed or left behind has a secret in it.
#[track_caller]
pub(crate) fn assert_hidden(stage: &Stage, printed: &[&str]) {
    let mut places: Vec<(String, String)> = { printed.iter() }
        .map(|text| ("what was printed".to_owned(), (*text).to_owned()))
        .collect();
    for name in ["orchard_", "report"] {
        let files = stage.files(name).into_iter();
        places.extend(files.map(|name| (name.clone(), stage.text(&name))));
    }
    for (place, text) in places {
        for part in ["hunter2", "correct-horse", "3141592653", "2718281828", KEY] {
            assert!(!text.contains(part), "{part} is in {place}: {text}");
        }
    }
}

/// What the provider was last asked to do with a thing.
fn last_heard(stage: &Stage, name: &str) -> Value {
    let heard = stage.text("puppet.heard");
    let requests = heard
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let about = |request: &Value| request["params"]["attrs"]["name"] == name;
    let mut about: Vec<Value> = requests.filter(about).collect();
    about.pop().expect("a request")["params"]["attrs"].take()
}

pub(crate) async fn everything_is_undone(stage: &mut Stage, flags: &str) {
    let record = stage.record_name();
    let line = format!("tenon teardown {record} --junit report.xml {flags}");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
    let expected = json!({ "is_removed": true, "name": "a", "secret": TOKEN });
    assert_eq!(last_heard(stage, "a"), expected);
    assert_eq!(
        last_heard(stage, "use")["secret"],
        format!("Bearer {TOKEN}")
    );
    assert_hidden(stage, &[&outcome.stdout, &outcome.stderr]);
}

#[tokio::test]
async fn a_key_keeps_what_a_teardown_needs() {
    for flags in ["", "--json", "--verbose"] {
        let mut stage = stage(json!({}));
        let line = format!("{RUN} --record-key key --junit report.xml {flags}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
        assert_hidden(&stage, &[&outcome.stdout, &outcome.stderr]);
        fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
        everything_is_undone(&mut stage, &format!("--record-key key {flags}")).await;
        // Nothing is left of them.
        let record = stage.text(&stage.record_name());
        assert!(!record.contains("\"sealed\""), "{record}");
    }
}

#[tokio::test]
async fn a_key_in_the_environment_is_not_for_providers() {
    let mut stage = stage(json!({}));
    stage.scenario_with(
        "puppet = { source = \"exec:./puppet\" }\n    exec = { source = \"builtin/exec\" }",
        &format!(
            "{SCENARIO}\n  action \"exec_run\" \"look\" {{\n    command = \"sh\"\n    args = [\"-c\", \
             \"echo key: $TENON_RECORD_KEY\"]\n  }}\n  output \"seen\" {{\n    value = \
             action.exec_run.look.stdout\n  }}\n"
        ),
    );
    let outcome = stage.run(&format!("TENON_RECORD_KEY={KEY} {RUN}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(outcome.stdout.trim_end(), "seen = key:");
    let record = stage.record_name();
    let line = format!("TENON_RECORD_KEY={KEY} tenon teardown {record}");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
}

/// Only what a teardown needs stays when the run is over: not the other secret.
#[tokio::test]
async fn nothing_else_is_kept() {
    let mut stage = stage(json!({}));
    let text = SCENARIO.replace("secret     = self.token\n", "");
    let text = text.replace("secret     = \"Bearer ${action.create.a.token}\"\n", "");
    stage.scenario(&text);
    let outcome = stage.run(&format!("{RUN} --record-key key")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // The password, which is needed to begin with.
    let record = stage.text(&stage.record_name());
    assert_eq!(record.matches("\"sealed\"").count(), 1, "{record}");
}

#[tokio::test]
async fn keys_that_do_not_fit() {
    let mut stage = stage(json!({}));
    stage.shell.file("short", "0123456789\n");
    stage.shell.file("other", &KEY.to_lowercase());
    let outcome = stage.run(&format!("{RUN} --record-key short")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let outcome = stage.run(&format!("{RUN} --record-key missing")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(stage.files("orchard_").is_empty());
    assert_eq!(
        stage.run(&format!("{RUN} --record-key key")).await.code,
        Some(0)
    );
    let record = stage.record_name();
    for command in ["teardown", "run --resume"] {
        let line = format!("tenon {command} {record} --record-key other");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("another key"), "{}", outcome.stderr);
    }
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a use");
    assert_snapshot!(stage.transcript());
}

/// Each execution of an action that was run again has its own secret, under its own name.
#[tokio::test]
async fn each_execution_has_its_own_secret() {
    for (key, given) in [("", true), ("--record-key key", false)] {
        let session = |token: &str| {
            let outputs = json!({ "name": "a", "token": token, "other": OTHER });
            json!(["work", ["answer", { "outputs": outputs }]])
        };
        let mut stage = stage(json!({
            "execute a 1": session("tok-first-session"),
            "execute a 2": session("tok-second-session"),
        }));
        assert_eq!(stage.run(&format!("{RUN} {key}")).await.code, Some(0));
        let record = stage.record_name();
        let line = format!(
            "tenon run --resume {record} --var-file secrets.json --redo action.create.a {key}"
        );
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let line = format!("tenon teardown {record} --var-file secrets.json");
        // `use` was run with the first token, which has no other name any more.
        let names = [
            ("action.create.a.token", "tok-second-session"),
            ("action.create.a@earlier1.token", "tok-first-session"),
            ("action.put.use.teardown.secret", "header"),
        ];
        let mut flags = format!("{key} --secret {}={}", names[0].0, names[0].1);
        if given {
            let outcome = stage.run(&format!("{line} {flags}")).await;
            assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
            for (name, _) in &names[1..] {
                let missing = format!("--secret {name}=...");
                assert_eq!(
                    outcome.stderr.matches(&missing).count(),
                    1,
                    "{}",
                    outcome.stderr
                );
            }
            for (name, value) in &names[1..] {
                flags += &format!(" --secret {name}={value}");
            }
        }
        let outcome = stage.run(&format!("{line} {flags}")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let heard = stage.text("puppet.heard");
        for token in ["tok-first-session", "tok-second-session"] {
            let removal = |line: &&str| {
                let request: Value = serde_json::from_str(line).unwrap_or_default();
                let attributes = &request["params"]["attrs"];
                attributes["is_removed"] == true && attributes["secret"] == token
            };
            assert_eq!(heard.lines().filter(removal).count(), 1, "{token}: {heard}");
        }
    }
}

/// A name with a mistake in it is not given in vain.
#[tokio::test]
async fn a_secret_that_nothing_needs() {
    let mut stage = stage(json!({}));
    assert_eq!(stage.run(RUN).await.code, Some(0));
    let record = stage.record_name();
    for command in ["teardown", "run --resume"] {
        let given = format!("--var-file secrets.json --secret action.put.a.token={TOKEN}");
        let line = format!("tenon {command} {record} {given}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        let named = "unknown secret `action.put.a.token`";
        assert!(outcome.stderr.contains(named), "{}", outcome.stderr);
        assert_hidden(&stage, &[&outcome.stdout, &outcome.stderr]);
        assert_eq!(stage.rows("puppet").await, "a use");
    }
    stage.assert_is_closed();
}

/// The file may have changed since, as long as it still says the same about the teardown.
#[tokio::test]
async fn a_file_that_says_something_else_is_not_asked() {
    let mut stage = stage(json!({}));
    assert_eq!(stage.run(RUN).await.code, Some(0));
    stage.scenario(&SCENARIO.replace(
        "= \"use\"\n        is_removed",
        "= \"x\"\n        is_removed",
    ));
    let record = stage.record_name();
    let given = format!("--var-file secrets.json --secret action.create.a.token={TOKEN}");
    let outcome = stage.run(&format!("tenon teardown {record} {given}")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a use");
    stage.scenario(&format!("{SCENARIO}{}", action("more", "")));
    everything_is_undone(&mut stage, &given).await;
}

/// A provider that gives back what it was given makes a secret of an output. That is reported as soon as
/// it is known.
#[tokio::test]
async fn a_secret_that_a_plan_cannot_foresee() {
    let back = json!(["work", ["answer", { "outputs": { "name": PASSWORD } }]]);
    for flags in ["", "--json", "--record-key key"] {
        let mut stage = stage(json!({ "execute b": back }));
        let text = action("b", "secret = var.password");
        let text = text.replace("\"b\"\n        is_removed", "self.name\n        is_removed");
        let variable = "variable \"password\" {\n  type = string\n  sensitive = true\n}\n";
        stage.scenario(&format!("{variable}{text}"));
        let outcome = stage.run(&format!("{RUN} {flags}")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let printed = format!("{}{}", outcome.stdout, outcome.stderr);
        let is_told = printed.contains("the teardown of action.put.b needs a secret");
        assert_eq!(is_told, flags != "--record-key key", "{printed}");
        assert_hidden(&stage, &[&printed]);
        let record = stage.record_name();
        if is_told {
            let outcome = stage.run(&format!("tenon teardown {record}")).await;
            assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
            let missing = "--secret action.put.b.name=...";
            assert!(outcome.stderr.contains(missing), "{}", outcome.stderr);
        }
        let given = format!("--secret action.put.b.name={PASSWORD} --record-key key");
        let outcome = stage.run(&format!("tenon teardown {record} {given}")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_hidden(&stage, &[&outcome.stdout, &outcome.stderr]);
        assert_eq!(last_heard(&stage, PASSWORD)["is_removed"], true);
    }
}

/// A run that failed can be resumed with its secrets.
#[tokio::test]
async fn a_resumed_run_needs_them_as_well() {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let orders = json!({ "execute use 1": [["error", error]] });
    // With the key nothing is given again.
    let mut stage = self::stage(orders.clone());
    let outcome = stage.run(&format!("{RUN} --record-key key")).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let record = stage.record_name();
    assert_hidden(&stage, &[&outcome.stdout, &outcome.stderr]);
    let line = format!("tenon run --resume {record} --record-key key");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(
        last_heard(&stage, "use")["secret"],
        format!("Bearer {TOKEN}")
    );
    everything_is_undone(&mut stage, "--record-key key").await;
    // Without it, all of it is.
    let mut stage = self::stage(orders);
    assert_eq!(stage.run(RUN).await.code, Some(1));
    let record = stage.record_name();
    let line = format!("tenon run --resume {record}");
    assert_eq!(stage.run(&line).await.code, Some(2));
    let line = format!("{line} --var-file secrets.json");
    assert_eq!(stage.run(&line).await.code, Some(1));
    let given = format!("--secret action.create.a.token={TOKEN}");
    let outcome = stage.run(&format!("{line} {given}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_hidden(&stage, &[&outcome.stdout, &outcome.stderr]);
    everything_is_undone(&mut stage, &format!("--var-file secrets.json {given}")).await;
    assert_snapshot!(stage.transcript());
}

/// What a journal holds after a crash is enough, and has no secret in clear.
#[tokio::test]
async fn after_a_crash() {
    let mut stage = stage(json!({ "execute use 1": ["work", ["gate", "here"], "answer"] }));
    let started = stage.start(&format!("{RUN} --record-key key"));
    stage.reached("puppet", "here").await;
    started.kill().await;
    stage.open("puppet", "here");
    assert_hidden(&stage, &[]);
    fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
    everything_is_undone(&mut stage, "--record-key key").await;
}

/// An alternative that is not there by chance: the record says which, a changed default does not.
#[tokio::test]
async fn a_secret_with_a_default_is_not_mixed_up() {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let mut stage = stage(json!({ "execute use 1": [["error", error]] }));
    let text = SCENARIO.replace(
        "sensitive = true\n",
        "sensitive = true\n    default = \"preset-password\"\n",
    );
    stage.scenario(&text);
    assert_eq!(stage.run(RUN).await.code, Some(1));
    let record = stage.record_name();
    let given = format!("--secret action.create.a.token={TOKEN}");
    let outcome = stage
        .run(&format!("tenon run --resume {record} {given}"))
        .await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("\"password\" has no value"),
        "{}",
        outcome.stderr
    );
}
