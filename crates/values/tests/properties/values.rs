//! Random values of a type.

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_values::{Number, Text, Type, Value};

use crate::numbers::{any_number, finite_number, is_changed_by_msgpack, is_changed_by_text};
use crate::types::{any_name, any_type, exact_type};

/// What may be in a random value, apart from plainly known ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Content {
    /// Nulls.
    pub(crate) nulls: bool,
    /// Unknown values, some of them refined.
    pub(crate) unknowns: bool,
    /// Infinities, and text that is not UTF-8.
    pub(crate) foreign: bool,
    /// Which numbers are left out.
    pub(crate) without: Without,
}

/// Numbers that are another number once they were written and read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Without {
    #[default]
    None,
    ChangedByMsgpack,
    ChangedByText,
}

impl Content {
    /// Everything but what does not survive msgpack.
    pub(crate) const TRAVELLING: Content = Content {
        nulls: true,
        unknowns: true,
        foreign: true,
        without: Without::ChangedByMsgpack,
    };

    /// Everything that JSON can say.
    pub(crate) const PLAIN: Content = Content {
        nulls: true,
        unknowns: false,
        foreign: false,
        without: Without::ChangedByText,
    };

    /// Everything.
    pub(crate) const ANY: Content = Content {
        nulls: true,
        unknowns: true,
        foreign: true,
        without: Without::None,
    };
}

/// A value of any type.
pub(crate) fn any_value(content: Content) -> BoxedStrategy<Value> {
    any_type()
        .prop_flat_map(move |ty| value_of(&ty, content))
        .boxed()
}

/// A value that conforms to this type: of exactly it where nothing in it is dynamic.
pub(crate) fn value_of(ty: &Type, content: Content) -> BoxedStrategy<Value> {
    let has_holes = content.nulls;
    decided(ty, has_holes)
        .prop_flat_map(move |ty| of_exactly(&ty, content))
        .boxed()
}

/// The type with others in the place of what is dynamic. Some of it stays, if it may.
fn decided(ty: &Type, may_stay: bool) -> BoxedStrategy<Type> {
    if !ty.has_dynamic() {
        return Just(ty.clone()).boxed();
    }
    match ty {
        Type::Dynamic if may_stay => {
            prop_oneof![1 => Just(Type::Dynamic), 4 => exact_type(1)].boxed()
        }
        Type::Dynamic => exact_type(1),
        Type::List(element) => decided(element, may_stay).prop_map(Type::list).boxed(),
        Type::Set(element) => decided(element, may_stay).prop_map(Type::set).boxed(),
        Type::Map(element) => decided(element, may_stay).prop_map(Type::map).boxed(),
        Type::Tuple(tuple) => {
            let elements: Vec<_> = tuple
                .elements()
                .iter()
                .map(|ty| decided(ty, may_stay))
                .collect();
            elements.prop_map(Type::tuple).boxed()
        }
        Type::Object(object) => {
            let named = object.attributes().iter().map(|attribute| {
                let name = attribute.name.to_string();
                decided(&attribute.ty, may_stay).prop_map(move |ty| (name.clone(), ty))
            });
            named.collect::<Vec<_>>().prop_map(Type::object).boxed()
        }
        _ => Just(ty.clone()).boxed(),
    }
}

/// A value of exactly this type.
fn of_exactly(ty: &Type, content: Content) -> BoxedStrategy<Value> {
    let null = Just(Value::null(ty.clone())).boxed();
    let unknown = any_unknown(ty, content);
    let known = match ty {
        Type::Dynamic if content.unknowns => return prop_oneof![null, unknown].boxed(),
        Type::Dynamic => return null,
        known => any_known(known, content),
    };
    match (content.nulls, content.unknowns) {
        (false, false) => known,
        (true, false) => prop_oneof![8 => known, 1 => null].boxed(),
        (false, true) => prop_oneof![8 => known, 1 => unknown].boxed(),
        (true, true) => prop_oneof![8 => known, 1 => null, 2 => unknown].boxed(),
    }
}

