//! A plugin: what it is called, how it is configured, what it offers.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use tenon_schema::{Action, Attribute, Body, Function, Offer, Parameter, Schema};
use tenon_values::convert::convert;
use tenon_values::{Error, Type, Value};

use crate::parts::{Call, Given, Part, Parts, Refusal, Shape, Work, read};
use crate::{Attributes, Context, Data, Ephemeral, Failure, IntoData, Resource, Typed};

pub(crate) type Start<S> = Box<dyn Fn(Value) -> Work<Result<S, Failure>> + Send + Sync>;
/// Adds one part for the state that `configure` made.
pub(crate) type Add<S> = Box<dyn Fn(&Arc<S>, &mut Parts) + Send + Sync>;

/// A plugin: a name, a version, and what it offers. All of it shares a state of type `S`.
///
/// In Orchard actions run one after the other on one thread, so one that blocks is no harm, unless
/// [`max_in_flight`](Plugin::max_in_flight) lets several run at a time. A panic ends nothing but its
/// call. In an action of Orchard it is answered with [`Code::OutcomeUnknown`](crate::Code), because
/// nobody can tell what the action had done until then; so are outputs that do not fit the schema.
pub struct Plugin<S = ()> {
    pub(crate) offer: Offer,
    pub(crate) setup: Setup<S>,
    pub(crate) functions: BTreeMap<String, Box<Call>>,
    pub(crate) parts: Vec<Add<S>>,
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
            parts: Vec::new(),
        }
    }

    /// Makes the state that everything else gets, once the host has sent the configuration. A host
    /// that cannot configure a plugin, such as denobridge, gets the defaults.
    #[must_use]
    pub fn configure<C, S, F, W>(self, configure: F) -> Plugin<S>
    where
        C: Attributes,
        S: Send + Sync + 'static,
        F: Fn(C) -> W + Send + Sync + 'static,
        W: Future<Output = Result<S, Failure>> + Send + 'static,
    {
        let schema = Body::new(C::attributes()).into();
        self.configure_by(schema, move |given| match C::from_value(&given) {
            Ok(config) => Box::pin(configure(config)),
            Err(error) => Box::pin(std::future::ready(Err(error.into()))),
        })
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
        self.configure_by(schema, move |given| Box::pin(configure(given)))
    }

    fn configure_by<S, F>(mut self, schema: Schema, start: F) -> Plugin<S>
    where
        S: Send + Sync + 'static,
        F: Fn(Value) -> Work<Result<S, Failure>> + Send + Sync + 'static,
    {
        self.offer.config = schema;
        // What was added before needs no state.
        let stateless =
            |add: Add<()>| -> Add<S> { Box::new(move |_, parts| add(&Arc::new(()), parts)) };
        Plugin {
            offer: self.offer,
            setup: Setup::Configure(Box::new(start)),
            functions: self.functions,
            parts: self.parts.into_iter().map(stateless).collect(),
        }
    }
}

