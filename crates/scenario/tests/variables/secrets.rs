//! Secrets: marked wherever they come from, and in no error.

use std::collections::BTreeMap;

use tenon_scenario::{Inputs, Masked};
use tenon_values::Value;

use super::{pairs, resolve, scratch};

#[test]
fn a_secret_is_not_in_a_record_so_it_has_to_be_given_again() {
    let scratch = scratch("variable \"pin\" {\nsensitive = true\n}", &[]);
    let scenario = scratch.scenario().expect("it is good");
    let secret = Value::string("hunter2").sensitive();
    let masked = Masked::of(&secret).expect("a value with a JSON");
    let recorded = BTreeMap::from([("pin".to_owned(), masked)]);
    let missing = Inputs::default().resolve(&scenario, &recorded);
    let missing = missing.expect_err("it has no value");
    assert_eq!(missing[0].summary, "the variable \"pin\" has no value");
    let inputs = Inputs {
        given: pairs(&[("pin", "hunter2")]),
        ..Inputs::default()
    };
    let values = inputs.resolve(&scenario, &recorded).expect("it is given");
    assert!(values["pin"].is_sensitive());
}

#[test]
fn a_recorded_value_becomes_a_secret_once_the_scenario_says_so() {
    let scratch = scratch("variable \"pin\" {\nsensitive = true\n}", &[]);
    let scenario = scratch.scenario().expect("it is good");
    let masked = Masked::of(&Value::string("hunter2")).expect("a value with a JSON");
    let recorded = BTreeMap::from([("pin".to_owned(), masked)]);
    let values = Inputs::default().resolve(&scenario, &recorded);
    assert!(values.expect("it has a value")["pin"].is_sensitive());
}

#[test]
fn secrets_are_marked_wherever_they_come_from() {
    let variables = "
        variable \"default\" {
          default   = \"hunter2\"
          sensitive = true
        }
        variable \"given\" {
          sensitive = true
        }
        variable \"environment\" {
          sensitive = true
        }
        variable \"file\" {
          type      = list(string)
          sensitive = true
        }
        variable \"plain\" {}";
    let files = [(
        "values.json",
        "{ \"file\": [\"hunter2\"], \"plain\": \"shown\" }",
    )];
    let scratch = scratch(variables, &files);
    let inputs = Inputs {
        given: pairs(&[("given", "hunter2")]),
        environment: pairs(&[("environment", "hunter2")]),
        files: vec![scratch.path("values.json")],
        ..Inputs::default()
    };
    let values = resolve(&scratch, &inputs).expect("all are good");
    for (name, value) in &values {
        assert_eq!(value.is_sensitive(), name != "plain", "{name}");
        assert!(!value.to_string().contains("hunter2"), "{name}");
    }
}

/// Every form that a wrong secret can have, in every file and every text: nothing that is said about
/// it, for people or for tools, has it in it.
#[test]
fn errors_do_not_show_secrets_that_do_not_fit() {
    let types = [
        "number",
        "bool",
        "list(number)",
        "set(bool)",
        "map(number)",
        "tuple([number])",
        "object({ pin = number })",
        "object({ other = number })",
    ];
    let texts = [
        "hunter2",
        "\"hunter2\"",
        "[\"hunter2\"]",
        "{ pin = \"hunter2\" }",
        "{ \"hunter2\" = 1, other = \"hunter2\" }",
        "\"hunter2",
        "upper(\"hunter2\", 1)",
        "hunter2(1)",
        "\"hunter2\" + 1",
        "{ a = 1 }[\"hunter2\"]",
        "[1][\"hunter2\"]",
        "1 hunter2",
        "<<END\nhunter2",
    ];
    let mut wrong = 0;
    for ty in types {
        for text in texts {
            let hcl = format!("pin = {text}\n");
            let json = format!("{{ \"pin\": {text} }}");
            let yaml = format!("pin: {text}\n");
            let files = [
                ("values.hcl", hcl.as_str()),
                ("values.json", json.as_str()),
                ("values.yaml", yaml.as_str()),
            ];
            let variable = format!("variable \"pin\" {{\ntype = {ty}\nsensitive = true\n}}");
            let scratch = scratch(&variable, &files);
            let mut all = vec![
                Inputs {
                    given: pairs(&[("pin", text)]),
                    ..Inputs::default()
                },
                Inputs {
                    environment: pairs(&[("pin", text)]),
                    ..Inputs::default()
                },
            ];
            all.extend(files.iter().map(|(name, _)| Inputs {
                files: vec![scratch.path(name)],
                ..Inputs::default()
            }));
            for inputs in all {
                let Err(problems) = resolve(&scratch, &inputs) else {
                    continue;
                };
                wrong += 1;
                let mut told = scratch.shown(&problems);
                for problem in &problems {
                    let json = serde_json::to_string(problem).expect("problems have a JSON");
                    told.push_str(&format!("{problem}\n{problem:?}\n{json}\n"));
                }
                assert!(
                    !told.contains("hunter2"),
                    "{ty} {inputs:?} {text:?}:\n{told}"
                );
            }
        }
    }
    assert!(
        wrong > 400,
        "nearly all of them are wrong, but only {wrong} are"
    );
}
