//! Files of values: HCL, JSON and YAML.

use tenon_hcl::Limits;
use tenon_scenario::Inputs;
use tenon_values::{Type, Value, convert};

use super::{pairs, problems, resolve, scratch};

#[test]
fn files_in_all_three_formats_give_the_same_values() {
    let variables = "
        variable \"text\" {}
        variable \"number\" {}
        variable \"large\" {
          type = number
        }
        variable \"flag\" {}
        variable \"nothing\" {}
        variable \"names\" {
          type = set(string)
        }
        variable \"size\" {
          type = object({ width = number, unit = optional(string) })
        }
        variable \"mixed\" {}";
    let hcl = "
        text    = \"with \\\"quotes\\\" and ünï\"
        number  = 1.5
        large   = 9007199254740993
        flag    = true
        nothing = null
        names   = [\"b\", \"a\", \"b\"]
        size    = { width = \"3\" }
        mixed   = [1, \"two\", { three = [null, false] }]";
    let json = "{
        \"text\": \"with \\\"quotes\\\" and \\u00fcn\\u00ef\",
        \"number\": 1.5, \"large\": 9007199254740993, \"flag\": true, \"nothing\": null,
        \"names\": [\"b\", \"a\", \"b\"], \"size\": { \"width\": \"3\" },
        \"mixed\": [1, \"two\", { \"three\": [null, false] }] }";
    let yaml = "
text: with \"quotes\" and ünï
number: 1.5
large: 9007199254740993
flag: true
nothing: null
names: [b, a, b]
size:
  width: \"3\"
mixed:
  - 1
  - two
  - three: [null, false]
";
    let files = [
        ("values.hcl", hcl),
        ("values.tfvars", hcl),
        ("values.json", json),
        ("values.yaml", yaml),
        ("values.yml", yaml),
    ];
    let scratch = scratch(variables, &files);
    let read = |name: &str| {
        let inputs = Inputs {
            files: vec![scratch.path(name)],
            ..Inputs::default()
        };
        let values = resolve(&scratch, &inputs);
        values.unwrap_or_else(|error| panic!("{name}: {error:?}"))
    };
    let expected = read("values.hcl");
    assert_eq!(expected.len(), 8);
    assert_eq!(expected["size"].to_string(), "{ unit = null, width = 3 }");
    for (name, _) in files {
        assert_eq!(read(name), expected, "{name}");
    }
}

#[test]
fn numbers_keep_all_their_digits() {
    const DIGITS: &str = "123456789012345678901234567890.5";
    let files = [
        ("values.hcl", format!("x = {DIGITS}")),
        ("values.json", format!("{{ \"x\": {DIGITS} }}")),
        ("values.yaml", format!("x: {DIGITS}\n")),
    ];
    let files: Vec<(&str, &str)> = { files.iter() }
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let scratch = scratch("variable \"x\" {\ntype = number\n}", &files);
    let read = |inputs: Inputs| {
        let values = resolve(&scratch, &inputs).expect("it is a number");
        let text = convert::convert(&values["x"], &Type::String);
        text.expect("numbers have a text").to_string()
    };
    let expected = format!("{DIGITS:?}");
    let given = Inputs {
        given: pairs(&[("x", DIGITS)]),
        ..Inputs::default()
    };
    assert_eq!(read(given), expected);
    let environment = Inputs {
        environment: pairs(&[("x", DIGITS)]),
        ..Inputs::default()
    };
    assert_eq!(read(environment), expected);
    for (name, _) in files {
        let inputs = Inputs {
            files: vec![scratch.path(name)],
            ..Inputs::default()
        };
        assert_eq!(read(inputs), expected, "{name}");
    }
}

#[test]
fn a_yaml_file_that_would_grow_is_refused() {
    let mut laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        laughs.push_str(&format!("a{level}: &a{level} [{before}]\n"));
    }
    let around = "x: &x [*x]\n".to_owned();
    let deep = format!("x: {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let nested = format!("x: {}1\n", "\n".to_owned() + &"- ".repeat(50_000));
    for (name, text) in [
        ("laughs", laughs),
        ("around", around),
        ("deep", deep),
        ("nested", nested),
    ] {
        let scratch = scratch(
            "variable \"x\" {\ndefault = 1\n}",
            &[("values.yaml", &text)],
        );
        let inputs = Inputs {
            files: vec![scratch.path("values.yaml")],
            ..Inputs::default()
        };
        let told = problems(&scratch, &inputs);
        assert!(told.contains("values.yaml"), "{name}: {told}");
        assert!(told.len() < 2000, "{name}: the file is not shown: {told}");
    }
}

#[test]
fn a_json_file_that_is_too_deep_is_refused() {
    let text = format!("{{\"x\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let scratch = scratch("variable \"x\" {}", &[("values.json", &text)]);
    let inputs = Inputs {
        files: vec![scratch.path("values.json")],
        ..Inputs::default()
    };
    let told = problems(&scratch, &inputs);
    assert!(
        told.contains("the JSON is nested more than 256 levels deep"),
        "{told}"
    );
}

#[test]
fn a_file_of_values_that_is_too_large_is_not_read() {
    let text = format!("x = 1\n# {}", "x".repeat(Limits::default().size));
    for name in ["values.hcl", "values.json", "values.yaml"] {
        let scratch = scratch("variable \"x\" {}", &[(name, &text)]);
        let inputs = Inputs {
            files: vec![scratch.path(name)],
            ..Inputs::default()
        };
        let told = problems(&scratch, &inputs);
        assert!(
            told.starts_with(&format!("error: {name} is too large")),
            "{told}"
        );
    }
}

#[test]
fn files_that_are_empty_give_nothing_or_say_so() {
    let cases = [
        ("values.hcl", "", None),
        ("values.hcl", "# nothing\n", None),
        ("values.yaml", "{}\n", None),
        ("values.json", "{}", None),
        ("values.json", "", Some("values.json")),
        ("values.json", "null", Some("values.json")),
        ("values.yaml", "- 1\n", Some("values.yaml")),
        ("values.yaml", "text\n", Some("values.yaml")),
    ];
    for (name, text, problem) in cases {
        let scratch = scratch("variable \"x\" {\ndefault = 1\n}", &[(name, text)]);
        let inputs = Inputs {
            files: vec![scratch.path(name)],
            ..Inputs::default()
        };
        match problem {
            None => {
                let values = resolve(&scratch, &inputs).expect("nothing is wrong");
                assert_eq!(values["x"], Value::from(1), "{name} {text:?}");
            }
            Some(problem) => {
                let told = problems(&scratch, &inputs);
                assert!(told.contains(problem), "{name} {text:?}: {told}");
            }
        }
    }
}

#[test]
fn a_byte_order_mark_is_ignored() {
    let files = [
        ("values.hcl", "\u{feff}x = 1\n"),
        ("values.json", "\u{feff}{\"x\": 1}"),
        ("values.yaml", "\u{feff}x: 1\n"),
    ];
    let scratch = scratch("variable \"x\" {}", &files);
    for (name, _) in files {
        let inputs = Inputs {
            files: vec![scratch.path(name)],
            ..Inputs::default()
        };
        let values = resolve(&scratch, &inputs).expect("the mark means nothing");
        assert_eq!(values["x"], Value::from(1), "{name}");
    }
}

/// What a file would have given is not missing.
#[test]
fn a_file_that_cannot_be_read_is_the_only_problem() {
    let cases = [
        ("values.hcl", "amount = = 1\n"),
        ("values.hcl", "amount = nosuch\n"),
        ("values.hcl", "amonut = 1\n"),
        ("values.json", "{\"amount\": 1"),
        ("values.json", "[1]"),
        ("values.json", "{\"amonut\": 1}"),
        ("values.yaml", "amount: 1\namount: 2\n"),
        ("values.yaml", "amount: [1\n"),
        ("missing.yaml", "amount: 1\n"),
    ];
    for (name, text) in cases {
        let scratch = scratch(
            "variable \"amount\" {}",
            &[("values.hcl", ""), (name, text)],
        );
        let path = match name {
            "missing.yaml" => scratch.path("nowhere.yaml"),
            name => scratch.path(name),
        };
        let inputs = Inputs {
            files: vec![path],
            ..Inputs::default()
        };
        let told = problems(&scratch, &inputs);
        let errors = told.lines().filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{name} {text:?}: {told}");
        assert!(!told.contains("has no value"), "{name} {text:?}: {told}");
        // Names of a library's types are nothing to people.
        assert!(
            !told.contains("Policy") && !told.contains("Options"),
            "{told}"
        );
    }
}