fn any_known(ty: &Type, content: Content) -> BoxedStrategy<Value> {
    let element = |ty: &Type| vec(of_exactly(ty, content), 0..4);
    match ty.clone() {
        Type::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Type::Number => number_of(content).prop_map(Value::from).boxed(),
        Type::List(ty) => element(&ty)
            .prop_map(move |values| Value::list(Type::clone(&ty), values).unwrap())
            .boxed(),
        Type::Set(ty) => element(&ty)
            .prop_map(move |values| Value::set(Type::clone(&ty), values).unwrap())
            .boxed(),
        Type::Map(ty) => vec((any_text(content), of_exactly(&ty, content)), 0..4)
            .prop_map(move |entries| Value::map(Type::clone(&ty), entries).unwrap())
            .boxed(),
        Type::Tuple(tuple) => {
            let elements = tuple.elements().iter().map(|ty| of_exactly(ty, content));
            elements.collect::<Vec<_>>().prop_map(Value::tuple).boxed()
        }
        Type::Object(object) => {
            let named = object.attributes().iter().map(|attribute| {
                let name = attribute.name.to_string();
                of_exactly(&attribute.ty, content).prop_map(move |value| (name.clone(), value))
            });
            named.collect::<Vec<_>>().prop_map(Value::object).boxed()
        }
        Type::String | Type::Dynamic => any_text(content).prop_map(Value::from).boxed(),
    }
}

fn number_of(content: Content) -> BoxedStrategy<Number> {
    let numbers = match content.foreign {
        true => any_number(),
        false => finite_number(),
    };
    let is_left_out = move |number: &Number| match content.without {
        Without::None => false,
        Without::ChangedByMsgpack => is_changed_by_msgpack(number),
        Without::ChangedByText => is_changed_by_text(number),
    };
    let replaced = move |number| match is_left_out(&number) {
        true => Number::from(7),
        false => number,
    };
    numbers.prop_map(replaced).boxed()
}

/// Text: words, combining characters, emoji, and bytes that are not text.
pub(crate) fn any_text(content: Content) -> BoxedStrategy<Text> {
    let odd = [
        "",
        "e\u{301}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        "\u{1100}\u{1161}",
        "true",
        "1.50",
    ];
    let text = prop_oneof![
        6 => "[a-d]{0,2}",
        2 => proptest::sample::select(odd.to_vec()).prop_map(str::to_owned),
        2 => any_name(),
    ]
    .prop_map(Text::from);
    match content.foreign {
        true => prop_oneof![
            10 => text,
            1 => vec(any::<u8>(), 0..6).prop_map(|bytes| Text::from_bytes(&bytes)),
        ]
        .boxed(),
        false => text.boxed(),
    }
}

/// An unknown value of this type. What is said of it and contradicts itself is left out, and it
/// may turn out to be known.
fn any_unknown(ty: &Type, content: Content) -> BoxedStrategy<Value> {
    let unknown = Value::unknown(ty.clone());
    let bound = number_of(Content {
        foreign: false,
        ..content
    });
    let refined = (
        any::<bool>(),
        any_name(),
        bound.clone(),
        bound,
        any::<[bool; 2]>(),
        0u64..4,
        0u64..4,
    )
        .prop_map(
            move |(is_not_null, prefix, lower, upper, is_inclusive, shortest, longest)| {
                let not_null = || match is_not_null {
                    true => unknown.refine_not_null(),
                    false => Ok(unknown.clone()),
                };
                let refined = not_null().and_then(|value| match value.ty() {
                    Type::String => value.refine_prefix(&prefix),
                    Type::Number => value
                        .refine_lower(lower, is_inclusive[0])
                        .and_then(|value| value.refine_upper(upper, is_inclusive[1])),
                    Type::List(_) | Type::Set(_) | Type::Map(_) => value
                        .refine_shortest(shortest)
                        .and_then(|value| value.refine_longest(longest)),
                    _ => Ok(value),
                });
                refined.unwrap_or_else(|_| unknown.clone())
            },
        );
    prop_oneof![Just(Value::unknown(ty.clone())), refined].boxed()
}
