//! The size of values and types.
//!
//! Nested values are shared, so forty lines of HCL that each use the line before twice make a value
//! that takes little memory, but has 2^40 values for everything that visits them: equality, printing,
//! encoding, conversion. The size is known without visiting them, so such a value can be refused
//! first.

use crate::error::Problem;
use crate::limits::Limits;
use crate::text::Text;
use crate::types::Type;
use crate::value::{Content, Value};

/// The size of a value or a type at every depth, with shared parts counted each time. Both numbers
/// stop at 4,294,967,295.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Size {
    /// Values, or types. Null, unknown values and empty collections count the parts of their types.
    pub elements: u32,
    /// Bytes of texts, keys and names.
    pub bytes: u32,
}

impl Size {
    /// The size of what holds both.
    pub(crate) fn and(self, other: Size) -> Size {
        Size {
            elements: self.elements.saturating_add(other.elements),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// This size as a part of something else: the part itself counts as well.
    fn as_part(self) -> Size {
        Size {
            elements: self.elements.saturating_add(1),
            ..self
        }
    }

    /// The size of these parts, and of `names` bytes of names.
    pub(crate) fn of_parts(parts: impl Iterator<Item = Size>, names: usize) -> Size {
        parts.fold(Size::of_text(names), |all, part| all.and(part.as_part()))
    }

    fn of_text(length: usize) -> Size {
        Size {
            elements: 0,
            bytes: u32::try_from(length).unwrap_or(u32::MAX),
        }
    }

    pub(crate) fn packed(self) -> u64 {
        u64::from(self.elements) << 32 | u64::from(self.bytes)
    }

    pub(crate) fn unpacked(packed: u64) -> Size {
        Size {
            elements: (packed >> 32) as u32,
            bytes: packed as u32,
        }
    }

    /// The size is within these limits.
    ///
    /// # Errors
    /// [`Problem::Limit`] if it is not.
    pub fn check(&self, limits: &Limits) -> Result<(), Problem> {
        if self.elements as usize > limits.elements {
            return Err(Problem::Limit {
                what: "the number of values",
                limit: limits.elements,
            });
        }
        match self.bytes as usize > limits.size {
            true => Err(Problem::Limit {
                what: "the number of bytes",
                limit: limits.size,
            }),
            false => Ok(()),
        }
    }
}

impl Value {
    /// How much is in the value. It is counted once for each collection, and then known.
    ///
    /// ```
    /// use tenon_values::Value;
    ///
    /// let mut value = Value::tuple(vec![Value::from("a")]);
    /// for _ in 0..20 {
    ///     value = Value::tuple(vec![value.clone(), value]);
    /// }
    /// let size = value.size();
    /// assert_eq!((size.elements, size.bytes), (3 * (1 << 20) - 2, 1 << 20));
    /// ```
    pub fn size(&self) -> Size {
        match &self.0 {
            Content::Bool(_) | Content::Number(_) => Size::default(),
            Content::String(text) => Size::of_text(text.as_bytes().len()),
            Content::Sequence(sequence) => sequence.size(|ty, values| match values {
                [] => ty.size(),
                values => Size::of_parts(values.iter().map(Value::size), ty.names()),
            }),
            Content::Map(map) => map.size(|ty, entries| match entries {
                [] => ty.size(),
                entries => {
                    let keys = entries.iter().map(|(key, _)| Text::as_bytes(key).len());
                    Size::of_parts(entries.iter().map(|(_, value)| value.size()), keys.sum())
                }
            }),
            Content::Null(ty) => ty.size(),
            Content::Unknown(unknown) => unknown.ty.size(),
            Content::Marked(marked) => marked.value.size(),
        }
    }
}

impl Type {
    /// How much is in the type.
    pub fn size(&self) -> Size {
        match self {
            Type::Dynamic | Type::String | Type::Number | Type::Bool => Size::default(),
            Type::List(element) | Type::Set(element) | Type::Map(element) => {
                element.size().as_part()
            }
            Type::Tuple(tuple) => tuple.extent().size,
            Type::Object(object) => object.extent().size,
        }
    }

    /// The bytes of the names that an object of this type has.
    fn names(&self) -> usize {
        match self {
            Type::Object(object) => {
                let attributes = object.attributes().iter();
                attributes.map(|attribute| attribute.name.len()).sum()
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(value: &Value) -> (u32, u32) {
        let size = value.size();
        (size.elements, size.bytes)
    }

    #[test]
    fn everything_inside_counts() {
        assert_eq!(size(&Value::from(1)), (0, 0));
        assert_eq!(size(&Value::from("abc")), (0, 3));
        let object = Value::object([("ab", Value::from("c")), ("d", Value::from(1))]);
        assert_eq!(size(&object), (2, 4));
        let map = Value::map(Type::Number, [("abc", Value::from(1))]).unwrap();
        assert_eq!(size(&map), (1, 3));
        assert_eq!(size(&Value::tuple(vec![object.clone(), map])), (5, 7));
        assert_eq!(size(&object.sensitive()), (2, 4));
    }

    #[test]
    fn types_count_where_no_values_do() {
        let object = Value::object([("ab", Value::from("c")), ("d", Value::from(1))]);
        let ty = object.ty();
        assert_eq!((ty.size().elements, ty.size().bytes), (2, 3));
        for value in [
            Value::null(ty.clone()),
            Value::unknown(ty.clone()),
            Value::unknown(ty.clone()).sensitive(),
        ] {
            assert_eq!(size(&value), (2, 3));
        }
        let empty = Value::list(ty.clone(), Vec::new()).unwrap();
        assert_eq!(size(&empty), (3, 3));
        assert_eq!(size(&Value::empty_map(ty)), (3, 3));
    }

    #[test]
    fn counting_ends_at_the_largest_number() {
        let doubled = |value: Value| Value::tuple(vec![value.clone(), value]);
        let value = (0..100).fold(Value::from("text"), |value, _| doubled(value));
        assert_eq!(size(&value), (u32::MAX, u32::MAX));
        assert_eq!(value.ty().size().elements, u32::MAX);
        let null = Value::null(value.ty());
        assert_eq!(null.size().elements, u32::MAX);
        assert!(value.size().check(&Limits::default()).is_err());
        assert!(
            doubled(Value::from(1))
                .size()
                .check(&Limits::default())
                .is_ok()
        );
    }
}
