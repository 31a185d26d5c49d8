//! Texts that are nested so deep that a recursive reader runs out of stack.

use super::{error_of, errors_of, watched};
use tenon_hcl::{Source, parse_template};

#[test]
fn deep_nesting_of_every_kind() {
    let kinds = [
        ("(", ")"),
        ("[", "]"),
        ("{ a = ", " }"),
        ("\"a${", "}\""),
        ("\"%{ if true }", "%{ endif }\""),
        ("[for x in ", " : x]"),
        ("{ for x in ", " : x => x }"),
        ("true ? ", " : 1"),
        ("true ? 1 : ", ""),
        ("try(", ")"),
        ("a[", "]"),
        ("!", ""),
        ("-", ""),
        ("- ", ""),
        ("<<A\n${", "}\nA\n"),
    ];
    for (open, close) in kinds {
        let expression = format!("{}a{}", open.repeat(10_000), close.repeat(10_000));
        let errors = errors_of(expression);
        assert!(!errors.is_empty(), "{open}");
    }
}

#[test]
fn deep_nesting_that_is_never_closed() {
    for open in [
        "(",
        "[",
        "{ a = ",
        "\"${",
        "%{ if true }",
        "try(",
        "<<A\n${",
        "{{",
        "[{(",
    ] {
        assert!(!errors_of(open.repeat(10_000)).is_empty(), "{open}");
    }
}

#[test]
fn deep_nesting_of_blocks() {
    let file = format!("{}{}", "a {\n".repeat(10_000), "}\n".repeat(10_000));
    error_of(file);
}

#[test]
fn deep_nesting_of_directives() {
    for (open, close) in [
        ("%{ if true }", "%{ endif }"),
        ("%{ for x in [1] }", "%{ endfor }"),
    ] {
        let text = format!("{}a{}", open.repeat(10_000), close.repeat(10_000));
        let source = Source::new("template", text);
        watched(move || parse_template(&source)).expect_err("the template is refused");
    }
}

#[test]
fn a_hundred_thousand_operators() {
    for operator in [" + ", " * ", " && ", " == ", " - -", " || !"] {
        assert!(
            !errors_of(vec!["1"; 100_000].join(operator)).is_empty(),
            "{operator}"
        );
    }
}
