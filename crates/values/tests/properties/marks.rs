//! Marks put on values, taken off and put back.

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_values::{Mark, Marks, Path, Problem, Value, json, msgpack};

use crate::config;
use crate::values::{Content, any_value};

/// A value with marks at some places, perhaps none.
fn any_marked(content: Content) -> BoxedStrategy<Value> {
    let names = proptest::sample::select(["sensitive", "ephemeral"].to_vec());
    let places = vec((any::<prop::sample::Index>(), names), 0..4);
    (any_value(content), places)
        .prop_map(|(value, places)| {
            let paths = all_paths(&value);
            let place = |(index, name): (prop::sample::Index, &str)| {
                (index.get(&paths).clone(), Marks::from(Mark::new(name)))
            };
            value.mark_at(&places.into_iter().map(place).collect::<Vec<_>>())
        })
        .boxed()
}

fn all_paths(value: &Value) -> Vec<Path> {
    let mut paths = Vec::new();
    value.walk(&mut |path, _| {
        paths.push(path.clone());
        true
    });
    paths
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn come_off_and_are_put_back(value in any_marked(Content::ANY)) {
        let (unmarked, places) = value.unmark_with_paths();
        prop_assert!(!unmarked.contains_marked());
        prop_assert_eq!(unmarked.ty(), value.ty());
        prop_assert_eq!(places.is_empty(), !value.contains_marked());
        prop_assert_eq!(unmarked.mark_at(&places), value.clone());
        prop_assert_eq!(value.unmark_deep().0, unmarked);
    }

    #[test]
    fn keep_a_value_from_being_written(value in any_marked(Content::PLAIN)) {
        let (_, places) = value.unmark_with_paths();
        let ty = value.ty();
        let errors = [
            msgpack::encode(&value, &ty).err(),
            json::encode(&value, &ty).err(),
        ];
        for error in errors {
            prop_assert_eq!(error.is_some(), !places.is_empty());
            if let Some(error) = error {
                prop_assert_eq!(error.path(), &places[0].0);
                prop_assert!(matches!(error.problem(), Problem::Marked(_)));
            }
        }
    }

    #[test]
    fn say_nothing_of_the_value_in_print(value in any_marked(Content::PLAIN)) {
        let secret = Value::tuple(vec![value.clone(), Value::from("hunter2").sensitive()]);
        let printed = format!("{secret} {secret:?}");
        prop_assert!(!printed.contains("hunter2"), "{}", printed);
    }

    #[test]
    fn lie_on_what_equality_answers(value in any_marked(Content::ANY)) {
        let (unmarked, marks) = value.unmark_deep();
        let equal = value.equals(&unmarked);
        prop_assert_eq!(equal.marks(), marks);
        prop_assert_eq!(equal.unmark().0, unmarked.equals(&unmarked));
        prop_assert!(value.could_be(&unmarked) && unmarked.could_be(&value));
    }
}
