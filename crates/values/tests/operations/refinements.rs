//! What is known of unknown values.

use tenon_values::{Error, Number, Problem, Type, Value, msgpack};

use crate::{number, ty};

fn is_contradiction(result: Result<Value, Error>) -> bool {
    matches!(result.unwrap_err().problem(), Problem::Contradiction(_))
}

fn is_impossible(result: Result<Value, Error>) -> bool {
    matches!(result.unwrap_err().problem(), Problem::Refinement { .. })
}

fn not_null(text: &str) -> Value {
    Value::unknown(ty(text)).refine_not_null().unwrap()
}

#[test]
fn nullness() {
    let unknown = Value::unknown(Type::String);
    let refined = unknown.refine_not_null().unwrap();
    assert!(refined.refinement().unwrap().is_not_null());
    assert_eq!(refined.refine_not_null().unwrap(), refined);
    assert_eq!(unknown.refine_null().unwrap(), Value::null(Type::String));
    assert!(is_contradiction(refined.refine_null()));
    assert!(is_contradiction(Value::from("a").refine_null()));
    assert!(is_contradiction(
        Value::null(Type::String).refine_not_null()
    ));
    assert!(is_contradiction(Value::NULL.refine_not_null()));
    assert_eq!(
        Value::from("a").refine_not_null().unwrap(),
        Value::from("a")
    );
    assert_eq!(Value::NULL.refine_null().unwrap(), Value::NULL);
    // Nothing is known of what has no type.
    let dynamic = Value::unknown(Type::Dynamic);
    assert_eq!(dynamic.refine_not_null().unwrap(), dynamic);
    assert_eq!(dynamic.refine_null().unwrap(), dynamic);
    assert_eq!(dynamic.refine_prefix("a-").unwrap(), dynamic);
}

#[test]
fn prefixes() {
    let unknown = Value::unknown(Type::String);
    let refined = unknown.refine_prefix("ami-").unwrap();
    assert_eq!(
        refined.refinement().unwrap().prefix().unwrap().as_str(),
        Some("ami-")
    );
    // What follows may change the last letter, so it is not part of what is known.
    assert_eq!(unknown.refine_prefix("ami-x").unwrap(), refined);
    assert_eq!(unknown.refine_prefix("x").unwrap(), unknown);
    // The longer one counts, in whatever order.
    let longer = refined.refine_whole_prefix("ami-42").unwrap();
    assert_eq!(longer.refine_prefix("ami-").unwrap(), longer);
    assert_eq!(unknown.refine_whole_prefix("ami-42").unwrap(), longer);
    assert!(is_contradiction(refined.refine_whole_prefix("amo")));
    assert!(is_impossible(
        Value::unknown(Type::Number).refine_prefix("a-")
    ));
    assert_eq!(
        Value::from("ami-1").refine_prefix("ami-").unwrap(),
        Value::from("ami-1")
    );
    assert!(is_contradiction(Value::from("ami-1").refine_prefix("amo-")));
    assert!(is_contradiction(
        Value::from("ami").refine_whole_prefix("ami-")
    ));
    let secret = unknown.sensitive().refine_prefix("ami-").unwrap();
    assert_eq!(secret, refined.sensitive());
}

#[test]
fn bounds() {
    let unknown = Value::unknown(Type::Number);
    let lower =
        |text: &str, is_inclusive| unknown.refine_lower(number(text), is_inclusive).unwrap();
    let five = lower("5", true);
    // The tighter one counts, and of two equal ones the one that leaves its number out.
    assert_eq!(five.refine_lower(number("3"), true).unwrap(), five);
    assert_eq!(
        five.refine_lower(number("7"), true).unwrap(),
        lower("7", true)
    );
    assert_eq!(
        five.refine_lower(number("5"), false).unwrap(),
        lower("5", false)
    );
    assert_eq!(
        lower("5", false).refine_lower(number("5"), true).unwrap(),
        lower("5", false)
    );
    assert!(is_contradiction(five.refine_upper(number("4"), true)));
    assert!(is_contradiction(five.refine_upper(number("5"), false)));
    assert!(!five.refine_upper(number("5"), true).unwrap().is_known());
    assert!(is_impossible(
        Value::unknown(Type::String).refine_lower(number("5"), true)
    ));
    for (value, is_inclusive, fits) in [
        ("5", true, true),
        ("5", false, false),
        ("6", false, true),
        ("4", true, false),
    ] {
        let known = Value::number(number(value));
        match known.refine_lower(number("5"), is_inclusive) {
            Ok(same) => assert!(fits && same == known),
            error => assert!(!fits && is_contradiction(error)),
        }
    }
    // Everything is at least minus infinity, which says nothing.
    assert_eq!(
        unknown
            .refine_lower(Number::NEGATIVE_INFINITY, true)
            .unwrap(),
        unknown
    );
    assert_eq!(
        unknown.refine_upper(Number::INFINITY, true).unwrap(),
        unknown
    );
}

