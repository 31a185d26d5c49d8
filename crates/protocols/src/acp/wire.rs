//! How the types of this module are read and written without losing anything.
//!
//! serde's `flatten` and `tag` buffer values, which changes numbers and cannot keep raw text. So three macros write
//! the implementations: `record!` for objects, `union!` for objects with a tag, `words!` for open sets of words.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A JSON value as its text: it goes out exactly as it came in.
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// The JSON of a value.
    ///
    /// # Errors
    /// The value cannot be written as JSON.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Raw, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Raw)
    }

    /// Keeps this text.
    ///
    /// # Errors
    /// It is not one JSON value.
    pub fn parse(text: impl Into<String>) -> Result<Raw, serde_json::Error> {
        RawValue::from_string(text.into()).map(Raw)
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.text() == "null"
    }

    /// Decodes the value.
    ///
    /// # Errors
    /// It does not fit `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.text())
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Raw) -> bool {
        self.text() == other.text()
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Raw)
    }
}

/// The members of an object that its type has no field for, in their order: `_meta`, extensions, members of later
/// versions. An optional member that is `null` is also kept here, because `null` can mean "clear this".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest(Vec<(String, Raw)>);

impl Rest {
    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&Raw> {
        self.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Whether the sender wrote `null` for an optional member.
    pub fn is_null(&self, name: &str) -> bool {
        self.get(name).is_some_and(Raw::is_null)
    }

    /// Adds a member, or replaces its value.
    pub fn set(&mut self, name: impl Into<String>, value: Raw) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Removes a member.
    pub fn remove(&mut self, name: &str) -> Option<Raw> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// The members.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Adds a member that was read, also one whose name was there before.
    pub(super) fn push(&mut self, name: String, value: Raw) {
        self.0.push((name, value));
    }

    pub(super) fn push_null(&mut self, name: &str) {
        self.push(name.to_owned(), Raw(RawValue::NULL.to_owned()));
    }
}

/// An object whose members can be written into a larger one: next to a tag.
pub(super) trait Members {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
    fn rest_mut(&mut self) -> &mut Rest;
}

/// The name of a member, without a copy where there are no escapes in it.
pub(super) struct Key<'de>(pub(super) Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key<'de>, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a member")
            }
            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(name)))
            }
            fn visit_str<E>(self, name: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Names)
    }
}

