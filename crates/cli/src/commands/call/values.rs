//! The values of Seasonings plugins: plain JSON on the command line, and msgpack by the schema of the
//! plugin on the wire.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tenon_protocols::Protocol;
use tenon_protocols::seasonings::calls::schemas;
use tenon_protocols::seasonings::{Capabilities, Level, Readable, Welcome, canonical};
use tenon_rpc::trace::{Content, Seen};
use tenon_rpc::wire::{Inbound, Request, Response};
use tenon_rpc::{CallError, Format, Id, Message, Payload, Peer};

use super::params;
use crate::args::CallArgs;
use crate::commands::tap::Show;
use crate::exit::{Code, Failure};
use crate::output;

/// How many calls `--trace` remembers until they are answered.
const ASKED: usize = 1024;

/// The schemas of a plugin, once it has been asked for them.
#[derive(Default)]
pub(crate) struct Values {
    functions: OnceLock<Readable>,
    resources: OnceLock<Readable>,
    /// For what needs no schema.
    others: Readable,
    /// Sensitive values are shown nowhere, so they are remembered.
    hides_sensitive: bool,
    /// The calls that have not been answered, with the params that were sent.
    asked: Mutex<HashMap<Id, Request>>,
}

impl Values {
    /// For a protocol that has such values.
    pub(crate) fn new(args: &CallArgs) -> Option<Arc<Values>> {
        let has_schemas = args.protocol.is_some_and(Protocol::values_have_schemas);
        has_schemas.then(|| {
            Arc::new(Values {
                hides_sensitive: !args.show_sensitive,
                ..Values::default()
            })
        })
    }

    /// Asks the plugin for the schemas that this method needs, or for all of them. A plugin that cannot
    /// tell them can still be called: its values are then converted without a schema.
    pub(crate) async fn learn(
        &self,
        method: Option<&str>,
        peer: &Peer,
        begun: Option<&Payload>,
    ) -> Result<(), CallError> {
        let Some(welcome) = begun.and_then(|begun| Welcome::read(begun).ok()) else {
            return Ok(());
        };
        for (level, place) in [
            (Level::Functions, &self.functions),
            (Level::Resources, &self.resources),
        ] {
            let is_needed = method.is_none_or(|method| needs(method, level));
            if !is_needed || !welcome.capabilities.has(level) {
                continue;
            }
            let learned = match schemas(peer, &Capabilities::of([level.name()])).await {
                Ok(schemas) => Readable::new(&schemas).map_err(|error| error.to_string()),
                Err(error @ (CallError::Answered(_) | CallError::Malformed(_))) => {
                    Err(error.to_string())
                }
                Err(error) => return Err(error),
            };
            match learned {
                Ok(readable) => drop(place.set(readable)),
                Err(problem) => output::talk(format_args!(
                    "warning: the schema of the {} could not be read, so their values are not converted by it: {}",
                    level.name(),
                    output::on_one_line(&problem)
                )),
            }
        }
        Ok(())
    }

    fn readable(&self, method: &str) -> &Readable {
        let learned = match () {
            () if needs(method, Level::Functions) => self.functions.get(),
            () if needs(method, Level::Resources) => self.resources.get(),
            () => None,
        };
        learned.unwrap_or(&self.others)
    }

    /// The params as they are sent.
    pub(crate) fn params(
        &self,
        method: &str,
        params: Option<Payload>,
        peer: &Peer,
    ) -> Result<Option<Payload>, Failure> {
        let has_schema = needs(method, Level::Functions) || needs(method, Level::Resources);
        // What is missing in them is found, too.
        let empty = has_schema.then(|| Payload::new(Format::Json, "{}"));
        let Some(params) = params.or(empty) else {
            return params::encode(None, peer.format());
        };
        let readable = self.readable(method);
        let sent = readable.params(method, &params);
        let sent = sent.map_err(|error| Failure::usage(format!("the params: {error}")))?;
        self.learn_secrets(readable.shown_params(method, &sent).as_deref());
        Ok(Some(sent))
    }

    /// The plugin may print them, or quote them in an error.
    fn learn_secrets(&self, shown: Option<&str>) {
        if let Some(shown) = shown.filter(|_| self.hides_sensitive) {
            output::learn_sensitive(shown);
        }
    }

    /// The result as JSON.
    pub(crate) fn result(
        &self,
        method: &str,
        sent: Option<&Payload>,
        result: &Payload,
    ) -> Result<Payload, Failure> {
        let shown = self.readable(method).result(method, sent, result);
        let broken = |problem: String| {
            let hint = "--trace --show-sensitive shows the answer as it was sent";
            Failure::new(Code::BrokenProtocol, format!("{problem}\n  hint: {hint}"))
        };
        let shown = shown.map_err(|error| broken(error.to_string()))?;
        self.learn_secrets(Some(&shown));
        Payload::from_json(shown).map_err(|error| broken(error.to_string()))
    }

    /// What `--trace` shows instead of a frame, with secrets masked unless they are to be shown.
    pub(crate) fn show(self: &Arc<Values>, shows_sensitive: bool) -> Show {
        let values = self.clone();
        Arc::new(move |seen: &Seen<'_>| {
            let shown = match seen.content {
                Content::Outbound(Message::Request(request)) => values.shown_request(request),
                Content::Inbound(Inbound::Message(Message::Response(response))) => {
                    values.shown_response(response)
                }
                _ => None,
            }?;
            match shows_sensitive {
                true => Some(shown),
                false => output::without_sensitive(&shown),
            }
        })
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, HashMap<Id, Request>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown_request(&self, request: &Request) -> Option<String> {
        let method = request.method.as_str();
        let params = request.params.as_ref()?;
        let mut asked = self.asked();
        if asked.len() >= ASKED {
            asked.clear();
        }
        asked.insert(request.id.clone(), request.clone());
        drop(asked);
        let shown = self.readable(method).shown_params(method, params)?;
        let method = serde_json::Value::from(method);
        Some(format!("[0,{},{method},{shown}]", request.id))
    }

    fn shown_response(&self, response: &Response) -> Option<String> {
        let Request { method, params, .. } = self.asked().remove(&response.id)?;
        let result = response.result.as_ref().ok()?;
        let readable = self.readable(&method);
        let shown = readable.shown_result(&method, params.as_ref(), result)?;
        Some(format!("[1,{},null,{shown}]", response.id))
    }
}

/// Whether the values of a method have a schema of this level.
fn needs(method: &str, level: Level) -> bool {
    let method = canonical(method);
    let is_of_level = method.split('/').next() == Some(level.name());
    is_of_level && !method.ends_with("/getSchema")
}
