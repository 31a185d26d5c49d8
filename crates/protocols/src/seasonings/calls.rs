//! The methods of a plugin: what is sent, and what comes back.
//!
//! Each method is a type that implements [`Call`]. [`call`] makes one; a host that looks after
//! processes sends [`Call::params`] itself and gives the answer to [`read`].

mod data;
mod functions;
mod resources;
pub mod storage;

use tenon_rpc::{CallError, ErrorCode, Payload, Peer, Text, wire::Packed};
use tenon_schema::Body;
use tenon_values::Error;

use super::answer::{Answer, AnswerError};
use super::capabilities::{Capabilities, Level};
use super::diagnostic::Diagnostic;
use super::params::Params;
use super::schema::Schemas;

pub use data::*;
pub use functions::*;
pub use resources::*;

/// A call of a plugin.
pub trait Call {
    /// The name of the method.
    const METHOD: &'static str;
    /// What comes back.
    type Answer;

    /// What is sent.
    ///
    /// # Errors
    /// A value does not fit its schema.
    fn params(&self) -> Result<Params, Error>;

    /// Reads what came back.
    ///
    /// # Errors
    /// It does not fit.
    fn answer(&self, answer: &Answer) -> Result<Self::Answer, AnswerError>;
}

/// Reads the answer to a call.
///
/// # Errors
/// It is not a map, or does not fit.
pub fn read<C: Call>(call: &C, answer: &Payload) -> Result<C::Answer, AnswerError> {
    call.answer(&Answer::of(C::METHOD, answer)?)
}

/// Makes a call.
///
/// # Errors
/// The params do not fit their schema, the call failed, or its answer does not fit.
pub async fn call<C: Call>(peer: &Peer, call: &C) -> Result<C::Answer, CallError> {
    let params = call.params().map_err(|error| malformed(&error))?;
    let answer = peer
        .call_raw(C::METHOD, Some(params.into_payload()))
        .await?;
    read(call, &answer).map_err(|error| malformed(&error))
}

fn malformed(error: &impl std::fmt::Display) -> CallError {
    CallError::Malformed(Text::from(error.to_string()))
}

/// Asks for the schemas that the plugin has.
///
/// # Errors
/// A call failed, other than with -32601.
pub async fn schemas(peer: &Peer, capabilities: &Capabilities) -> Result<Schemas, CallError> {
    let ask = async |level: Level, method: &'static str| {
        if !capabilities.has(level) {
            return Ok(None);
        }
        match peer
            .call_raw(method, Some(Params::new().into_payload()))
            .await
        {
            Ok(answer) => { Packed::new(answer.bytes().clone()) }
                .map(Some)
                .map_err(|error| malformed(&error)),
            Err(CallError::Answered(error)) if is_left_out(&error.code) => Ok(None),
            Err(error) => Err(error),
        }
    };
    Ok(Schemas {
        functions: ask(Level::Functions, "functions/getSchema").await?,
        resources: ask(Level::Resources, "resources/getSchema").await?,
    })
}

/// Finds out which methods a plugin leaves out, of those that change nothing and need not be there.
/// Those that its capabilities may include are called without params.
pub async fn left_out(peer: &Peer, capabilities: &Capabilities) -> Vec<String> {
    let mut left_out = Vec::new();
    if !capabilities.has(Level::Resources) {
        return left_out;
    }
    for method in [Validate::METHOD, PlanChange::METHOD, Import::METHOD] {
        match has(peer, capabilities, method).await {
            Ok(true) => {}
            Ok(false) => left_out.push(method.to_owned()),
            // A plugin that such a call ends may still answer a real one.
            Err(_) => break,
        }
    }
    left_out
}

/// Whether a plugin has a method, which must be one that changes nothing. If its capabilities may include the method, it is
/// called without params.
///
/// # Errors
/// There is no answer.
pub async fn has(
    peer: &Peer,
    capabilities: &Capabilities,
    method: &str,
) -> Result<bool, CallError> {
    if !capabilities.includes(method) {
        return Ok(false);
    }
    let asked = peer.call_raw(
        Text::from(method.to_owned()),
        Some(Params::new().into_payload()),
    );
    match asked.await {
        Err(CallError::Answered(error)) if is_left_out(&error.code) => Ok(false),
        // Any other answer is about the params.
        Ok(_) | Err(CallError::Answered(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether an error says that the plugin leaves a method out.
pub fn is_left_out(code: &ErrorCode) -> bool {
    *code == ErrorCode::METHOD_NOT_FOUND
}

/// A type of resource, data source or ephemeral resource.
#[derive(Clone, Copy, Debug)]
pub struct Kind<'a> {
    /// The name, without the prefix of the provider.
    pub name: &'a str,
    /// Its schema.
    pub body: &'a Body,
}

/// What is there besides diagnostics.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

#[cfg(test)]
mod tests;
