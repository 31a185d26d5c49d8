//! Adding functions.

use std::future::Future;
use std::sync::Arc;

use tenon_schema::{Attribute, Function, Parameter};
use tenon_values::{Type, Value};

use super::{Plugin, add};
use crate::context::Progress;
use crate::parts::{Given, Refusal, Work, read};
use crate::results::ResultType;
use crate::{Attributes, Context, Data, Failure, IntoData, Typed};

impl<S: Send + Sync + 'static> Plugin<S> {
    /// Adds a function: the same arguments give the same result, and nothing is changed. Its
    /// parameters are the fields of a struct made by [`attributes!`](crate::attributes), in their
    /// order; the last one may be [`Variadic`](crate::Variadic). Those that are
    /// [`MaybeUnknown`](crate::MaybeUnknown) may be unknown. It may return [`Data`] with warnings.
    ///
    /// # Panics
    /// There is a function of this name already, a field is a block, or one that is not the last is
    /// `Variadic`.
    #[must_use]
    #[track_caller]
    pub fn function<A, O, F, W>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        call: F,
    ) -> Plugin<S>
    where
        A: Attributes,
        O: IntoData,
        F: Fn(A) -> W + Send + Sync + 'static,
        W: Future<Output = Result<O, Failure>> + Send + 'static,
    {
        let name = name.into();
        let mut plugin = self.describe_function::<A, O::Value>(&name, description.into());
        let run =
            move |_: Progress, arguments: Value| finish(read(Given::Props, &arguments).map(&call));
        plugin.functions.insert(name, Arc::new(run));
        plugin
    }

    /// As [`function`](Plugin::function), with the state that `configure` made, progress and the log. Hosts that cannot
    /// configure plugins get a result with the defaults. Terraform calls functions of packed plugins without the
    /// configuration of the provider: then such a function fails, unless the plugin has no `configure`.
    ///
    /// ```
    /// use tenon_plugin::{Failure, LogLevel, Plugin, attributes};
    ///
    /// attributes! {
    ///     struct Config { greeting: String = "hello" }
    ///     struct Greet { name: String }
    /// }
    ///
    /// let plugin = Plugin::new("greeter", "1.0.0")
    ///     .configure(|config: Config| async move { Ok(config.greeting) })
    ///     .function_with_context("greet", "Greets somebody", |context, greet: Greet| async move {
    ///         context.log(LogLevel::Debug, "greeting").await;
    ///         Ok(format!("{}, {}", context.state(), greet.name))
    ///     });
    /// ```
    ///
    /// # Panics
    /// As for [`function`](Plugin::function).
    #[must_use]
    #[track_caller]
    pub fn function_with_context<A, O, F, W>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        call: F,
    ) -> Plugin<S>
    where
        A: Attributes,
        O: IntoData,
        F: Fn(Context<S>, A) -> W + Send + Sync + 'static,
        W: Future<Output = Result<O, Failure>> + Send + 'static,
    {
        let name = name.into();
        let mut plugin = self.describe_function::<A, O::Value>(&name, description.into());
        let call = Arc::new(call);
        plugin.parts.push(Box::new(move |state, parts| {
            let (call, state) = (call.clone(), state.clone());
            let run = move |progress: Progress, arguments: Value| {
                let context = Context::new(state.clone(), progress);
                let given = read(Given::Props, &arguments);
                finish(given.map(|given| call(context, given)))
            };
            parts.functions.insert(name.clone(), Arc::new(run));
        }));
        plugin
    }

    /// Says that a function should no longer be used, and what to use instead. Terraform shows it where the function is
    /// called.
    ///
    /// # Panics
    /// There is no function of this name.
    #[must_use]
    #[track_caller]
    pub fn deprecated(mut self, function: &str, instead: impl Into<String>) -> Plugin<S> {
        match self.offer.functions.get_mut(function) {
            Some(schema) => schema.deprecation = Some(instead.into()),
            None => panic!("there is no function called {function:?}"),
        }
        self
    }

    #[track_caller]
    fn describe_function<A: Attributes, T: Typed>(
        mut self,
        name: &str,
        description: String,
    ) -> Plugin<S> {
        let mut parameters = A::attributes();
        assert!(A::blocks().is_empty(), "parameters cannot be blocks");
        let unknown = A::maybe_unknown();
        let allows_unknown = |index: usize| unknown.get(index).is_some_and(|allows| *allows);
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
            parameter.allows_unknown = allows_unknown(index);
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
            description: description.into(),
            is_sensitive: T::IS_SENSITIVE,
            ..Function::new(
                parameters.map(|(index, one)| Parameter {
                    allows_unknown: allows_unknown(index),
                    ..parameter(one, index >= last)
                }),
                T::ty().without_optional(),
            )
        };
        let name = name.to_owned();
        add(
            "functions",
            &mut self.offer.functions,
            name.clone(),
            function,
        );
        self.results.functions.insert(name, ResultType::of::<T>());
        self
    }
}

/// The rest of a call, after its arguments were read: what it returns, as a value.
fn finish<O: IntoData>(
    work: Result<impl Future<Output = Result<O, Failure>> + Send + 'static, Refusal>,
) -> Work<Result<Data<Value>, Refusal>> {
    Box::pin(async move { Ok(work?.await?.into_data().write("result")?) })
}

/// A parameter that may be left out, or else for which null may be given, if the attribute is optional.
fn parameter(attribute: Attribute, may_be_left_out: bool) -> Parameter {
    let is_optional = attribute.presence.is_optional();
    let default = { attribute.default.clone() }.filter(|_| may_be_left_out);
    Parameter {
        is_optional: is_optional && may_be_left_out && default.is_none(),
        default,
        allows_null: is_optional && !may_be_left_out,
        is_sensitive: attribute.is_sensitive,
        description: attribute.description.clone(),
        ..Parameter::new(attribute.name.clone(), attribute.implied_type())
    }
}
