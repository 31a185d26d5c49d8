//! Ctrl-C and SIGTERM at every step.

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;

use rustix::fs::OFlags;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::stage::{Stage, action, action_after, at};
use crate::support::program::{Program, eventually};

/// Two actions in a row, and a gate in one step.
fn stage(step: &str, moves: Value) -> Stage {
    let stage = Stage::new(at(step, moves));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    stage
}

/// A command that waits at the gate and has got a signal. Its stderr goes to `seen`.
async fn interrupted(stage: &Stage, line: &str, signal: Signal) -> Program {
    let started = stage.start(&format!("{line} 2> seen"));
    stage.reached("puppet", "here").await;
    started.signal(signal);
    eventually("it says that it was interrupted", || {
        stage.text("seen").contains("interrupted")
    })
    .await;
    started
}

/// What was not done is done when the run is resumed.
async fn resume(stage: &mut Stage, flags: &str) {
    let record = stage.record_name();
    let line = format!("tenon run --resume {record}{flags}");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a succeeded, b succeeded");
    assert_eq!(stage.rows("puppet").await, "a b");
    stage.assert_is_closed();
}

#[tokio::test]
async fn what_runs_may_finish() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut stage = stage("execute a", json!([["gate", "here"], "work", "answer"]));
        let started = interrupted(&stage, "tenon run demo.hcl", signal).await;
        stage.open("puppet", "here");
        assert_eq!(started.ended().await.code, Some(130));
        assert_eq!(stage.statuses(), "a succeeded, b pending");
        assert_eq!(stage.record()["status"], "interrupted");
        stage.assert_is_closed();
        assert!(stage.text("puppet.heard").contains("\"shutdown\""));
        resume(&mut stage, "").await;
    }
}

#[tokio::test]
async fn what_does_not_finish_is_ended() {
    for signal in [Signal::INT, Signal::TERM] {
        let moves = json!(["stubborn", ["gate", "here"], "work", "answer"]);
        let mut stage = stage("execute a 1", moves);
        let line = "tenon run demo.hcl --grace 100ms";
        let started = interrupted(&stage, line, signal).await;
        assert_eq!(started.ended().await.code, Some(130));
        assert_eq!(stage.statuses(), "a maybe, b pending");
        assert_eq!(stage.record()["status"], "interrupted");
        stage.assert_is_closed();
        resume(&mut stage, " --redo-maybe").await;
    }
}

#[tokio::test]
async fn a_second_signal_ends_the_run_immediately() {
    let moves = json!(["stubborn", ["gate", "here"], "work", "answer"]);
    let mut stage = stage("execute a 1", moves);
    let line = "tenon run demo.hcl --grace 10m";
    let started = interrupted(&stage, line, Signal::INT).await;
    started.signal(Signal::INT);
    assert_eq!(started.ended().await.code, Some(130));
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("action.put.a"),
        "{}",
        outcome.stderr
    );
    resume(&mut stage, " --redo-maybe").await;
}

/// Nothing was done, so there is nothing to wait for.
#[tokio::test]
async fn while_providers_start() {
    for step in ["describe", "configure"] {
        let mut stage = stage(step, json!([["gate", "here"], "answer"]));
        let started = interrupted(&stage, "tenon run demo.hcl", Signal::INT).await;
        let outcome = started.ended().await;
        assert_eq!(outcome.code, Some(130), "{}", stage.text("seen"));
        assert_eq!(stage.statuses(), "a pending, b pending");
        assert_eq!(stage.record()["status"], "interrupted");
        stage.assert_is_closed();
        stage.open("puppet", "here");
        resume(&mut stage, "").await;
    }
}

#[tokio::test]
async fn while_schemas_are_read() {
    for (line, signal) in [
        ("tenon plan demo.hcl", Signal::INT),
        ("tenon run demo.hcl", Signal::INT),
        ("tenon run demo.hcl", Signal::TERM),
    ] {
        let stage = stage("schema step", json!([["gate", "here"]]));
        let started = interrupted(&stage, line, signal).await;
        let outcome = started.ended().await;
        assert_eq!(outcome.code, Some(130), "{line}: {}", stage.text("seen"));
        assert!(stage.files("orchard_").is_empty());
    }
}

/// All is done, and the goodbye takes long.
#[tokio::test]
async fn while_providers_end() {
    let stage = stage("shutdown", json!([["gate", "here"], "answer", ["exit", 0]]));
    let started = stage.start("tenon run demo.hcl");
    stage.reached("puppet", "here").await;
    started.signal(Signal::INT);
    stage.open("puppet", "here");
    let outcome = started.ended().await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a succeeded, b succeeded");
    stage.assert_is_closed();
}

