//! Scenarios that are small to read and have values without end: refused where they are made, before
//! anybody visits all that is in them.

#[path = "scratch/mod.rs"]
mod scratch;

use std::fmt::Write as _;
use std::sync::mpsc;
use std::time::Duration;

use scratch::Scratch;
use tenon_hcl::Diagnostic;
use tenon_scenario::{Inputs, Masked, Plan};
use tenon_values::json;

/// Nothing here takes as long, by far. What would take forever fails instead.
const PATIENCE: Duration = Duration::from_secs(120);

/// The last local has two to the power of this many values.
const LEVELS: usize = 40;

fn plan(files: &[(&str, &str)], inputs: &Inputs) -> Result<Plan, Vec<Diagnostic>> {
    let scratch = Scratch::new(files);
    let inputs = inputs.clone();
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let _nobody_waits_any_more = sender.send(Box::new(scratch.plan(&inputs)));
    });
    *receiver.recv_timeout(PATIENCE).expect("an end in time")
}

/// Locals of which each has the one before it twice, and more of a scenario.
fn doubling(next: impl Fn(&str) -> String, more: &str) -> String {
    let mut text = String::from(
        "scenario \"bomb\" {\n  required_providers {\n    shop = { source = \"builtin/shop\" }\n  \
         }\n  locals {\n    l0 = { a = \"text\" }\n",
    );
    for level in 1..=LEVELS {
        let before = format!("local.l{}", level - 1);
        writeln!(text, "    l{level} = {}", next(&before)).expect("a string takes it");
    }
    write!(text, "    bomb = local.l{LEVELS}\n  }}\n{more}}}\n").expect("a string takes it");
    text
}

/// The only error, which has a place.
fn error_of(outcome: Result<Plan, Vec<Diagnostic>>) -> String {
    let problems = outcome.expect_err("it is too large");
    let [problem] = problems.as_slice() else {
        let summaries: Vec<_> = problems.iter().map(|problem| &problem.summary).collect();
        panic!("there should be one error: {summaries:?}");
    };
    let place = problem.place.as_ref().expect("a place");
    format!("{}: {}", place.line(), problem.summary)
}

const TOO_MANY: &str = "this value has more than 4194304 elements, nested ones included";

#[test]
fn locals_that_double() {
    for next in [
        |before: &str| format!("{{ a = {before}, b = {before} }}"),
        |before: &str| format!("[{before}, {before}]"),
        |before: &str| format!("[for i in range(2) : {before}]"),
        |before: &str| format!("concat([{before}], [{before}])"),
        |before: &str| format!("merge({{ a = {before} }}, {{ b = {before} }})"),
        |before: &str| format!("[[{before}], [{before}]][*][0]"),
        |before: &str| format!("try([{before}, {before}], 1)"),
        |before: &str| format!("true ? [{before}, {before}] : null"),
        // Nothing but types double here.
        |before: &str| format!("true ? null : [{before}, {before}]"),
    ] {
        let error = error_of(plan(
            &[("main.hcl", &doubling(next, ""))],
            &Inputs::default(),
        ));
        assert!(error.ends_with(TOO_MANY), "{error}");
    }
}

#[test]
fn texts_that_double() {
    let next = |before: &str| format!("\"${{{before}}}${{{before}}}\"");
    let text = doubling(next, "").replace("{ a = \"text\" }", "\"text\"");
    let error = error_of(plan(&[("main.hcl", &text)], &Inputs::default()));
    assert!(
        error.ends_with("this text is longer than 16777216 bytes"),
        "{error}"
    );
    let next = |before: &str| format!("[{before}, {before}, \"{}\"]", "x".repeat(100_000));
    let error = error_of(plan(
        &[("main.hcl", &doubling(next, ""))],
        &Inputs::default(),
    ));
    assert!(
        error.contains("more than 67108864 bytes of text"),
        "{error}"
    );
}

/// Wherever the bomb is used, the error is the same, and is told once.
#[test]
fn bombs_in_all_places() {
    let item = |more: &str| format!("  action \"item\" \"i\" {{\n    name = \"i\"\n{more}  }}\n");
    for more in [
        "  output \"o\" {\n    value = local.bomb\n  }\n".to_owned(),
        "  output \"o\" {\n    value = local.bomb == local.l39\n  }\n".to_owned(),
        "  output \"o\" {\n    value = jsonencode(local.bomb)\n  }\n".to_owned(),
        "  output \"o\" {\n    value = 1\n    assert {\n      condition = local.bomb != null\n    }\n  \
         }\n"
            .to_owned(),
        item("    extra = local.bomb\n"),
        item("    tags = [jsonencode(local.bomb)]\n"),
        item("    count = length(local.bomb)\n"),
        item("    for_each = local.bomb\n"),
        item("    lifecycle {\n      teardown {\n        name = \"i\"\n        extra = local.bomb\n      \
              }\n    }\n"),
    ] {
        let text = doubling(|before| format!("{{ a = {before}, b = {before} }}"), &more);
        let error = error_of(plan(&[("main.hcl", &text)], &Inputs::default()));
        assert!(error.ends_with(TOO_MANY), "{more}: {error}");
    }
}

