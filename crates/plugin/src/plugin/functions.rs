//! Adding functions.

use std::future::Future;

use tenon_schema::{Attribute, Function, Parameter};
use tenon_values::{Type, Value};

use super::{Plugin, add};
use crate::parts::{Given, Refusal, Work, read};
use crate::results::ResultType;
use crate::{Attributes, Failure, Typed};

impl<S: Send + Sync + 'static> Plugin<S> {
    /// Adds a function: the same arguments give the same result, and nothing is changed. Its
    /// parameters are the fields of a struct made by [`attributes!`](crate::attributes), in their
    /// order; the last one may be [`Variadic`](crate::Variadic). Those that are
    /// [`MaybeUnknown`](crate::MaybeUnknown) may be unknown.
    ///
    /// # Panics
    /// There is a function of this name already, a field is a block, or one that is not the last is
    /// `Variadic`.
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
            description: description.into().into(),
            ..Function::new(
                parameters.map(|(index, one)| Parameter {
                    allows_unknown: allows_unknown(index),
                    ..parameter(one, index >= last)
                }),
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
        let result = ResultType::of::<T>();
        self.results.functions.insert(name.clone(), result);
        self.functions.insert(name, Box::new(call));
        self
    }
}

/// A parameter that may be left out, or for which null may be given, if the attribute is optional.
fn parameter(attribute: Attribute, may_be_left_out: bool) -> Parameter {
    let is_optional = attribute.presence.is_optional();
    Parameter {
        is_optional: is_optional && may_be_left_out,
        default: { attribute.default.clone() }.filter(|_| may_be_left_out),
        allows_null: is_optional,
        is_sensitive: attribute.is_sensitive,
        description: attribute.description.clone(),
        ..Parameter::new(attribute.name.clone(), attribute.implied_type())
    }
}
