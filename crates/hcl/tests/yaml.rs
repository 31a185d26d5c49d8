//! YAML as values: the rules of variable files, those of `yamldecode`, and what is written.

use proptest::prelude::*;
use tenon_hcl::yaml::{Rules, read, write};
use tenon_values::Value;

fn strict(text: &str) -> Result<Value, String> {
    read(text, Rules::Strict)
}

fn shown(text: &str) -> String {
    match strict(text) {
        Ok(value) => value.to_string(),
        Err(problem) => problem,
    }
}

#[test]
fn numbers_keep_all_their_digits() {
    for (text, value) in [
        ("0", "0"),
        ("-0", "-0"),
        ("0.1", "0.1"),
        (".5", "0.5"),
        ("7.", "7"),
        ("+12", "12"),
        ("9007199254740993", "9007199254740993"),
        ("18446744073709551617", "18446744073709551617"),
        (
            "-170141183460469231731687303715884105729",
            "-170141183460469231731687303715884105729",
        ),
        (
            "123456789012345678901234567890.5",
            "123456789012345678901234567890.5",
        ),
        ("1e3", "1000"),
        ("-2.5E-3", "-0.0025"),
        ("1e400", "1e400"),
        ("1e100", &format!("1{}", "0".repeat(100))),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("-0b101", "-5"),
        ("!!float 3", "3"),
        ("!!int \"3\"", "3"),
    ] {
        assert_eq!(shown(text), value, "{text}");
    }
}

#[test]
fn texts_that_look_like_numbers_are_texts() {
    for text in [
        "007", "1_000", "1.2.3", "0x", "1e", "--1", "12h", ".", "e5", "0o8", "nan",
    ] {
        assert_eq!(strict(text), Ok(Value::string(text)), "{text}");
    }
    assert_eq!(strict("'12'"), Ok(Value::string("12")));
    assert_eq!(strict("!!str 12"), Ok(Value::string("12")));
}

#[test]
fn collections_anchors_and_merges() {
    assert_eq!(shown(""), "null");
    assert_eq!(
        shown("base: &b {x: 1, y: [~, yes]}\nmore:\n  <<: *b\n  x: 2\nsame: *b\n1: one\n"),
        "{ \"1\" = \"one\", base = { x = 1, y = [null, true] }, \
         more = { x = 2, y = [null, true] }, same = { x = 1, y = [null, true] } }"
    );
}

#[test]
fn errors_have_a_place_and_do_not_quote_the_text() {
    for (text, problem) in [
        ("a: 1\na: 2\n", "line 2, column 1: duplicate key"),
        (
            "a: .inf\n",
            "line 1, column 4: a number must be finite; write the value in quotes if it is a string",
        ),
        (
            "a: &a [*a]\n",
            "line 1, column 8: the alias refers to a value that contains it",
        ),
        ("? [a]\n: 1\n", "line 1, column 3: a key must be a string"),
        (
            "<<: 1\n",
            "line 1, column 5: the value of `<<` must be a mapping or a list of mappings",
        ),
        (
            "a\n---\nb\n",
            "line 2, column 1: only one document is allowed",
        ),
        (
            "!!int hunter2\n",
            "line 1, column 7: the value does not have the type int that its tag names",
        ),
    ] {
        assert_eq!(strict(text), Err(problem.to_owned()), "{text}");
    }
    let unclosed = strict("password: \"hunter2\n").unwrap_err();
    assert!(
        unclosed.starts_with("line ") && !unclosed.contains("hunter"),
        "{unclosed}"
    );
}

/// Why each is so: a variable file must not change what its author wrote. In `yamldecode` everything
/// is as in Terraform.
#[test]
fn variable_files_are_stricter_than_yamldecode() {
    let shown = |text: &str, rules| match read(text, rules) {
        Ok(value) => value.to_string(),
        Err(problem) => format!(
            "error: {}",
            problem.split_once(": ").map_or("", |(_, it)| it)
        ),
    };
    for (text, strict, terraform) in [
        ("007", "\"007\"", "7"),
        ("2001-12-14", "\"2001-12-14\"", "\"2001-12-14T00:00:00Z\""),
        ("a: 1\na: 2\n", "error: duplicate key", "{ a = 2 }"),
        (
            ".inf",
            "error: a number must be finite; write the value in quotes if it is a string",
            "+Inf",
        ),
        ("yes: 1", "{ yes = 1 }", "{ true = 1 }"),
        ("a: 1\n<<: {a: 2}\n", "{ a = 1 }", "{ a = 2 }"),
        (
            "<<: [{a: 1}]\n",
            "{ a = 1 }",
            "error: the value of `<<` must be a mapping",
        ),
        ("!Ref x", "\"x\"", "error: unknown tag"),
        ("tRUE", "true", "\"tRUE\""),
        ("0b101", "5", "\"0b101\""),
        ("-0x1F", "-31", "\"-0x1F\""),
        (
            "\ta: 1",
            "{ a = 1 }",
            "error: a tab cannot be used for indentation",
        ),
        ("", "null", "error: "),
    ] {
        assert_eq!(shown(text, Rules::Strict), strict, "{text:?}");
        assert_eq!(shown(text, Rules::Terraform), terraform, "{text:?}");
    }
}

#[test]
fn yamldecode_allows_tabs_where_terraform_does() {
    for text in [
        "\tb: 1",
        "\t",
        "\t1",
        " \ta: 1",
        "\n\tb: 1",
        "---\n\tb: 1",
        "a:\n\tb: 1",
        "a:\n  \tb: 1",
        "a: 1\n\tb: 2",
        "a:\n\t- 1",
        "- \t1",
        "-\t1",
        "-\ta: 1",
        "-\t- a",
        "\t[1]",
        "? a\n:\tb",
        "a: b\n\tc",
    ] {
        let read = read(text, Rules::Terraform);
        assert!(read.is_err(), "{text:?}: {read:?}");
    }
    for text in [
        "a: \tb",
        "key:\tvalue",
        "[\t1]",
        "[1,\n\t2]",
        "{a: 1,\n\tb: 2}",
        "a: 1\t# x",
        "---\t1",
        "--- \t1",
        "a: |\n  x\n  \ty\n",
        "a\n\tb",
        "a:\t\n  b: 1",
        "- 1\n \t \n- 2",
    ] {
        let read = read(text, Rules::Terraform);
        assert!(read.is_ok(), "{text:?}: {read:?}");
    }
}

/// Texts of what is special in YAML, and of anything else but the separators that end a line in
/// YAML 1.1 alone.
fn text() -> impl Strategy<Value = String> {
    let special = "[ \n\t\r\\\\\"':#,?!&*|>%@`{}\\[\\]a0.~-]{0,12}";
    prop_oneof![
        special,
        "[^\u{2028}\u{2029}]{0,12}",
        "(word ){0,40}[a-z\n ]{0,9}"
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::NULL),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        let entries = prop::collection::btree_map(text(), inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::tuple),
            entries.prop_map(Value::object),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in value()) {
        let text = write(&value, |_| Ok::<(), ()>(())).unwrap();
        let read = read(&text, Rules::Terraform);
        prop_assert_eq!(read, Ok(value), "{}", text);
    }
}
