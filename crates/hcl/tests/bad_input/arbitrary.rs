//! Whatever a text is, it is read and evaluated or refused.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tenon_hcl::{
    Context, Diagnostic, Expression, Functions, Source, Style, parse, parse_expression,
    parse_template,
};
use tenon_values::{Type, Value};

/// What HCL is made of, so that texts of it come close to something.
const WORDS: &str = r##"a b x local _ 1 2.5 1e3 -1 null true false try( can( in else endif endfor
    - + * / % ! && || == != < <= > >= ? : = => ... , . ( ) [ ] { } [*] .* .0 "a" " ~ \ \n \u
    \u00e9 ${ %{ ${~ ~} $${ %%{ # // /* */ é"##;

/// What has white space in it, or would be lost in the list above.
const PIECES: &[&str] = &[
    "if ",
    "for ",
    "%{ if true }",
    "%{ for x in a }",
    "%{ endif }",
    "%{ endfor }",
    "<<E\n",
    "<<-E\n",
    "\nE\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "e\u{301}",
    "\u{feff}",
    "\0",
    "a = ",
    "a {\n",
];

fn pieces() -> impl Strategy<Value = String> {
    let all: Vec<&str> = WORDS
        .split_whitespace()
        .chain(PIECES.iter().copied())
        .collect();
    prop::collection::vec(prop::sample::select(all), 0..40).prop_map(|pieces| pieces.concat())
}

fn scope() -> BTreeMap<String, Value> {
    let list = Value::tuple(vec![Value::from(1), Value::string("b").sensitive()]);
    BTreeMap::from([
        ("a".to_owned(), list.clone()),
        ("b".to_owned(), Value::unknown(Type::Dynamic)),
        (
            "local".to_owned(),
            Value::object([("a", list), ("x", Value::NULL)]),
        ),
    ])
}

fn evaluate(expression: &Expression) {
    let scope = scope();
    let context = Context {
        scope: &scope,
        functions: &Functions::standard(None),
        is_plan: true,
    };
    // Where it stands is where it was read from.
    let place = expression.place();
    assert_eq!(place.source().text().get(place.range()), Some(place.text()));
    let _ = expression.references();
    match expression.evaluate(&context) {
        Ok(value) => drop(value.to_string()),
        Err(errors) => show(&errors),
    }
}

fn show(errors: &[Diagnostic]) {
    assert!(!errors.is_empty(), "a failure without an error");
    for error in errors {
        assert!(!error.render(Style::Plain).is_empty());
    }
}

fn read_all_ways(text: &str) {
    let source = Source::new("text", text);
    match parse(&source) {
        Ok(body) => body
            .attributes
            .iter()
            .for_each(|attribute| evaluate(&attribute.value)),
        Err(errors) => show(&errors),
    }
    for expression in [parse_expression(&source), parse_template(&source)] {
        match expression {
            Ok(expression) => evaluate(&expression),
            Err(error) => show(&[error]),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_characters(text in any::<String>()) {
        read_all_ways(&text);
    }

    #[test]
    fn pieces_of_the_language(text in pieces()) {
        read_all_ways(&text);
    }

    #[test]
    fn pieces_in_an_attribute(text in pieces()) {
        read_all_ways(&format!("a = {text}\n"));
    }

    #[test]
    fn pieces_in_quotes(text in pieces()) {
        read_all_ways(&format!("a = \"{text}\"\n"));
    }

    #[test]
    fn pieces_in_a_heredoc(text in pieces()) {
        read_all_ways(&format!("a = <<-END\n{text}\nEND\n"));
    }
}