/// The tag of an object, if it has one.
///
/// # Errors
/// The text is not an object, the tag is not a text, or there are two: readers would disagree on which one counts.
pub(super) fn tag(text: &str, name: &'static str) -> Result<Option<String>, serde_json::Error> {
    struct Tags(&'static str);
    impl<'de> Visitor<'de> for Tags {
        type Value = Option<String>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "an object with the member `{}`", self.0)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<String>, A::Error> {
            let mut found = None;
            while let Some(Key(name)) = map.next_key()? {
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

/// Declares an object: its required members, its optional ones, and [`Rest`] for all others.
macro_rules! record {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            required { $($(#[$required_about:meta])* $required:ident: $required_type:ty = $required_name:literal,)+ }
            optional { $($(#[$optional_about:meta])* $optional:ident: $optional_type:ty = $optional_name:literal,)* }
        }
    ) => {
        record! { @type
            $(#[$about])*
            pub struct $name {
                required { $($(#[$required_about])* $required: $required_type = $required_name,)+ }
                optional { $($(#[$optional_about])* $optional: $optional_type = $optional_name,)* }
            }
        }

        impl $name {
            /// A value with its required members and no others.
            pub fn new($($required: impl Into<$required_type>),+) -> $name {
                $name {
                    $($required: $required.into(),)+
                    $($optional: None,)*
                    rest: $crate::acp::Rest::default(),
                }
            }
        }
    };
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            optional { $($optional:tt)* }
        }
    ) => {
        record! { @type
            #[derive(Default)]
            $(#[$about])*
            pub struct $name {
                required { }
                optional { $($optional)* }
            }
        }
    };
    (@type
        $(#[$about:meta])*
        pub struct $name:ident {
            required { $($(#[$required_about:meta])* $required:ident: $required_type:ty = $required_name:literal,)* }
            optional { $($(#[$optional_about:meta])* $optional:ident: $optional_type:ty = $optional_name:literal,)* }
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$required_about])* pub $required: $required_type,)*
            $($(#[$optional_about])* pub $optional: Option<$optional_type>,)*
            /// All other members.
            pub rest: $crate::acp::Rest,
        }

        impl $crate::acp::wire::Members for $name {
            fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(map.serialize_entry($required_name, &self.$required)?;)*
                $(if let Some(value) = &self.$optional {
                    map.serialize_entry($optional_name, value)?;
                })*
                for (name, value) in self.rest.iter() {
                    let is_written = match name {
                        $($required_name => true,)*
                        $($optional_name => self.$optional.is_some(),)*
                        _ => false,
                    };
                    if !is_written {
                        map.serialize_entry(name, value)?;
                    }
                }
                Ok(())
            }

            fn rest_mut(&mut self) -> &mut $crate::acp::Rest {
                &mut self.rest
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(None)?;
                $crate::acp::wire::Members::write(self, &mut map)?;
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                struct Reader;
                impl<'de> serde::de::Visitor<'de> for Reader {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    // Peers answer `null` where there is nothing to say.
                    fn visit_unit<E: serde::de::Error>(self) -> Result<$name, E> {
                        let no_members = std::iter::empty::<(&'de str, &'de str)>();
                        self.visit_map(serde::de::value::MapDeserializer::<_, E>::new(no_members))
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        $(let mut $required: Option<$required_type> = None;)*
                        $(let mut $optional: Option<$optional_type> = None;)*
                        let mut rest = $crate::acp::Rest::default();
                        while let Some($crate::acp::wire::Key(name)) = map.next_key()? {
                            match &*name {
                                $($required_name => {
                                    if $required.is_some() {
                                        return Err(serde::de::Error::duplicate_field($required_name));
                                    }
                                    $required = Some(map.next_value()?);
                                })*
                                $($optional_name => {
                                    if $optional.is_some() || rest.get($optional_name).is_some() {
                                        return Err(serde::de::Error::duplicate_field($optional_name));
                                    }
                                    $optional = map.next_value()?;
                                    if $optional.is_none() {
                                        rest.push_null($optional_name);
                                    }
                                })*
                                _ => rest.push(name.into_owned(), map.next_value()?),
                            }
                        }
                        Ok($name {
                            $($required: $required
                                .ok_or_else(|| <A::Error as serde::de::Error>::missing_field($required_name))?,)*
                            $($optional,)*
                            rest,
                        })
                    }
                }
                deserializer.deserialize_any(Reader)
            }
        }
    };
}

/// Declares objects that are told apart by a tag. A value with an unknown tag is kept as it is.
macro_rules! union {
    (
        $(#[$about:meta])*
        pub enum $name:ident by $tag:literal {
            $($(#[$variant_about:meta])* $variant:ident($type:ty) = $word:literal,)+
        }
        $(
            $(#[$default_about:meta])*
            else $default:ident($default_type:ty) $(or $default_word:literal)?
        )?
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_about])* $variant($type),)+
            $($(#[$default_about])* $default($default_type),)?
            /// A kind that this version does not know.
            Other($crate::acp::Raw),
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                match self {
                    $($name::$variant(value) => {
                        let mut map = serializer.serialize_map(None)?;
                        map.serialize_entry($tag, $word)?;
                        $crate::acp::wire::Members::write(value, &mut map)?;
                        map.end()
                    })+
                    $($name::$default(value) => <$default_type as serde::Serialize>::serialize(value, serializer),)?
                    $name::Other(raw) => raw.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                use serde::de::Error;
                let raw = $crate::acp::Raw::deserialize(deserializer)?;
                let tag = $crate::acp::wire::tag(raw.text(), $tag).map_err(D::Error::custom)?;
                match tag.as_deref() {
                    $(Some($word) => {
                        let mut value: $type = raw.decode().map_err(D::Error::custom)?;
                        $crate::acp::wire::Members::rest_mut(&mut value).remove($tag);
                        Ok($name::$variant(value))
                    })+
                    // The tag stays in the rest, if there is one.
                    $(None $(| Some($default_word))? => {
                        raw.decode::<$default_type>().map($name::$default).map_err(D::Error::custom)
                    })?
                    Some(_) => Ok($name::Other(raw)),
                    #[allow(unreachable_patterns, reason = "not where there is a default")]
                    None => Err(D::Error::missing_field($tag)),
                }
            }
        }
    };
}

/// Declares a set of words that later versions may add to.
macro_rules! words {
    (
        $(#[$about:meta])*
        pub enum $name:ident { $($(#[$variant_about:meta])* $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_about])* $variant,)+
            /// A word that this version does not know.
            Other(String),
        }

        impl $name {
            /// The words that this version knows.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)+
                    $name::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> $name {
                match word {
                    $($word => $name::$variant,)+
                    other => $name::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let $crate::acp::wire::Key(word) = serde::Deserialize::deserialize(deserializer)?;
                Ok($name::from(&*word))
            }
        }
    };
}
