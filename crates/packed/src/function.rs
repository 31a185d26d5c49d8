//! Functions.

use tenon_protocols::seasonings::calls::{Argument, CallFunction, blamed_argument};
use tenon_protocols::seasonings::{Diagnostic, Segment};
use tenon_schema::{Function, Parameter};
use tenon_tfplugin::FunctionError;
use tenon_values::Value;
use tenon_values::convert::convert;

use crate::offered::Offered;
use crate::plugin::{Kind, Plugin, Task};

pub(crate) async fn call(
    plugin: &Plugin,
    offered: &Offered,
    name: &str,
    given: Vec<Value>,
) -> Result<Value, FunctionError> {
    let Some(function) = offered.plugin.functions.get(name) else {
        return Err(format!("the plugin has no function {name:?}").into());
    };
    let arguments = match arguments(function, given)? {
        Arguments::Known(arguments) => arguments,
        Arguments::Unknown => return Ok(Value::unknown(function.returns.clone())),
    };
    let call = CallFunction {
        name,
        arguments: &arguments,
        returns: &function.returns,
    };
    let task = Task::without_config("call the function");
    let returned = plugin.call(&call, task).await.map_err(|failure| {
        let blamed = match &failure.kind {
            Kind::Answered(error) => blamed_argument(error),
            _ => None,
        };
        match failure.kind {
            // The message is for the user, who knows which function it is.
            Kind::Answered(error) => FunctionError {
                text: plugin.secrets.hide(&error.message),
                argument: blamed.and_then(|name| position(function, &name)),
            },
            _ => failure.diagnostic.detail.into(),
        }
    })?;
    let (errors, warnings): (Vec<_>, Vec<_>) =
        { returned.diagnostics.into_iter() }.partition(Diagnostic::is_error);
    for warning in &warnings {
        // Terraform has no place for them beside the result of a function.
        let text = plugin.secrets.hide(&text(warning));
        tracing::warn!(plugin = plugin.name(), function = name, "{text}");
    }
    match returned.result.filter(|_| errors.is_empty()) {
        Some(result) => Ok(result),
        None => Err(refused(plugin, function, &errors)),
    }
}

/// The errors that a function answered with, at the argument that one of them is about.
fn refused(plugin: &Plugin, function: &Function, errors: &[Diagnostic]) -> FunctionError {
    let texts: Vec<String> = errors.iter().map(text).collect();
    let argument = errors.iter().find_map(|error| match error.path.first() {
        Some(Segment::Name(name)) => position(function, name),
        _ => None,
    });
    FunctionError {
        text: plugin.secrets.hide(&texts.join("\n")),
        argument,
    }
}

/// A diagnostic in one text.
fn text(said: &Diagnostic) -> String {
    match (said.summary.as_str(), said.detail.as_str()) {
        ("", "") => "the plugin reports a problem".to_owned(),
        (summary, "") => summary.to_owned(),
        ("", detail) => detail.to_owned(),
        (summary, detail) => format!("{summary}: {detail}"),
    }
}

enum Arguments<'a> {
    Known(Vec<(&'a Parameter, Argument)>),
    /// The result is unknown, because an argument is.
    Unknown,
}

/// The arguments by parameter. What Terraform has as variadic are the parameters that may be left out,
/// in their order, or the plugin's own variadic parameter.
fn arguments(function: &Function, given: Vec<Value>) -> Result<Arguments<'_>, FunctionError> {
    let mut given = given.into_iter().enumerate();
    let mut arguments = Vec::new();
    for parameter in &function.parameters {
        let may_be_left_out = parameter.may_be_left_out();
        let found = given
            .next()
            .filter(|(_, value)| !may_be_left_out || !value.is_null());
        let value = match (found, &parameter.default) {
            (Some((index, value)), _) => {
                convert(&value, &parameter.ty).map_err(|error| FunctionError {
                    text: format!("{}: {error}", parameter.name),
                    argument: Some(index),
                })?
            }
            (None, Some(default)) => default.clone(),
            (None, None) if parameter.allows_null => Value::null(parameter.ty.clone()),
            (None, None) => continue,
        };
        if !value.is_wholly_known() && !parameter.allows_unknown {
            return Ok(Arguments::Unknown);
        }
        arguments.push((parameter, Argument::One(value)));
    }
    match &function.variadic {
        Some(parameter) => {
            let values: Vec<Value> = given.map(|(_, value)| value).collect();
            let is_unknown = |value: &Value| !value.is_wholly_known();
            if !parameter.allows_unknown && values.iter().any(is_unknown) {
                return Ok(Arguments::Unknown);
            }
            arguments.push((parameter, Argument::Several(values)));
        }
        None => {
            if let Some((index, _)) = given.next() {
                let most = function.parameters.len();
                return Err(FunctionError {
                    text: format!("there are at most {most} arguments"),
                    argument: Some(index),
                });
            }
        }
    }
    Ok(Arguments::Known(arguments))
}

/// Where an argument stands.
fn position(function: &Function, name: &str) -> Option<usize> {
    let mut parameters = function.parameters.iter().chain(&function.variadic);
    parameters.position(|parameter| parameter.name == name)
}

#[cfg(test)]
mod tests {
    use tenon_values::Type;

    use super::*;

    fn function() -> Function {
        let separator = Parameter {
            default: Some("-".into()),
            ..Parameter::new("separator", Type::String)
        };
        let limit = Parameter {
            is_optional: true,
            ..Parameter::new("limit", Type::Number)
        };
        let note = Parameter {
            is_optional: true,
            allows_null: true,
            ..Parameter::new("note", Type::String)
        };
        let text = Parameter::new("text", Type::String);
        Function::new([text, separator, limit, note], Type::String)
    }

    fn shown(given: Vec<Value>) -> String {
        let function = function();
        match arguments(&function, given) {
            Ok(Arguments::Unknown) => "unknown".to_owned(),
            Ok(Arguments::Known(arguments)) => {
                let shown = arguments
                    .iter()
                    .map(|(parameter, argument)| match argument {
                        Argument::One(value) => format!("{}={value}", parameter.name),
                        Argument::Several(values) => format!("{}={values:?}", parameter.name),
                    });
                shown.collect::<Vec<_>>().join(" ")
            }
            Err(error) => format!("{} at {:?}", error.text, error.argument),
        }
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        let null = || Value::NULL;
        assert_eq!(
            shown(vec!["a".into()]),
            r#"text="a" separator="-" note=null"#
        );
        assert_eq!(
            shown(vec!["a".into(), null(), 5.into()]),
            r#"text="a" separator="-" limit=5 note=null"#
        );
        assert_eq!(
            shown(vec!["a".into(), "+".into(), null(), "n".into()]),
            r#"text="a" separator="+" note="n""#
        );
        let many = vec!["a".into(), null(), null(), null(), null()];
        assert_eq!(shown(many), "there are at most 4 arguments at Some(4)");
        let wrong = shown(vec!["a".into(), null(), "many".into()]);
        assert!(
            wrong.starts_with("limit: a number is required") && wrong.ends_with("at Some(2)"),
            "{wrong}"
        );
        assert_eq!(shown(vec![Value::unknown(Type::String)]), "unknown");
    }

    #[test]
    fn an_error_points_at_its_argument() {
        assert_eq!(position(&function(), "limit"), Some(2));
        assert_eq!(position(&function(), "other"), None);
    }
}
