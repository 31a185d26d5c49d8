//! Functions.

use tenon_schema::{Function, Parameter};
use tenon_values::Value;

use super::Adapter;
use crate::diagnostic::Diagnostics;
use crate::proto::tfplugin6::{self as proto, DynamicValue, call_function};
use crate::requests::FunctionError;
use crate::{Provider, wire};

impl<P: Provider> Adapter<P> {
    pub(super) async fn run_function(
        &self,
        request: call_function::Request,
    ) -> call_function::Response {
        match self.function_result(request).await {
            Ok(result) => call_function::Response {
                result: Some(result),
                error: None,
            },
            Err(error) => call_function::Response {
                result: None,
                error: Some(sent(&error)),
            },
        }
    }

    async fn function_result(
        &self,
        request: call_function::Request,
    ) -> Result<DynamicValue, FunctionError> {
        let offer = self.offer().await.map_err(|errors| text_of(&errors))?;
        let Some(function) = offer.functions.get(&request.name) else {
            let names = offer.functions.keys().map(|name| format!("{name:?}"));
            let names = names.collect::<Vec<_>>().join(", ");
            let problem = format!("unknown function `{}`; there are {names}", request.name);
            return Err(problem.into());
        };
        let arguments = arguments(function, &request.arguments)?;
        let name = request.name;
        let result = self.call(|provider| provider.call(name, arguments)).await;
        let result = result.map_err(|panic| panic.detail)??;
        Ok(wire::encode(&result, &function.returns).map_err(|error| error.detail)?)
    }
}

/// The arguments by the types of their parameters. One that is not sent is null.
fn arguments(function: &Function, sent: &[DynamicValue]) -> Result<Vec<Value>, FunctionError> {
    let fixed = function.parameters.len();
    let parameter = |index: usize| -> Option<&Parameter> {
        { function.parameters.get(index) }.or(function.variadic.as_ref())
    };
    let argument = |index: usize| {
        let problem = |text: String| FunctionError {
            text,
            argument: Some(index),
        };
        let Some(parameter) = parameter(index) else {
            return Err(problem(format!("there are only {fixed} parameters")));
        };
        // Terraform fills in null for optional attributes of objects.
        let ty = parameter.ty.without_optional();
        wire::decode(sent.get(index), &ty).map_err(|error| problem(error.detail))
    };
    (0..sent.len().max(fixed)).map(argument).collect()
}

fn text_of(errors: &Diagnostics) -> String {
    let texts = errors.iter().map(|error| match error.detail.as_str() {
        "" => error.summary.as_str(),
        detail => detail,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn sent(error: &FunctionError) -> proto::FunctionError {
    proto::FunctionError {
        // Terraform ends the sentence itself.
        text: tenon_text::lines(error.text.trim_end_matches('.')).into_owned(),
        function_argument: error.argument.and_then(|index| i64::try_from(index).ok()),
    }
}
