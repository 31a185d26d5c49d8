//! A provider: what it is called, how it is configured, what it can do.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tenon_protocols::orchard::{ActionSchema, AttrSchema, Code, ProviderSchema, VERSION};
use tenon_values::{Error, Type, Value};

use super::{Attributes, Failure, Typed};

pub(crate) type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Start<S> = Box<dyn Fn(Value) -> Work<Result<S, Failure>> + Send + Sync>;
type Run<S> = Box<dyn Fn(Arc<S>, Value) -> Work<Result<Value, Failure>> + Send + Sync>;
type Stop<S> = Box<dyn Fn(Arc<S>) -> Work<()> + Send + Sync>;

/// A provider: a name, a version, and actions that share a state of type `S`.
///
/// Actions run one after the other on one thread, so one that blocks is no harm, unless
/// [`max_in_flight`](Provider::max_in_flight) lets several run at a time. A panic ends nothing
/// else. In an action it is answered with [`Code::OutcomeUnknown`], because nobody can tell what
/// the action had done until then; so are outputs that do not fit the schema.
pub struct Provider<S = ()> {
    pub(crate) schema: ProviderSchema,
    pub(crate) setup: Setup<S>,
    pub(crate) actions: BTreeMap<String, Run<S>>,
    pub(crate) stop: Option<Stop<S>>,
}

/// Where the state comes from.
pub(crate) enum Setup<S> {
    /// It is there from the start.
    Ready(Arc<S>),
    /// `configure` makes it.
    Configure(Start<S>),
}

impl Provider<()> {
    /// A provider that can do nothing yet.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Provider<()> {
        Provider {
            schema: ProviderSchema {
                name: name.into(),
                version: version.into(),
                protocol: VERSION.to_owned(),
                ..ProviderSchema::default()
            },
            setup: Setup::Ready(Arc::new(())),
            actions: BTreeMap::new(),
            stop: None,
        }
    }

    /// Makes the state that actions get. They can be executed once this has succeeded.
    #[must_use]
    pub fn configure<C, S, F, W>(self, configure: F) -> Provider<S>
    where
        C: Attributes,
        S: Send + Sync + 'static,
        F: Fn(C) -> W + Send + Sync + 'static,
        W: Future<Output = Result<S, Failure>> + Send + 'static,
    {
        self.configure_by(C::schema(), move |given| match C::from_value(&given) {
            Ok(config) => Box::pin(configure(config)),
            Err(error) => Box::pin(std::future::ready(Err(error.into()))),
        })
    }

    /// As [`configure`](Provider::configure), with a schema made by hand. The function gets an
    /// object with every attribute of the schema.
    #[must_use]
    pub fn configure_with_schema<S, F, W>(
        self,
        schema: BTreeMap<String, AttrSchema>,
        configure: F,
    ) -> Provider<S>
    where
        S: Send + Sync + 'static,
        F: Fn(Value) -> W + Send + Sync + 'static,
        W: Future<Output = Result<S, Failure>> + Send + 'static,
    {
        self.configure_by(schema, move |given| Box::pin(configure(given)))
    }

    fn configure_by<S, F>(mut self, schema: BTreeMap<String, AttrSchema>, start: F) -> Provider<S>
    where
        S: Send + Sync + 'static,
        F: Fn(Value) -> Work<Result<S, Failure>> + Send + Sync + 'static,
    {
        self.schema.config = schema;
        // What was added before knows of no state, and needs none.
        let stateless = |(name, run): (String, Run<()>)| -> (String, Run<S>) {
            (name, Box::new(move |_, given| run(Arc::new(()), given)))
        };
        let stop = self
            .stop
            .map(|stop| -> Stop<S> { Box::new(move |_| stop(Arc::new(()))) });
        Provider {
            schema: self.schema,
            setup: Setup::Configure(Box::new(start)),
            actions: self.actions.into_iter().map(stateless).collect(),
            stop,
        }
    }
}

