//! `provider::denobridge::call(path, name, arguments...)`: functions in scripts.
//!
//! Terraform calls functions of a provider that is not configured, at any time and any number of times,
//! and expects the same result each time. So a script that Deno runs has no permissions here.

use tenon_protocols::denobridge::{CallFunction, Diagnostic as Said, FunctionParams};
use tenon_schema::{Function, Parameter};
use tenon_tfplugin::FunctionError;
use tenon_values::{Type, Value};

use crate::bridge::{self, Bridge};
use crate::places;
use crate::script::Script;
use crate::scripts::{Failure, Task};

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
    let arguments = parameter("arguments", Type::Dynamic, "The arguments of the function.");
    Function {
        variadic: Some(Parameter {
            allows_null: true,
            ..arguments
        }),
        summary: "Calls a function in a script.".to_owned(),
        description:
            "Calls a function in a script. The function must return the same result for the \
                      same arguments. A script that Deno runs has no permissions."
                .into(),
        ..Function::new(parameters, Type::Dynamic)
    }
}

pub(crate) async fn call(bridge: &Bridge, given: &[Value]) -> Result<Value, FunctionError> {
    let text = |index: usize| {
        let text = given.get(index).and_then(Value::as_text);
        let text = text.map(|text| text.to_string_lossy().into_owned());
        text.ok_or_else(|| error("a string is required", index))
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
    let answer = answer.map_err(|failure| thrown(failure, given.len()))?;
    let hide = |said: &Said| Said {
        summary: bridge.scripts.secrets.hide(&text_of(said)),
        ..said.clone()
    };
    let (errors, warnings): (Vec<_>, Vec<_>) =
        { answer.diagnostics.iter().map(hide) }.partition(Said::is_error);
    for warning in warnings {
        tracing::warn!(script = launch.name, "{}", warning.summary);
    }
    if !errors.is_empty() {
        return Err(reported(&errors, given.len()));
    }
    let Some(result) = answer.result else {
        let text = format!(
            "{} answered without a result. A function without a result answers {{\"result\": null}}",
            launch.name
        );
        return Err(text.into());
    };
    let value = bridge::from_json(Some(&result), &Value::NULL, "result");
    value.map_err(|wrong| wrong.detail.into())
}

/// A call that the script answered with an error, or did not answer.
fn thrown(failure: Failure, count: usize) -> FunctionError {
    let path = failure.prop_path.unwrap_or_default();
    let detail = failure.diagnostic.detail;
    FunctionError {
        text: match inner_place(&path) {
            Some(place) => places::paragraphs(&detail, &format!("Argument: {place}")),
            None => detail,
        },
        argument: argument(&path, count),
    }
}

/// Errors that the script reported, whose texts are their summaries. Terraform shows them in one text
/// and at one argument: the first that is named.
fn reported(errors: &[Said], count: usize) -> FunctionError {
    let path = |error: &Said| error.prop_path.clone().unwrap_or_default();
    let lines = errors.iter().map(|error| {
        let (text, path) = (error.summary.as_str(), path(error));
        let place = match errors.len() {
            1 => inner_place(&path),
            _ => { path.split_first() }.map(|(root, steps)| places::path_text(root, steps)),
        };
        match place {
            Some(place) => format!("{} (at {place})", text.trim_end_matches('.')),
            None => text.to_owned(),
        }
    });
    FunctionError {
        text: lines.collect::<Vec<_>>().join("\n"),
        argument: { errors.iter() }.find_map(|error| argument(&path(error), count)),
    }
}

/// How many arguments come before those of the function in the script.
const FIXED: usize = 2;

fn error(text: impl Into<String>, argument: usize) -> FunctionError {
    FunctionError {
        text: text.into(),
        argument: Some(argument),
    }
}

fn text_of(said: &Said) -> String {
    match (said.summary.as_str(), said.detail.as_str()) {
        (summary, "") => summary.to_owned(),
        ("", detail) => detail.to_owned(),
        (summary, detail) => format!("{summary}: {detail}"),
    }
}

/// The argument that a path leads to.
fn argument(path: &[String], count: usize) -> Option<usize> {
    match path {
        [root, index, ..] if root == "arguments" => {
            let index = index.parse::<usize>().ok()?.checked_add(FIXED)?;
            (index < count).then_some(index)
        }
        [root, ..] if root == "name" => Some(1),
        _ => None,
    }
}

/// Where a path leads inside an argument, which Terraform cannot show.
fn inner_place(path: &[String]) -> Option<String> {
    match path {
        [root, steps @ ..] if root == "arguments" && steps.len() > 1 => {
            Some(places::path_text(root, steps))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_of(steps: &[&str]) -> Vec<String> {
        steps.iter().map(|step| (*step).to_owned()).collect()
    }

    #[test]
    fn an_error_is_shown_at_its_argument() {
        let at = |path: &[&str]| argument(&path_of(path), 4);
        assert_eq!(at(&["arguments", "0"]), Some(2));
        assert_eq!(at(&["arguments", "1", "name"]), Some(3));
        assert_eq!(at(&["arguments", "2"]), None);
        assert_eq!(at(&["name"]), Some(1));
        assert_eq!(at(&["arguments"]), None);
        assert_eq!(at(&[]), None);
    }

    #[test]
    fn what_is_inside_an_argument_is_named() {
        let at = |path: &[&str]| inner_place(&path_of(path));
        let expected = Some("arguments[1].name".to_owned());
        assert_eq!(at(&["arguments", "1", "name"]), expected);
        assert_eq!(at(&["arguments", "1"]), None);
        assert_eq!(at(&["name"]), None);
    }

    #[test]
    fn a_problem_is_one_line() {
        assert_eq!(text_of(&Said::error("no", "")), "no");
        assert_eq!(text_of(&Said::error("no", "why")), "no: why");
    }
}
