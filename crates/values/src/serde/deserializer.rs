//! From a value to any type.

use std::fmt::Display;

use ::serde::de::value::{BorrowedStrDeserializer, BytesDeserializer};
use ::serde::de::{Deserializer, Visitor};

use crate::Number;
use crate::error::{Error, Problem};
use crate::serde::access::{Elements, Entries};
use crate::serde::{DEPTH, NUMBER, TEXT, VALUE, level_below, scalar, ticket};
use crate::types::Type;
use crate::value::{Kind, Value};

/// Deserializes from a value.
#[derive(Clone, Copy)]
pub(super) struct ValueDeserializer<'v> {
    value: &'v Value,
    /// How many levels may still come.
    depth: usize,
}

impl<'v> ValueDeserializer<'v> {
    pub(super) fn new(value: &'v Value) -> ValueDeserializer<'v> {
        ValueDeserializer {
            value,
            depth: DEPTH,
        }
    }

    /// The same, one level further in.
    pub(super) fn inside(self) -> Result<ValueDeserializer<'v>, Error> {
        let depth = level_below(self.depth)?;
        Ok(ValueDeserializer { depth, ..self })
    }

    /// The same for another value.
    pub(super) fn with(self, value: &'v Value) -> ValueDeserializer<'v> {
        ValueDeserializer { value, ..self }
    }

    pub(super) fn value(self) -> &'v Value {
        self.value
    }

    /// What there is, where neither an unknown nor a marked value will do.
    fn plain(self) -> Result<Kind<'v>, Problem> {
        match self.value.kind() {
            Kind::Unknown(_) => Err(Problem::Unknown),
            Kind::Marked(marks, _) => Err(Problem::Marked(marks.to_string())),
            kind => Ok(kind),
        }
    }

    /// What it is that there is something else.
    fn other(self, wanted: Type) -> Problem {
        match self.value.is_null() {
            true => Problem::Null,
            false => Problem::WrongType {
                wanted,
                given: self.value.ty(),
            },
        }
    }

    fn number(self) -> Result<&'v Number, Problem> {
        match self.plain()? {
            Kind::Number(number) => Ok(number),
            _ => Err(self.other(Type::Number)),
        }
    }

    fn text(self) -> Result<&'v str, Problem> {
        match self.plain()? {
            Kind::String(text) => text.as_str().ok_or(Problem::NotUtf8),
            _ => Err(self.other(Type::String)),
        }
    }

    /// The value as it is, for a type that redeems tickets.
    fn hand_over<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        let first = ticket::count();
        let ticket = ticket::issue(self.value, None);
        let result = visitor.visit_newtype_struct(BytesDeserializer::new(&ticket));
        ticket::take_back(first);
        result
    }

    /// The value as it is, for a type that may or may not redeem tickets.
    fn hand_out<V: Visitor<'v>>(self, refusal: Problem, visitor: V) -> Result<V::Value, Error> {
        let ticket = ticket::issue(self.value, Some(refusal));
        visitor.visit_newtype_struct(BytesDeserializer::new(&ticket))
    }

    fn sequence<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut elements = Elements::new(self)?;
        let result = visitor.visit_seq(&mut elements)?;
        elements.end()?;
        Ok(result)
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $integer:ident $wide:ident;)*) => {$(
        fn $method<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
            let number = self.number()?;
            match number.$wide().map($integer::try_from) {
                Some(Ok(value)) => visitor.$visit(value),
                _ => {
                    let range: [&dyn Display; 2] = [&$integer::MIN, &$integer::MAX];
                    Err(scalar::no_fit(number, stringify!($integer), range).into())
                }
            }
        }
    )*};
}

macro_rules! same {
    ($($method:ident $other:ident;)*) => {$(
        fn $method<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$other(visitor)
        }
    )*};
}

impl<'v> Deserializer<'v> for ValueDeserializer<'v> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        let kind = match self.plain() {
            Ok(kind) => kind,
            Err(refusal) => return self.hand_out(refusal, visitor),
        };
        match kind {
            Kind::Bool(value) => visitor.visit_bool(value),
            Kind::Number(number) => match (number.to_i64(), number.to_u64()) {
                (_, Some(integer)) => visitor.visit_u64(integer),
                (Some(integer), _) => visitor.visit_i64(integer),
                _ => visitor.visit_f64(scalar::to_f64(number)?),
            },
            Kind::String(text) => match text.as_str() {
                Some(text) => visitor.visit_borrowed_str(text),
                None => self.hand_out(Problem::NotUtf8, visitor),
            },
            Kind::List(_) | Kind::Set(_) | Kind::Tuple(_) => self.sequence(visitor),
            Kind::Map(_) | Kind::Object(_) => visitor.visit_map(Entries::new(self)?),
            Kind::Null | Kind::Unknown(_) | Kind::Marked(..) => visitor.visit_unit(),
        }
    }

    integers! {
        deserialize_i8 visit_i8 i8 to_i128;
        deserialize_i16 visit_i16 i16 to_i128;
        deserialize_i32 visit_i32 i32 to_i128;
        deserialize_i64 visit_i64 i64 to_i128;
        deserialize_i128 visit_i128 i128 to_i128;
        deserialize_u8 visit_u8 u8 to_i128;
        deserialize_u16 visit_u16 u16 to_i128;
        deserialize_u32 visit_u32 u32 to_i128;
        deserialize_u64 visit_u64 u64 to_i128;
        deserialize_u128 visit_u128 u128 to_u128;
    }

    same! {
        deserialize_char deserialize_str;
        deserialize_string deserialize_str;
        deserialize_identifier deserialize_str;
        deserialize_byte_buf deserialize_bytes;
    }

    fn deserialize_bool<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.plain()? {
            Kind::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.other(Type::Bool).into()),
        }
    }

    fn deserialize_f32<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f32(scalar::to_f32(self.number()?)?)
    }

    fn deserialize_f64<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(scalar::to_f64(self.number()?)?)
    }

    fn deserialize_str<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_bytes<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.plain()? {
            Kind::String(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value.kind() {
            Kind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        self.plain()?;
        self.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match name {
            VALUE => self.hand_over(visitor),
            NUMBER => {
                self.number()?;
                self.hand_over(visitor)
            }
            TEXT => match self.plain()? {
                Kind::String(_) => self.hand_over(visitor),
                _ => Err(self.other(Type::String).into()),
            },
            _ => visitor.visit_newtype_struct(self.inside()?),
        }
    }

    fn deserialize_seq<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        self.plain()?;
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        self.plain()?;
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.plain()? {
            Kind::Map(_) | Kind::Object(_) => self.deserialize_any(visitor),
            // Not from a sequence: the order of fields is not for the value to know.
            _ => {
                let wanted = fields.iter().map(|field| (field, Type::Dynamic));
                Err(self.other(Type::object(wanted)).into())
            }
        }
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.plain()? {
            Kind::Null => Err(Problem::Null.into()),
            Kind::String(_) => visitor.visit_enum(BorrowedStrDeserializer::new(self.text()?)),
            Kind::Map(_) | Kind::Object(_) => {
                visitor.visit_enum(Entries::new(self)?.variant(name)?)
            }
            _ => {
                let given = self.value.ty_ref().friendly();
                let message = format!(
                    "a variant of {name} is required, which is a string or an object with one \
                     attribute, but this is a {given}"
                );
                Err(Problem::Serde(message).into())
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}
