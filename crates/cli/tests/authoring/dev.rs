//! `tenon dev`: each check, the loop, and its end.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::program::{Program, eventually};
use crate::support::shell::Shell;
use crate::support::terminal::Step::{Expect, Send};
use crate::support::terminal::{CONTROL_C, session};
use crate::support::tools;
use crate::support::trial::trial;

/// A plugin in bash, which starts quickly and needs nothing else.
async fn weather() -> Shell {
    let shell = Shell::new();
    let outcome = shell.run_unnoted("tenon new weather --lang bash").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    shell
}

/// Replaces a text in a file of the plugin.
fn edit(shell: &Shell, file: &str, from: &str, to: &str) {
    let path = shell.path("weather").join(file);
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains(from), "{from} in {text}");
    // As editors do: another file takes its place.
    let part = path.with_extension("new");
    fs::copy(&path, &part).expect("a copy");
    fs::write(&part, text.replace(from, to)).expect("a file");
    fs::rename(part, path).expect("a file");
}

fn events(stdout: &str) -> Vec<Value> {
    { stdout.lines() }
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The outcome and the message of a step.
fn step<'e>(events: &'e [Value], name: &str) -> (&'e str, &'e str) {
    let is_step = |event: &&Value| event["event"] == "step" && event["step"] == name;
    let found = events
        .iter()
        .find(is_step)
        .unwrap_or_else(|| panic!("{name} in {events:?}"));
    (
        found["outcome"].as_str().expect("text"),
        found["message"].as_str().expect("text"),
    )
}

#[tokio::test]
async fn once_checks_everything() {
    trial(tools::on_path("bash"), async |_, _| {
        let shell = weather().await;
        let outcome = shell.run_unnoted("tenon dev weather --once --json").await;
        assert_eq!(
            outcome.code,
            Some(0),
            "{}{}",
            outcome.stdout,
            outcome.stderr
        );
        let events = events(&outcome.stdout);
        assert_eq!(step(&events, "schema"), ("ok", "action append"));
        assert_eq!(step(&events, "test"), ("ok", "./test"));
        assert_eq!(step(&events, "terraform").0, "skipped");
        assert!(step(&events, "terraform").1.contains("msgpack"));
        assert_eq!(events.last().expect("events")["outcome"], "ok");
        // For people.
        let outcome = shell.run_unnoted("cd weather && tenon dev --once").await;
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
        assert!(
            outcome.stderr.contains("  ok       test       ./test"),
            "{}",
            outcome.stderr
        );
    })
    .await;
}

#[tokio::test]
async fn problems_are_named() {
    trial(tools::on_path("bash"), async |_, _| {
        let shell = weather().await;
        // An invalid type in the schema.
        edit(&shell, "weather", "line:string", "line:strnig");
        let outcome = shell.run_unnoted("tenon dev weather --once --json").await;
        assert_eq!(outcome.code, Some(1));
        let found = events(&outcome.stdout);
        let (result, message) = step(&found, "schema");
        assert_eq!(result, "failed");
        assert!(message.contains("strnig"), "{message}");
        assert!(
            !found.iter().any(|event| event["step"] == "test"),
            "{found:?}"
        );
        edit(&shell, "weather", "line:strnig", "line:string");
        // A program that does not even start.
        edit(
            &shell,
            "weather",
            "plugin weather",
            "exit 3; plugin weather",
        );
        let outcome = shell.run_unnoted("tenon dev weather --once").await;
        assert_eq!(outcome.code, Some(1));
        assert!(
            outcome.stderr.contains("./weather schema: exit status: 3"),
            "{}",
            outcome.stderr
        );
        edit(
            &shell,
            "weather",
            "exit 3; plugin weather",
            "plugin weather",
        );
        // A test that fails.
        edit(
            &shell,
            "weather",
            "${given[greeting]}, ",
            "${given[greeting]} ",
        );
        let outcome = shell.run_unnoted("tenon dev weather --once").await;
        assert_eq!(outcome.code, Some(1));
        for part in [
            "  failed   test       ./test: exit status: 1",
            "\n      failed: tenon call greet",
            "hello World",
        ] {
            assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
        }
        // No test at all.
        fs::remove_file(shell.path("weather/test")).expect("a file");
        let outcome = shell.run_unnoted("tenon dev weather --once --json").await;
        assert_eq!(outcome.code, Some(0));
        assert_eq!(step(&events(&outcome.stdout), "test").0, "skipped");
    })
    .await;
}

