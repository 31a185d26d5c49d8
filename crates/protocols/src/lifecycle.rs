//! The description of a protocol: each protocol's module has one [`Spec`].

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use tenon_rpc::{
    CallError, Dialect, Payload, Peer,
    options::{Cancel, ExtName, Params, Stray},
};

use crate::listing::Listing;

/// What a function in a table returns, since such functions cannot be `async`.
pub(crate) type Work<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The answer to the first call, if the protocol has one.
pub(crate) type Begun = Result<Option<Payload>, CallError>;

/// One protocol.
pub(crate) struct Spec {
    /// The name, as the command line has it.
    pub(crate) name: &'static str,
    pub(crate) dialect: Dialect,
    /// The versions that are spoken, newest first; none if messages carry no version.
    pub(crate) versions: &'static [&'static str],
    /// Whether params are taken by name or by position.
    pub(crate) params: Params,
    /// Names of error codes, where codes are names.
    pub(crate) error_names: &'static [(i64, &'static str)],
    /// Names of ext types, where messages are msgpack.
    pub(crate) ext_names: &'static [ExtName],
    /// The event that cancels a call.
    pub(crate) cancel: Option<Cancel>,
    /// The path of the token in the params by which a call asks for progress.
    pub(crate) progress: Option<&'static [&'static str]>,
    /// The largest frame, where it is not the default.
    pub(crate) frame: Option<usize>,
    pub(crate) stray: Stray,
    /// How long a plugin may take to answer its first call.
    pub(crate) start_limit: Duration,
    /// The method of the first call, if there is one.
    pub(crate) first_call: Option<&'static str>,
    /// The first call may be made only once in the life of a plugin, as `initialize` may.
    pub(crate) begins_once: bool,
    /// The event that confirms the first call, if there is one.
    pub(crate) confirmation: Option<&'static str>,
    /// The event by which a server tells its plugin the protocol before a client can, where there is no first call.
    pub(crate) announcement: Option<&'static str>,
    /// Makes the first call, checks its answer and sends the confirming event.
    pub(crate) begin: for<'a> fn(&'a Peer, &'a Client) -> Work<'a, Begun>,
    /// The first call carries what the user configured for the plugin.
    pub(crate) takes_config: bool,
    /// The plugin's schema says how values are written, and which of them are sensitive.
    pub(crate) values_have_schemas: bool,
    /// Makes the call that has to come before a call of this method, where there is one; `None` where not.
    pub(crate) before: BeforeFunction,
    /// Makes the last call, or sends the last event.
    pub(crate) end: for<'a> fn(&'a Peer) -> Work<'a, ()>,
    /// The answer to a client that makes the last call, or sends the last event, of a plugin that it
    /// shares with others.
    pub(crate) goodbye: fn(&str) -> Option<Value>,
    /// Answers routine calls of servers.
    pub(crate) answer: fn(&str, &Value) -> Option<Value>,
    /// Why a result means that its call has failed, where results can say so.
    pub(crate) failure: fn(&str, &Payload) -> Option<&'static str>,
    /// Lists what the other side offers, given its answer to the first call.
    pub(crate) list: Option<ListFunction>,
    /// Methods and events, for completion at a prompt.
    pub(crate) methods: &'static [&'static str],
}

pub(crate) type BeforeFunction =
    for<'a> fn(&'a Peer, &str) -> Option<Work<'a, Result<(), CallError>>>;

pub(crate) type ListFunction =
    for<'a> fn(&'a Peer, &'a Payload) -> Work<'a, Result<Listing, CallError>>;

impl Spec {
    /// JSON-RPC on lines, without a first call, a goodbye or anything else.
    pub(crate) const BASE: Spec = Spec {
        name: "",
        dialect: Dialect::JsonRpcLines,
        versions: &[],
        params: Params::Any,
        error_names: &[],
        ext_names: &[],
        cancel: None,
        progress: None,
        frame: None,
        stray: Stray::Skip,
        start_limit: Duration::from_secs(10),
        first_call: None,
        begins_once: false,
        confirmation: None,
        announcement: None,
        begin: |_, _| Box::pin(async { Ok(None) }),
        takes_config: false,
        values_have_schemas: false,
        before: |_, _| None,
        end: |_| Box::pin(async {}),
        goodbye: |_| None,
        answer: |_, _| None,
        failure: |_, _| None,
        list: None,
        methods: &[],
    };
}

/// What a client tells the other side in the first call, in the protocols that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The methods that the client answers.
    pub answers: Vec<String>,
    /// The client answers every method: a person does, at a prompt.
    pub answers_everything: bool,
    /// What the user configured for the plugin, where the first call carries it.
    pub config: serde_json::Map<String, Value>,
}

impl Client {
    /// Whether a call of this method would get an answer.
    pub fn answers(&self, method: &str) -> bool {
        self.answers_everything || self.answers.iter().any(|answered| answered == method)
    }
}

/// Name and version of this client, which most protocols require.
pub(crate) fn client_info() -> Value {
    serde_json::json!({ "name": "tenon", "version": env!("CARGO_PKG_VERSION") })
}

/// Calls a method with params as JSON.
pub(crate) async fn call(
    peer: &Peer,
    method: &'static str,
    params: Option<Value>,
) -> Result<Payload, CallError> {
    peer.call_raw(method, encode(peer, params)?).await
}

/// Sends an event with params as JSON.
pub(crate) async fn send(
    peer: &Peer,
    method: &'static str,
    params: Option<Value>,
) -> Result<(), CallError> {
    peer.send_raw(method, encode(peer, params)?).await
}

fn encode(peer: &Peer, params: Option<Value>) -> Result<Option<Payload>, CallError> {
    params
        .map(|params| Payload::encode(peer.format(), &params))
        .transpose()
        .map_err(CallError::Unsendable)
}

/// Decodes an answer as JSON.
pub(crate) fn decode(answer: &Payload) -> Result<Value, CallError> {
    answer
        .to_format(tenon_rpc::Format::Json)
        .and_then(|answer| answer.decode())
        .map_err(CallError::Undecodable)
}

/// A version in the answer to a first call as an error quotes it, if it looks like one. Nothing else of the answer is
/// quoted: it may be large, and may contain secrets.
pub(crate) fn quotable_version(said: &Value) -> Option<String> {
    const LONGEST: usize = 20;
    match said {
        Value::Number(version) => Some(version.to_string()),
        Value::String(version) if version.len() <= LONGEST => Some(format!("{version:?}")),
        _ => None,
    }
}

/// Makes the first call of a protocol that has one, and decodes its answer. The answer may contain secrets,
/// so errors do not quote it.
#[cfg(feature = "values")]
pub(crate) async fn begin_typed<T: serde::de::DeserializeOwned>(
    spec: &Spec,
    peer: &Peer,
) -> Result<T, CallError> {
    match (spec.begin)(peer, &Client::default()).await? {
        Some(answer) => answer.decode_private().map_err(CallError::Undecodable),
        None => refuse(format!("{} has no first call", spec.name)),
    }
}

/// The answer breaks the protocol.
pub(crate) fn refuse<T>(problem: impl Into<tenon_rpc::Text>) -> Result<T, CallError> {
    Err(CallError::Malformed(problem.into()))
}
