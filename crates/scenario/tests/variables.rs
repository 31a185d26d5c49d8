//! What a scenario is given: from where, in which form, and who wins.

#[path = "variables/files.rs"]
mod files;
#[path = "scratch/mod.rs"]
mod scratch;
#[path = "variables/secrets.rs"]
mod secrets;

use std::collections::BTreeMap;

use scratch::Scratch;
use tenon_hcl::Diagnostic;
use tenon_scenario::{Inputs, Masked};
use tenon_values::Value;

/// A scenario with these variables, and files beside it.
fn scratch(variables: &str, files: &[(&str, &str)]) -> Scratch {
    let main = format!("scenario \"shop\" {{\n{variables}\n}}\n");
    let mut all = vec![("main.hcl", main.as_str())];
    all.extend(files);
    Scratch::new(&all)
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).into(), (*value).into()))
        .collect()
}

/// The values of all variables.
fn resolve(scratch: &Scratch, inputs: &Inputs) -> Result<BTreeMap<String, Value>, Vec<Diagnostic>> {
    inputs.resolve(&*scratch.scenario()?, &BTreeMap::new())
}

/// What is wrong, as a person reads it.
fn problems(scratch: &Scratch, inputs: &Inputs) -> String {
    let problems = resolve(scratch, inputs).expect_err("something is wrong");
    scratch.shown(&problems)
}

#[test]
fn later_ones_win() {
    let files = [("one.hcl", "x = \"one\""), ("two.json", "{\"x\": \"two\"}")];
    let scratch = scratch("variable \"x\" {\ndefault = \"default\"\n}", &files);
    let environment = pairs(&[("x", "environment")]);
    let (one, two) = (scratch.path("one.hcl"), scratch.path("two.json"));
    let given = pairs(&[("x", "first"), ("x", "second")]);
    let value = |environment: &[_], files: &[&std::path::PathBuf], given: &[_]| {
        let inputs = Inputs {
            environment: environment.to_vec(),
            files: files.iter().map(|file| file.to_path_buf()).collect(),
            given: given.to_vec(),
            ..Inputs::default()
        };
        let values = resolve(&scratch, &inputs).expect("all are good");
        values["x"].as_str().map(str::to_owned)
    };
    assert_eq!(value(&[], &[], &[]).as_deref(), Some("default"));
    assert_eq!(
        value(&environment, &[], &[]).as_deref(),
        Some("environment")
    );
    assert_eq!(value(&environment, &[&one], &[]).as_deref(), Some("one"));
    assert_eq!(value(&[], &[&one, &two], &[]).as_deref(), Some("two"));
    assert_eq!(value(&[], &[&two, &one], &[]).as_deref(), Some("one"));
    let all = value(&environment, &[&one, &two], &given);
    assert_eq!(all.as_deref(), Some("second"));
}

#[test]
fn what_a_record_has_is_taken_unless_something_is_given() {
    let variables = "variable \"x\" {\ntype = number\ndefault = 1\n}\nvariable \"y\" {}";
    let scratch = scratch(variables, &[]);
    let scenario = scratch.scenario().expect("it is good");
    let masked = |value: &Value| Masked::of(value).expect("a value with a JSON");
    let recorded = BTreeMap::from([
        ("x".to_owned(), masked(&Value::from(2))),
        ("y".to_owned(), masked(&Value::string("kept"))),
        (
            "gone".to_owned(),
            masked(&Value::string("no longer a variable")),
        ),
    ]);
    let values = |inputs: &Inputs| inputs.resolve(&scenario, &recorded).expect("all are good");
    let kept = values(&Inputs::default());
    assert_eq!(kept["x"], Value::from(2));
    assert_eq!(kept["y"].as_str(), Some("kept"));
    assert_eq!(kept.len(), 2);
    let inputs = Inputs {
        environment: pairs(&[("x", "3")]),
        ..Inputs::default()
    };
    assert_eq!(values(&inputs)["x"], Value::from(3));
}

/// The scenario may have changed since the record was written.
#[test]
fn a_recorded_value_gets_the_defaults_of_new_optional_attributes() {
    let variables = "variable \"x\" {\ntype = object({ a = string, b = optional(number, 5) })\n}";
    let scratch = scratch(variables, &[]);
    let scenario = scratch.scenario().expect("it is good");
    let masked = Masked::of(&Value::object([("a", "kept".into())])).expect("a value with a JSON");
    let recorded = BTreeMap::from([("x".to_owned(), masked)]);
    let values = Inputs::default().resolve(&scenario, &recorded);
    let expected = Value::object([("a", "kept".into()), ("b", 5.into())]);
    assert_eq!(values.expect("it fits")["x"], expected);
}

#[test]
fn text_is_taken_as_it_is_for_strings_and_as_an_expression_for_all_else() {
    let cases = [
        ("string", "plain", "\"plain\""),
        ("string", "5", "\"5\""),
        (
            "string",
            "\"quoted\" ${not.a.reference}",
            "\"\\\"quoted\\\" ${not.a.reference}\"",
        ),
        ("string", "", "\"\""),
        ("string", "two\nlines", "\"two\\nlines\""),
        ("any", "[1, 2]", "\"[1, 2]\""),
        ("number", "5", "5"),
        ("number", "\"5\"", "5"),
        ("number", " 2 * 3 ", "6"),
        ("number", "null", "null"),
        ("bool", "true", "true"),
        ("list(string)", "[\"a\", 1]", "[\"a\", \"1\"]"),
        ("set(number)", "[2, 1, 2]", "toset([1, 2])"),
        (
            "map(bool)",
            "{ a = true, \"b c\" = \"false\" }",
            "{ a = true, \"b c\" = false }",
        ),
        ("tuple([string, number])", "[\"a\", \"1\"]", "[\"a\", 1]"),
        (
            "object({ a = number, b = optional(string) })",
            "{ a = 1 }",
            "{ a = 1, b = null }",
        ),
        ("list(string)", "[for x in [\"a\"] : upper(x)]", "[\"A\"]"),
    ];
    for (ty, text, expected) in cases {
        let scratch = scratch(&format!("variable \"x\" {{\ntype = {ty}\n}}"), &[]);
        let everywhere = [
            Inputs {
                given: pairs(&[("x", text)]),
                ..Inputs::default()
            },
            Inputs {
                environment: pairs(&[("x", text)]),
                ..Inputs::default()
            },
        ];
        for inputs in everywhere {
            let values = resolve(&scratch, &inputs);
            let values = values.unwrap_or_else(|error| panic!("{ty} {text:?}: {error:?}"));
            assert_eq!(values["x"].to_string(), expected, "{ty} {text:?}");
        }
    }
}
