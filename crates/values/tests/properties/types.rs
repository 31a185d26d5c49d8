//! Random types, and their two notations.

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_values::{Attribute, ObjectType, Type};

use crate::config;

/// A type of any kind, at most four levels deep.
pub(crate) fn any_type() -> BoxedStrategy<Type> {
    of_leaves(Just(Type::Dynamic).boxed(), 3, Just(false).boxed())
}

/// A type without anything dynamic in it, at most this many levels below the first.
pub(crate) fn exact_type(depth: u32) -> BoxedStrategy<Type> {
    of_leaves(Just(Type::String).boxed(), depth, Just(false).boxed())
}

/// A type that a conversion may aim at: attributes may be optional.
pub(crate) fn any_target() -> BoxedStrategy<Type> {
    of_leaves(Just(Type::Dynamic).boxed(), 3, any::<bool>().boxed())
}

fn of_leaves(
    more: BoxedStrategy<Type>,
    depth: u32,
    is_optional: BoxedStrategy<bool>,
) -> BoxedStrategy<Type> {
    let leaf = prop_oneof![
        Just(Type::String),
        Just(Type::Number),
        Just(Type::Bool),
        more
    ];
    leaf.prop_recursive(depth, 12, 3, move |inner| {
        let attribute = (any_name(), inner.clone(), is_optional.clone());
        let attribute = attribute.prop_map(|(name, ty, is_optional)| Attribute {
            name: name.into(),
            ty,
            is_optional,
        });
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            vec(inner, 0..4).prop_map(Type::tuple),
            vec(attribute, 0..4).prop_map(|all| Type::Object(ObjectType::new(all))),
        ]
    })
    .boxed()
}

/// A name of an attribute: plain words mostly, and what must be quoted or normalised.
pub(crate) fn any_name() -> BoxedStrategy<String> {
    let odd = [
        "",
        "a b",
        "e\u{301}",
        "\u{301}",
        "$${x}",
        "%{if}",
        "\"\\\n\t\u{0}\u{85}",
        "<&>\u{2028}",
        "\u{1f468}\u{200d}\u{1f469}",
        "1",
        "-",
    ];
    prop_oneof![
        6 => "[a-d]",
        1 => proptest::sample::select(odd.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{1,4}",
        1 => any::<String>(),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn are_read_as_they_are_written(ty in any_target()) {
        let json = ty.to_json();
        prop_assert_eq!(Type::from_json(&json).unwrap(), ty.clone(), "{}", json);
        let text = ty.to_string();
        prop_assert_eq!(text.parse::<Type>().unwrap(), ty, "{}", text);
    }

    #[test]
    fn conform_to_themselves_and_to_anything(ty in any_target()) {
        prop_assert!(ty.conforms_to(&ty));
        prop_assert!(ty.conforms_to(&Type::Dynamic));
        prop_assert!(ty.without_optional().conforms_to(&ty));
        prop_assert!(!ty.without_optional().has_optional());
        prop_assert_eq!(ty.mismatches(&ty), []);
    }
}
