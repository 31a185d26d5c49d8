//! Functions whose names are known only at run time, such as those of plugins.

use tenon_hcl::{
    Context, Diagnostic, Function, FunctionError, Functions, Parameter, Source, Style,
    parse_expression,
};
use tenon_values::{Type, Value};

/// What a plugin says about a function of its own.
const SCHEMA: &str = r#"{
    "name": "repeat", "description": "The text so many times.", "returns": "string",
    "parameters": [{"name": "text", "type": "string"}, {"name": "times", "type": "number"}]
}"#;

/// The function that a schema describes, with a body that stands in for a call of the plugin.
fn described(schema: &str) -> Function {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let ty = |value: &serde_json::Value| text(value).parse::<Type>().unwrap();
    let parameters = schema["parameters"].as_array().unwrap().iter();
    let parameters = parameters.map(|one| Parameter::new(text(&one["name"]), ty(&one["type"])));
    Function::new(text(&schema["name"]), parameters)
        .describe(text(&schema["description"]))
        .gives(ty(&schema["returns"]), |arguments| {
            let times = usize::try_from(arguments.whole(1)?);
            let times = times.map_err(|_| FunctionError::new("it cannot be negative").at(1))?;
            Ok(Value::from(arguments.text(0)?.repeat(times)))
        })
}

fn functions() -> Functions {
    Functions::standard(None).with_provider("words", [described(SCHEMA)])
}

fn evaluate(functions: &Functions, text: &str) -> Result<Value, Vec<Diagnostic>> {
    let expression =
        parse_expression(&Source::new("main.hcl", text)).map_err(|error| vec![error])?;
    let context = Context {
        functions,
        ..Context::constant(false)
    };
    expression.evaluate(&context)
}

#[test]
fn functions_of_providers_are_called_by_their_full_names() {
    let functions = functions();
    let value = |text: &str| evaluate(&functions, text).unwrap();
    assert_eq!(value(r#"provider::words::repeat("ab", 2)"#), "abab".into());
    assert_eq!(
        value(r#"upper(provider::words::repeat("ab", "2"))"#),
        "ABAB".into()
    );
    assert_eq!(
        value(r#"can(provider::words::repeat("ab", -1))"#),
        Value::FALSE
    );
    assert_eq!(value(r#"core::upper("a")"#), "A".into());
    let function = functions.get("provider::words::repeat").unwrap();
    assert_eq!(function.description(), "The text so many times.");
    assert_eq!(function.parameter(1).map(Parameter::name), Some("times"));
    assert!(functions.get("core::provider::words::repeat").is_none());
}

#[test]
fn mistakes_in_calls_of_provider_functions_are_reported() {
    let functions = functions();
    let calls = [
        r#"provider::words::repeat("ab")"#,
        r#"provider::words::repeat("ab", "x")"#,
        r#"provider::words::repeat("ab", -1)"#,
        r#"provider::words::repaet("ab", 1)"#,
        r#"provider::wrods::repeat("ab", 1)"#,
        r#"repeat("ab", 1)"#,
        r#"core::uper("ab")"#,
        r#"bcrypt("pa55")"#,
        r#"core::rsadecrypt("a", "b")"#,
    ];
    let mut shown = String::new();
    for call in calls {
        for error in evaluate(&functions, call).unwrap_err() {
            shown += &error.render(Style::Plain);
            shown += "\n\n";
        }
    }
    insta::assert_snapshot!(shown);
    let errors = evaluate(&Functions::standard(None), "provider::words::repeat()").unwrap_err();
    let help = "no functions of providers are available here";
    assert_eq!(errors[0].help.as_deref(), Some(help));
}

/// A function that Terraform gets is noticed when `data/functions.py` is run with a newer one.
#[test]
fn every_function_of_terraform_is_there_or_left_out_on_purpose() {
    let names = std::fs::read_to_string(crate::data().join("names.txt")).unwrap();
    assert!(names.lines().count() > 110);
    let functions = Functions::standard(None);
    for name in names.lines() {
        let special = ["can", "convert", "templatefile", "templatestring", "try"];
        if functions.get(name).is_some() || special.contains(&name) {
            continue;
        }
        let errors = evaluate(&functions, &format!("{name}()")).unwrap_err();
        let help = errors[0].help.as_deref().unwrap_or_default();
        let beginning = format!("`{name}` is not supported");
        assert!(help.starts_with(&beginning), "{name}: {help}");
    }
}

#[test]
fn the_words_of_a_type_are_not_references() {
    let text = "convert(var.a, object({ b = optional(string, \"x\") }))";
    let expression = parse_expression(&Source::new("main.hcl", text)).unwrap();
    let references = expression.references();
    let roots: Vec<&str> = references.iter().map(|(one, _)| one.root).collect();
    assert_eq!(roots, ["var"]);
}
