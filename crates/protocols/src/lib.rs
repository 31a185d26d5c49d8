//! The protocols Tenon speaks: the dialect of each, how it begins and how it ends.
//!
//! The modules [`acp`], [`denobridge`], [`orchard`] and [`seasonings`] also have the methods of the protocol with their
//! types. `json_schema` writes schemas as JSON Schema, for MCP.
//!
//! | protocol | dialect | first call | goodbye | cancels calls with | can list what it offers |
//! |---|---|---|---|---|---|
//! | denobridge | json-rpc | `health` | event `shutdown` | | |
//! | ipc | json-rpc | | | `$/cancelRequest` | |
//! | acp | json-rpc | `initialize` | | `$/cancel_request` | |
//! | lsp | json-rpc-headers | `initialize`, event `initialized` | `shutdown`, event `exit` | `$/cancelRequest` | yes |
//! | mcp | json-rpc | `initialize`, event `notifications/initialized` | | `notifications/cancelled` | yes |
//! | seasonings | msgpack-rpc | `init` | call `shutdown` | `$/cancel` | yes |
//! | orchard | orchard | `describe` | call `shutdown` | | yes |
//!
//! A protocol is a module with a `Spec` (`lifecycle.rs`), and a line in `Protocol::spec`.
//!
//! Two features, both on by default: `values` has the typed messages of Orchard, denobridge and Seasonings,
//! lists of what Orchard and Seasonings plugins offer, and the names of Seasonings' ext types; `secrets` has
//! [`Secrets`]. Without them the crate does not depend on `tenon-values`. Two are off by default: `packing` has the
//! manifest of packed Seasonings plugins, and `acp` the messages of ACP.

pub mod acp;
pub mod denobridge;
mod ipc;
#[cfg(feature = "values")]
mod json;
#[cfg(feature = "values")]
pub mod json_schema;
#[cfg(feature = "values")]
mod lenient;
mod lifecycle;
mod listing;
mod lsp;
pub mod mcp;
pub mod orchard;
pub mod seasonings;
#[cfg(feature = "secrets")]
mod secrets;
mod uri;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

#[cfg(feature = "values")]
pub use json::Json;
pub use lifecycle::Client;
use lifecycle::Spec;
pub use listing::{Listing, Offer, Parameter, Sample};
#[cfg(feature = "secrets")]
pub use secrets::{MASK, Secrets};
use serde_json::Value;
use tenon_rpc::{
    CallError, Dialect, Format, Options, Payload, Peer,
    options::{Limits, Unclaimed},
};

