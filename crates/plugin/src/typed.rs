//! Rust types that are types of attributes.

use std::collections::{BTreeMap, BTreeSet};

use tenon_values::{Error, Number, Problem, Step, Text, Type, Value};

/// A Rust type with a type in the schema. Structs get theirs from
/// [`attributes!`](crate::attributes).
///
/// | Rust | schema |
/// |---|---|
/// | `String` | `string` |
/// | `bool` | `bool` |
/// | integers, `f64`, [`Number`] | `number` |
/// | `Option<T>` | as `T`, but need not be given |
/// | `Vec<T>`, `BTreeSet<T>`, `BTreeMap<String, T>` | `list`, `set`, `map` |
/// | [`Value`] | `any` |
/// | [`Secret<T>`](crate::Secret) | as `T`, sensitive |
/// | [`WriteOnly<T>`](crate::WriteOnly) | as `T`, write-only |
/// | [`Variadic<T>`](crate::Variadic) | any number of arguments |
/// | [`MaybeUnknown<T>`](crate::MaybeUnknown) | as `T`; an argument that may be unknown |
/// | `Option<`[`IdempotencyKey`](crate::IdempotencyKey)`>` | `any`, marked as the idempotency key |
/// | `()` | an object without attributes; as outputs, none |
pub trait Typed: Sized {
    /// An attribute of this type need not be given.
    const IS_OPTIONAL: bool = false;

    /// Hosts do not show it.
    const IS_SENSITIVE: bool = false;

    /// It is [`WriteOnly`](crate::WriteOnly).
    const IS_WRITE_ONLY: bool = false;

    /// It is [`Variadic`](crate::Variadic).
    const IS_VARIADIC: bool = false;

    /// It is [`MaybeUnknown`](crate::MaybeUnknown).
    const MAY_BE_UNKNOWN: bool = false;

    /// Elements of a list, set or map in it may be null.
    const HAS_NULL_ELEMENTS: bool = false;

    /// It is an [`IdempotencyKey`](crate::IdempotencyKey).
    const IS_IDEMPOTENCY_KEY: bool = false;

    /// The type in the schema.
    fn ty() -> Type;

    /// Reads a value of the type. Tuples and objects, as they come from JSON, are read as lists and
    /// maps; nothing else is converted.
    ///
    /// # Errors
    /// The value does not fit, as 300 does not fit a `u8`.
    fn from_value(value: &Value) -> Result<Self, Error>;

    /// The value. Lists and sets are tuples, and maps are objects, until they are converted to the
    /// type.
    ///
    /// # Errors
    /// There is no such value, as for NaN.
    fn to_value(&self) -> Result<Value, Error>;
}

macro_rules! scalar {
    ($ty:expr => $($scalar:ty),*) => {$(
        impl Typed for $scalar {
            fn ty() -> Type {
                $ty
            }

            fn from_value(value: &Value) -> Result<$scalar, Error> {
                tenon_values::from_value(value)
            }

            fn to_value(&self) -> Result<Value, Error> {
                tenon_values::to_value(self)
            }
        }
    )*};
}

scalar!(Type::String => String);
scalar!(Type::Bool => bool);
scalar!(Type::Number => i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f64, Number);

impl Typed for Value {
    fn ty() -> Type {
        Type::Dynamic
    }

    fn from_value(value: &Value) -> Result<Value, Error> {
        Ok(value.clone())
    }

    fn to_value(&self) -> Result<Value, Error> {
        Ok(self.clone())
    }
}

impl Typed for () {
    fn ty() -> Type {
        Type::object::<&str>([])
    }

    fn from_value(_: &Value) -> Result<(), Error> {
        Ok(())
    }

    fn to_value(&self) -> Result<Value, Error> {
        Ok(Value::object::<&str>([]))
    }
}

impl<T: Typed> Typed for Option<T> {
    const IS_OPTIONAL: bool = true;
    const IS_SENSITIVE: bool = T::IS_SENSITIVE;
    const IS_WRITE_ONLY: bool = T::IS_WRITE_ONLY;
    const HAS_NULL_ELEMENTS: bool = T::HAS_NULL_ELEMENTS;
    const MAY_BE_UNKNOWN: bool = T::MAY_BE_UNKNOWN;
    const IS_IDEMPOTENCY_KEY: bool = T::IS_IDEMPOTENCY_KEY;

    fn ty() -> Type {
        T::ty()
    }

    fn from_value(value: &Value) -> Result<Option<T>, Error> {
        match value.is_null() {
            true => Ok(None),
            false => T::from_value(value).map(Some),
        }
    }

    fn to_value(&self) -> Result<Value, Error> {
        match self {
            Some(some) => some.to_value(),
            None => Ok(Value::null(T::ty())),
        }
    }
}

impl<T: Typed> Typed for Vec<T> {
    const IS_SENSITIVE: bool = T::IS_SENSITIVE;
    const HAS_NULL_ELEMENTS: bool = T::IS_OPTIONAL || T::HAS_NULL_ELEMENTS;

    fn ty() -> Type {
        Type::list(T::ty())
    }

