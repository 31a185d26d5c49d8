//! Hostile input: refused with an error, before it costs much time or the stack.

#[path = "bad_input/arbitrary.rs"]
mod arbitrary;
#[path = "bad_input/evaluation.rs"]
mod evaluation;
#[path = "bad_input/nesting.rs"]
mod nesting;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tenon_hcl::{
    Diagnostic, Limits, Source, Style, parse, parse_expression, parse_template, parse_within,
};

/// So long nothing here takes, by far, even on a machine that is busy. What would take forever
/// fails instead.
const PATIENCE: Duration = Duration::from_secs(120);

/// A stack as threads have it by default. What nests without limit does not fit into it.
const STACK: usize = 2 * 1024 * 1024;

/// Runs something that may not come back.
fn watched<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::sync_channel(1);
    let worker = thread::Builder::new().stack_size(STACK);
    let worker = worker.spawn(move || sender.send(work())).unwrap();
    match receiver.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("not done after {PATIENCE:?}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(_) => panic!("no result"),
        },
    }
}

/// What is wrong with an expression, as a file, by itself and as a template.
fn errors_of(expression: impl Into<String>) -> Vec<Diagnostic> {
    let expression = expression.into();
    watched(move || {
        let file = Source::new("file", format!("a = {expression}\n"));
        let alone = Source::new("expression", expression.as_str());
        let template = Source::new("template", format!("${{{expression}}}"));
        let mut errors = parse(&file).expect_err("the file is refused");
        errors.push(parse_expression(&alone).expect_err("the expression is refused"));
        errors.push(parse_template(&template).expect_err("the template is refused"));
        errors
    })
}

/// The first error of a file.
fn error_of(file: impl Into<String>) -> Diagnostic {
    let source = Source::new("file", file);
    watched(move || parse(&source).expect_err("the file is refused").remove(0))
}

#[track_caller]
fn assert_says(diagnostic: &Diagnostic, words: &str) {
    let summary = &diagnostic.summary;
    assert!(
        summary.contains(words),
        "{summary:?} does not say {words:?}"
    );
}

#[test]
fn an_object_with_fifty_thousand_keys() {
    let entries: String = (0..50_000).map(|key| format!("k{key} = 1\n")).collect();
    for expression in [format!("{{\n{entries}}}"), format!("[{{\n{entries}}}]")] {
        for error in errors_of(expression) {
            assert_says(&error, "more than 2000 entries");
        }
    }
}

#[test]
fn as_many_keys_as_are_allowed() {
    let limits = Limits {
        entries: 3,
        ..Limits::default()
    };
    let read = |text: &str| parse_within(&Source::new("file", text), limits).is_ok();
    assert!(read("a = { b = 1, c = 2, d = 3 }"));
    assert!(!read("a = { b = 1, c = 2, d = 3, e = 4 }"));
    // What is no entry does not count, nor do the attributes of a block.
    assert!(read("a = { b = 1 == 2, c = 1 != 2, d = true ? 1 : 2 }"));
    assert!(read("a {\n  b = 1\n  c = 2\n  d = 3\n  e = 4\n}"));
    assert!(read("a = { b = { c = 1, d = 2 }, e = { f = 1, g = 2 } }"));
}

#[test]
fn a_file_of_nine_mebibytes() {
    let file = format!("a = \"{}\"\n", "x".repeat(9 * 1024 * 1024));
    assert_says(&error_of(file.as_str()), "too large");
    let template = Source::new("template", file);
    let error = watched(move || parse_template(&template).unwrap_err());
    assert_says(&error, "too large");
}

#[test]
fn a_file_of_exactly_the_limit() {
    let limits = Limits {
        size: 16,
        ..Limits::default()
    };
    let read = |text: &str| parse_within(&Source::new("file", text), limits).is_ok();
    assert!(read("a = \"0123456789\""));
    assert!(!read("a = \"0123456789\"\n"));
}

