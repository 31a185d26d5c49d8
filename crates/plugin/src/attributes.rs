//! Structs whose fields are attributes.

use tenon_schema::{Attribute, Block};

use crate::Typed;

/// A struct whose fields are attributes: of an action, a resource, a configuration, or the parameters
/// of a function. Made by [`attributes!`](crate::attributes).
pub trait Attributes: Typed {
    /// The fields, in their order, but for those that are blocks.
    fn attributes() -> Vec<Attribute>;

    /// The fields that are marked with `#[block]`.
    fn blocks() -> Vec<Block> {
        Vec::new()
    }

    /// Which of the fields is [`Variadic`](crate::Variadic).
    fn variadic() -> Option<usize> {
        None
    }

    /// Whether each of the fields is [`MaybeUnknown`](crate::MaybeUnknown).
    fn maybe_unknown() -> Vec<bool> {
        Vec::new()
    }
}

/// No attributes.
impl Attributes for () {
    fn attributes() -> Vec<Attribute> {
        Vec::new()
    }
}

/// Declares structs whose fields are attributes. The doc comment of a field becomes its description
/// in the schema.
///
/// A field is required unless it has a default or is an `Option`. A struct can be the type of a
/// field of another.
///
/// ```
/// use tenon_plugin::{Attributes, attributes};
///
/// attributes! {
///     /// How a request is made.
///     #[derive(Debug)]
///     pub struct Request {
///         /// Where to.
///         pub url: String,
///         pub method: String = "GET",
///         pub attempts: u32 = 1,
///         pub body: Option<String>,
///         pub headers: Vec<Header> = Vec::new(),
///     }
///
///     #[derive(Debug)]
///     pub struct Header { pub name: String, pub value: String }
/// }
///
/// let [url, method, _, _, headers] = &Request::attributes()[..] else { panic!() };
/// assert_eq!(url.description.text, "Where to.");
/// assert!(url.presence.is_optional() == false && method.presence.is_optional());
/// assert_eq!(headers.implied_type().to_string(), "list(object({ name = string, value = string }))");
/// ```
///
/// Fields can have markers, below the doc comment and in this order:
///
/// | marker | meaning |
/// |---|---|
/// | `#[replaces]` | a change of this field replaces the resource instead of updating it |
/// | `#[stable]` | the plugin computes the value, and an update does not change it |
/// | `#[deprecated = "..."]` | users should no longer use it; the text says what to use instead |
/// | `#[block]` | it is written as blocks, `rule { .. }`, instead of as an attribute; see [`Nested`](crate::Nested) |
///
/// Hosts ignore the markers that their protocol cannot express. Seasonings has all of them, denobridge
/// `#[replaces]`, and Orchard none; Orchard refuses blocks. The markers of a struct that is the type of a
/// field have no effect, unless the field is a block.
///
/// ```
/// use tenon_plugin::{Attributes, attributes};
///
/// attributes! {
///     struct Props {
///         /// The host name.
///         #[replaces]
///         name: String,
///         #[deprecated = "use `name`"]
///         host: Option<String>,
///     }
///
///     struct State {
///         #[stable]
///         address: String,
///     }
/// }
///
/// let [name, host] = &Props::attributes()[..] else { panic!() };
/// assert!(name.replaces && !host.replaces);
/// assert_eq!(name.description.text, "The host name.");
/// assert_eq!(host.deprecation.as_deref(), Some("use `name`"));
/// assert!(State::attributes()[0].is_stable);
/// ```
///
/// Blocks are structs, too:
///
/// ```
/// use tenon_plugin::{Attributes, attributes};
///
/// attributes! {
///     struct Firewall {
///         name: String,
///         /// What may pass.
///         #[block]
///         rule: Vec<Rule>,
///         #[block]
///         log: Option<Log>,
///     }
///
///     struct Rule { port: u16, is_open: bool = true }
///     struct Log { #[replaces] path: String }
/// }
///
/// assert_eq!(Firewall::attributes().len(), 1);
/// let [rule, log] = &Firewall::blocks()[..] else { panic!() };
/// assert_eq!(rule.body.description.text, "What may pass.");
/// assert!(rule.body.attributes[1].default.is_some());
/// assert!(log.body.attributes[0].replaces);
/// ```
#[macro_export]
macro_rules! attributes {
    (@default $ty:ty) => {
        ::core::option::Option::None
    };
    (@default $ty:ty = $default:expr) => {
        ::core::option::Option::Some(
            <$ty as $crate::field::FromDefault<_>>::from_default($default),
        )
    };
    (@field [$($about:literal)*] $field:ident: $ty:ty $(= $default:expr)?) => {
        $crate::field::Field::<$ty>::new(
            stringify!($field),
            &[$($about),*],
            $crate::attributes!(@default $ty $(= $default)?),
        )
    };
    (@attribute [] $attribute:expr) => {
        ::core::option::Option::Some($attribute)
    };
    (@attribute [block] $attribute:expr) => {
        ::core::option::Option::None
    };
    (@block [] [$($about:literal)*] $field:ident: $ty:ty) => {
        ::core::option::Option::None
    };
    (@block [block] [$($about:literal)*] $field:ident: $ty:ty) => {
        ::core::option::Option::Some(
            $crate::field::block::<$ty>(stringify!($field), &[$($about),*]),
        )
    };
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[doc = $about:literal])*
                // The inner group never matches anything; it makes the marker a repetition.
                $(#[replaces $(@ $replaces:tt)?])?
                $(#[stable $(@ $stable:tt)?])?
                $(#[deprecated = $deprecation:literal])?
                $(#[block $(@ $block:tt)?])?
                $field_visibility:vis $field:ident: $ty:ty $(= $default:expr)?
            ),* $(,)?
        }
    )+) => {$(
        $(#[$attribute])*
        $visibility struct $name {
            $(
                $(#[doc = $about])*
                $field_visibility $field: $ty,
            )*
        }

        impl $crate::Typed for $name {
            const IS_SENSITIVE: bool = false $(|| <$ty as $crate::Typed>::IS_SENSITIVE)*;
            const HAS_NULL_ELEMENTS: bool =
                false $(|| <$ty as $crate::Typed>::HAS_NULL_ELEMENTS)*;

            fn ty() -> $crate::Type {
                $crate::Type::Object($crate::field::ObjectType::new([
                    $($crate::attributes!(@field [] $field: $ty $(= $default)?).member()),*
                ]))
            }

            fn from_value(value: &$crate::Value) -> ::core::result::Result<Self, $crate::Error> {
                let _given = $crate::field::given::<Self>(value)?;
                ::core::result::Result::Ok($name {
                    $($field: {
                        $crate::attributes!(@field [] $field: $ty $(= $default)?).read(&_given)?
                    }),*
                })
            }

            fn to_value(&self) -> ::core::result::Result<$crate::Value, $crate::Error> {
                ::core::result::Result::Ok($crate::Value::object::<&str>([
                    $($crate::field::write(stringify!($field), &self.$field)?),*
                ]))
            }
        }

        impl $crate::Attributes for $name {
            fn attributes() -> ::std::vec::Vec<$crate::field::Attribute> {
                let fields: ::std::vec::Vec<::core::option::Option<$crate::field::Attribute>> =
                    ::std::vec![
                        $($crate::attributes!(
                            @attribute [$(block $($block)?)?]
                            $crate::attributes!(@field [$($about)*] $field: $ty $(= $default)?)
                                .attribute()
                                $(.replaces() $($replaces)?)?
                                $(.stable() $($stable)?)?
                                $(.deprecated($deprecation))?
                        )),*
                    ];
                fields.into_iter().flatten().collect()
            }

            fn blocks() -> ::std::vec::Vec<$crate::field::Block> {
                let fields: ::std::vec::Vec<::core::option::Option<$crate::field::Block>> =
                    ::std::vec![
                        $($crate::attributes!(
                            @block [$(block $($block)?)?] [$($about)*] $field: $ty
                        )),*
                    ];
                fields.into_iter().flatten().collect()
            }

            fn variadic() -> ::core::option::Option<usize> {
                let fields: &[bool] = &[$(<$ty as $crate::Typed>::IS_VARIADIC),*];
                fields.iter().position(|is_variadic| *is_variadic)
            }

            fn maybe_unknown() -> ::std::vec::Vec<bool> {
                ::std::vec![$(<$ty as $crate::Typed>::MAY_BE_UNKNOWN),*]
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Secret, WriteOnly};
    use tenon_protocols::orchard::ProviderSchema;
    use tenon_schema::{Body, Offer};
    use tenon_values::{Type, Value, convert, json};

    attributes! {
        /// Everything a field can be.
        #[derive(Debug, PartialEq)]
        struct Whole {
            /// What it is.
            /// In two lines.
            r#type: String,
            times: u8 = 2,
            word: String = "a",
            maybe: Option<f64>,
            parts: Vec<Part>,
            key: Option<Secret<String>>,
        }

        #[derive(Debug, PartialEq)]
        struct Part { at: i64, on: bool = true }
    }

    #[test]
    fn the_schema_follows_from_the_fields() {
        let offer = Offer {
            config: Body::new(Whole::attributes()).into(),
            ..Offer::default()
        };
        let schema = ProviderSchema::try_from(&offer).unwrap();
        let schema = serde_json::to_string(&schema.config).unwrap();
        assert_eq!(
            schema,
            concat!(
                r#"{"key":{"type":"string","required":false,"sensitive":true},"#,
                r#""maybe":{"type":"number","required":false},"#,
                r#""parts":{"type":"list(object({ at = number, on = optional(bool) }))","required":true},"#,
                r#""times":{"type":"number","required":false,"default":2},"#,
                r#""type":{"type":"string","required":true,"description":"What it is. In two lines."},"#,
                r#""word":{"type":"string","required":false,"default":"a"}}"#
            )
        );
        const { assert!(Whole::IS_SENSITIVE) };
    }

    #[test]
    fn is_read_with_defaults_at_every_depth() {
        let given = json::implied(br#"{"type":"t","parts":[{"at":1},{"at":2,"on":false}]}"#);
        let given = convert::convert(&given.unwrap(), &Whole::ty()).unwrap();
        let whole = Whole::from_value(&given).unwrap();
        let expected = Whole {
            r#type: "t".into(),
            times: 2,
            word: "a".into(),
            maybe: None,
            parts: vec![Part { at: 1, on: true }, Part { at: 2, on: false }],
            key: None,
        };
        assert_eq!(whole, expected);
        let again = convert::convert(&whole.to_value().unwrap(), &Whole::ty()).unwrap();
        assert_eq!(Whole::from_value(&again).unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_has_its_place() {
        let given = Value::object([("at", Value::from(1)), ("on", Value::from(5))]);
        let error = Part::from_value(&given).unwrap_err().to_string();
        assert!(error.starts_with("at .on: "), "{error}");
        let error = Part::from_value(&Value::object([("at", Value::NULL)])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "at .at: a value is required, but this is null"
        );
        let error = Part::from_value(&Value::object::<&str>([])).unwrap_err();
        assert_eq!(error.to_string(), "the attribute \"at\" is required");
        assert!(Part::from_value(&Value::null(Type::Dynamic)).is_err());
    }

    attributes! {
        #[derive(Debug, PartialEq)]
        struct Marked {
            /// First.
            #[replaces]
            #[stable]
            #[deprecated = "use b"]
            a: String = "x",
            #[stable]
            pub b: Option<bool>,
            #[deprecated = "use b"]
            c: u8,
        }
    }

    #[test]
    fn markers_are_in_the_schema() {
        let marks = |one: &Attribute| (one.replaces, one.is_stable, one.deprecation.clone());
        let attributes = Marked::attributes();
        let why = Some("use b".to_owned());
        assert_eq!(marks(&attributes[0]), (true, true, why.clone()));
        assert_eq!(attributes[0].description.text, "First.");
        assert!(attributes[0].default.is_some());
        assert_eq!(marks(&attributes[1]), (false, true, None));
        assert_eq!(marks(&attributes[2]), (false, false, why));
        let given = Value::object([("c", Value::from(1))]);
        let marked = Marked {
            a: "x".into(),
            b: None,
            c: 1,
        };
        assert_eq!(Marked::from_value(&given).unwrap(), marked);
    }

    attributes! {
        struct Account {
            key: Secret<Vec<u8>>,
            password: WriteOnly<u8>,
        }
    }

    #[test]
    fn secrets_are_not_quoted() {
        let [key, password] = &Account::attributes()[..] else {
            panic!("there are two fields");
        };
        assert!(key.is_sensitive && !key.is_write_only);
        assert!(password.is_write_only && password.presence.is_optional());
        for given in [
            r#"{"key":{"hunter2":1}}"#,
            r#"{"key":[],"password":"hunter2"}"#,
        ] {
            let given = json::implied(given.as_bytes()).unwrap();
            let error = Account::from_value(&given).err().unwrap().to_string();
            assert!(error.contains("it is a secret"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        let given = json::implied(br#"{"key":[1]}"#).unwrap();
        let account = Account::from_value(&given).unwrap();
        assert_eq!(account.key.reveal(), &[1]);
        assert_eq!(account.password.reveal(), None);
        let shown = format!("{:?} {:?}", account.key, WriteOnly::new("hunter2"));
        assert_eq!(shown, "Secret WriteOnly");
    }
}
