//! Scenarios that are nested or chained without end: they are done, or refused with a place, and
//! never overflow the stack. Test threads have 2 MiB of it, a quarter of the command's.

#[path = "scratch/mod.rs"]
mod scratch;

use std::fmt::Write as _;

use scratch::Scratch;
use tenon_hcl::Diagnostic;
use tenon_scenario::{Inputs, Plan, load};

const MANY: usize = 10_000;

fn plan(text: &str) -> Result<Plan, Vec<Diagnostic>> {
    Scratch::new(&[("main.hcl", text)]).plan(&Inputs::default())
}

/// A scenario with locals in which each uses the one before it.
fn chain(first: &str, next: impl Fn(usize) -> String, more: &str) -> String {
    let mut text = format!("scenario \"deep\" {{\n  locals {{\n    l0 = {first}\n");
    for index in 1..MANY {
        writeln!(text, "    l{index} = {}", next(index - 1)).expect("a string takes it");
    }
    let last = MANY - 1;
    write!(
        text,
        "  }}\n  output \"last\" {{\n    value = local.l{last}\n  }}\n{more}}}\n"
    )
    .expect("a string takes it");
    text
}

/// The only error, which has a place.
fn error_of(outcome: Result<Plan, Vec<Diagnostic>>) -> String {
    let problems = outcome.expect_err("it is too deep");
    let [problem] = problems.as_slice() else {
        panic!("there should be one error, not {}", problems.len());
    };
    let place = problem.place.as_ref().expect("a place");
    format!("{}: {}", place.position(), problem.summary)
}

#[test]
fn a_chain_of_locals() {
    let plan = plan(&chain("1", |before| format!("local.l{before} + 1"), ""));
    let plan = plan.expect("a chain is no mistake");
    assert_eq!(plan.outputs[0].1.to_string(), MANY.to_string());
}

/// They are evaluated for a `count` before anything else is known.
#[test]
fn a_chain_of_locals_that_counts() {
    let more = format!(
        "  component \"part\" \"p\" {{\n    source = \"part.hcl\"\n    count = local.l{} - {}\n  }}\n",
        MANY - 1,
        MANY - 2
    );
    let main = chain("1", |before| format!("local.l{before} + 1"), &more);
    let files = [
        ("main.hcl", main.as_str()),
        ("part.hcl", "component \"part\" {}\n"),
    ];
    let plan = Scratch::new(&files).plan(&Inputs::default());
    assert!(plan.is_ok());
}

#[test]
fn a_chain_of_locals_that_leads_to_itself() {
    let last = MANY - 1;
    let problem = plan(&chain(
        &format!("local.l{last}"),
        |before| format!("local.l{before}"),
        "",
    ));
    let problems = problem.expect_err("it never ends");
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].summary.ends_with("depends on itself"),
        "{}",
        problems[0]
    );
    assert!(
        problems[0].notes[0].len() < 1000,
        "{}",
        problems[0].notes[0]
    );
}

#[test]
fn locals_that_wrap_each_other() {
    let lists = plan(&chain("1", |before| format!("[local.l{before}]"), ""));
    assert_eq!(
        error_of(lists).split_once(": ").expect("a place").1,
        "this value is nested more than 128 levels deep"
    );
    let objects = plan(&chain(
        "1",
        |before| format!("{{ a = local.l{before} }}"),
        "",
    ));
    assert!(error_of(objects).contains("levels deep"));
}

/// Each uses the next, from the scenario on.
fn nested_components(count: usize) -> Scratch {
    let uses = |name: &str, next: usize, input: &str| {
        format!(
            "  component \"c{next}\" \"{name}\" {{\n    source = \"c{next}.hcl\"\n    \
             inputs = {{ x = {input} }}\n  }}\n"
        )
    };
    let main = format!(
        "scenario \"deep\" {{\n{}  output \"x\" {{\n    value = component.c0.top.x\n  }}\n}}\n",
        uses("top", 0, "1")
    );
    let mut files = vec![("main.hcl".to_owned(), main)];
    for index in 0..count {
        let (inner, value) = match index + 1 < count {
            true => {
                let next = index + 1;
                (
                    uses("inner", next, "var.x + 1"),
                    format!("component.c{next}.inner.x"),
                )
            }
            false => (String::new(), "var.x".to_owned()),
        };
        let text = format!(
            "component \"c{index}\" {{\n  variable \"x\" {{}}\n{inner}  output \"x\" {{\n    \
             value = {value}\n  }}\n}}\n"
        );
        files.push((format!("c{index}.hcl"), text));
    }
    let files: Vec<(&str, &str)> = { files.iter() }
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    Scratch::new(&files)
}

#[test]
fn components_in_components() {
    let plan = nested_components(32).plan(&Inputs::default());
    let plan = plan.expect("as deep as is allowed");
    assert_eq!(plan.outputs[0].1.to_string(), "32");
    let scratch = nested_components(2000);
    let problems = load(&scratch.path("main.hcl")).expect_err("too deep");
    let shown = scratch.shown(&problems);
    assert!(
        shown.starts_with(
            "error: components are nested more than 32 levels deep\n --> c31.hcl:4:14\n"
        ),
        "{shown}"
    );
}
