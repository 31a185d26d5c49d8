//! A host in memory, for the tests of a plugin.
//!
//! It calls a plugin as real hosts do: everything is encoded, sent through a connection in memory, and decoded.
//! Functions, resources, data sources, ephemeral resources, hooks and storage are called in Seasonings, actions
//! as by any client of an ipc service.
//!
//! ```
//! use tenon_plugin::testing::Host;
//! use tenon_plugin::{Plugin, Value, attributes};
//!
//! attributes! {
//!     struct Greet { name: String, greeting: String = "hello" }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let plugin = Plugin::new("greeter", "1.0.0").function("greet", "Greets somebody", |greet: Greet| async move {
//!     Ok(format!("{}, {}", greet.greeting, greet.name))
//! });
//! let host = Host::new(plugin).await;
//! let given = Value::object([("name", Value::from("you"))]);
//! assert_eq!(host.call_function::<String>("greet", &given).await.unwrap(), "hello, you");
//!
//! let failed = host.call_function::<String>("greet", &Value::object::<&str>([])).await.unwrap_err();
//! assert_eq!(failed.to_string(), "name: a value is required");
//! # }
//! ```
//!
//! Arguments are structs made by [`attributes!`](crate::attributes), or objects, in which everything that has a
//! default may be missing. Results are read as any [`Typed`]; as a [`Value`] they are what they are. A test needs a
//! runtime: `#[tokio::test]`.

mod ephemeral;
mod failed;
mod hooks;
mod resource;
mod storage;

pub use ephemeral::Lease;
pub use failed::Failed;
pub use resource::{Managed, PlannedChange};
pub use storage::StorageClient;

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use tenon_protocols::seasonings::calls::{Argument, Call, CallFunction, Kind, ReadData, schemas};
use tenon_protocols::seasonings::{Diagnostic, Greeting, Level, begin, calls};
use tenon_protocols::{Json, Protocol};
use tenon_rpc::{Connection, Dialect, Format, Io, Options, Payload, Router, events};
use tenon_schema::{Body, Offer};
use tenon_values::convert::convert;
use tenon_values::{Value, json};
use tokio::task::JoinSet;

use crate::context::{self, Say};
use crate::session::Session;
use crate::{Plugin, Typed, ipc, seasonings};

events! {
    /// A plugin reports progress.
    Said = "progress" (SaidParams);
}

#[derive(Deserialize, serde::Serialize)]
struct SaidParams {
    message: String,
}

/// What a plugin has told its host besides its answers.
type Told<T> = Arc<Mutex<Vec<T>>>;

/// A host in memory. Once it is dropped, the plugin ends.
#[derive(Debug)]
pub struct Host {
    /// The offer as the host reads it.
    offer: Offer,
    terraform: Connection,
    service: Connection,
    progress: Told<String>,
    warnings: Told<Diagnostic>,
    serving: JoinSet<()>,
}

