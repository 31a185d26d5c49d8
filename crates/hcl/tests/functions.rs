//! The functions against what Terraform says, and where they differ on purpose.

#[path = "functions/calls.rs"]
mod calls;
#[path = "functions/expression.rs"]
mod expression;
#[path = "functions/files.rs"]
mod files;
#[path = "functions/limits.rs"]
mod limits;
#[path = "functions/providers.rs"]
mod providers;
#[path = "functions/secrets.rs"]
mod secrets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use expression::evaluate;
use serde::Deserialize;
use serde_json::value::RawValue;
use tenon_hcl::{FunctionError, Functions};
use tenon_values::{Step, Type, Value, json};

/// What Terraform makes of an expression, see `data/functions.py`.
#[derive(Deserialize)]
struct Case<'a> {
    expression: String,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow, rename = "type")]
    ty: Option<&'a RawValue>,
    #[serde(default)]
    unknown: Vec<String>,
    #[serde(default)]
    sensitive: Vec<String>,
    error: Option<String>,
}

/// Where the result is another on purpose: the expression, what it is here, and why.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    (
        r#"cidrhost("::ffff:192.168.0.0/112", 5)"#,
        r#""::ffff:192.168.0.5" of type string, unknown at [], sensitive at []"#,
        "Terraform takes the address for an IPv4 one and puts the host into the wrong bits",
    ),
    (
        r#"cidrsubnet("10.1.2.0/24", -1, 0)"#,
        "an error",
        "Terraform gives a larger network whose address has bits of a host",
    ),
    (
        r#"cidrsubnet("10.1.2.0/24", 4, -1)"#,
        "an error",
        "Terraform gives a network outside of the one it is asked to divide",
    ),
    (
        r#"format("%99999999999999999999d", 1)"#,
        "an error",
        "Terraform shows Go's complaint about the format as the result",
    ),
    (
        r#"cidrsubnets("0.0.0.0/0", 8)"#,
        r#"["0.0.0.0/8"] of type list(string), unknown at [], sensitive at []"#,
        "Terraform finds no room in the network of all addresses",
    ),
    (
        r#"zipmap([tostring(local.unknown), sensitive("b")], [])"#,
        r#"null of type any, unknown at [""], sensitive at [""]"#,
        "Terraform loses the mark where the result is unknown",
    ),
    (
        r#"setproduct(split(",", tostring(local.unknown)), tolist([sensitive("b")]))"#,
        r#"null of type list(tuple([string, string])), unknown at [""], sensitive at [""]"#,
        "Terraform loses the mark where the result is unknown",
    ),
    (
        r#"chunklist(toset([tostring(local.unknown), sensitive("b")]), 3)"#,
        r#"null of type list(list(string)), unknown at [""], sensitive at [""]"#,
        "Terraform loses the mark where the result is unknown",
    ),
    (
        r#"yamldecode("%YAML 1.2\n---\na: 1\n")"#,
        r#"{"a":1} of type object({ a = number }), unknown at [], sensitive at []"#,
        "Terraform refuses documents that say they are of YAML 1.2",
    ),
    (
        r#"yamldecode("%YAML 1.3\n---\na\n")"#,
        r#""a" of type string, unknown at [], sensitive at []"#,
        "a later minor version is to be read as well as can be, as YAML 1.2 says",
    ),
    (
        r#"yamldecode("a: \"b\n\tc\"")"#,
        "an error",
        "YAML 1.2 requires spaces before the lines of a quoted string in a mapping",
    ),
    (
        r#"yamldecode("a: \"\\ud83d\\ude00\"")"#,
        r#"{"a":"😀"} of type object({ a = string }), unknown at [], sensitive at []"#,
        "JSON writes characters past U+FFFF like this, and JSON is YAML 1.2",
    ),
    (
        r#"yamldecode("a: \"\\U0001F600\\e\\0\\_\\L\\/\"")"#,
        "{\"a\":\"😀\\u001b\\u0000\u{a0}\\u2028/\"} of type object({ a = string }), unknown at [], sensitive at []",
        "YAML 1.2 has the escape `\\/`",
    ),
    (
        r#"yamldecode("\"a\\\\b\\\"c\\/\"")"#,
        r#""a\\b\"c/" of type string, unknown at [], sensitive at []"#,
        "YAML 1.2 has the escape `\\/`",
    ),
    (
        r#"yamldecode("a\u0085b: 1")"#,
        "{\"a\u{85}b\":1} of type object({ \"a\\u0085b\" = number }), unknown at [], sensitive at []",
        "only CR and LF end a line in YAML 1.2",
    ),
    (
        r#"yamldecode("a: \u2028b\n")"#,
        r#"{"a":"\u2028b"} of type object({ a = string }), unknown at [], sensitive at []"#,
        "only CR and LF end a line in YAML 1.2",
    ),
    (
        r#"yamldecode("[:a]")"#,
        r#"[":a"] of type tuple([string]), unknown at [], sensitive at []"#,
        "YAML 1.2 allows a colon at the beginning of a plain text",
    ),
    (
        r#"yamldecode("a: |\nb: 1\n")"#,
        r#"{"a":"","b":1} of type object({ a = string, b = number }), unknown at [], sensitive at []"#,
        "an empty block of text is empty text",
    ),
];

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// A result, as the cases say it.
fn shown(result: Result<Value, FunctionError>) -> String {
    let value = match result {
        Ok(value) => value,
        Err(error) => return format!("an error: {error}"),
    };
    let places = |is_there: fn(&Value) -> bool| {
        let mut places = Vec::new();
        value.walk(&mut |path, value| {
            if is_there(value) {
                let steps = path.steps().iter().map(|step| match step {
                    Step::Index(index) | Step::Element(index) => format!("/{index}"),
                    Step::Key(key) => format!("/{key}"),
                    Step::Attribute(name) => format!("/{name}"),
                });
                places.push(steps.collect::<String>());
            }
            // What is inside a secret is one anyway.
            !value.is_sensitive() || !is_there(value)
        });
        places
    };
    let unknown = places(|value| !value.is_known());
    let sensitive = places(Value::is_sensitive);
    let bare = value.unmark_deep().0.unknown_as_null();
    let result = json::encode(&bare, &value.ty()).expect("results are JSON");
    format!(
        "{result} of type {}, unknown at {unknown:?}, sensitive at {sensitive:?}",
        value.ty()
    )
}

