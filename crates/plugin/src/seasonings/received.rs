//! The params of a call.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tenon_protocols::seasonings::value::Shape;
use tenon_protocols::seasonings::{Answer, AnswerError};
use tenon_rpc::{Payload, RpcError};
use tenon_values::{Type, Value};

/// The params of a call, member by member. What is wrong with them is an error with the code of
/// invalid params; it quotes no values, which may be secrets.
pub(super) struct Received(Answer);

impl Received {
    pub(super) fn new(
        method: &'static str,
        params: Option<&Payload>,
    ) -> Result<Received, RpcError> {
        Answer::of_params(method, params)
            .map(Received)
            .map_err(|error| invalid(&error))
    }

    /// A member that must be there.
    pub(super) fn required<T: DeserializeOwned>(&self, name: &str) -> Result<T, RpcError> {
        self.0.required(name).map_err(|error| invalid(&error))
    }

    /// A member that may be missing or nil.
    pub(super) fn optional<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, RpcError> {
        self.0.optional(name).map_err(|error| invalid(&error))
    }

    /// A value that must be there. nil is null.
    pub(super) fn value<'a>(
        &self,
        name: &str,
        shape: impl Into<Shape<'a>>,
    ) -> Result<Value, RpcError> {
        self.0
            .value(name, shape.into())
            .map_err(|error| invalid(&error))
    }

    /// A list of values, each of the type; `None` if it is missing or nil.
    pub(super) fn values(&self, name: &str, ty: &Type) -> Result<Option<Vec<Value>>, RpcError> {
        { self.0.values(name, ty.into()) }.map_err(|error| invalid(&error))
    }

    /// A map, to be read like params; an empty one if it is missing.
    pub(super) fn map(&self, name: &str) -> Result<Received, RpcError> {
        { self.0.map(name).map(Received) }.map_err(|error| invalid(&error))
    }

    /// Whether there is such a member, be it nil.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.has(name)
    }

    /// Binary data, if there is any.
    pub(super) fn binary(&self, name: &str) -> Result<Option<Bytes>, RpcError> {
        self.0.binary(name).map_err(|error| invalid(&error))
    }
}

fn invalid(error: &AnswerError) -> RpcError {
    RpcError::invalid_params(error.in_params())
}
