//! How the types of this module are read and written without losing anything.
//!
//! serde's `flatten` and `tag` buffer values, which changes numbers and cannot keep raw text. So three macros write
//! the implementations: `record!` for objects, `union!` for objects with a tag, `words!` for open sets of words.

mod reading;

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(super) use reading::{Found, Read, Word, read, tag};

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
}

/// An object whose members can be written into a larger one: next to a tag.
pub(super) trait Members {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
    fn rest_mut(&mut self) -> &mut Rest;
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

        impl $crate::acp::wire::Read for $name {
            fn read(text: &str) -> Result<$name, serde_json::Error> {
                #[allow(unused_mut, reason = "there are objects without members")]
                let mut found = $crate::acp::wire::Found::read(text)?;
                Ok($name {
                    $($required: found.required($required_name)?,)*
                    $($optional: found.optional($optional_name)?,)*
                    rest: found.rest(),
                })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                $crate::acp::wire::read(deserializer)
            }
        }
    };
}

/// Declares objects that are distinguished by a tag. A value with an unknown tag is kept as it is.
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

        impl $crate::acp::wire::Read for $name {
            fn read(text: &str) -> Result<$name, serde_json::Error> {
                use $crate::acp::wire::{Members, tag};
                match tag(text, $tag)?.as_deref() {
                    $(Some($word) => {
                        let mut value = <$type>::read(text)?;
                        value.rest_mut().remove($tag);
                        Ok($name::$variant(value))
                    })+
                    // The tag stays in the rest, if there is one.
                    $(None $(| Some($default_word))? => <$default_type>::read(text).map($name::$default),)?
                    Some(_) => $crate::acp::Raw::parse(text).map($name::Other),
                    #[allow(unreachable_patterns, reason = "not where there is a default")]
                    None => Err(serde::de::Error::missing_field($tag)),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                $crate::acp::wire::read(deserializer)
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
                let $crate::acp::wire::Word(word) = serde::Deserialize::deserialize(deserializer)?;
                Ok($name::from(&*word))
            }
        }
    };
}
