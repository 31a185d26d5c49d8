//! How the params of a call become the type that its handler takes.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::RpcError;
use crate::payload::{Elements, Format, Payload, PayloadError};

/// Which forms of params a connection accepts for typed handlers, and which form it sends in typed
/// calls. Handlers that take payloads get params as they were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Params {
    /// By name or by position, as JSON-RPC defines: a struct is read from a map, or from an array of
    /// its fields. Where neither fits, `[x]` is read as `x`.
    #[default]
    Any,
    /// By name. An array is an error, and never read as the fields of a struct.
    Named,
    /// By name, in an array of one: `[{..}]`, which strict msgpack-rpc peers require. It is unwrapped
    /// before anything is decoded; a map without the array is accepted too, and any other array is an
    /// error.
    Wrapped,
}

impl Params {
    /// Encodes the params of a typed call; `None` if there are none.
    pub(crate) fn encode<T: Serialize>(
        self,
        format: Format,
        params: &T,
    ) -> Result<Option<Payload>, PayloadError> {
        match self {
            Params::Any | Params::Named => {
                let encoded = Payload::encode(format, params)?;
                Ok((!encoded.is_null()).then_some(encoded))
            }
            Params::Wrapped => {
                let encoded = Payload::encode(format, &[params])?;
                Ok(unwrapped(encoded.clone()).map(|_| encoded))
            }
        }
    }

    /// Decodes the params of a typed call. Params that are absent fit a type that takes nothing, or
    /// whose fields are all optional. Errors quote nothing of them: they may hold secrets, and errors
    /// end up in logs.
    pub(crate) fn decode<T: DeserializeOwned>(
        self,
        params: Option<Payload>,
        format: Format,
    ) -> Result<T, RpcError> {
        let params = match self {
            Params::Any => params,
            // An empty array is how msgpack-rpc sends nothing.
            Params::Named => params.filter(|params| !matches!(params.elements(), Elements::None)),
            Params::Wrapped => params.and_then(unwrapped),
        };
        let Some(params) = params else {
            return decode_nothing(format);
        };
        let is_by_name = self != Params::Any;
        if is_by_name && params.is_array() {
            let problem = "expected an object, not an array";
            return Err(invalid(problem));
        }
        params.decode_private().or_else(|error| {
            match params.elements() {
                // `[x]` is how msgpack-rpc sends a value that is neither an array nor a map.
                Elements::None => return decode_nothing(format),
                Elements::One(only) => only.decode_private().map_err(|_| error),
                // Many clients send `{}` for nothing.
                Elements::Other if is_empty_map(&params) => {
                    Payload::null(format).decode_private().map_err(|_| error)
                }
                Elements::Other => Err(error),
            }
            .map_err(invalid)
        })
    }
}

fn invalid(problem: impl std::fmt::Display) -> RpcError {
    RpcError::invalid_params(format!("Invalid params: {problem}"))
}

/// The only value in an array of one; `None` for an empty array, and for null in one.
fn unwrapped(params: Payload) -> Option<Payload> {
    match params.elements() {
        Elements::None => None,
        Elements::One(only) => (!only.is_null()).then_some(only),
        Elements::Other => Some(params),
    }
}

fn decode_nothing<T: DeserializeOwned>(format: Format) -> Result<T, RpcError> {
    let empty = match format {
        Format::Json => &b"{}"[..],
        Format::Msgpack => &b"\x80"[..],
    };
    Payload::null(format)
        .decode_private()
        .or_else(|_| Payload::new(format, empty).decode_private())
        .map_err(|_| invalid("they are missing"))
}

fn is_empty_map(params: &Payload) -> bool {
    params.members().is_ok_and(|members| members.is_empty())
}