impl<S: Send + Sync + 'static> Plugin<S> {
    /// Adds an action. It gets the state and its attributes, and returns its outputs, or [`Data`]
    /// with diagnostics; attributes and outputs are mostly structs made by
    /// [`attributes!`](crate::attributes), or `()`.
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
    ) -> Plugin<S>
    where
        A: Attributes,
        O: IntoData,
        F: Fn(Context<S>, A) -> W + Send + Sync + 'static,
        W: Future<Output = Result<O, Failure>> + Send + 'static,
    {
        let output = Attribute {
            is_sensitive: O::Value::IS_SENSITIVE,
            ..Attribute::new("outputs", O::Value::ty().without_optional())
        };
        let action = Action {
            input: Body::new(A::attributes()),
            output: Some(output).filter(|output| output.implied_type() != <()>::ty()),
            is_idempotent: false,
            description: description.into().into(),
        };
        self.add_action(name.into(), action, move |context, given| {
            let work = read(Given::Props, &given).map(|attributes| run(context, attributes));
            Box::pin(async move {
                let data = work?.await?.into_data();
                Ok(Data {
                    value: data.value.to_value().map_err(unwritable)?,
                    diagnostics: data.diagnostics,
                })
            })
        })
    }

    /// Adds an action with a schema made by hand. It gets an object with every attribute of the
    /// schema, and returns a value that converts to the type of its outputs.
    ///
    /// # Panics
    /// There is an action of this name already.
    #[must_use]
    #[track_caller]
    pub fn action_with_schema<F, W>(
        self,
        name: impl Into<String>,
        action: Action,
        run: F,
    ) -> Plugin<S>
    where
        F: Fn(Context<S>, Value) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        let input = action.input.clone();
        self.add_action(name.into(), action, move |context, given| {
            // Complete already if it comes from a host that reads schemas.
            let work = { input.complete(&given) }
                .map_err(|mut errors| Refusal::Unfit(Given::Props, errors.swap_remove(0)))
                .map(|given| run(context, given.unmark_deep().0));
            Box::pin(async move { Ok(Data::new(work?.await?)) })
        })
    }

    #[track_caller]
    fn add_action<F>(mut self, name: String, action: Action, run: F) -> Plugin<S>
    where
        F: Fn(Context<S>, Value) -> Work<Result<Data<Value>, Refusal>> + Send + Sync + 'static,
    {
        // What the host is promised is also what is kept.
        let output = { action.output.as_ref() }.map_or_else(<()>::ty, Attribute::implied_type);
        let shape = Arc::new(Shape {
            given: action.input.attributes.clone(),
            returned: Vec::new(),
        });
        let (run, part) = (Arc::new(run), name.clone());
        self.parts.push(Box::new(move |state, parts| {
            let (run, state, output) = (run.clone(), state.clone(), output.clone());
            let work = move |progress, given| -> Work<Result<Data<Value>, Refusal>> {
                let work = run(Context::new(state.clone(), progress), given);
                let output = output.clone();
                Box::pin(async move {
                    let data = work.await?;
                    Ok(Data {
                        value: conform(&data.value, &output)?,
                        diagnostics: data.diagnostics,
                    })
                })
            };
            let work = Arc::new(work);
            let shape = shape.clone();
            parts.actions.insert(part.clone(), Part { shape, work });
        }));
        add("actions", &mut self.offer.actions, name, action);
        self
    }

    /// Says that running an action again with the same attributes changes nothing more. Hosts are
    /// told, and may repeat it when the outcome of a call is unknown.
    ///
    /// ```
    /// use tenon_plugin::Plugin;
    ///
    /// let plugin = Plugin::new("clock", "1.0.0")
    ///     .action("wind", "Winds the clock until it is wound", |_, ()| async { Ok(()) })
    ///     .idempotent("wind");
    /// assert!(plugin.offer().actions["wind"].is_idempotent);
    /// ```
    ///
    /// # Panics
    /// There is no action of this name.
    #[must_use]
    #[track_caller]
    pub fn idempotent(mut self, action: &str) -> Plugin<S> {
        match self.offer.actions.get_mut(action) {
            Some(schema) => schema.is_idempotent = true,
            None => panic!("there is no action called {action:?}"),
        }
        self
    }

    /// Adds a function: the same arguments give the same result, and nothing is changed. Its
    /// parameters are the fields of a struct made by [`attributes!`](crate::attributes), in their
    /// order; the last one may be [`Variadic`](crate::Variadic).
    ///
    /// # Panics
    /// There is a function of this name already, or a field that is not the last is `Variadic`.
    #[must_use]
    #[track_caller]
    pub fn function<A, T, F, W>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        call: F,
    ) -> Plugin<S>
    where
        A: Attributes,
        T: Typed,
        F: Fn(A) -> W + Send + Sync + 'static,
        W: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let name = name.into();
        let mut parameters = A::attributes();
        let variadic = A::variadic().map(|index| {
            assert_eq!(
                index + 1,
                parameters.len(),
                "only the last parameter can be variadic"
            );
            let attribute = parameters.remove(index);
            let element = attribute.implied_type().element().cloned();
            let mut parameter = parameter(attribute, false);
            parameter.ty = element.unwrap_or(Type::Dynamic);
            parameter
        });
        // Behind a parameter that has to be given, or before a variadic one, null stands for what
        // could be left out.
        let is_required = |one: &Attribute| !one.presence.is_optional();
        let last = match variadic {
            Some(_) => parameters.len(),
            None => parameters
                .iter()
                .rposition(is_required)
                .map_or(0, |last| last + 1),
        };
        let parameters = parameters.into_iter().enumerate();
        let function = Function {
            variadic,
            description: description.into().into(),
            ..Function::new(
                parameters.map(|(index, one)| parameter(one, index >= last)),
                T::ty().without_optional(),
            )
        };
        add(
            "functions",
            &mut self.offer.functions,
            name.clone(),
            function,
        );
        let call = move |arguments: Value| -> Work<Result<Value, Refusal>> {
            let work = read(Given::Props, &arguments).map(&call);
            Box::pin(async move { Ok(crate::data::write(&work?.await?, "result")?) })
        };
        self.functions.insert(name, Box::new(call));
        self
    }

    /// Adds a resource. It is made for the state that `configure` made, and asked for everything of
    /// its kind. Its schema is the attributes of its props, those of its state, which are computed,
    /// and its `id`.
    ///
    /// # Panics
    /// There is a resource of this name already.
    #[must_use]
    #[track_caller]
    pub fn resource<R, F>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        make: F,
    ) -> Plugin<S>
    where
        R: Resource,
        F: Fn(Arc<S>) -> R + Send + Sync + 'static,
    {
        let name = name.into();
        let shape = Arc::new(Shape {
            given: R::Props::attributes(),
            returned: R::State::attributes(),
        });
        let mut body = shape.body().about(description.into());
        let id = Attribute::new("id", Type::String).computed().stable();
        body.attributes
            .push(id.about("What the resource is found by."));
        let resource = tenon_schema::Resource {
            schema: body.into(),
            ..tenon_schema::Resource::default()
        };
        add(
            "resources",
            &mut self.offer.resources,
            name.clone(),
            resource,
        );
        self.parts.push(Box::new(move |state, parts| {
            let work = Arc::new(make(state.clone()));
            let shape = shape.clone();
            parts.resources.insert(name.clone(), Part { shape, work });
        }));
        self
    }

    /// Adds a data source. It gets the state and what the configuration says, and returns what it
    /// found, or [`Data`] with diagnostics.
    ///
    /// # Panics
    /// There is a data source of this name already.
    #[must_use]
    #[track_caller]
    pub fn data_source<P, T, F, W>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        look: F,
    ) -> Plugin<S>
    where
        P: Attributes,
        T: IntoData<Value: Attributes>,
        F: Fn(Context<S>, P) -> W + Send + Sync + 'static,
        W: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let name = name.into();
        let shape = Arc::new(Shape {
            given: P::attributes(),
            returned: T::Value::attributes(),
        });
        let schema = Schema::from(shape.body().about(description.into()));
        add(
            "data sources",
            &mut self.offer.data_sources,
            name.clone(),
            schema,
        );
        let look = Arc::new(look);
        self.parts.push(Box::new(move |state, parts| {
            let (look, state) = (look.clone(), state.clone());
            let work = move |progress, given: Value| -> Work<Result<Data<Value>, Refusal>> {
                let context = Context::new(state.clone(), progress);
                let work = read(Given::Props, &given).map(|props| look(context, props));
                Box::pin(async move { Ok(work?.await?.into_data().write("result")?) })
            };
            let work = Arc::new(work);
            let shape = shape.clone();
            parts
                .data_sources
                .insert(name.clone(), Part { shape, work });
        }));
        self
    }

    /// Adds an ephemeral resource, made for the state that `configure` made.
    ///
    /// # Panics
    /// There is an ephemeral resource of this name already.
    #[must_use]
    #[track_caller]
    pub fn ephemeral<E, F>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        make: F,
    ) -> Plugin<S>
    where
        E: Ephemeral,
        F: Fn(Arc<S>) -> E + Send + Sync + 'static,
    {
        let name = name.into();
        let shape = Arc::new(Shape {
            given: E::Props::attributes(),
            returned: E::Result::attributes(),
        });
        let schema = Schema::from(shape.body().about(description.into()));
        let all = &mut self.offer.ephemeral_resources;
        add("ephemeral resources", all, name.clone(), schema);
        self.parts.push(Box::new(move |state, parts| {
            let work = Arc::new(make(state.clone()));
            let shape = shape.clone();
            parts
                .ephemeral_resources
                .insert(name.clone(), Part { shape, work });
        }));
        self
    }

    /// How many calls the plugin takes at a time; 1 if not set. Hosts are told.
    #[must_use]
    pub fn max_in_flight(mut self, max_in_flight: usize) -> Plugin<S> {
        self.offer.max_in_flight = Some(max_in_flight);
        self
    }

    /// What is done with the state in the end, when the host says goodbye or goes away.
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

    /// What hosts are told about the plugin.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }
}

