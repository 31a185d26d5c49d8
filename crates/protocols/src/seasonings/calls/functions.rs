//! Functions.

use serde::Deserialize;
use tenon_rpc::RpcError;
use tenon_schema::Parameter;
use tenon_values::{Error, Type, Value};

use super::super::answer::{Answer, AnswerError};
use super::super::diagnostic::Diagnostic;
use super::super::params::Params;
use super::Call;

/// Calls a function.
#[derive(Clone, Copy, Debug)]
pub struct CallFunction<'a> {
    /// The name of the function.
    pub name: &'a str,
    /// The arguments, by parameter.
    pub arguments: &'a [(&'a Parameter, Argument)],
    /// The type of the result.
    pub returns: &'a Type,
}

/// What is passed for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A value.
    One(Value),
    /// The values of a variadic parameter.
    Several(Vec<Value>),
}

/// What a function returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Returned {
    /// The result; `None` only beside an error.
    pub result: Option<Value>,
    /// Warnings and errors. The path of one that is about an argument begins with the name of the parameter.
    pub diagnostics: Vec<Diagnostic>,
}

impl Call for CallFunction<'_> {
    const METHOD: &'static str = "functions/call";
    type Answer = Returned;

    fn params(&self) -> Result<Params, Error> {
        let mut arguments = Params::new();
        for (parameter, argument) in self.arguments {
            let (name, ty) = (&parameter.name, &parameter.ty);
            arguments = match argument {
                Argument::One(value) => arguments.value(name, value, ty)?,
                Argument::Several(values) => arguments.values(name, values, ty)?,
            };
        }
        Ok(Params::new()
            .text("name", self.name)
            .map("arguments", arguments))
    }

    fn answer(&self, answer: &Answer) -> Result<Returned, AnswerError> {
        let diagnostics = answer.diagnostics();
        let returns = self.returns.into();
        Ok(Returned {
            result: answer.value_unless_failed("result", returns, &diagnostics)?,
            diagnostics,
        })
    }
}

/// The parameter that an error of a function is about, if it says so.
pub fn blamed_argument(error: &RpcError) -> Option<String> {
    #[derive(Deserialize)]
    struct Data {
        argument: Option<String>,
    }
    error.data.as_ref()?.decode::<Data>().ok()?.argument
}
