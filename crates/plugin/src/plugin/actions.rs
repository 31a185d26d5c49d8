//! Adding actions.

use std::future::Future;
use std::sync::Arc;

use tenon_schema::{Action, Attribute};
use tenon_values::convert::convert;
use tenon_values::{Error, Type, Value};

use super::{Plugin, add};
use crate::block::body;
use crate::parts::{Given, Part, Refusal, Shape, Work, read};
use crate::results::ResultType;
use crate::{Attributes, Context, Data, Failure, IntoData, Typed};

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
            input: body::<A>(),
            output: Some(output).filter(|output| output.implied_type() != <()>::ty()),
            is_idempotent: false,
            description: description.into().into(),
        };
        let result = ResultType::of::<O::Value>();
        self.add_action(name.into(), action, result, move |context, given| {
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
        let output = { action.output.as_ref() }.map_or_else(<()>::ty, Attribute::implied_type);
        let result = ResultType::by_hand(output);
        self.add_action(name.into(), action, result, move |context, given| {
            // Complete already if it comes from a host that reads schemas.
            let work = { input.complete(&given) }
                .map_err(|mut errors| Refusal::Unfit(Given::Props, errors.swap_remove(0)))
                .map(|given| run(context, given.unmark_deep().0));
            Box::pin(async move { Ok(Data::new(work?.await?)) })
        })
    }

    #[track_caller]
    fn add_action<F>(
        mut self,
        name: String,
        action: Action,
        result: ResultType,
        run: F,
    ) -> Plugin<S>
    where
        F: Fn(Context<S>, Value) -> Work<Result<Data<Value>, Refusal>> + Send + Sync + 'static,
    {
        // What the host is promised is also what is kept.
        let output = { action.output.as_ref() }.map_or_else(<()>::ty, Attribute::implied_type);
        let shape = Arc::new(Shape {
            given: action.input.attributes.clone(),
            ..Shape::default()
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
        if action.output.is_some() {
            self.results.actions.insert(name.clone(), result);
        }
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
            "the action was run, but its outputs do not match the schema: {error}"
        ))
    })
}
