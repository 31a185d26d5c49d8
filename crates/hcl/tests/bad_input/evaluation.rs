//! Expressions that are short to read and long to evaluate.

use super::{assert_says, watched};
use tenon_hcl::{Context, Diagnostic, Functions, Source, parse_expression};
use tenon_values::Value;

fn evaluated(expression: impl Into<String>) -> Result<Value, Vec<Diagnostic>> {
    let source = Source::new("expression", expression);
    watched(move || {
        let expression = parse_expression(&source).map_err(|error| vec![error])?;
        expression.evaluate(&Context {
            scope: &(),
            functions: &Functions::standard(None),
            is_plan: false,
        })
    })
}

fn error_of(expression: impl Into<String>) -> Diagnostic {
    evaluated(expression)
        .expect_err("this is refused")
        .remove(0)
}

#[test]
fn a_hundred_thousand_steps() {
    for step in [".a", "[0]", ".0", "[*]", "[*].a", ".*.a"] {
        error_of(format!("1{}", step.repeat(100_000)));
    }
    // Each of these leaves the list as it is.
    let list = evaluated(format!("1{}", ".*".repeat(100_000))).unwrap();
    assert_eq!(list.to_string(), "[1]");
}

#[test]
fn loops_that_multiply() {
    let digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    // 10^12 rounds, of a `for` expression and of a template.
    let rounds = format!("[for x in {digits} : ").repeat(12);
    assert_says(&error_of(format!("{rounds}1{}", "]".repeat(12))), "steps");
    let rounds = format!("%{{ for x in {digits} }}").repeat(12);
    let ends = "%{ endfor }".repeat(12);
    assert_says(&error_of(format!("\"{rounds}1{ends}\"")), "steps");
}

#[test]
fn loops_that_multiply_out_of_sight() {
    let digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    let rounds = format!("[for x in {digits} : ").repeat(12);
    let endless = format!("{rounds}1{}", "]".repeat(12));
    // Where errors do not count, or are looked for in several ways.
    for expression in [
        format!("try({endless}, {endless}, {endless})"),
        format!("false ? {endless} : {endless}"),
        format!("can({endless})"),
        format!("[{endless}, {endless}]"),
    ] {
        assert_says(&error_of(expression), "steps");
    }
}

#[test]
fn texts_that_multiply() {
    // Each level is twice as long as the one inside of it: 100 times 2^20 bytes.
    let levels = 20;
    let opened: String = (0..levels)
        .map(|level| format!("[for x{level} in ["))
        .collect();
    let closed: String = (0..levels)
        .rev()
        .map(|level| format!("] : \"${{x{level}}}${{x{level}}}\"][0]"))
        .collect();
    let error = error_of(format!("{opened}\"{}\"{closed}", "a".repeat(100)));
    assert_says(&error, "longer than");
}

#[test]
fn values_that_multiply() {
    // Two to the power of 20 elements, and each level has the one inside of it twice.
    let levels = 20;
    let opened: String = (0..levels)
        .map(|level| format!("[for x{level} in ["))
        .collect();
    let closed: String = (0..levels)
        .rev()
        .map(|level| format!("] : [x{level}, x{level}]][0]"))
        .collect();
    let doubled = format!("{opened}1{closed}");
    // It is small, because the halves are one value; whoever goes through it all has to count.
    assert!(evaluated(doubled.as_str()).is_ok());
    evaluated(format!("[{doubled}] == [{doubled}]")).expect("equality is told");
}