/// What the case says.
fn expected(case: &Case) -> String {
    if case.error.is_some() {
        return "an error".to_owned();
    }
    // serde takes a null result for a missing one.
    let result = case.result.map_or("null", RawValue::get);
    let ty = case.ty.expect("results have types");
    let ty = Type::from_json(ty.get()).expect("a type");
    let value = json::decode(result.as_bytes(), &ty).expect("a value of the type");
    let result = json::encode(&value, &ty).expect("it was JSON");
    format!(
        "{result} of type {ty}, unknown at {:?}, sensitive at {:?}",
        case.unknown, case.sensitive
    )
}

#[test]
fn results_are_terraform_s() {
    let text = std::fs::read_to_string(data().join("functions.json")).unwrap();
    let cases: Vec<Case> = serde_json::from_str(&text).unwrap();
    assert!(cases.len() > 800, "{}", cases.len());
    let functions = Functions::standard(Some(&data().join("files")));
    let mut differences: BTreeMap<&str, &str> = DIFFERENCES
        .iter()
        .map(|(expression, ours, _)| (*expression, *ours))
        .collect();
    let mut failures = Vec::new();
    for case in &cases {
        let ours = shown(evaluate(&functions, &case.expression));
        let wanted = match differences.remove(case.expression.as_str()) {
            Some(wanted) => wanted.to_owned(),
            None => expected(case),
        };
        let is_right = match wanted.as_str() {
            "an error" => ours.starts_with("an error: "),
            wanted => ours == wanted,
        };
        if !is_right {
            let theirs = case.error.as_deref().unwrap_or_default();
            failures.push(format!(
                "{}\n     is {ours}\n not {wanted} {theirs}",
                case.expression
            ));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
    assert!(differences.is_empty(), "no cases: {differences:?}");
}

#[test]
fn every_function_has_cases() {
    let text = std::fs::read_to_string(data().join("functions.txt")).unwrap();
    // Their results differ from call to call, or from machine to machine.
    let apart = ["timestamp", "uuid", "abspath", "pathexpand", "type"];
    for name in Functions::standard(None)
        .names()
        .filter(|name| !apart.contains(name))
    {
        let calls = text
            .lines()
            .filter(|line| line.starts_with(&format!("{name}(")))
            .count();
        assert!(calls >= 4, "{name} has {calls} cases");
    }
}
