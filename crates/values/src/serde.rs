//! Values from and to every type that serde knows.
//!
//! A [`Value`] inside another type must arrive as it is, unknown or sensitive, although serde has
//! no words for that. `offer` and `ticket` are the two ways past serde's data model: one out of a
//! type into a value, one out of a value into a type.

mod access;
mod compound;
mod deserializer;
mod error;
mod key;
mod offer;
mod scalar;
mod serializer;
mod ticket;
mod types;
mod value;

use ::serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::convert::convert;
use crate::error::{Error, Problem};
use crate::text::normalized;
use crate::types::Type;
use crate::value::Value;

use deserializer::ValueDeserializer;
use serializer::ValueSerializer;
use ticket::Tickets;

/// How deep a type may be nested. Each sequence, map, struct and newtype is a level.
const DEPTH: usize = 128;

/// The names under which our own types ask for what serde cannot describe.
const VALUE: &str = "$tenon_values::Value";
const NUMBER: &str = "$tenon_values::Number";
const TEXT: &str = "$tenon_values::Text";

/// The value of anything that serde can serialize.
///
/// | of | becomes |
/// |---|---|
/// | a struct, a map | an object; keys may be strings, integers, bools and unit variants |
/// | a sequence, a tuple, bytes | a tuple |
/// | an integer | a number, exactly |
/// | a float | the number that its shortest decimal text says, as if HCL had said it |
/// | a string, a char | a string |
/// | `None`, `()` | null of no known type |
/// | a unit variant | a string |
/// | another variant | an object with one attribute, named as the variant |
/// | a [`Value`], [`Number`](crate::Number), [`Text`](crate::Text) | itself |
///
/// ```
/// #[derive(serde::Serialize)]
/// struct Server {
///     name: String,
///     ports: Vec<u16>,
/// }
///
/// let server = Server { name: "web".to_owned(), ports: vec![80, 443] };
/// let value = tenon_values::to_value(&server)?;
/// assert_eq!(value.attributes().unwrap().get("name").unwrap().as_str(), Some("web"));
/// # Ok::<(), tenon_values::Error>(())
/// ```
///
/// One place gives a [`Value`] less than itself: inside a struct or tuple variant of an enum that
/// is flattened or internally tagged, serde keeps plain data for a while. An unknown or marked
/// value is an error there, and a set a tuple.
///
/// # Errors
/// A float is NaN, a key is not one of the above or is there twice, the nesting is deeper than 128,
/// or the type's own serialization fails. The error has the path.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, Error> {
    value.serialize(ValueSerializer::new())
}

/// The value of anything that serde can serialize, converted to this type: a `Vec<String>` becomes
/// a list, a set or a tuple, whichever is asked for.
///
/// # Errors
/// As for [`to_value`] and [`convert`].
pub fn to_value_as<T: Serialize + ?Sized>(value: &T, ty: &Type) -> Result<Value, Error> {
    convert(&to_value(value)?, ty)
}

/// Anything that serde can deserialize, from a value. Nothing is converted: a number is no
/// `String`, and 1.5 no integer.
///
/// | into | from |
/// |---|---|
/// | a struct | an object or map |
/// | a map | an object or map; keys may be strings, integers, bools and unit variants |
/// | a sequence, a tuple | a list, set or tuple |
/// | an integer | a number that is exactly one, in range |
/// | a float | the nearest to a number |
/// | `Option`, `()` | null is `None` and `()` |
/// | a unit variant | a string |
/// | another variant | an object or map with one attribute, or with one that is not null |
/// | a [`Value`] | anything, as it is: unknown, marked, null with its type |
/// | a [`Number`](crate::Number), [`Text`](crate::Text) | a number or string, as it is |
///
/// Where serde has to look before it decides, as for untagged and internally tagged enums and what
/// is flattened, numbers come as `i64` or `u64` where they are one and else as the nearest `f64`.
/// A [`Value`] there is still itself when it is unknown or marked; but lists and sets have become
/// tuples, maps objects, null has lost its type and numbers what an `f64` cannot hold. Everything
/// unknown or marked must be part of the type there, because serde also reads fields that are not
/// part of it. An `i128` or `u128` of more than 64 bits is not possible there.
///
/// A type may borrow strings from the value.
///
/// # Errors
/// Something is missing, of another kind or out of range; unknown or marked where a [`Value`] is
/// not asked for; nested deeper than 128; or the type's own deserialization fails. The error has
/// the path, such as `at .servers[2].port: the number does not fit into u16, which is from 0 to
/// 65535`.
pub fn from_value<'v, T: Deserialize<'v>>(value: &'v Value) -> Result<T, Error> {
    let tickets = Tickets::open();
    let result = T::deserialize(ValueDeserializer::new(value));
    match tickets.refusal() {
        Some(refusal) => Err(refusal),
        None => result,
    }
}

/// An object of these attributes. Unlike [`Value::object`], it loses none.
fn object(mut entries: Vec<(SmolStr, Value)>) -> Result<Value, Problem> {
    for (name, _) in &mut entries {
        if let std::borrow::Cow::Owned(normal) = normalized(name) {
            *name = normal.into();
        }
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    match entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let message = format!("the name {:?} appears twice", pair[0].0);
            Err(Problem::Serde(message))
        }
        None => Ok(Value::object(entries)),
    }
}

/// One level less of the nesting that is left.
fn level_below(depth: usize) -> Result<usize, Problem> {
    depth.checked_sub(1).ok_or(Problem::Limit {
        what: "the depth of nesting",
        limit: DEPTH,
    })
}