#[test]
fn components_that_double_what_they_are_given() {
    let part = "component \"part\" {\n  variable \"x\" {}\n  output \"x\" {\n    value = [var.x, \
                var.x]\n  }\n}\n";
    let mut main = String::from("scenario \"bomb\" {\n");
    for level in 0..LEVELS {
        let input = match level {
            0 => "1".to_owned(),
            level => format!("component.part.p{}.x", level - 1),
        };
        writeln!(
            main,
            "  component \"part\" \"p{level}\" {{\n    source = \"part.hcl\"\n    inputs = {{ x = \
             {input} }}\n  }}"
        )
        .expect("a string takes it");
    }
    main += "}\n";
    let error = error_of(plan(
        &[("main.hcl", &main), ("part.hcl", part)],
        &Inputs::default(),
    ));
    assert!(error.ends_with(TOO_MANY), "{error}");
}

/// Each is allowed, but not all of them in one message.
#[test]
fn attributes_are_limited_together() {
    let planned = |notes: &str| {
        let action = format!(
            "  action \"item\" \"i\" {{\n    name = \"i\"\n    extra = local.most\n    notes = {notes}\n  }}\n"
        );
        let locals = "    one = [for i in range(1000) : \"text\"]\n    most = [for i in range(999) : [for j in \
                      range(4) : local.one]]\n    bomb";
        let text = doubling(|_| "1".to_owned(), &action).replace("    bomb", locals);
        plan(&[("main.hcl", &text)], &Inputs::default())
    };
    assert!(planned("[]").is_ok());
    let error = error_of(planned("flatten([for i in range(300) : local.one])"));
    assert!(
        error.ends_with("the attributes of the action \"item\" are too large together"),
        "{error}"
    );
}

#[test]
fn variables_that_double() {
    let main = "scenario \"bomb\" {\n  variable \"x\" {\n    type = any\n    default = 1\n  }\n  variable \
                \"y\" {\n    type = list(any)\n    default = []\n  }\n}\n";
    let doubled: String = (0..30).map(|level| format!("[for x{level} in [")).collect();
    let ends = (0..30)
        .rev()
        .map(|level| format!("] : [x{level}, x{level}]][0]"));
    let bomb = format!("{doubled}1{}", ends.collect::<String>());
    let given = Inputs {
        given: vec![("y".to_owned(), bomb.clone())],
        ..Inputs::default()
    };
    let problems = plan(&[("main.hcl", main)], &given).expect_err("too large");
    assert_eq!(problems[0].summary, TOO_MANY);
    let error = error_of(plan(
        &[(
            "main.hcl",
            &main.replace("default = 1", &format!("default = {bomb}")),
        )],
        &Inputs::default(),
    ));
    assert!(error.ends_with(TOO_MANY), "{error}");
}

/// What a provider answers in a few bytes takes as few in the record, and is read from it again.
#[test]
fn far_exponents_stay_short_on_disk() {
    let answer = format!("[{}]", vec!["1e157000,-2.5e-157000"; 10_000].join(","));
    let value = json::implied(answer.as_bytes()).expect("JSON");
    let masked = Masked::of(&value).expect("a value with a JSON");
    assert_eq!(masked.value.get(), answer);
    assert_eq!(
        json::implied(masked.value.get().as_bytes()).expect("JSON"),
        value
    );
}

/// Whether a number is too large is the same for all ways to give one.
#[test]
fn far_exponents_in_variables() {
    let main = |default: &str| {
        format!("scenario \"far\" {{\n  variable \"x\" {{\n    type = number\n{default}  }}\n}}\n")
    };
    let planned = |text: &str, given: &[(&str, &str)], file: &str, content: &str| {
        let scratch = Scratch::new(&[("main.hcl", text), (file, content)]);
        let files = match content {
            "" => Vec::new(),
            _ => vec![scratch.path(file)],
        };
        let inputs = Inputs {
            given: { given.iter() }
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            files,
            ..Inputs::default()
        };
        scratch
            .plan(&inputs)
            .map(|plan| plan.variables["x"].to_string())
    };
    for (number, is_allowed) in [
        ("1e400", true),
        ("-1e-157000", true),
        ("1e999999999", false),
    ] {
        let default = format!("    default = {number}\n");
        for outcome in [
            planned(&main(&default), &[], "none", ""),
            planned(&main(""), &[("x", number)], "none", ""),
            planned(&main(""), &[], "x.json", &format!("{{\"x\": {number}}}")),
            planned(&main(""), &[], "x.yaml", &format!("x: {number}\n")),
            planned(&main(""), &[], "x.hcl", &format!("x = {number}\n")),
        ] {
            match is_allowed {
                true => assert_eq!(outcome.expect(number), number),
                false => assert!(outcome.is_err(), "{number}"),
            }
        }
    }
}