#[test]
fn what_is_opened_and_never_closed_is_pointed_at() {
    let files = [
        ("a = \"b\nc = 1\n", "not closed", "\""),
        ("a = \"b${c\n", "never closed", "${"),
        ("a = \"%{ if true\n", "never closed", "%{"),
        ("a = <<END\nb\n", "heredoc is never closed", "<<END"),
        ("a = <<-END\nb\n", "heredoc is never closed", "<<-END"),
        ("a = [1, 2\nb = 1\n", "never closed", "["),
        ("a = (1\n", "never closed", "("),
        ("a = {\n  b = 1\n", "never closed", "{"),
        ("a {\n  b = 1\n", "never closed", "{"),
        ("a \"b\" {\n", "never closed", "{"),
        ("a = 1 /* b\nc = 2\n", "never closed", "/*"),
        ("/*", "never closed", "/*"),
    ];
    for (file, words, place) in files {
        let error = error_of(file);
        assert_says(&error, words);
        assert_eq!(error.place.unwrap().text(), place, "{file:?}");
    }
}

#[test]
fn what_is_closed_and_was_never_opened_is_pointed_at() {
    let files = [
        ("a = 1)\n", ")"),
        ("a = [1}\n", "}"),
        ("a = 1\n}\n", "}"),
        ("]", "]"),
    ];
    for (file, place) in files {
        let error = error_of(file);
        assert_says(&error, "closes nothing");
        assert_eq!(error.place.unwrap().text(), place, "{file:?}");
    }
}

#[test]
fn bytes_that_have_no_place_in_a_file() {
    let files = [
        "a = \0\n",
        "\0",
        "a\0b = 1\n",
        "\u{1}\u{2}\u{3}\u{7f}",
        "a = \u{fffd}\n",
        "a = 1\rb = 2\r",
        "\r",
        "a = 1\n\r",
        "\u{2028}a = 1",
        "\u{202e}a = 1",
        "a = \u{feff}1\n",
        "\u{feff}\u{feff}a = 1\n",
        "PK\u{3}\u{4}\u{14}\0\u{8}\0\u{8}\0",
    ];
    for file in files {
        let source = Source::new("file", file);
        assert!(
            watched(move || parse(&source).is_err()),
            "{file:?} is taken"
        );
    }
}

#[test]
fn escapes_that_there_are_not() {
    for escape in [
        r"\q",
        r"\x41",
        r"\u12",
        r"\u{41}",
        r"\uD800",
        r"\U00110000",
        r"\0",
        "\\",
    ] {
        let source = Source::new("file", format!("a = \"{escape}\"\n"));
        assert!(
            watched(move || parse(&source).is_err()),
            "{escape} is taken"
        );
    }
}

#[test]
fn an_error_after_characters_of_many_bytes() {
    // The parser's place is in the middle of one of them.
    let source = Source::new("file", "𐤀\"\"ਵ");
    for error in watched(move || parse(&source).unwrap_err()) {
        assert!(!error.render(Style::Plain).is_empty());
    }
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_file() {
    let source = Source::new("file", "\u{feff}a = 1\nb = nosuch\n");
    let body = parse(&source).unwrap();
    assert_eq!(body.attributes[0].name.text(), "a");
    assert_eq!(body.attributes[0].name.place().text(), "a");
    assert_eq!(body.attributes[1].value.place().text(), "nosuch");
}

#[test]
fn every_syntax_error_of_a_file_is_reported() {
    let file = "a = 1 2\nb = 3\nc = = 4\nd = [5]\ne 6\nf = 7\n";
    let source = Source::new("file", file);
    let errors = watched(move || parse(&source).unwrap_err());
    let lines: Vec<usize> = errors
        .iter()
        .map(|error| error.place.as_ref().unwrap().line())
        .collect();
    assert_eq!(lines, [1, 3, 5]);
}

#[test]
fn the_number_of_reported_errors_is_limited() {
    let source = Source::new("file", "a = 1 2\n".repeat(10_000));
    let errors = watched(move || parse(&source).unwrap_err());
    assert_eq!(errors.len(), 20);
}

#[test]
fn errors_in_a_long_line_are_shown_in_part() {
    let long = "x".repeat(1 << 20);
    let error = error_of(format!("a = \"{long}\" nonsense \"{long}\"\n"));
    let shown = error.render(Style::Plain);
    assert!(shown.len() < 4096, "{} bytes are shown", shown.len());
}
