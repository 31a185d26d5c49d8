//! Functions.

use tenon_protocols::seasonings::{FAILED, NOT_FOUND, Params};
use tenon_rpc::{Format, Payload, Peer, Reply, RpcError};
use tenon_schema::Function;
use tenon_values::{Error, Problem, Step, Type, Value};

use super::answers::{failed, say, sent, told};
use super::{Received, Served};
use crate::Failure;
use crate::context::Progress;
use crate::parts::Refusal;
use crate::path::located_in;

pub(super) async fn call(served: &Served, peer: Peer, given: &Received) -> Reply {
    let session = &served.session;
    let name: String = given.required("name")?;
    let offered = &served.offer()?.functions;
    let Some(schema) = offered.get(&name) else {
        let problem = session.missing("function", &name, offered.keys());
        return Err(RpcError::new(NOT_FOUND, problem));
    };
    let arguments = arguments(schema, &given.map("arguments")?)?;
    let function = session.configured_function(&name).await.map_err(failed)?;
    let say = say(peer);
    let called = function(Progress::new(&say), arguments).await;
    // From here on, a `Progress` that is still in use sends nothing.
    drop(say);
    let data = called.map_err(refused)?;
    let answer = Params::new().value("result", &data.value, &schema.returns);
    let answer = answer.map_err(|error| {
        let problem = format!("the result cannot be written: {error}");
        RpcError::new(FAILED, problem)
    })?;
    let diagnostics = located_in(data.diagnostics, &object_of(schema));
    sent(told(answer, &diagnostics).map_err(failed)?)
}

/// The type of all arguments, by name.
fn object_of(schema: &Function) -> Type {
    let parameters = schema.parameters.iter();
    let parameters = parameters.map(|one| (one.name.as_str(), one.ty.clone()));
    let variadic = schema.variadic.iter();
    let variadic = variadic.map(|one| (one.name.as_str(), Type::list(one.ty.clone())));
    Type::object(parameters.chain(variadic))
}

/// The arguments that are there, by name.
fn arguments(schema: &Function, given: &Received) -> Result<Value, RpcError> {
    let mut arguments = Vec::new();
    for parameter in &schema.parameters {
        if given.has(&parameter.name) {
            let value = given.value(&parameter.name, &parameter.ty);
            let value = value.map_err(|error| blame(error, &parameter.name))?;
            arguments.push((parameter.name.as_str(), value));
        }
    }
    if let Some(variadic) = &schema.variadic {
        let values = given.values(&variadic.name, &variadic.ty);
        let values = values.map_err(|error| blame(error, &variadic.name))?;
        let values = Value::tuple(values.unwrap_or_default());
        arguments.push((variadic.name.as_str(), values));
    }
    Ok(Value::object(arguments))
}

/// The error that a function failed with. If it is about an argument, it points at it.
fn refused(refusal: Refusal) -> RpcError {
    let (text, argument) = match refusal {
        Refusal::Unfit(_, error) => (unfit(&error), blamed(&error)),
        Refusal::Failed(failure) if failure.diagnostics.is_empty() => return failed(failure),
        Refusal::Failed(failure) => {
            let errors = failure.diagnostics.iter().filter(|one| one.is_error());
            let mut paths = errors.filter_map(|one| one.prop_path.as_ref()?.first());
            let argument = paths.next().cloned();
            (message(failure, argument.as_deref()), argument)
        }
    };
    let error = RpcError::new(FAILED, text);
    match argument {
        Some(argument) => blame(error, &argument),
        None => error,
    }
}

/// The argument that an error is about.
fn blamed(error: &Error) -> Option<String> {
    match (error.path().steps().first(), error.problem()) {
        (Some(Step::Attribute(name)), _) => Some(name.to_string()),
        (None, Problem::MissingAttribute(name)) => Some(name.to_string()),
        _ => None,
    }
}

/// What is wrong with an argument. The host shows which one it is; only what is inside it needs a
/// path.
fn unfit(error: &Error) -> String {
    match error.path().steps() {
        [] | [_] => error.problem().to_string(),
        _ => error.to_string(),
    }
}

/// The text of a failure. One about a single argument needs no path: the host shows which one it is.
fn message(failure: Failure, argument: Option<&str>) -> String {
    match (&failure.diagnostics[..], argument) {
        ([only], Some(_)) => match only.detail.as_str() {
            "" => only.summary.clone(),
            detail => format!("{}: {detail}", only.summary),
        },
        _ => failure.into_text(),
    }
}

fn blame(error: RpcError, argument: &str) -> RpcError {
    let data = serde_json::json!({ "argument": argument });
    match Payload::encode(Format::Msgpack, &data) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}
