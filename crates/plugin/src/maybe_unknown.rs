//! Arguments of functions that may be unknown.

use tenon_values::{Error, Type, Value};

use crate::Typed;

/// A parameter of a function that is called even if the argument, or a part of it, is not known yet: during a plan,
/// for example. As the result of such a function, it says that the result is not known either.
///
/// Without it, an unknown argument makes the result unknown, and the function is not called.
///
/// ```
/// use tenon_plugin::{MaybeUnknown, Plugin, attributes};
///
/// attributes! {
///     struct Either { first: MaybeUnknown<String>, second: String }
/// }
/// let plugin = Plugin::new("text", "1.0.0")
///     .function("either", "The first text, or the second while it is unknown", |given: Either| async move {
///         Ok(match given.first {
///             MaybeUnknown::Known(first) => first,
///             MaybeUnknown::Unknown => given.second,
///         })
///     });
/// let parameters = &plugin.offer().functions["either"].parameters;
/// assert!(parameters[0].allows_unknown && !parameters[1].allows_unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaybeUnknown<T> {
    /// It is known.
    Known(T),
    /// It, or a part of it, is not known yet.
    Unknown,
}

impl<T: Typed> Typed for MaybeUnknown<T> {
    const IS_OPTIONAL: bool = T::IS_OPTIONAL;
    const IS_SENSITIVE: bool = T::IS_SENSITIVE;
    const HAS_NULL_ELEMENTS: bool = T::HAS_NULL_ELEMENTS;
    const MAY_BE_UNKNOWN: bool = true;

    fn ty() -> Type {
        T::ty()
    }

    fn from_value(value: &Value) -> Result<MaybeUnknown<T>, Error> {
        match value.is_wholly_known() {
            true => T::from_value(value).map(MaybeUnknown::Known),
            false => Ok(MaybeUnknown::Unknown),
        }
    }

    fn to_value(&self) -> Result<Value, Error> {
        match self {
            MaybeUnknown::Known(known) => known.to_value(),
            MaybeUnknown::Unknown => Ok(Value::unknown(T::ty().without_optional())),
        }
    }
}
