//! Conversions of random values to types that are not far from theirs.

use proptest::prelude::*;
use tenon_values::convert::{Safety, convert};
use tenon_values::{Attribute, Error, ObjectType, Problem, Step, Type, Value};

use crate::config;
use crate::types::any_target;
use crate::values::{Content, any_value};

/// A type that values of this one may be converted to, more often than not.
fn near(ty: &Type) -> BoxedStrategy<Type> {
    let element = |ty: &Type| prop_oneof![3 => near(ty), 1 => Just(Type::Dynamic)].boxed();
    let collection = |ty: BoxedStrategy<Type>| {
        prop_oneof![
            ty.clone().prop_map(Type::list),
            ty.clone().prop_map(Type::set),
            ty.prop_map(Type::list)
        ]
    };
    let other = match ty {
        Type::String | Type::Number | Type::Bool | Type::Dynamic => {
            let primitives = [Type::String, Type::String, Type::Number, Type::Bool];
            proptest::sample::select(primitives.to_vec()).boxed()
        }
        Type::List(ty) | Type::Set(ty) => collection(element(ty)).boxed(),
        Type::Map(ty) => {
            let map = element(ty).prop_map(Type::map);
            let object = element(ty).prop_map(|ty| {
                let attribute = |name: &str| Attribute {
                    name: name.into(),
                    ty: ty.clone(),
                    is_optional: true,
                };
                Type::Object(ObjectType::new([attribute("a"), attribute("b")]))
            });
            prop_oneof![3 => map, 1 => object].boxed()
        }
        Type::Tuple(tuple) => {
            let first = tuple.elements().first().unwrap_or(&Type::String);
            let tuple: Vec<_> = tuple.elements().iter().map(near).collect();
            prop_oneof![tuple.prop_map(Type::tuple), collection(element(first))].boxed()
        }
        Type::Object(object) => {
            let first = object
                .attributes()
                .first()
                .map_or(Type::String, |first| first.ty.clone());
            let attribute = |attribute: &Attribute| {
                let name = attribute.name.clone();
                (near(&attribute.ty), any::<bool>()).prop_map(move |(ty, is_optional)| Attribute {
                    name: name.clone(),
                    ty,
                    is_optional,
                })
            };
            let attributes: Vec<_> = object.attributes().iter().map(attribute).collect();
            let more = Attribute {
                name: "more".into(),
                ty: Type::map(Type::Dynamic),
                is_optional: true,
            };
            let object = (attributes, any::<bool>()).prop_map(move |(mut all, has_more)| {
                all.extend(has_more.then(|| more.clone()));
                Type::Object(ObjectType::new(all))
            });
            prop_oneof![object, element(&first).prop_map(Type::map)].boxed()
        }
    };
    prop_oneof![1 => Just(ty.clone()), 1 => Just(Type::Dynamic), 6 => other].boxed()
}

fn value_and_target(content: Content) -> BoxedStrategy<(Value, Type)> {
    any_value(content)
        .prop_flat_map(|value| {
            let near = near(&value.ty());
            (Just(value), prop_oneof![5 => near, 1 => any_target()])
        })
        .boxed()
}

proptest! {
    #![proptest_config(config(1024))]

    #[test]
    fn give_what_was_asked_for((value, to) in value_and_target(Content::ANY)) {
        let Ok(converted) = convert(&value, &to) else { return Ok(()) };
        prop_assert!(
            converted.ty().conforms_to(&to),
            "{} {} to {} is {}", value, value.ty(), to, converted.ty()
        );
        prop_assert!(!converted.ty().has_optional());
        let again = convert(&converted, &to);
        // An empty map takes the dynamic part of the target's type, its neighbours keep theirs:
        // Terraform refuses to convert such a list again, too.
        let is_mixed = |error: &Error| matches!(error.problem(), Problem::MixedElements { .. });
        if to.has_dynamic() && again.as_ref().is_err_and(is_mixed) {
            return Ok(());
        }
        prop_assert_eq!(again.as_ref(), Ok(&converted), "{} {} to {}", value, value.ty(), to);
        prop_assert_eq!(converted.is_null(), value.is_null());
    }

    /// Those that are said to be safe are safe, and those that are not there are not. Where
    /// something dynamic has a part in it, only the value tells whether all elements become one
    /// type, in go-cty as well.
    #[test]
    fn are_as_safe_as_they_say(
        (value, to) in value_and_target(Content { unknowns: false, ..Content::ANY })
    ) {
        let from = value.ty();
        let is_safe = from.converts_to(&to, Safety::Safe);
        let is_possible = from.converts_to(&to, Safety::Unsafe);
        // Where a type inside is not known, a safe conversion leaves it open. An unsafe one decides
        // for a type, which may not fit the others: Terraform refuses
        // `tomap({ x = tomap({ k = true }), a = { a = null, c = 0 } })`.
        prop_assert!(is_possible || !is_safe || from.has_dynamic(), "{} to {}", from, to);
        let Err(error) = convert(&value, &to) else {
            prop_assert!(is_possible);
            return Ok(());
        };
        let is_undecided = (from.has_dynamic() || to.has_dynamic())
            && matches!(error.problem(), Problem::MixedElements { .. } | Problem::NotUnifiable);
        prop_assert!(!is_safe || is_undecided, "{} {} to {}: {}", value, from, to, error);
    }

    /// What is promised of a value that is not known yet holds for the one that takes its place.
    #[test]
    fn of_unknown_values_promise_nothing_that_is_not_kept(
        (value, to) in value_and_target(Content { unknowns: false, ..Content::ANY })
    ) {
        // A dynamic attribute that is missing has no type, a promised one has.
        if to.has_dynamic() {
            return Ok(());
        }
        let unknown = Value::unknown(value.ty());
        let (Ok(promised), Ok(kept)) = (convert(&unknown, &to), convert(&value, &to)) else {
            return Ok(());
        };
        prop_assert_eq!(kept.ty(), promised.ty());
        prop_assert!(
            promised.could_be(&kept),
            "{} {} to {}: {} and {}", value, value.ty(), to, promised, kept
        );
    }

    /// An error inside a marked value is the same, but says nothing of keys and what is behind them.
    #[test]
    fn keep_the_marks((value, to) in value_and_target(Content::PLAIN)) {
        let marked = convert(&value.sensitive(), &to);
        match convert(&value, &to) {
            Ok(plain) => prop_assert_eq!(marked, Ok(plain.sensitive())),
            Err(error) => {
                let marked = marked.unwrap_err();
                prop_assert_eq!(marked.problem(), error.problem());
                let (shown, whole) = (marked.path().steps(), error.path().steps());
                prop_assert_eq!(shown, &whole[..shown.len()]);
                prop_assert!(matches!(whole.get(shown.len()), None | Some(Step::Key(_))));
            }
        }
    }
}
