//! `env`.

use tenon_hcl::{Diagnostic, Expression, Place, Problems};
use tenon_host::Variable;

const FORM: &str = "write `env = [\"NAME\", \"PATTERN_*\", \"NAME=VALUE\"]` or \
                    `env = { NAME = \"VALUE\" }`";

/// The variables of `env = ["AWS_*", "STAGE=test"]` or `env = { STAGE = "test" }`.
pub fn environment(value: &Expression, problems: &mut Problems) -> Vec<Variable> {
    let mut variables = Vec::new();
    let mut add =
        |text: &str, place: Place, problems: &mut Problems| match Variable::parse(text.as_ref()) {
            Ok(variable) => variables.push(variable),
            Err(error) => {
                problems.note(Diagnostic::error(error.to_string()).at(place).help(FORM));
            }
        };
    if let Some(elements) = value.as_tuple() {
        for element in elements {
            if let Some(text) = problems.text(&element, "an environment variable") {
                add(&text, element.place(), problems);
            }
        }
    } else if let Some(entries) = value.as_object() {
        for (name, value) in entries {
            if name.text().contains('=') {
                let diagnostic =
                    Diagnostic::error("the name of an environment variable cannot have `=` in it")
                        .at(name.place());
                problems.note(diagnostic);
            } else if let Some(text) = problems.text(&value, "an environment variable") {
                add(&format!("{}={text}", name.text()), name.place(), problems);
            }
        }
    } else {
        let diagnostic =
            Diagnostic::error("`env` is a list of names, or an object of names and values")
                .at(value.place())
                .help(FORM);
        problems.note(diagnostic);
    }
    variables
}
