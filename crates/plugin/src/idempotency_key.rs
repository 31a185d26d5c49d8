//! Keys that make repeated calls of an action take effect once.

use serde::de::Error as _;
use tenon_values::{Error, Type, Value};

use crate::Typed;

/// An idempotency key: a repeated request with the same key takes no further effect and gets the same
/// answer. The field is an `Option<IdempotencyKey>`, and an action has at most one.
///
/// In a scenario the attribute is a string, or `true` to have Tenon make a key from the run and the
/// action's address; the provider is given the string. An action with a key may be repeated when
/// its outcome is unknown. Other hosts can give a string.
///
/// ```
/// use tenon_plugin::{Attributes, IdempotencyKey, attributes};
///
/// attributes! {
///     struct Order {
///         item: String,
///         /// Two orders with the same key are one.
///         key: Option<IdempotencyKey>,
///     }
/// }
/// assert!(Order::attributes()[1].is_idempotency_key);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Typed for IdempotencyKey {
    const IS_IDEMPOTENCY_KEY: bool = true;

    /// A scenario may have `true`, which must not become the text "true".
    fn ty() -> Type {
        Type::Dynamic
    }

    fn from_value(value: &Value) -> Result<IdempotencyKey, Error> {
        match value.as_str() {
            Some(key) if !key.is_empty() => Ok(IdempotencyKey(key.to_owned())),
            Some(_) => Err(Error::custom("an idempotency key cannot be empty")),
            None => Err(Error::custom(
                "an idempotency key must be a string; only Tenon replaces `true` by a key",
            )),
        }
    }

    fn to_value(&self) -> Result<Value, Error> {
        Ok(Value::from(self.0.as_str()))
    }
}