/// How often something was printed.
fn count(program: &Program, text: &str) -> usize {
    program.stdout.text().matches(text).count()
}

async fn waits(program: &mut Program, times: usize) {
    eventually("a plugin that was checked", || {
        assert!(!program.has_ended(), "{}", program.stderr.text());
        count(program, r#"{"event":"waiting"}"#) >= times
    })
    .await;
}

#[tokio::test]
async fn a_saved_file_is_checked_and_called() {
    trial(tools::on_path("bash"), async |_, _| {
        let shell = weather().await;
        let mut program = Program::start(&shell, "tenon dev weather --json --socket ./s");
        waits(&mut program, 1).await;
        let call = r#"tenon call greet '{"name":"you"}' --socket ./s"#;
        let outcome = shell.run_unnoted(call).await;
        assert_eq!(
            outcome.stdout.trim(),
            r#""hello, you""#,
            "{}",
            outcome.stderr
        );
        program.stdout.line_with(r#""event":"called""#).await;
        // Other words, and a test that expects them.
        edit(
            &shell,
            "weather",
            "greeting:string=hello",
            "greeting:string=hallo",
        );
        edit(&shell, "test", "hello, World\"'", "hallo, World\"'");
        edit(&shell, "test", "\"hello, World\"*", "\"hallo, World\"*");
        waits(&mut program, 2).await;
        assert!(
            program
                .stdout
                .text()
                .contains(r#"{"event":"changed","files":["#)
        );
        eventually("the new code", || {
            program
                .stdout
                .text()
                .matches(r#""outcome":"ok","step":"socket""#)
                .count()
                >= 2
        })
        .await;
        let outcome = shell.run_unnoted(call).await;
        assert_eq!(
            outcome.stdout.trim(),
            r#""hallo, you""#,
            "{}",
            outcome.stderr
        );
        // What is broken is not offered.
        edit(&shell, "weather", "plugin weather 0.1.0", "exit 7");
        waits(&mut program, 3).await;
        assert!(program.stdout.text().contains("exit status: 7"));
        let outcome = shell.run_unnoted(call).await;
        assert_eq!(outcome.code, Some(3), "{}", outcome.stdout);
        program.signal(Signal::INT);
        let ended = program.ended().await;
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stdout.ends_with(r#"{"event":"stopped"}"#),
            "{}",
            ended.stdout
        );
        assert!(!shell.path("s").exists());
    })
    .await;
}

/// A plugin whose results are secrets, in parts or as a whole, and one whose result is not.
const SECRETIVE: &str = r#"
import tenon_plugin as tenon

plugin = tenon.Plugin("weather", "0.1.0")

class Session(tenon.Attributes):
    user: str
    token: tenon.Secret[str]

@plugin.function
def token(user: str) -> tenon.Secret[str]:
    return tenon.Secret(f"t0ken of {user}")

@plugin.function
def session(user: str) -> Session:
    return Session(user=user, token=tenon.Secret(f"t0ken of {user}"))

@plugin.action
def log_in(user: str) -> Session:
    return session(user)

@plugin.function
def greet(name: str) -> str:
    return f"hello, {name}"

plugin.serve()
"#;

#[tokio::test]
async fn results_that_are_declared_secret_are_not_shown() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = "tenon new weather --lang python --kind function && rm weather/test";
        assert_eq!(shell.run_unnoted(line).await.code, Some(0));
        shell.program(
            "weather/weather.py",
            &format!("#!/usr/bin/env python3\n{SECRETIVE}"),
        );
        let program = Program::start(&shell, "tenon dev weather --no-pack --socket ./s");
        program.stderr.line_with("watching for changes").await;
        for method in ["token", "session", "log_in"] {
            let call = format!("tenon call {method} '[\"ada\"]' --socket ./s");
            let outcome = shell.run_unnoted(&call).await;
            // Whoever calls gets it.
            assert!(
                outcome.stdout.contains("t0ken of ada"),
                "{}",
                outcome.stderr
            );
            let shown = program.stderr.line_with(&format!("{method} ->")).await;
            assert!(shown.contains("(sensitive)"), "{shown}");
        }
        let call = r#"tenon call greet '["ada"]' --socket ./s"#;
        assert_eq!(shell.run_unnoted(call).await.code, Some(0));
        program.stderr.line_with(r#"greet -> "hello, ada""#).await;
        assert!(!program.stderr.text().contains("t0ken"));
        program.signal(Signal::INT);
        assert_eq!(program.ended().await.code, Some(0));
    })
    .await;
}

/// A test that writes a file is not repeated without an end.
#[tokio::test]
async fn a_test_that_writes_files_is_repeated_twice() {
    trial(tools::on_path("bash"), async |_, _| {
        let shell = weather().await;
        shell.program("weather/test", "#!/bin/sh\ndate +%N >> written.txt\n");
        let mut program = Program::start(&shell, "tenon dev weather --json --no-socket");
        waits(&mut program, 1).await;
        let runs = fs::read_to_string(shell.path("weather/written.txt"))
            .expect("a file")
            .lines()
            .count();
        assert_eq!(runs, 3);
        program.signal(Signal::TERM);
        assert_eq!(program.ended().await.code, Some(0));
    })
    .await;
}

/// Ctrl-C during a test that takes long ends the test, too.
#[tokio::test]
async fn a_signal_ends_a_running_test() {
    trial(tools::on_path("bash"), async |_, _| {
        let shell = weather().await;
        shell.program(
            "weather/test",
            "#!/bin/sh\ntouch started\nsleep 1000 & wait\n",
        );
        for (options, code) in [("--json", 0), ("--json --once", 130)] {
            let _not_there = fs::remove_file(shell.path("weather/started"));
            let program = Program::start(&shell, &format!("tenon dev weather {options}"));
            eventually("a test that runs", || {
                shell.path("weather/started").exists()
            })
            .await;
            program.signal(Signal::INT);
            assert_eq!(program.ended().await.code, Some(code), "{options}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_terminal_shows_colours_and_ends_with_control_c() {
    trial(tools::python(), async |_, _| {
        let shell = weather().await;
        let steps = [
            Expect("ok       schema     action append"),
            Expect("ok       test       ./test"),
            Expect("ok       socket     tenon call METHOD PARAMS --socket "),
            Expect("watching for changes; press Ctrl-C to stop"),
            Send(CONTROL_C),
            Expect("stopped"),
        ];
        session(&shell, "exec tenon dev weather --socket ./s", &steps).await;
    })
    .await;
}

/// What packing takes for the provider's program.
const PROVIDER: &str = "#!/bin/sh\necho terraform-provider-tenon 0.1.0\n";

#[tokio::test]
async fn a_plugin_is_packed_for_terraform() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        shell.program("provider", PROVIDER);
        let line = "export HOME=$PWD; tenon new weather --lang python && \
                    tenon dev weather --once --json --mirror mirror --binary provider";
        let outcome = shell.run_unnoted(line).await;
        assert_eq!(
            outcome.code,
            Some(0),
            "{}{}",
            outcome.stdout,
            outcome.stderr
        );
        let events = events(&outcome.stdout);
        let (_, offered) = step(&events, "schema");
        assert_eq!(
            offered,
            "function greet; resource note; action append; storage; hooks"
        );
        assert_eq!(step(&events, "terraform").0, "ok", "{events:?}");
        assert_eq!(
            step(&events, "terraform").1,
            "packed as tenon/weather [version]"
        );
        let list = shell
            .run_unnoted("HOME=$PWD tenon provider list --mirror mirror")
            .await;
        assert!(
            list.stdout.contains("--dev): [folder]/weather/weather"),
            "{}",
            list.stdout
        );
    })
    .await;
}