impl<S: Send + Sync + 'static> Provider<S> {
    /// Adds an action. It gets the state and its attributes, and gives its outputs; both are
    /// mostly structs made by [`attributes!`](crate::attributes), or `()`.
    ///
    /// # Panics
    /// There is an action of this name already.
    #[must_use]
    #[track_caller]
    pub fn action<A, O, F, W>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        run: F,
    ) -> Provider<S>
    where
        A: Attributes,
        O: Typed,
        F: Fn(Arc<S>, A) -> W + Send + Sync + 'static,
        W: Future<Output = Result<O, Failure>> + Send + 'static,
    {
        let outputs = AttrSchema {
            sensitive: O::IS_SENSITIVE,
            ..AttrSchema::new(O::ty().without_optional())
        };
        let schema = ActionSchema {
            description: description.into(),
            attrs: A::schema(),
            outputs: Some(outputs).filter(|outputs| outputs.ty != <()>::ty()),
            idempotent: false,
        };
        self.add(name.into(), schema, move |state, given| {
            let work = match A::from_value(&given) {
                Ok(attributes) => run(state, attributes),
                Err(error) => return Box::pin(std::future::ready(Err(invalid(error)))),
            };
            Box::pin(async move { work.await?.to_value().map_err(unwritable) })
        })
    }

    /// Adds an action with a schema made by hand. It gets an object with every attribute of the
    /// schema, and gives a value that converts to the type of its outputs.
    ///
    /// # Panics
    /// There is an action of this name already.
    #[must_use]
    #[track_caller]
    pub fn action_with_schema<F, W>(
        self,
        name: impl Into<String>,
        schema: ActionSchema,
        run: F,
    ) -> Provider<S>
    where
        F: Fn(Arc<S>, Value) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        self.add(name.into(), schema, move |state, given| {
            Box::pin(run(state, given))
        })
    }

    #[track_caller]
    fn add<F>(mut self, name: String, schema: ActionSchema, run: F) -> Provider<S>
    where
        F: Fn(Arc<S>, Value) -> Work<Result<Value, Failure>> + Send + Sync + 'static,
    {
        // What the host is promised is also what is kept.
        let outputs =
            { schema.outputs.as_ref() }.map_or_else(<()>::ty, |outputs| outputs.ty.clone());
        let run = move |state, given| -> Work<Result<Value, Failure>> {
            let (work, outputs) = (run(state, given), outputs.clone());
            Box::pin(async move { conform(&work.await?, &outputs) })
        };
        let before = self.actions.insert(name.clone(), Box::new(run));
        assert!(before.is_none(), "there are two actions called {name:?}");
        self.schema.actions.insert(name, schema);
        self
    }

    /// Says that running an action again with the same attributes changes nothing more. Hosts are
    /// told, and may repeat it when the outcome of a call is unknown.
    ///
    /// ```
    /// use tenon_plugin::orchard::Provider;
    ///
    /// let provider = Provider::new("clock", "1.0.0")
    ///     .action("wind", "Winds the clock until it is wound", |_, ()| async { Ok(()) })
    ///     .idempotent("wind");
    /// assert!(provider.schema().actions["wind"].idempotent);
    /// ```
    ///
    /// # Panics
    /// There is no action of this name.
    #[must_use]
    #[track_caller]
    pub fn idempotent(mut self, action: &str) -> Provider<S> {
        match self.schema.actions.get_mut(action) {
            Some(schema) => schema.idempotent = true,
            None => panic!("there is no action called {action:?}"),
        }
        self
    }

    /// How many actions may run at the same time; 1 unless this is said. Hosts are told.
    #[must_use]
    pub fn max_in_flight(mut self, max_in_flight: usize) -> Provider<S> {
        self.schema.max_in_flight = Some(max_in_flight);
        self
    }

    /// What is done with the state in the end, when the host says goodbye or goes away.
    #[must_use]
    pub fn shutdown<F, W>(mut self, shutdown: F) -> Provider<S>
    where
        F: Fn(Arc<S>) -> W + Send + Sync + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        self.stop = Some(Box::new(move |state| Box::pin(shutdown(state))));
        self
    }

    /// What hosts are told about the provider.
    pub fn schema(&self) -> &ProviderSchema {
        &self.schema
    }
}

/// What was given fits the schema, but not the Rust type.
fn invalid(error: Error) -> Failure {
    Failure::from(error).with_code(Code::ValidationFailed)
}

/// What the action did is done, though its outputs are lost.
fn unwritable(error: Error) -> Failure {
    Failure::outcome_unknown(format!(
        "the action was run, but its outputs cannot be written: {error}"
    ))
}

/// The outputs as the schema promises them.
fn conform(outputs: &Value, ty: &Type) -> Result<Value, Failure> {
    tenon_values::convert::convert(outputs, ty).map_err(|error| {
        Failure::outcome_unknown(format!(
            "the action was run, but its outputs are not what the schema says: {error}"
        ))
    })
}

impl<S> fmt::Debug for Provider<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Provider")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
