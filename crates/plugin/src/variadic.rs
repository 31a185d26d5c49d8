//! Functions that take any number of arguments.

use tenon_values::{Error, Type, Value};

use crate::Typed;
use crate::typed::{elements, tuple};

/// The last field of a function's parameters: all further arguments.
///
/// ```
/// use tenon_plugin::{Plugin, Variadic, attributes};
///
/// attributes! {
///     struct Join { separator: String, parts: Variadic<String> }
/// }
/// let plugin = Plugin::new("text", "1.0.0")
///     .function("join", "Joins texts", |join: Join| async move {
///         Ok(join.parts.0.join(&join.separator))
///     });
/// let join = &plugin.offer().functions["join"];
/// assert_eq!(join.parameters.len(), 1);
/// assert_eq!(join.variadic.as_ref().unwrap().name, "parts");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variadic<T>(pub Vec<T>);

impl<T: Typed> Typed for Variadic<T> {
    const IS_OPTIONAL: bool = true;
    const IS_SENSITIVE: bool = T::IS_SENSITIVE;
    const IS_VARIADIC: bool = true;
    const MAY_BE_UNKNOWN: bool = T::MAY_BE_UNKNOWN;

    fn ty() -> Type {
        Type::list(T::ty())
    }

    fn from_value(value: &Value) -> Result<Variadic<T>, Error> {
        match value.is_null() {
            true => Ok(Variadic(Vec::new())),
            false => elements(value, Self::ty).map(Variadic),
        }
    }

    fn to_value(&self) -> Result<Value, Error> {
        tuple(self.0.iter())
    }
}
