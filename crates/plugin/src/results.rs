//! The types of results, with what a schema for other hosts leaves out: whether they may be null.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use tenon_protocols::json_schema::{Nulls, nullable, of_type};
use tenon_values::Type;

use crate::Typed;

/// The results of functions and actions, by name. Actions without outputs are left out.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) functions: BTreeMap<String, ResultType>,
    pub(crate) actions: BTreeMap<String, ResultType>,
}

/// The type of a result.
pub(crate) struct ResultType {
    /// The type, in which an attribute that may be null is optional.
    ty: Type,
    nulls: Nulls,
    is_optional: bool,
    /// It contains a secret.
    pub(crate) is_sensitive: bool,
}

impl ResultType {
    pub(crate) fn of<T: Typed>() -> ResultType {
        ResultType {
            ty: T::ty(),
            nulls: match T::HAS_NULL_ELEMENTS {
                true => Nulls::Anywhere,
                false => Nulls::Optional,
            },
            is_optional: T::IS_OPTIONAL,
            is_sensitive: T::IS_SENSITIVE,
        }
    }

    /// A type made by hand, which does not say what may be null.
    pub(crate) fn by_hand(ty: Type) -> ResultType {
        ResultType {
            ty,
            nulls: Nulls::Anywhere,
            is_optional: false,
            is_sensitive: false,
        }
    }

    /// Whether every result is an object.
    pub(crate) fn is_object(&self) -> bool {
        matches!(self.ty, Type::Object(_) | Type::Map(_)) && !self.is_optional
    }

    /// The JSON Schema of an object that contains the result: the result itself, or an object with the
    /// member `result`.
    pub(crate) fn object_schema(&self) -> Json {
        let schema = of_type(&self.ty, self.nulls);
        if self.is_object() {
            return schema;
        }
        let schema = match self.is_optional || self.nulls == Nulls::Anywhere {
            true => nullable(schema),
            false => schema,
        };
        json!({
            "type": "object",
            "properties": { "result": schema },
            "required": ["result"],
            "additionalProperties": false,
        })
    }
}
