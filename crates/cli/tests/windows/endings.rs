//! The command is killed, so that nothing in it can clean up. Everything that it started ends nevertheless.

use crate::is_held;
use crate::program::{Place, tenon, until};

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_killed_command_leaves_no_process_behind() {
    for task in ["stay", "parent"] {
        let place = Place::new();
        let (variables, command) = place.task(task);
        let arguments = [
            strings(&["serve", "--socket", &place.pipe()]),
            variables,
            strings(&["--"]),
            command,
        ];
        let server = place.start(arguments.concat());
        until("a process holds the file", || is_held(&place.held()));
        server.kill();
        until("the file is no longer held", || !is_held(&place.held()));
    }
}

/// The plugin is a `tenon` too, which puts its own plugin into a job of its own.
#[test]
fn a_grandchild_in_another_job_ends_too() {
    let place = Place::new();
    let (variables, command) = place.task("parent");
    let inner = [
        strings(&[
            &tenon(),
            "serve",
            "--socket",
            &format!("{}-inner", place.pipe()),
        ]),
        variables.clone(),
        strings(&["--"]),
        command,
    ];
    let outer = [
        strings(&["serve", "--socket", &place.pipe()]),
        variables,
        strings(&["--"]),
        inner.concat(),
    ];
    let server = place.start(outer.concat());
    until("the last of them holds the file", || is_held(&place.held()));
    server.kill();
    until("the file is no longer held", || !is_held(&place.held()));
}

/// A call that times out ends a plugin that does not listen, and its descendants.
#[test]
fn a_finished_command_leaves_no_process_behind() {
    let place = Place::new();
    let (variables, command) = place.task("parent");
    let arguments = [
        strings(&["call", "hello"]),
        variables,
        strings(&["--"]),
        command,
    ];
    let outcome = place.tenon(arguments.concat());
    assert_eq!(outcome.stdout, "\"hello\"\n", "{outcome:?}");
    until("the file is no longer held", || !is_held(&place.held()));
}