/// It does not wait for the next attempt.
#[tokio::test]
async fn between_two_attempts() {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let stage = Stage::new(at("execute a", json!([["error", error]])));
    let retry =
        "retry {\n      attempts = 3\n      delay    = \"10m\"\n      max_delay = \"10m\"\n    }";
    stage.scenario(&format!("{}{}", action("a", retry), action_after("b", "a")));
    let started = stage.start("tenon run demo.hcl 2> seen");
    eventually("it is to be tried again", || {
        stage.text("seen").contains("retry action.put.a")
    })
    .await;
    started.signal(Signal::INT);
    let code = started.ended().await.code;
    assert_eq!(code, Some(130), "{}", stage.text("seen"));
    assert_eq!(stage.statuses(), "a failed, b skipped");
    stage.assert_is_closed();
}

#[tokio::test]
async fn a_teardown() {
    let mut stage = stage("execute b 2", json!([["gate", "here"], "work", "answer"]));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let line = format!("tenon teardown {record}");
    let started = interrupted(&stage, &line, Signal::INT).await;
    stage.open("puppet", "here");
    assert_eq!(started.ended().await.code, Some(130));
    assert_eq!(stage.rows("puppet").await, "a");
    stage.assert_is_closed();
    assert_eq!(stage.run(&line).await.code, Some(0));
    assert_eq!(stage.rows("puppet").await, "");
    stage.assert_is_closed();
}

/// A signal during the first of several scenarios also skips the others.
#[tokio::test]
async fn several_scenarios() {
    let stage = stage("execute a", json!([["gate", "here"], "work", "answer"]));
    let one = |name: &str, actions: String| {
        format!(
            "scenario \"{name}\" {{\n  tags = [\"all\"]\n  required_providers {{\n    \
             puppet = {{ source = \"exec:./puppet\" }}\n  }}\n{actions}}}\n"
        )
    };
    let first = one(
        "demo",
        format!("{}{}", action("a", ""), action_after("b", "a")),
    );
    let second = one("other", action("c", ""));
    stage.shell.file("demo.hcl", &format!("{first}{second}"));
    let line = "tenon run demo.hcl --tags all";
    let started = interrupted(&stage, line, Signal::INT).await;
    stage.open("puppet", "here");
    assert_eq!(started.ended().await.code, Some(130));
    assert_eq!(stage.diary(), ["begin a", "end a"]);
}

/// A pipe without a writer is waited for, and signals are handled meanwhile.
#[tokio::test]
async fn files_that_are_pipes() {
    let mut stage = Stage::with_one_action(json!({}));
    stage.run("mkfifo pipe.hcl pipe.json").await;
    for line in [
        "tenon plan pipe.hcl",
        "tenon run pipe.hcl",
        "tenon plan demo.hcl --var-file pipe.json",
        "tenon run demo.hcl --var-file pipe.json",
    ] {
        for signal in [Signal::INT, Signal::TERM] {
            let started = stage.start(&format!("{line} 2> seen"));
            let pipe = match line.contains("pipe.hcl") {
                true => stage.shell.path("pipe.hcl"),
                false => stage.shell.path("pipe.json"),
            };
            // It can be opened without waiting once there is a reader.
            let writer = RefCell::new(None);
            eventually("it opens the pipe", || {
                let flags = OFlags::NONBLOCK.bits().cast_signed();
                let opened = OpenOptions::new()
                    .write(true)
                    .custom_flags(flags)
                    .open(&pipe);
                *writer.borrow_mut() = opened.ok();
                writer.borrow().is_some()
            })
            .await;
            started.signal(signal);
            assert_eq!(started.ended().await.code, Some(130), "{line}");
        }
    }
    // A record has a journal beside it, so it must be a file; a pipe is not waited for.
    for command in ["run --resume", "teardown"] {
        let outcome = stage.run(&format!("tenon {command} pipe.json")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("is a FIFO"), "{}", outcome.stderr);
    }
    // One that is written to is read.
    let outcome = stage
        .run("cat demo.hcl > pipe.hcl & tenon plan pipe.hcl")
        .await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// Expressions are bounded one by one, and there may be many of them.
#[tokio::test]
async fn while_expressions_are_evaluated() {
    let rounds = format!("{}1{}", "[for x in range(10) : ".repeat(6), "]".repeat(6));
    let locals: String = (0..1000)
        .map(|index| format!("    l{index} = length({rounds})\n"))
        .collect();
    for line in ["tenon plan demo.hcl", "tenon run demo.hcl"] {
        let stage = Stage::new(json!({}));
        stage.scenario(&format!("  locals {{\n{locals}  }}\n{}", action("a", "")));
        let started = stage.start(&format!("{line} 2> seen"));
        // Whatever comes before takes a small part of that.
        eventually("it is evaluating", || started.processor_time() >= 300).await;
        started.signal(Signal::INT);
        let outcome = started.ended().await;
        assert_eq!(outcome.code, Some(130), "{line}: {}", stage.text("seen"));
        assert!(stage.files("orchard_").is_empty());
    }
}