impl Shape {
    /// What users give, and as computed what the plugin returns. An attribute of both is one if the
    /// types are the same; what is never stored cannot be returned. (Checking the schema finds
    /// names that are used twice.)
    fn body(&self) -> Body {
        let mut attributes = self.given.clone();
        for returned in &self.returned {
            let is_same = |one: &&mut Attribute| {
                one.name == returned.name && one.ty == returned.ty && !one.is_write_only
            };
            match attributes.iter_mut().find(is_same) {
                Some(both) => {
                    both.is_sensitive |= returned.is_sensitive;
                    if both.presence.is_optional() {
                        both.presence = tenon_schema::Presence::OptionalComputed;
                    }
                }
                None => {
                    let mut computed = returned.clone().computed();
                    computed.default = None;
                    attributes.push(computed);
                }
            }
        }
        Body::new(attributes)
    }
}

#[track_caller]
fn add<T>(kind: &str, all: &mut BTreeMap<String, T>, name: String, one: T) {
    let is_there = all.contains_key(&name);
    assert!(!is_there, "there are two {kind} called {name:?}");
    all.insert(name, one);
}

/// A parameter that may be left out, or for which null may be given, if the attribute is optional.
fn parameter(attribute: Attribute, may_be_left_out: bool) -> Parameter {
    let is_optional = attribute.presence.is_optional();
    Parameter {
        is_optional: is_optional && may_be_left_out,
        default: { attribute.default.clone() }.filter(|_| may_be_left_out),
        allows_null: is_optional,
        description: attribute.description.clone(),
        ..Parameter::new(attribute.name.clone(), attribute.implied_type())
    }
}

/// What the action did is done, though its outputs are lost.
fn unwritable(error: Error) -> Failure {
    Failure::outcome_unknown(format!(
        "the action was run, but its outputs cannot be written: {error}"
    ))
}

/// The outputs as the schema promises them.
fn conform(outputs: &Value, ty: &Type) -> Result<Value, Failure> {
    convert(outputs, ty).map_err(|error| {
        Failure::outcome_unknown(format!(
            "the action was run, but its outputs are not what the schema says: {error}"
        ))
    })
}

impl<S> fmt::Debug for Plugin<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Plugin")
            .field("offer", &self.offer)
            .finish_non_exhaustive()
    }
}
