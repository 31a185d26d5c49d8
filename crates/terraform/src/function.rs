//! `provider::denobridge::call(path, name, arguments...)`: functions in scripts.
//!
//! Terraform calls functions of a provider that is not configured, at any time and as often as it
//! likes, and expects the same answer each time. So a script that Deno runs has no
//! permissions here.

use tenon_protocols::denobridge::{CallFunction, Diagnostic as Said, FunctionParams};
use tenon_schema::{Function, Parameter};
use tenon_tfplugin::FunctionError;
use tenon_values::{Type, Value};

use crate::bridge::{self, Bridge};
use crate::places;
use crate::script::Script;
use crate::scripts::Task;

/// The one function there is.
pub(crate) const NAME: &str = "call";

pub(crate) fn schema() -> Function {
    let parameter = |name: &str, ty: Type, description: &str| Parameter {
        description: description.into(),
        ..Parameter::new(name, ty)
    };
    let parameters = [
        parameter("path", Type::String, "Path to the script."),
        parameter("name", Type::String, "The function in the script."),
    ];
    let arguments = parameter("arguments", Type::Dynamic, "What the function is given.");
    Function {
        variadic: Some(Parameter {
            allows_null: true,
            ..arguments
        }),
        summary: "Calls a function in a script.".to_owned(),
        description: "Calls a function in a script, which answers the same to the same arguments. \
                      A script that Deno runs has no permissions."
            .into(),
        ..Function::new(parameters, Type::Dynamic)
    }
}

pub(crate) async fn call(bridge: &Bridge, given: &[Value]) -> Result<Value, FunctionError> {
    let text = |index: usize| {
        let text = given.get(index).and_then(Value::as_text);
        let text = text.map(|text| text.to_string_lossy().into_owned());
        text.ok_or_else(|| error("a text is required", index))
    };
    let script = Script {
        path: Some(text(0)?),
        ..Script::default()
    };
    let launch = { bridge.launch_script(&script) }.map_err(|wrong| error(wrong.detail, 0))?;
    let mut arguments = Vec::new();
    for (index, value) in given.iter().enumerate().skip(FIXED) {
        arguments.push(bridge::to_json(value).map_err(|wrong| error(wrong.detail, index))?);
    }
    let params = FunctionParams {
        name: text(1)?,
        arguments,
    };
    let task = Task::reading(CallFunction, "call function");
    let answer = bridge.scripts.call(&launch, task, params).await;
    let answer = answer.map_err(|failure| failure.diagnostic.detail)?;
    if let Some(wrong) = answer.diagnostics.iter().find(|said| said.is_error()) {
        let text = bridge.scripts.secrets.hide(&said(wrong));
        let text = match inner_place(wrong) {
            Some(place) => format!("{} (at {place})", text.trim_end_matches('.')),
            None => text,
        };
        return Err(FunctionError {
            text,
            argument: place(wrong, given.len()),
        });
    }
    for warning in &answer.diagnostics {
        let text = bridge.scripts.secrets.hide(&said(warning));
        tracing::warn!(script = launch.name, "{text}");
    }
    let value = bridge::from_json(answer.result.as_ref(), &Value::NULL, "result");
    value.map_err(|wrong| wrong.detail.into())
}

/// How many arguments come before those of the function in the script.
const FIXED: usize = 2;

fn error(text: impl Into<String>, argument: usize) -> FunctionError {
    FunctionError {
        text: text.into(),
        argument: Some(argument),
    }
}

fn said(said: &Said) -> String {
    match (said.summary.as_str(), said.detail.as_str()) {
        (summary, "") => summary.to_owned(),
        ("", detail) => detail.to_owned(),
        (summary, detail) => format!("{summary}: {detail}"),
    }
}

/// The argument that an error is about.
fn place(said: &Said, count: usize) -> Option<usize> {
    match said.prop_path.as_deref()? {
        [root, index, ..] if root == "arguments" => {
            let index = index.parse::<usize>().ok()?.checked_add(FIXED)?;
            (index < count).then_some(index)
        }
        [root, ..] if root == "name" => Some(1),
        _ => None,
    }
}

/// What an error is about inside an argument, which Terraform cannot show.
fn inner_place(said: &Said) -> Option<String> {
    match said.prop_path.as_deref()? {
        [root, steps @ ..] if root == "arguments" && steps.len() > 1 => {
            Some(places::path_text(root, steps))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_shown_at_its_argument() {
        let at = |path: &[&str]| place(&Said::error("s", "d").at(path.iter().copied()), 4);
        assert_eq!(at(&["arguments", "0"]), Some(2));
        assert_eq!(at(&["arguments", "1", "name"]), Some(3));
        assert_eq!(at(&["arguments", "2"]), None);
        assert_eq!(at(&["name"]), Some(1));
        assert_eq!(at(&["arguments"]), None);
        assert_eq!(place(&Said::error("s", "d"), 4), None);
    }

    #[test]
    fn what_is_inside_an_argument_is_named() {
        let at = |path: &[&str]| inner_place(&Said::error("s", "d").at(path.iter().copied()));
        let expected = Some("arguments[1].name".to_owned());
        assert_eq!(at(&["arguments", "1", "name"]), expected);
        assert_eq!(at(&["arguments", "1"]), None);
        assert_eq!(at(&["name"]), None);
    }

    #[test]
    fn a_problem_is_one_line() {
        assert_eq!(said(&Said::error("no", "")), "no");
        assert_eq!(said(&Said::error("no", "why")), "no: why");
    }
}