impl Host {
    /// Starts a plugin. If it has a configuration, it gets the defaults.
    ///
    /// # Panics
    /// What the plugin offers is invalid, or there is no tokio runtime.
    pub async fn new<S: Send + Sync + 'static>(plugin: Plugin<S>) -> Host {
        match Host::start(plugin, serde_json::Map::new()).await {
            Ok(host) => host,
            Err(failed) => panic!("{failed}"),
        }
    }

    /// Starts a plugin with a configuration.
    ///
    /// # Errors
    /// The configuration is refused, or what the plugin offers is invalid.
    pub async fn configured<S: Send + Sync + 'static>(
        plugin: Plugin<S>,
        config: &impl Typed,
    ) -> Result<Host, Failed> {
        let config = Json::of(&config.to_value()?.unmark_deep().0)?;
        let config = serde_json::from_str(config.text()).unwrap_or_default();
        Host::start(plugin, config).await
    }

    async fn start<S: Send + Sync + 'static>(
        plugin: Plugin<S>,
        config: serde_json::Map<String, serde_json::Value>,
    ) -> Result<Host, Failed> {
        plugin.offer.check()?;
        let (progress, warnings) = (Told::default(), Told::default());
        let session = Session::new(plugin);
        if config.is_empty() {
            // Functions need the state, too. What is wrong with the defaults is told by the first call that needs it.
            let _later = session.parts().await;
        }
        let mut serving = JoinSet::new();
        let (here, there) = Io::pair();
        let served = seasonings::serve(session.clone(), there);
        serving.spawn(async move { drop(served.await) });
        let said: Told<String> = Arc::clone(&progress);
        let router =
            Router::new(said).on_event(Said, |context, said| note(context.state, said.message));
        let terraform = Connection::start_with(
            here,
            Protocol::Seasonings.dialect(),
            Arc::new(router),
            Protocol::Seasonings.host_options(),
        );
        let (here, there) = Io::pair();
        let served = ipc::serve_with(session, Dialect::JsonRpcLines, there, Some(say(&progress)));
        serving.spawn(async move { drop(served.await) });
        let service = Connection::start_with(
            here,
            Dialect::JsonRpcLines,
            Arc::new(Router::new(())),
            Options::default(),
        );
        let peer = terraform.peer();
        let greeting = Greeting {
            config,
            ..Greeting::new(Level::ALL)
        };
        let welcome = begin(&peer, &greeting).await?;
        let offer = schemas(&peer, &welcome.capabilities).await?.offer()?;
        Ok(Host {
            offer,
            terraform,
            service,
            progress,
            warnings,
            serving,
        })
    }

    /// Calls a function.
    ///
    /// # Errors
    /// The function failed, or there is none of this name.
    pub async fn call_function<T: Typed>(
        &self,
        name: &str,
        arguments: &impl Typed,
    ) -> Result<T, Failed> {
        let function = self.offer.functions.get(name);
        let function = function.ok_or_else(|| self.missing("function", name))?;
        let given = complete(&function.body(), &arguments.to_value()?)?;
        let mut sent = Vec::new();
        for parameter in &function.parameters {
            let value = part(&given, &parameter.name);
            if !value.is_null() || !parameter.may_be_left_out() {
                sent.push((parameter, Argument::One(convert(&value, &parameter.ty)?)));
            }
        }
        if let Some(variadic) = &function.variadic {
            let values = part(&given, &variadic.name);
            let values = values.elements().map(<[Value]>::to_vec);
            sent.push((variadic, Argument::Several(values.unwrap_or_default())));
        }
        let call = CallFunction {
            name,
            arguments: &sent,
            returns: &function.returns,
        };
        let returned = self.ask(&call).await?;
        self.tell(returned.diagnostics)?;
        Ok(T::from_value(&returned.result.unwrap_or(Value::NULL))?)
    }

    /// Runs an action.
    ///
    /// # Errors
    /// The action failed, or there is none of this name.
    pub async fn run_action<T: Typed>(
        &self,
        name: &str,
        attributes: &impl Typed,
    ) -> Result<T, Failed> {
        let given = Json::of(&attributes.to_value()?.unmark_deep().0)?;
        let params = Payload::encode(Format::Json, &given)?;
        let answer = self.service.peer().call_raw(name, Some(params)).await?;
        let outputs = json::implied(answer.bytes())?;
        let outputs = match outputs.is_null() {
            // An action without outputs.
            true if !T::IS_OPTIONAL => Value::object::<&str>([]),
            _ => convert(&outputs, &T::ty())?,
        };
        Ok(T::from_value(&outputs)?)
    }

    /// Reads a data source. The result includes what was configured.
    ///
    /// # Errors
    /// Reading it failed, or there is none of this name.
    pub async fn read_data<T: Typed>(&self, name: &str, config: &impl Typed) -> Result<T, Failed> {
        let schema = self.offer.data_sources.get(name);
        let body = &schema
            .ok_or_else(|| self.missing("data source", name))?
            .body;
        let config = &complete(body, &config.to_value()?)?;
        let kind = Kind { name, body };
        let read = self.ask(&ReadData { kind, config }).await?;
        self.tell(read.diagnostics)?;
        Ok(T::from_value(&read.state.unwrap_or(Value::NULL))?)
    }

    /// The progress that the plugin has reported so far.
    pub fn progress(&self) -> Vec<String> {
        let progress = self.progress.lock();
        progress.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The warnings that the plugin has given so far, as `attribute: text`. Those of actions are on stderr.
    pub fn warnings(&self) -> Vec<String> {
        let warnings = self.warnings.lock();
        let warnings = warnings.unwrap_or_else(PoisonError::into_inner);
        warnings.iter().map(failed::text).collect()
    }

    /// Ends the plugin as a host does, and waits for it.
    pub async fn end(mut self) {
        Protocol::Seasonings.end(&self.terraform.peer()).await;
        drop((self.terraform, self.service));
        while self.serving.join_next().await.is_some() {}
    }

    async fn ask<C: Call>(&self, call: &C) -> Result<C::Answer, Failed> {
        Ok(calls::call(&self.terraform.peer(), call).await?)
    }

    /// Keeps warnings, and fails with errors.
    fn tell(&self, diagnostics: Vec<Diagnostic>) -> Result<(), Failed> {
        let (errors, warnings): (Vec<_>, Vec<_>) =
            diagnostics.into_iter().partition(Diagnostic::is_error);
        for warning in warnings {
            note(&self.warnings, warning);
        }
        match errors.is_empty() {
            true => Ok(()),
            false => Err(Failed::of_diagnostics(&errors)),
        }
    }

    fn missing(&self, kind: &str, name: &str) -> Failed {
        Failed::new(format!("the plugin has no {kind} {name:?}"))
    }
}

fn note<T>(told: &Told<T>, one: T) {
    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
    told.push(one);
}

/// Keeps the progress of actions.
fn say(progress: &Told<String>) -> Arc<Say> {
    let progress = Arc::clone(progress);
    Arc::new(move |said| {
        match said {
            context::Said::Progress { message, .. } => note(&progress, message),
            context::Said::Log(level, message) => level.tell(&message),
        }
        Box::pin(std::future::ready(()))
    })
}

/// What was given, with defaults.
fn complete(body: &Body, given: &Value) -> Result<Value, Failed> {
    let completed = body.complete(given);
    let completed = completed.map_err(|errors| Failed::of_errors(&errors))?;
    Ok(completed.unmark_deep().0)
}

/// An attribute of an object; null if there is none.
fn part(object: &Value, name: &str) -> Value {
    let attributes = object.attributes();
    { attributes.and_then(|all| all.get(name).cloned()) }.unwrap_or(Value::NULL)
}
