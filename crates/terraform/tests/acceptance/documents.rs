//! JSON documents of all kinds as props and as state: they are returned unchanged, and the next plan is
//! empty.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::trial::trial;
use crate::workspace::Workspace;

/// Documents as people write them in a configuration.
const WRITTEN: [(&str, &str); 41] = [
    ("null", "null"),
    ("true", "true"),
    ("empty_text", r#""""#),
    ("text", r#""hello""#),
    ("zero", "0"),
    ("negative_zero", "-0"),
    ("tenth", "0.1"),
    ("sum_of_tenths", "0.1 + 0.2"),
    ("third", "1 / 3"),
    ("half", "0.5"),
    ("negative_fraction", "-1.75"),
    ("tiny", "1e-300"),
    ("below_doubles", "1e-400"),
    ("large", "1e300"),
    ("above_doubles", "1e400"),
    ("two_to_53_and_one", "9007199254740993"),
    ("two_to_63", "9223372036854775808"),
    ("two_to_64", "18446744073709551616"),
    ("least_of_64_bits", "-9223372036854775808"),
    ("many_digits", "123456789012345678901234567890.123456789"),
    ("empty_list", "[]"),
    ("empty_object", "{}"),
    ("nested_empties", "[[], {}, [[]], [{}], { a = [], b = {} }]"),
    ("mixed_list", r#"[1, "two", true, null, [3], { four = 4 }]"#),
    (
        "objects_that_differ",
        r#"[{ a = 1 }, { a = "1" }, { b = [] }, {}]"#,
    ),
    ("null_and_not", "[{ a = null }, { a = 1 }]"),
    ("list_of_nulls", "[null, null]"),
    ("null_in_object", "{ a = null, b = { c = null } }"),
    ("composed", r#""caf\u00e9""#),
    ("decomposed", r#""cafe\u0301""#),
    ("emoji", r#"{ "👩‍👩‍👧" = "🇨🇭" }"#),
    (
        "dotted_keys",
        r#"{ "a.b" = 1, "a" = { "b" = 2 }, "a[0]" = 3 }"#,
    ),
    (
        "quoted_keys",
        r#"{ "\"" = 1, "\\" = 2, "" = 3, " " = 4, "\n" = 5 }"#,
    ),
    ("templates", r#""$${not} %%{any}""#),
    ("controls", r#""\u0000\u0001\t\r\n\u007f\u2028""#),
    ("markup", r#""<a href='&'>""#),
    ("set", r#"toset(["b", "a", "c"])"#),
    ("set_of_objects", "toset([{ a = 1 }, { a = 2 }])"),
    ("map", "tomap({ b = 1, a = 2 })"),
    (
        "list",
        r#"{ deep = tolist(["a", "b"]), empty = tolist([]), of = tomap({ x = toset([1.5]) }) }"#,
    ),
    ("deep", DEEP),
];

const DEEP: &str =
    "[[[[[[[[[[{ a = [[[[[[[[[[{ b = [[[[[[[[[[null]]]]]]]]]] }]]]]]]]]]] }]]]]]]]]]]";

/// Documents as scripts write them, in forms that Terraform never produces.
const ANSWERED: [(&str, &str); 29] = [
    ("null", "null"),
    ("text", r#""a""#),
    ("list", "[]"),
    ("mixed", r#"[1, "1", true, null, [], {}]"#),
    ("spaces", " { \"a\" :\t[ 1 , 2 ] } "),
    ("exponent", "[1E3, 1e+3, 1000, 1000.0, 100e1]"),
    ("zeroes", "[0, -0, 0.0, -0.0, 0e9]"),
    ("tenth", "[0.1, 0.10, 1e-1]"),
    ("long_fraction", "0.30000000000000004"),
    ("double", "1.7976931348623157e308"),
    ("over_double", "1e400"),
    ("under_double", "4.9e-400"),
    ("two_to_63", "9223372036854775808"),
    ("big", "123456789012345678901234567890"),
    ("decomposed", "\"cafe\u{301}\""),
    ("escaped", r#""\u0063\u0061\u0066\u00e9 \ud83d\ude00 \/""#),
    ("half_a_pair", r#""\ud83d""#),
    ("null_character", r#""\u0000""#),
    ("decomposed_key", "{\"cafe\u{301}\": 1}"),
    ("same_key_twice", r#"{"a": 1, "a": 2}"#),
    ("odd_keys", r#"{"": 1, ".": 2, "\"": 3, "a b": 4, "😀": 5}"#),
    (
        "records",
        r#"[{"a": 1}, {"a": null}, {"a": [1]}, {"b": "x"}]"#,
    ),
    ("type_and_value", r#"{"type": "string", "value": 5}"#),
    // Lists of elements without a type.
    ("nulls", "[null, null]"),
    ("lists_of_nothing", "[[], [null], []]"),
    ("lists_in_records", r#"[{"a": []}, {"a": []}]"#),
    ("nulls_in_records", r#"[{"a": null}, null, {"a": null}]"#),
    (
        "records_that_fill",
        r#"[{"a": null, "b": []}, {"a": 1, "b": ["x"]}]"#,
    ),
    (
        "deep",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[{\"a\": [[[[[[[[[[[[[[[[[[[[[[null]]]]]]]]]]]]]]]]]]]]]]}]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    ),
];

fn configuration() -> String {
    let mut text = String::from("locals {\n  written = {\n");
    for (name, document) in WRITTEN {
        let _never_fails = writeln!(text, "    {name} = {document}");
    }
    text.push_str("  }\n  answered = {\n");
    for (name, document) in ANSWERED {
        let quoted = Value::from(document).to_string();
        let _never_fails = writeln!(text, "    {name} = {quoted}");
    }
    text.push_str("  }\n}\n");
    text.push_str(
        r#"
resource "denobridge_resource" "written" {
  for_each = local.written
  path     = "./echo.py"
  props    = { name = "written-${each.key}", document = each.value }
}

resource "denobridge_resource" "answered" {
  for_each = local.answered
  path     = "./echo.py"
  props    = { name = "answered-${each.key}", json = each.value }
}

output "changed" {
  value = [
    for name, resource in denobridge_resource.written : {
      name = name
      was  = jsonencode(local.written[name])
      is   = jsonencode(resource.state)
    } if jsonencode(resource.state) != replace(jsonencode(local.written[name]), "/^-0$/", "0")
  ]
}

output "states" {
  value = {
    for name, resource in denobridge_resource.answered : name => resource.state
    if !contains(["double", "over_double", "under_double"], name)
  }
}
"#,
    );
    text
}

/// An output. The state file cannot be read here: it has numbers that serde_json cannot represent.
fn output(workspace: &Workspace, name: &str) -> Value {
    let outcome = workspace.run(&format!("output -json {name}")).succeeds();
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

#[test]
fn no_document_makes_a_perpetual_difference() {
    trial(&[], |workspace| {
        workspace.configure(&configuration());
        workspace.apply();
        assert_eq!(output(workspace, "changed"), json!([]));
        let states = output(workspace, "states");
        assert_eq!(states["exponent"], json!([1000, 1000, 1000, 1000, 1000]));
        assert_eq!(states["tenth"], json!([0.1, 0.1, 0.1]));
        assert_eq!(states["mixed"], json!([1, "1", true, null, [], {}]));
        assert_eq!(states["decomposed"], "café");
        assert_eq!(states["escaped"], "café 😀 /");
        assert_eq!(
            states["records"],
            json!([{ "a": 1 }, { "a": null }, { "a": [1] }, { "b": "x" }])
        );
        assert_eq!(
            states["type_and_value"],
            json!({ "type": "string", "value": 5 })
        );
        workspace.assert_nothing_to_do();
        // Again, after everything has been refreshed.
        workspace
            .run("apply -refresh-only -auto-approve")
            .succeeds();
        assert_eq!(output(workspace, "changed"), json!([]));
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}
