//! Functions.

use serde::Deserialize;
use tenon_rpc::wire::Packed;
use tenon_schema::{Function, Parameter, SchemaError};
use tenon_values::Type;

use super::super::types::read_type;
use super::body::default_value;
use crate::lenient::null_as_default;

#[derive(Deserialize)]
struct WireFunction {
    #[serde(default, deserialize_with = "null_as_default")]
    summary: String,
    #[serde(default, deserialize_with = "null_as_default")]
    description: String,
    #[serde(default, deserialize_with = "null_as_default")]
    parameters: Vec<Packed>,
    #[serde(default)]
    variadic: Option<Packed>,
    returns: Packed,
    #[serde(default, deserialize_with = "null_as_default")]
    sensitive: bool,
    #[serde(default)]
    deprecation: Option<String>,
}

#[derive(Deserialize)]
struct WireParameter {
    name: String,
    #[serde(rename = "type")]
    ty: Packed,
    #[serde(default, deserialize_with = "null_as_default")]
    description: String,
    #[serde(default, deserialize_with = "null_as_default")]
    optional: bool,
    #[serde(default)]
    default: Option<Packed>,
    #[serde(default, deserialize_with = "null_as_default")]
    allow_null: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    allow_unknown: bool,
}

pub(super) fn function(sent: &Packed) -> Result<Function, SchemaError> {
    let sent: WireFunction = sent.decode().map_err(|error| SchemaError::new("", error))?;
    let mut parameters = Vec::new();
    for (index, one) in sent.parameters.iter().enumerate() {
        parameters.push(parameter(one, &index.to_string())?);
    }
    let variadic = { sent.variadic.as_ref() }
        .map(|one| parameter(one, "variadic"))
        .transpose()?;
    if let Some(variadic) = &variadic
        && variadic.may_be_left_out()
    {
        let problem =
            "a variadic parameter has neither `optional` nor `default`: it may be left out";
        return Err(SchemaError::new(&variadic.name, problem).below("parameters"));
    }
    let returns = read_type(sent.returns.bytes());
    let returns = returns.map_err(|problem| SchemaError::new("returns", problem))?;
    let function = Function {
        variadic,
        is_sensitive: sent.sensitive,
        summary: sent.summary,
        description: sent.description.into(),
        deprecation: sent.deprecation,
        ..Function::new(parameters, returns.without_optional())
    };
    function
        .check()
        .map_err(|error| error.below("parameters"))?;
    Ok(function)
}

fn parameter(sent: &Packed, place: &str) -> Result<Parameter, SchemaError> {
    let sent: WireParameter =
        { sent.decode() }.map_err(|error| SchemaError::new(place, error).below("parameters"))?;
    let at = |problem: String| SchemaError::new(&sent.name, problem).below("parameters");
    // Calls may leave optional attributes of objects out; values have all attributes of their types.
    let ty: Type = read_type(sent.ty.bytes()).map_err(at)?;
    let default = default_value(sent.default.as_ref(), &ty.without_optional()).map_err(at)?;
    Ok(Parameter {
        is_optional: sent.optional,
        default,
        allows_null: sent.allow_null,
        allows_unknown: sent.allow_unknown,
        description: sent.description.into(),
        ..Parameter::new(sent.name.clone(), ty)
    })
}
