//! An error says where exactly the value is wrong.

use proptest::prelude::*;
use tenon_values::convert::convert;
use tenon_values::{Kind, Path, Problem, Step, Type, Value, msgpack};

use crate::config;
use crate::types::exact_type;
use crate::values::{Content, value_of};

/// The type with this one in the place of all that have nothing inside, and lists for sets, whose
/// elements have no place of their own, if asked for.
fn with_leaves(ty: &Type, leaf: &Type, has_sets: bool) -> Type {
    let inner = |ty: &Type| with_leaves(ty, leaf, has_sets);
    match ty {
        Type::List(ty) => Type::list(inner(ty)),
        Type::Set(ty) if has_sets => Type::set(inner(ty)),
        Type::Set(ty) => Type::list(inner(ty)),
        Type::Map(ty) => Type::map(inner(ty)),
        Type::Tuple(tuple) => Type::tuple(tuple.elements().iter().map(inner)),
        Type::Object(object) => {
            let attributes = object.attributes().iter();
            Type::object(attributes.map(|attribute| (&attribute.name, inner(&attribute.ty))))
        }
        _ => leaf.clone(),
    }
}

/// A type whose leaves are all this, a known value of it, and the path to one of its leaves.
fn value_with_leaf(leaf: Type, has_sets: bool) -> BoxedStrategy<(Type, Value, Path)> {
    exact_type(3)
        .prop_map(move |ty| with_leaves(&ty, &leaf, has_sets))
        .prop_flat_map(|ty| (Just(ty.clone()), value_of(&ty, Content::default())))
        .prop_map(|(ty, value)| {
            let mut leaves = Vec::new();
            value.walk(&mut |path, value| {
                if value.ty().is_primitive() {
                    leaves.push(path.clone());
                }
                true
            });
            (ty, value, leaves)
        })
        .prop_filter("there are no leaves", |(_, _, leaves)| !leaves.is_empty())
        .prop_flat_map(|(ty, value, leaves)| {
            (Just(ty), Just(value), proptest::sample::select(leaves))
        })
        .boxed()
}

/// The msgpack of a value with `false` in the place of what is at this path.
fn write(value: &Value, path: &[Step], out: &mut Vec<u8>) {
    let inner = |step: Step, value: &Value, out: &mut Vec<u8>| match path.first() {
        Some(first) if *first == step => write(value, &path[1..], out),
        _ => out.extend(msgpack::encode(value, &value.ty()).unwrap()),
    };
    match value.kind() {
        _ if path.is_empty() => out.push(0xc2),
        Kind::List(values) | Kind::Tuple(values) => {
            out.push(0x90 | u8::try_from(values.len()).unwrap());
            for (index, value) in values.iter().enumerate() {
                inner(Step::Index(index), value, out);
            }
        }
        Kind::Map(entries) => {
            out.push(0x80 | u8::try_from(entries.len()).unwrap());
            for (key, value) in entries {
                out.extend(msgpack::encode(&Value::from(key.clone()), &Type::String).unwrap());
                inner(Step::Key(key.clone()), value, out);
            }
        }
        Kind::Object(attributes) => {
            out.push(0x80 | u8::try_from(attributes.len()).unwrap());
            for (name, value) in attributes.iter() {
                out.extend(msgpack::encode(&Value::from(name), &Type::String).unwrap());
                inner(Step::Attribute(name.into()), value, out);
            }
        }
        _ => unreachable!("nothing is inside {value}"),
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn in_msgpack((ty, value, path) in value_with_leaf(Type::Number, false)) {
        let mut bytes = Vec::new();
        write(&value, path.steps(), &mut bytes);
        let error = msgpack::decode(&bytes, &ty).unwrap_err();
        prop_assert_eq!(error.path(), &path);
        let is_required = matches!(error.problem(), Problem::Required { wanted: Type::Number, .. });
        prop_assert!(is_required, "{}", error);
    }

    #[test]
    fn in_msgpack_of_strings((ty, value, path) in value_with_leaf(Type::String, false)) {
        let mut bytes = Vec::new();
        write(&value, path.steps(), &mut bytes);
        let error = msgpack::decode(&bytes, &ty).unwrap_err();
        prop_assert_eq!(error.path(), &path);
    }

    /// The path leads to the value that is wrong, in sets as well.
    #[test]
    fn in_conversions((to, value, path) in value_with_leaf(Type::Number, true)) {
        let texts = convert(&value, &with_leaves(&to, &Type::String, true)).unwrap();
        // As texts, the elements of a set may stand in another order.
        prop_assume!(path.apply(&texts).is_some_and(|leaf| leaf.ty() == Type::String));
        let mut change = |at: &Path, value: Value| Ok(if *at == path { Value::from("x") } else { value });
        let wrong = texts.transform(&mut change).unwrap();
        let error = convert(&wrong, &to).unwrap_err();
        prop_assert_eq!(error.path().apply(&wrong), Some(Value::from("x")), "{} in {}", error, wrong);
    }

    #[test]
    fn lead_to_what_is_there(value in crate::values::any_value(Content::ANY)) {
        let mut all = Vec::new();
        value.walk(&mut |path, value| {
            all.push((path.clone(), value.clone()));
            true
        });
        for (path, value_there) in all {
            prop_assert_eq!(path.apply(&value), Some(value_there), "at {}", path);
        }
    }
}
