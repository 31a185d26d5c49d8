//! Snippets of scenario files and exactly what is said about them.
//!
//! The snippets are in `snippets/`, a file for each topic. A case begins with `### what it shows`;
//! then come the text of `main.hcl`, other files after `--- path`, what is given after `--- given`,
//! and in the end what is said about it after `--- says` or, if nothing is wrong, what would be done
//! after `--- plans`. Files in which no editor leaves things as they are stand after
//! `--- path escaped`, with `\r` and `\xff` for such bytes. The providers are in `providers/`.
//!
//! To add a case, write it without its end and run the tests with `SNIPPETS=write`: that writes down
//! what is said now about all of them. Then read the difference.

#[path = "diagnostics/table.rs"]
mod table;

#[path = "scratch/mod.rs"]
mod scratch;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scratch::{Scratch, plan};
use table::Case;
use tenon_hcl::Limits;
use tenon_scenario::{Inputs, Plan, load};
use tenon_values::Value;

/// How many cases there are: one that is lost, say by a slip in its heading, would go unnoticed.
const CASES: usize = 399;

/// Every secret in the snippets has this in it, so that none can be shown unnoticed.
const SECRET: &str = "hunter2";

#[test]
fn every_snippet_says_what_is_written_after_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snippets");
    let entries = std::fs::read_dir(&folder).expect("the snippets are there");
    let mut tables: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    tables.sort();
    let (mut count, mut wrong) = (0, String::new());
    for path in &tables {
        let text = std::fs::read_to_string(path).expect("a table");
        let (preface, cases) = table::read(&text);
        let outcomes: Vec<_> = cases.iter().map(outcome).collect();
        if std::env::var_os("SNIPPETS").is_some_and(|wish| wish == "write") {
            let now = table::write(&preface, &cases, &outcomes);
            std::fs::write(path, now).expect("the table can be written");
        }
        let name = path.file_name().unwrap_or_default().display();
        for (case, outcome) in cases.iter().zip(&outcomes) {
            let title = &case.title;
            if outcome.1.contains(SECRET) {
                write!(wrong, "\n{name}: {title}: shows a secret\n").expect("a string takes it");
            }
            if case.outcome != *outcome {
                let ((kind, expected), (now, found)) = (&case.outcome, outcome);
                let line = "=".repeat(30);
                write!(
                    wrong,
                    "\n{line} {name}: {title}\nexpected {kind}:\n{expected}\n{line} now {now}:\n{found}\n"
                )
                .expect("a string takes it");
            }
        }
        count += cases.len();
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(count, CASES, "cases have come or gone: is that meant?");
}

/// What comes of a case.
fn outcome(case: &Case) -> (String, String) {
    let files: Vec<(&str, &[u8])> = { case.files.iter() }
        .map(|(path, text)| (path.as_str(), text.as_slice()))
        .collect();
    let scratch = Scratch::new(&files);
    let file = match load(&scratch.path("main.hcl")) {
        Ok(file) => file,
        Err(problems) => return ("says".into(), scratch.shown(&problems).trim_end().into()),
    };
    let mut problems = file.warnings;
    let mut plans = String::new();
    let is_one = file.scenarios.len() == 1;
    for scenario in file.scenarios.into_iter().map(Arc::new) {
        match plan(&scenario, &inputs(case, &scratch)) {
            Ok(plan) if is_one => plans.push_str(&shown(&plan)),
            Ok(plan) => write!(plans, "scenario {}\n{}", scenario.name(), shown(&plan))
                .expect("a string takes it"),
            Err(errors) => problems.extend(errors),
        }
    }
    match problems.is_empty() {
        true => ("plans".into(), plans.trim_end().into()),
        false => ("says".into(), scratch.shown(&problems).trim_end().into()),
    }
}

