//! Errors do not give away what is marked.

use std::collections::BTreeMap;

use tenon_hcl::{Context, Functions, Source, Style, parse_expression};
use tenon_values::Value;

use crate::expression::evaluate;

/// Calls that fail on a text, with the text in the place of `SECRET`.
const FAILING: &[&str] = &[
    "parseint(SECRET, 10)",
    "tonumber(SECRET)",
    "tobool(SECRET)",
    "regex(SECRET, \"a\")",
    "regexall(SECRET, \"a\")",
    "replace(\"a\", SECRET, \"b\")",
    "format(SECRET)",
    "format(\"%d\", SECRET)",
    "format(\"%z\", SECRET)",
    "formatlist(\"%d\", [SECRET])",
    "abs(SECRET)",
    "sum([SECRET])",
    "lookup({a = 1}, SECRET)",
    "lookup(tomap({a = 1}), SECRET)",
    "base64decode(SECRET)",
    "textdecodebase64(SECRET, \"UTF-8\")",
    "textencodebase64(\"a\", SECRET)",
    "jsondecode(SECRET)",
    "yamldecode(format(\"[%s\", SECRET))",
    "csvdecode(SECRET)",
    "uuidv5(SECRET, \"a\")",
    "formatdate(SECRET, \"2018-01-02T03:02:01Z\")",
    "formatdate(\"YYYY\", SECRET)",
    "timeadd(SECRET, \"1h\")",
    "timeadd(\"2018-01-02T03:02:01Z\", SECRET)",
    "timecmp(SECRET, SECRET)",
    "file(SECRET)",
    "filemd5(SECRET)",
    "filebase64(SECRET)",
    "fileset(\".\", SECRET)",
    "cidrhost(SECRET, 1)",
    "cidrsubnet(SECRET, 1, 1)",
    "cidrsubnets(SECRET, 1)",
    "cidrnetmask(SECRET)",
    "index([\"a\"], SECRET)",
];

#[test]
fn secrets_stay_out_of_errors() {
    let folder = tempfile::tempdir().unwrap();
    let functions = Functions::standard(Some(folder.path()));
    // Malformed as a pattern, a format, a file name, CSV, a date and everything else.
    let text = "\"hunter2 %y [(/'\\\"\\nhunter2\\\"\"";
    let replace_text = "\"/hunter2(/\"";
    let mut quoting = 0;
    for call in FAILING {
        let text = if call.starts_with("replace") {
            replace_text
        } else {
            text
        };
        let open = evaluate(&functions, &call.replace("SECRET", text));
        let open = open.expect_err(call).to_string();
        quoting += usize::from(open.contains("hunter2"));
        let hidden = evaluate(
            &functions,
            &call.replace("SECRET", &format!("sensitive({text})")),
        );
        let hidden = hidden.expect_err(call).to_string();
        assert!(!hidden.contains("hunter"), "{call}: {hidden}");
        assert!(hidden.len() > 10, "{call}: {hidden}");
    }
    // Where it is no secret, most errors show what is wrong.
    assert!(quoting > 20, "{quoting}");
}

#[test]
fn keys_of_a_secret_are_secret_too() {
    let functions = Functions::standard(None);
    let hidden = Value::object([("hunter2", Value::object([("a", Value::from(1))]))]).sensitive();
    for name in [
        "transpose",
        "sum",
        "jsondecode",
        "tonumber",
        "format",
        "sort",
    ] {
        let error = functions
            .get(name)
            .unwrap()
            .call(std::slice::from_ref(&hidden))
            .unwrap_err();
        assert!(!error.to_string().contains("hunter"), "{name}: {error}");
        assert!(error.to_string().contains("required"), "{name}: {error}");
    }
    let format = functions.get("format").unwrap();
    let error = format.call(&[Value::from("%d"), hidden]).unwrap_err();
    assert_eq!(error.message, "values: a value cannot be written as %d");
}

#[test]
fn errors_in_a_sensitive_template_do_not_show_it() {
    let loop_of_loops = "%{ for a in range(1000) }%{ for b in range(1000) }\
                         %{ for c in range(1000) }hunter2%{ endfor }%{ endfor }%{ endfor }";
    for template in [
        "hunter2 ${",
        "${hunter2}",
        "${[\"hunter2\"]}",
        loop_of_loops,
    ] {
        let scope = BTreeMap::from([("secret".to_owned(), Value::from(template).sensitive())]);
        let source = Source::new("main.hcl", "templatestring(secret, {})");
        let context = Context {
            scope: &scope,
            ..Context::constant(false)
        };
        let errors = parse_expression(&source)
            .unwrap()
            .evaluate(&context)
            .unwrap_err();
        for error in &errors {
            let shown = error.render(Style::Plain);
            assert!(!shown.contains("hunter"), "{template}: {shown}");
            assert!(shown.contains("templatestring(secret, {})"), "{shown}");
        }
    }
}