    fn from_value(value: &Value) -> Result<Vec<T>, Error> {
        elements(value, Self::ty)
    }

    fn to_value(&self) -> Result<Value, Error> {
        tuple(self.iter())
    }
}

impl<T: Typed + Ord> Typed for BTreeSet<T> {
    const IS_SENSITIVE: bool = T::IS_SENSITIVE;
    const HAS_NULL_ELEMENTS: bool = T::IS_OPTIONAL || T::HAS_NULL_ELEMENTS;

    fn ty() -> Type {
        Type::set(T::ty())
    }

    fn from_value(value: &Value) -> Result<BTreeSet<T>, Error> {
        elements(value, Self::ty)
    }

    fn to_value(&self) -> Result<Value, Error> {
        tuple(self.iter())
    }
}

impl<T: Typed> Typed for BTreeMap<String, T> {
    const IS_SENSITIVE: bool = T::IS_SENSITIVE;
    const HAS_NULL_ELEMENTS: bool = T::IS_OPTIONAL || T::HAS_NULL_ELEMENTS;

    fn ty() -> Type {
        Type::map(T::ty())
    }

    fn from_value(value: &Value) -> Result<BTreeMap<String, T>, Error> {
        let read = |(key, value): (Text, &Value)| {
            let below = |error: Error| error.below(Step::Key(key.clone()));
            let element = T::from_value(value).map_err(below)?;
            Ok((key.to_string_lossy().into_owned(), element))
        };
        let entries =
            { value.entries() }.map(|all| all.iter().map(|(key, one)| (key.clone(), one)));
        let attributes =
            { value.attributes() }.map(|all| all.iter().map(|(key, one)| (key.into(), one)));
        match (entries, attributes) {
            (Some(entries), _) => entries.map(read).collect(),
            (_, Some(attributes)) => attributes.map(read).collect(),
            _ => Err(unfit(value, Self::ty())),
        }
    }

    fn to_value(&self) -> Result<Value, Error> {
        let write = |(key, element): (&String, &T)| {
            let below = |error: Error| error.below(Step::Key(key.as_str().into()));
            Ok((key.clone(), element.to_value().map_err(below)?))
        };
        let entries: Result<Vec<_>, Error> = self.iter().map(write).collect();
        Ok(Value::object(entries?))
    }
}

pub(crate) fn elements<T: Typed, C: FromIterator<T>>(
    value: &Value,
    ty: fn() -> Type,
) -> Result<C, Error> {
    let elements = value.elements().ok_or_else(|| unfit(value, ty()))?;
    let read = |(index, value): (usize, &Value)| {
        T::from_value(value).map_err(|error| error.below(Step::Index(index)))
    };
    elements.iter().enumerate().map(read).collect()
}

pub(crate) fn tuple<'a, T: Typed + 'a>(
    elements: impl Iterator<Item = &'a T>,
) -> Result<Value, Error> {
    let write = |(index, element): (usize, &T)| {
        { element.to_value() }.map_err(|error| error.below(Step::Index(index)))
    };
    let elements: Result<Vec<Value>, Error> = elements.enumerate().map(write).collect();
    elements.map(Value::tuple)
}

/// The value is not of the type that was asked for.
pub(crate) fn unfit(value: &Value, wanted: Type) -> Error {
    match value.is_null() {
        true => Problem::Null.into(),
        false => Problem::WrongType {
            wanted,
            given: value.ty(),
        }
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_values::convert::convert;

    #[track_caller]
    fn assert_round_trip<T: Typed + PartialEq + std::fmt::Debug>(given: T, ty: &str) {
        assert_eq!(T::ty().to_string(), ty);
        let value = convert(&given.to_value().unwrap(), &T::ty()).unwrap();
        assert_eq!(T::from_value(&value).unwrap(), given);
    }

    #[test]
    fn values_come_back() {
        assert_round_trip("a".to_owned(), "string");
        assert_round_trip(true, "bool");
        assert_round_trip(-7_i64, "number");
        assert_round_trip(1.5, "number");
        assert_round_trip(vec![Some(1_u8), None], "list(number)");
        assert_round_trip(Vec::<String>::new(), "list(string)");
        assert_round_trip(BTreeSet::from([2, 1]), "set(number)");
        let map = BTreeMap::from([("a b".to_owned(), vec![true])]);
        assert_round_trip(map, "map(list(bool))");
        assert_round_trip((), "object({})");
    }

    #[test]
    fn what_does_not_fit_has_its_place() {
        let map = Value::object([("k", Value::tuple(vec![1.into(), 300.into()]))]);
        let map = convert(&map, &BTreeMap::<String, Vec<u8>>::ty()).unwrap();
        let error = BTreeMap::<String, Vec<u8>>::from_value(&map).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("at [\"k\"][1]: the number does not fit"),
            "{text}"
        );
        let error = Vec::<u8>::from_value(&Value::null(Type::list(Type::Number))).unwrap_err();
        assert_eq!(error.problem(), &Problem::Null);
        assert!(f64::NAN.to_value().is_err());
    }
}