/// One of the published protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Terraform resources in scripts.
    Denobridge,
    /// JSON-RPC on local sockets.
    Ipc,
    /// Editors and agents.
    Acp,
    /// Editors and language servers.
    Lsp,
    /// Tools, prompts and resources for models.
    Mcp,
    /// OpenTofu's plugin protocol.
    Seasonings,
    /// Scenarios and their providers.
    Orchard,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 7] = [
        Protocol::Denobridge,
        Protocol::Ipc,
        Protocol::Acp,
        Protocol::Lsp,
        Protocol::Mcp,
        Protocol::Seasonings,
        Protocol::Orchard,
    ];

    fn spec(self) -> &'static Spec {
        match self {
            Protocol::Denobridge => &denobridge::life::SPEC,
            Protocol::Ipc => &ipc::SPEC,
            Protocol::Acp => &acp::life::SPEC,
            Protocol::Lsp => &lsp::SPEC,
            Protocol::Mcp => &mcp::SPEC,
            Protocol::Seasonings => &seasonings::life::SPEC,
            Protocol::Orchard => &orchard::life::SPEC,
        }
    }

    /// The name, as the command line has it.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// How its messages are written.
    pub fn dialect(self) -> Dialect {
        self.spec().dialect
    }

    /// The versions that are spoken, newest first; none if messages carry no version.
    pub fn versions(self) -> &'static [&'static str] {
        self.spec().versions
    }

    /// The options of a host's connection.
    pub fn host_options(self) -> Options {
        let limits = Limits::default();
        Options {
            params: self.spec().params,
            error_names: self.spec().error_names,
            ext_names: self.spec().ext_names,
            cancel: self.spec().cancel,
            limits: Limits {
                frame: self.spec().frame.unwrap_or(limits.frame),
                ..limits
            },
            stray: self.spec().stray,
            unclaimed: Unclaimed::FailCall,
            ..Options::default()
        }
    }

    /// How long a plugin may take to answer its first call.
    pub fn start_limit(self) -> Duration {
        self.spec().start_limit
    }

    /// The method of the call that [`begin`](Protocol::begin) makes, if it makes one.
    pub fn first_call(self) -> Option<&'static str> {
        self.spec().first_call
    }

    /// Whether the first call may be made only once in the life of a plugin, as `initialize` may.
    pub fn begins_once(self) -> bool {
        self.spec().begins_once
    }

    /// The event that confirms the first call, if the protocol has one: `initialized` in LSP.
    pub fn confirmation(self) -> Option<&'static str> {
        self.spec().confirmation
    }

    /// The event by which a server tells its plugin that this is its protocol, if there is no first call that does. A plugin for
    /// several hosts takes the first message for that of its host, and would keep to the protocol of the client that happens to
    /// come first: a `health` or an `initialize`. Others ignore it.
    pub fn announcement(self) -> Option<&'static str> {
        self.spec().announcement
    }

    /// The path of the token in the params by which a call asks for progress, if the protocol has one:
    /// `_meta` and `progressToken` in MCP.
    pub fn progress_token(self) -> Option<&'static [&'static str]> {
        self.spec().progress
    }

    /// Methods and events, for completion at a prompt.
    pub fn methods(self) -> &'static [&'static str] {
        self.spec().methods
    }

    /// Makes the protocol's first call, if it has one, and returns its answer. Also sends the event that
    /// confirms it, if the protocol has one.
    ///
    /// # Errors
    /// The call failed, or its answer says that the plugin is not ready or speaks another version.
    pub async fn begin(self, peer: &Peer) -> Result<Option<Payload>, CallError> {
        self.begin_as(peer, &Client::default()).await
    }

    /// Like [`begin`](Protocol::begin), for a client that answers calls of the other side.
    ///
    /// # Errors
    /// As for [`begin`](Protocol::begin).
    pub async fn begin_as(
        self,
        peer: &Peer,
        client: &Client,
    ) -> Result<Option<Payload>, CallError> {
        (self.spec().begin)(peer, client).await
    }

    /// Whether the first call carries what the user configured for the plugin: [`Client::config`].
    pub fn takes_config(self) -> bool {
        self.spec().takes_config
    }

    /// Whether the plugin's schema says how values are written, and which of them are sensitive.
    pub fn values_have_schemas(self) -> bool {
        self.spec().values_have_schemas
    }

    /// Makes the call that has to come before a single call of this method: in Orchard, a provider is configured before it
    /// runs an action. `None` if there is no such call.
    pub fn before(
        self,
        peer: &Peer,
        method: &str,
    ) -> Option<impl Future<Output = Result<(), CallError>> + Send> {
        (self.spec().before)(peer, method)
    }

    /// Makes the protocol's last call or sends its last event. Failures are ignored, because the plugin is
    /// ended in any case.
    pub async fn end(self, peer: &Peer) {
        (self.spec().end)(peer).await;
    }

    /// The answer to a call that would end the plugin, for a client that shares the plugin with others;
    /// `None` for other methods. Events with these names end the plugin too.
    pub fn goodbye(self, method: &str, format: Format) -> Option<Payload> {
        let answer = (self.spec().goodbye)(method)?;
        Payload::encode(format, &answer).ok()
    }

    /// The answer to a routine call of a server; `None` for calls that need a decision.
    pub fn answer(self, method: &str, params: Option<&Payload>, format: Format) -> Option<Payload> {
        let params = params.and_then(|params| lifecycle::decode(params).ok());
        let answer = (self.spec().answer)(method, &params.unwrap_or(Value::Null))?;
        Payload::encode(format, &answer).ok()
    }

    /// Why this result of a call means that the call has failed, in a protocol whose results can say
    /// so: a tool of MCP reports its errors in its result.
    pub fn failure(self, method: &str, result: &Payload) -> Option<&'static str> {
        (self.spec().failure)(method, result)
    }

    /// Whether the protocol has a way to list what the other side offers.
    pub fn can_list(self) -> bool {
        self.spec().list.is_some()
    }

    /// Lists what the other side offers. `begun` is what [`begin`](Protocol::begin) returned. The list is
    /// empty for a protocol without listing; see [`can_list`](Protocol::can_list).
    ///
    /// # Errors
    /// A call failed, or its answer breaks the protocol.
    pub async fn list(self, peer: &Peer, begun: Option<&Payload>) -> Result<Listing, CallError> {
        match (self.spec().list, begun) {
            (Some(list), Some(begun)) => list(peer, begun).await,
            _ => Ok(Listing::default()),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(name: &str) -> Result<Protocol, String> {
        Protocol::ALL
            .into_iter()
            .find(|protocol| protocol.name() == name)
            .ok_or_else(|| {
                let names = Protocol::ALL.map(Protocol::name).join(", ");
                format!("unknown protocol `{name}`; expected one of {names}")
            })
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    /// Versions that are numbers on the wire are written out in the table.
    #[test]
    fn the_versions_are_those_that_are_spoken() {
        assert_eq!(Protocol::Acp.versions(), [acp::VERSION.to_string()]);
        assert_eq!(
            Protocol::Seasonings.versions(),
            [seasonings::VERSION.to_string()]
        );
        assert_eq!(Protocol::Mcp.versions(), mcp::VERSIONS);
    }
}
