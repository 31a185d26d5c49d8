//! A plugin: its name, its configuration, and what it offers.

mod actions;
mod around;
mod functions;
mod resources;

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use tenon_schema::{Offer, Schema};
use tenon_values::Value;

use crate::block::body;
use crate::parts::{Given, Kinds, Parts, Refusal, Run, Work, read};
use crate::results::Results;
use crate::{Attributes, Failure};

pub(crate) type Start<S> = Box<dyn Fn(Value) -> Work<Result<S, Refusal>> + Send + Sync>;
/// Adds one part for the state that `configure` made.
pub(crate) type Add<S> = Box<dyn Fn(&Arc<S>, &mut Parts) + Send + Sync>;

/// A plugin: a name, a version, and what it offers. All of it shares a state of type `S`.
///
/// In Orchard, actions run one after another on one thread, so an action may block, unless
/// [`max_in_flight`](Plugin::max_in_flight) allows several at a time. A panic fails only its own call.
/// In an action of Orchard the answer is then [`Code::OutcomeUnknown`](crate::Code), because it is not
/// known what the action did before it panicked. The same holds for outputs that do not fit the schema.
pub struct Plugin<S = ()> {
    pub(crate) offer: Offer,
    pub(crate) setup: Setup<S>,
    /// The functions that need no state.
    pub(crate) functions: BTreeMap<String, Arc<Run>>,
    pub(crate) results: Results,
    pub(crate) kinds: Kinds,
    pub(crate) parts: Vec<Add<S>>,
    pub(crate) around: Around,
}

/// What a plugin has besides its offer.
#[derive(Default)]
pub(crate) struct Around {
    pub(crate) has_storage: bool,
    /// The names of the capabilities.
    pub(crate) hooks: Vec<&'static str>,
}

/// Where the state comes from.
pub(crate) enum Setup<S> {
    /// It is there from the start.
    Ready(S),
    /// `configure` makes it.
    Configure(Start<S>),
}

impl Plugin<()> {
    /// A plugin that offers nothing yet.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Plugin<()> {
        Plugin {
            offer: Offer {
                name: name.into(),
                version: version.into(),
                ..Offer::default()
            },
            setup: Setup::Ready(()),
            functions: BTreeMap::new(),
            results: Results::default(),
            kinds: Kinds::default(),
            parts: Vec::new(),
            around: Around::default(),
        }
    }

    /// Adds the function that makes the state from the configuration. If the host cannot configure
    /// plugins, as denobridge, it gets the defaults.
    #[must_use]
    pub fn configure<C, S, F, W>(self, configure: F) -> Plugin<S>
    where
        C: Attributes,
        S: Send + Sync + 'static,
        F: Fn(C) -> W + Send + Sync + 'static,
        W: Future<Output = Result<S, Failure>> + Send + 'static,
    {
        let schema = body::<C>().into();
        let mut plugin = self.configure_by(schema, move |given| {
            let work = read(Given::Props, &given).map(&configure);
            Box::pin(async move { Ok(work?.await?) })
        });
        plugin.kinds.config = Some(|config| read::<C>(Given::Props, config).map(drop));
        plugin
    }

    /// As [`configure`](Plugin::configure), with a schema made by hand. The function gets an
    /// object with every attribute of the schema.
    #[must_use]
    pub fn configure_with_schema<S, F, W>(self, schema: Schema, configure: F) -> Plugin<S>
    where
        S: Send + Sync + 'static,
        F: Fn(Value) -> W + Send + Sync + 'static,
        W: Future<Output = Result<S, Failure>> + Send + 'static,
    {
        self.configure_by(schema, move |given| {
            let work = configure(given);
            Box::pin(async move { Ok(work.await?) })
        })
    }

    fn configure_by<S, F>(mut self, schema: Schema, start: F) -> Plugin<S>
    where
        S: Send + Sync + 'static,
        F: Fn(Value) -> Work<Result<S, Refusal>> + Send + Sync + 'static,
    {
        self.offer.config = schema;
        // What was added before needs no state.
        let stateless =
            |add: Add<()>| -> Add<S> { Box::new(move |_, parts| add(&Arc::new(()), parts)) };
        Plugin {
            offer: self.offer,
            setup: Setup::Configure(Box::new(start)),
            functions: self.functions,
            results: self.results,
            kinds: self.kinds,
            parts: self.parts.into_iter().map(stateless).collect(),
            around: self.around,
        }
    }
}

impl<S: Send + Sync + 'static> Plugin<S> {
    /// How many calls the plugin handles at a time; 1 if not set. It is part of the schema.
    #[must_use]
    pub fn max_in_flight(mut self, max_in_flight: usize) -> Plugin<S> {
        self.offer.max_in_flight = Some(max_in_flight);
        self
    }

    /// Adds a function that is called with the state when the host ends the conversation or goes
    /// away.
    #[must_use]
    pub fn shutdown<F, W>(mut self, shutdown: F) -> Plugin<S>
    where
        F: Fn(Arc<S>) -> W + Send + Sync + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let shutdown = Arc::new(shutdown);
        self.parts.push(Box::new(move |state, parts| {
            let (shutdown, state) = (shutdown.clone(), state.clone());
            parts.stop = Some(Box::new(move || Box::pin(shutdown(state.clone()))));
        }));
        self
    }

    /// Everything that the plugin offers, as hosts see it.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }
}

#[track_caller]
fn add<T>(kind: &str, all: &mut BTreeMap<String, T>, name: String, one: T) {
    let is_there = all.contains_key(&name);
    assert!(!is_there, "there are two {kind} called {name:?}");
    all.insert(name, one);
}

impl<S> fmt::Debug for Plugin<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Plugin")
            .field("offer", &self.offer)
            .finish_non_exhaustive()
    }
}