/// 0.1 of 512 bits and of 53 are equal, and still one lies below the other. What both bounds leave
/// out is not the value.
#[test]
fn bounds_of_two_precisions() {
    let (text, double) = (number("0.1"), Number::try_from(0.1).unwrap());
    for (lower_is_in, upper_is_in) in [(false, false), (true, false), (false, true)] {
        let refined = not_null("number").refine_lower(text.clone(), lower_is_in);
        let refined = refined.and_then(|value| value.refine_upper(double.clone(), upper_is_in));
        assert!(refined.is_err() || !refined.unwrap().is_known());
    }
    let refined = not_null("number").refine_lower(text.clone(), true);
    let refined = refined.and_then(|value| value.refine_upper(double, true));
    assert_eq!(refined.unwrap(), Value::number(text));
}

#[test]
fn lengths() {
    for text in ["list(string)", "set(string)", "map(string)"] {
        let unknown = Value::unknown(ty(text));
        let refined = unknown
            .refine_shortest(2)
            .unwrap()
            .refine_longest(5)
            .unwrap();
        assert_eq!(
            refined
                .refine_shortest(1)
                .unwrap()
                .refine_longest(9)
                .unwrap(),
            refined
        );
        assert!(is_contradiction(refined.refine_longest(1)));
        assert!(is_contradiction(refined.refine_shortest(6)));
    }
    assert!(is_impossible(
        Value::unknown(Type::String).refine_shortest(1)
    ));
    assert!(is_impossible(
        Value::unknown(ty("tuple([string])")).refine_longest(1)
    ));
    let list = Value::list(Type::Bool, vec![Value::TRUE; 3]).unwrap();
    assert_eq!(
        list.refine_shortest(3).unwrap().refine_longest(3).unwrap(),
        list
    );
    assert!(is_contradiction(list.refine_shortest(4)));
    assert!(is_contradiction(list.refine_longest(2)));
}

#[test]
fn what_leaves_one_value_is_that_value() {
    let of_length = |text: &str, length| {
        let refined = not_null(text).refine_shortest(length).unwrap();
        refined.refine_longest(length).unwrap()
    };
    let five = not_null("number").refine_lower(number("5"), true).unwrap();
    assert_eq!(
        five.refine_upper(number("5"), true).unwrap(),
        Value::from(5)
    );
    let element = Value::unknown(Type::String);
    let list = |count| Value::list(Type::String, vec![element.clone(); count]).unwrap();
    assert_eq!(of_length("list(string)", 0), list(0));
    assert_eq!(of_length("list(string)", 3), list(3));
    let set = |count| Value::set(Type::String, vec![element.clone(); count]).unwrap();
    assert_eq!(of_length("set(string)", 0), set(0));
    assert_eq!(of_length("set(string)", 1), set(1));
    assert!(!of_length("set(string)", 2).is_known());
    let empty = Value::map::<&str>(Type::String, []).unwrap();
    assert_eq!(of_length("map(string)", 0), empty);
    assert!(!of_length("map(string)", 1).is_known());
    // Not where it may still be null.
    let nullable = Value::unknown(ty("list(string)"))
        .refine_longest(0)
        .unwrap();
    assert!(!nullable.is_known());
    assert_eq!(nullable.refine_not_null().unwrap(), list(0));
    assert_eq!(
        nullable.sensitive().refine_not_null().unwrap(),
        list(0).sensitive()
    );
}

#[test]
fn what_a_value_could_be() {
    let text = Value::unknown(Type::String).refine_prefix("ami-").unwrap();
    let small = not_null("number").refine_upper(number("9"), false).unwrap();
    let pair = Value::unknown(ty("list(string)"))
        .refine_shortest(2)
        .unwrap();
    let list = |count| Value::list(Type::String, vec![Value::from("a"); count]).unwrap();
    for (unknown, known, could_be) in [
        (&text, Value::from("ami-1"), true),
        (&text, Value::from("amo-1"), false),
        (&text, Value::from("ami"), false),
        (&text, Value::null(Type::String), true),
        (&text, Value::from(1), false),
        (&small, Value::from(8), true),
        (&small, Value::from(9), false),
        (&small, Value::null(Type::Number), false),
        (&pair, list(1), false),
        (&pair, list(2), true),
        (&Value::unknown(Type::Dynamic), Value::from(1), true),
    ] {
        assert_eq!(unknown.could_be(&known), could_be, "{unknown} and {known}");
        let equal = unknown.equals(&known);
        assert_eq!(
            equal.as_bool(),
            (!could_be).then_some(false),
            "{unknown} and {known}"
        );
        assert_eq!(known.equals(unknown), equal);
    }
}

/// Whatever is known, what is written can be read.
#[test]
fn travel_or_are_left_out() {
    let list = Value::unknown(ty("list(string)"));
    for value in [
        Value::unknown(Type::Number)
            .refine_lower(number("1e2000"), true)
            .unwrap(),
        Value::unknown(Type::Number)
            .refine_upper(number("-1e-2000"), true)
            .unwrap(),
        Value::unknown(Type::String)
            .refine_whole_prefix("a".repeat(5000))
            .unwrap(),
        list.refine_longest(u64::MAX).unwrap(),
        list.refine_shortest(u64::MAX).unwrap_or(list.clone()),
    ] {
        let bytes = msgpack::encode(&value, &value.ty()).unwrap();
        let back = msgpack::decode(&bytes, &value.ty()).unwrap_or_else(|error| panic!("{error}"));
        assert!(!back.is_known() && back.ty() == value.ty());
    }
}
