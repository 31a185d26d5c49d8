//! The language's expressions, each with what Terraform makes of it: `tests/data/cases/*.txt`.
//!
//! A case is an expression and, in the line after it, `=> value : type` or `=> error: ` with
//! Terraform's summary of the error. Lines that begin with `#` between cases are comments. The
//! pictures ␍ ␉ ␀ ␠ stand for characters that editors would change or hide. To add a case, write
//! `=> ?` under it and let `tests/data/oracle.py` ask Terraform.
//!
//! Where we differ on purpose, the case is in `differences.txt`, with Terraform's answer and the
//! reason.

#[path = "expressions/cases.rs"]
mod cases;
#[path = "expressions/variables.rs"]
mod variables;

use std::fmt::Write as _;

use cases::{Case, agree, read_cases};
use tenon_hcl::{Context, Diagnostic, Expression, Functions, Source, parse, parse_expression};
use tenon_values::Value;

/// How many cases there are, so that none get lost.
const CASES: usize = 1902;
const DIFFERENCES: usize = 48;

#[test]
fn expressions_come_to_what_terraform_makes_of_them() {
    let mut cases = read_cases();
    cases.retain(|case| case.terraform.is_none());
    assert_all(&cases);
    assert_eq!(cases.len(), CASES, "adjust the number when you add cases");
}

#[test]
fn differences_are_as_they_are_meant_to_be() {
    let mut cases = read_cases();
    cases.retain(|case| case.terraform.is_some());
    assert_all(&cases);
    for case in &cases {
        let is_same = agree(
            &case.expected,
            case.terraform.as_deref().unwrap_or_default(),
        );
        assert!(!is_same, "{}: this is no difference", case.expression);
    }
    assert_eq!(
        cases.len(),
        DIFFERENCES,
        "adjust the number when you add differences"
    );
}

/// Fails with every case that is not as expected, not just the first.
fn assert_all(cases: &[Case]) {
    let mut report = String::new();
    let mut wrong = 0;
    for case in cases {
        let Case {
            file,
            line,
            expression,
            expected,
            ..
        } = case;
        let answers = answers(expression);
        if let Some(found) = answers.iter().find(|answer| !agree(answer, expected)) {
            wrong += 1;
            let _ = write!(
                report,
                "\n{file}:{line}\n{expression}\n  expected {expected}\n  found    {found}\n"
            );
        }
    }
    assert!(
        wrong == 0,
        "{wrong} of {} cases are wrong:\n{report}",
        cases.len()
    );
}

/// What an expression comes to as the value of an attribute and, if it is on one line, by itself.
/// Line ends mean something in the first but not in the second.
fn answers(expression: &str) -> Vec<String> {
    let mut answers = vec![answer(attribute_value(expression))];
    if !expression.contains('\n') {
        let source = Source::new("expression", expression);
        answers.push(answer(
            parse_expression(&source).map_err(|error| vec![error]),
        ));
    }
    answers
}

fn attribute_value(expression: &str) -> Result<Expression, Vec<Diagnostic>> {
    let source = Source::new("file", format!("input = {expression}\n"));
    let body = parse(&source)?;
    match body.attributes.as_slice() {
        [only] if body.blocks.is_empty() => Ok(only.value.clone()),
        _ => Err(vec![Diagnostic::error("this is more than one attribute")]),
    }
}

fn answer(expression: Result<Expression, Vec<Diagnostic>>) -> String {
    let scope = variables::scope();
    let context = Context {
        scope: &scope,
        functions: &Functions::standard(None),
        is_plan: false,
    };
    match expression.and_then(|expression| expression.evaluate(&context)) {
        Ok(value) => described(&value),
        Err(errors) => {
            let summaries: Vec<&str> = errors.iter().map(|error| &*error.summary).collect();
            format!("error: {}", summaries.join("; "))
        }
    }
}

/// The value with its secrets, its type, and where the secrets are.
fn described(value: &Value) -> String {
    let (plain, marked) = value.unmark_with_paths();
    let mut paths: Vec<String> = marked.iter().map(|(path, _)| path.to_string()).collect();
    paths.sort();
    let marks = match paths.as_slice() {
        [] => String::new(),
        // What is in a secret is one anyway.
        [whole, ..] if whole.is_empty() => ", sensitive".into(),
        paths => format!(", sensitive at {}", paths.join(" and ")),
    };
    // Terraform writes all digits of a number.
    let written = match plain.as_number() {
        Some(number) => number.to_text(),
        None => plain.to_string(),
    };
    format!("{written} : {}{marks}", plain.ty())
}
