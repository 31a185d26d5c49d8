//! Reading objects from the text of JSON.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Raw, Rest};

/// A type that is read from the text of one JSON value.
///
/// The types are many and large, and the protocol is JSON. Read from text, each is compiled once, and not once for each
/// format and source that a `Deserializer` can have.
pub(in crate::acp) trait Read: Sized {
    fn read(text: &str) -> Result<Self, serde_json::Error>;
}

pub(in crate::acp) fn read<'de, T: Read, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    T::read(raw.get()).map_err(serde::de::Error::custom)
}

/// The members of an object that was read, in their order.
pub(in crate::acp) struct Found<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Found<'a> {
    /// Splits the text of an object. `null` is an object without members: peers answer it where there is nothing to say.
    pub(in crate::acp) fn read(text: &'a str) -> Result<Found<'a>, serde_json::Error> {
        struct Objects;
        impl<'de> Visitor<'de> for Objects {
            type Value = Found<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_unit<E>(self) -> Result<Found<'de>, E> {
                Ok(Found(Vec::new()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Word(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Found(members))
            }
        }
        serde_json::Deserializer::from_str(text).deserialize_any(Objects)
    }

    pub(in crate::acp) fn required<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
    ) -> Result<T, serde_json::Error> {
        match self.position(name)? {
            Some(at) => decode(name, self.0.remove(at).1),
            None => Err(serde::de::Error::missing_field(name)),
        }
    }

    /// A member that is `null` is not taken.
    pub(in crate::acp) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, serde_json::Error> {
        match self.position(name)? {
            Some(at) if self.0[at].1.get() == "null" => Ok(None),
            Some(at) => decode(name, self.0.remove(at).1).map(Some),
            None => Ok(None),
        }
    }

    pub(in crate::acp) fn rest(self) -> Rest {
        let members = self.0.into_iter();
        Rest(
            members
                .map(|(name, value)| (name.into_owned(), Raw(value.to_owned())))
                .collect(),
        )
    }

    /// Where a member is. Readers would disagree on which of two counts.
    fn position(&self, name: &'static str) -> Result<Option<usize>, serde_json::Error> {
        let mut found = (0..self.0.len()).filter(|at| self.0[*at].0 == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(serde::de::Error::duplicate_field(name)),
            (at, None) => Ok(at),
        }
    }
}

/// Decodes a member. An error says which one it is in, instead of a column within it.
fn decode<T: DeserializeOwned>(
    name: &'static str,
    value: &RawValue,
) -> Result<T, serde_json::Error> {
    serde_json::from_str(value.get()).map_err(|error| {
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or_default();
        serde::de::Error::custom(format_args!("`{name}`: {reason}"))
    })
}

/// The name of a member or a word of a fixed list, without a copy where there are no escapes in it.
pub(in crate::acp) struct Word<'de>(pub(in crate::acp) Cow<'de, str>);

impl<'de> Deserialize<'de> for Word<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word<'de>, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = Word<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, word: &'de str) -> Result<Word<'de>, E> {
                Ok(Word(Cow::Borrowed(word)))
            }
            fn visit_str<E>(self, word: &str) -> Result<Word<'de>, E> {
                Ok(Word(Cow::Owned(word.to_owned())))
            }
        }
        deserializer.deserialize_str(Words)
    }
}

/// The tag of an object, if it has one.
///
/// # Errors
/// The text is not an object, the tag is not a text, or there are two: readers would disagree on which one counts.
pub(in crate::acp) fn tag(
    text: &str,
    name: &'static str,
) -> Result<Option<String>, serde_json::Error> {
    struct Tags(&'static str);
    impl<'de> Visitor<'de> for Tags {
        type Value = Option<String>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "an object with the member `{}`", self.0)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<String>, A::Error> {
            let mut found = None;
            while let Some(Word(name)) = map.next_key()? {
                if name != self.0 {
                    map.next_value::<IgnoredAny>()?;
                } else if found.is_none() {
                    found = Some(map.next_value()?);
                } else {
                    return Err(serde::de::Error::duplicate_field(self.0));
                }
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Tags(name))
}
