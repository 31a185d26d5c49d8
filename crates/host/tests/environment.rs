//! Which of our environment variables a plugin gets. Cargo sets CARGO_MANIFEST_DIR for tests, which
//! stands for one that a plugin should not get.

#![cfg(unix)]

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use support::{Script, quick_start, watched};
use tenon_host::{Environment, PluginCommand, Process, Variable};

const LEFT_OUT: &str = "CARGO_MANIFEST_DIR";

/// The environment of a script.
async fn environment(script: Script) -> BTreeMap<String, String> {
    let (process, _io) = Process::spawn(&script.command).unwrap();
    process.exited().await;
    let stderr = process.stderr();
    stderr.complete_within(Duration::from_secs(10)).await;
    let lines = stderr.lines();
    let pairs = lines.iter().filter_map(|line| line.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn printing(change: impl FnOnce(Script) -> Script) -> Script {
    change(Script::new("env >&2"))
}

fn changed(mut script: Script, change: impl FnOnce(PluginCommand) -> PluginCommand) -> Script {
    script.command = change(script.command);
    script
}

fn with_all(script: Script) -> Script {
    changed(script, |command| command.inherit(Environment::All))
}

fn with(script: Script, texts: &[&str]) -> Script {
    let variables: Vec<Variable> = { texts.iter() }
        .map(|text| Variable::parse(text.as_ref()).unwrap())
        .collect();
    changed(script, |command| command.with_variables(&variables))
}

#[tokio::test]
async fn a_plugin_gets_few_variables_by_default() {
    watched(async {
        let found = environment(printing(|script| script)).await;
        assert!(found.contains_key("PATH"), "{found:?}");
        assert!(found.contains_key("TENON_FAMILY"), "{found:?}");
        assert!(!found.contains_key(LEFT_OUT), "{found:?}");
    })
    .await;
}

#[tokio::test]
async fn more_are_passed_on_by_name_pattern_or_value() {
    watched(async {
        for name in [LEFT_OUT, "CARGO_MANIFEST_*"] {
            let found = environment(printing(|script| with(script, &[name]))).await;
            assert_eq!(found[LEFT_OUT], env!("CARGO_MANIFEST_DIR"), "{name}");
        }
        let set = format!("{LEFT_OUT}=other");
        let found = environment(printing(|script| with(script, &["PATH", &set]))).await;
        assert_eq!(found[LEFT_OUT], "other");
    })
    .await;
}

#[tokio::test]
async fn all_are_passed_on_if_that_is_asked_for() {
    watched(async {
        let found = environment(printing(with_all)).await;
        assert_eq!(found[LEFT_OUT], env!("CARGO_MANIFEST_DIR"));
    })
    .await;
}

/// What is said of a plugin that ends before it answers.
async fn failure(script: Script) -> String {
    let started = script.start_with(quick_start()).await;
    started.map(|_| ()).unwrap_err().to_string()
}

#[tokio::test]
async fn an_error_names_the_variable_that_is_missing() {
    watched(async {
        let script = || Script::new("echo \"KeyError: 'CARGO_MANIFEST_DIR'\" >&2; exit 1");
        let said = failure(script()).await;
        let hint = "hint: CARGO_MANIFEST_DIR is set, but was not passed on to the plugin: add \
                    `--env CARGO_MANIFEST_DIR`";
        assert!(said.contains(hint), "{said}");
        let said = failure(with(script(), &[LEFT_OUT])).await;
        assert!(!said.contains("is set, but"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn an_error_at_the_start_says_that_variables_were_left_out() {
    watched(async {
        let said = failure(Script::new("echo 'no region' >&2; exit 1")).await;
        assert!(
            said.contains("environment variables were not passed on to the plugin: if it needs"),
            "{said}"
        );
        let said = failure(with_all(Script::new("echo 'no region' >&2; exit 1"))).await;
        assert!(!said.contains("hint"), "{said}");
    })
    .await;
}