fn inputs(case: &Case, scratch: &Scratch) -> Inputs {
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').expect("name=value");
        (name.to_owned(), value.to_owned())
    };
    let mut inputs = Inputs {
        origin: "--var",
        ..Inputs::default()
    };
    for line in &case.given {
        if let Some(text) = line.strip_prefix("--var ") {
            inputs.given.push(pair(text));
        } else if let Some(path) = line.strip_prefix("--var-file ") {
            inputs.files.push(scratch.path(path));
        } else {
            let text = line.strip_prefix(Inputs::PREFIX);
            inputs.environment.push(pair(text.expect("what is given")));
        }
    }
    inputs
}

/// What would be done, in order.
fn shown(plan: &Plan) -> String {
    let mut text = String::new();
    for (id, node) in plan.graph.actions() {
        let provider = plan.declaration(id).expect("an action has a provider");
        let before = plan.graph.actions_before(id);
        let before: Vec<&str> = before.iter().map(|id| plan.graph.address(*id)).collect();
        let after = match before.is_empty() {
            true => String::new(),
            false => format!(", after {}", before.join(", ")),
        };
        let (address, label) = (&node.address, provider.label());
        writeln!(text, "{address} by {label}{after}").expect("a string takes it");
        let given = plan.attributes.get(&id).and_then(Value::attributes);
        for (name, value) in given.expect("attributes are an object").iter() {
            writeln!(text, "  {name} = {value}").expect("a string takes it");
        }
    }
    for (name, value) in &plan.outputs {
        writeln!(text, "output {name} = {value}").expect("a string takes it");
    }
    text
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let mut text = "scenario \"large\" {}\n# ".to_owned();
    text.push_str(&"x".repeat(Limits::default().size));
    let scratch = Scratch::new(&[("main.hcl", text)]);
    let problems = load(&scratch.path("main.hcl")).expect_err("it is too large");
    insta::assert_snapshot!(scratch.shown(&problems), @r#"
    error: main.hcl is too large: it has 8388609 bytes, and 8388608 are allowed
     |
     = help: split it into several files
    "#);
}

#[test]
fn a_file_that_is_not_there() {
    let scratch = Scratch::new::<&str>(&[]);
    let problems = load(&scratch.path("main.hcl")).expect_err("it is not there");
    insta::assert_snapshot!(scratch.shown(&problems), @r#"
    error: main.hcl cannot be read: No such file or directory (os error 2)
     |
     = help: is the path right? `tenon list` shows what is here
    "#);
}

#[test]
fn a_folder_is_not_a_file() {
    let scratch = Scratch::new(&[("main.hcl/other", "")]);
    let problems = load(&scratch.path("main.hcl")).expect_err("it is a folder");
    insta::assert_snapshot!(scratch.shown(&problems), @"error: main.hcl cannot be read: Is a directory (os error 21)");
}

/// Nothing in it is repeated, but each component uses the next one twice.
#[test]
fn components_that_double_are_refused() {
    let mut files = vec![(
        "main.hcl".to_owned(),
        "scenario \"large\" {\n  component \"c0\" \"a\" {\n    source = \"c0.hcl\"\n  }\n}\n"
            .to_owned(),
    )];
    for level in 0..30 {
        let next = level + 1;
        let inner = ["a", "b"].map(|name| {
            format!("  component \"c{next}\" \"{name}\" {{\n    source = \"c{next}.hcl\"\n  }}\n")
        });
        let text = format!("component \"c{level}\" {{\n{}}}\n", inner.concat());
        files.push((format!("c{level}.hcl"), text));
    }
    files.push(("c30.hcl".to_owned(), "component \"c30\" {}\n".to_owned()));
    let files: Vec<(&str, &str)> = { files.iter() }
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let scratch = Scratch::new(&files);
    let problems = scratch
        .plan(&Inputs::default())
        .expect_err("it is too large");
    insta::assert_snapshot!(scratch.shown(&problems), @r#"
    error: this expands to more than 100000 actions
     --> c11.hcl:2:3
      |
    2 |   component "c12" "a" {
      |   ^^^^^^^^^^^^^^^^^^^
    "#);
}
