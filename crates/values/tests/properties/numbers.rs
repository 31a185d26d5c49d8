//! Random numbers of every sort.

use proptest::prelude::*;
use tenon_values::Number;

use crate::config;

/// Any number that is not infinite.
pub(crate) fn finite_number() -> BoxedStrategy<Number> {
    let edges = [
        "0",
        "-0",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "0.1",
        "-0.5",
        "1e400",
        "1e-400",
        "12345678901.5",
        "12345678901.25",
    ];
    prop_oneof![
        4 => (-5i64..5).prop_map(Number::from),
        2 => any::<i64>().prop_map(Number::from),
        1 => any::<u64>().prop_map(Number::from),
        2 => proptest::sample::select(edges.to_vec()).prop_map(parsed),
        2 => "-?[0-9]{1,25}(\\.[0-9]{1,40})?".prop_map(|text| parsed(&text)),
        1 => "-?[1-9][0-9]{0,5}e-?[0-9]{1,3}".prop_map(|text| parsed(&text)),
        2 => any_double(),
    ]
    .boxed()
}

/// Any number, infinite ones as well.
pub(crate) fn any_number() -> BoxedStrategy<Number> {
    let infinities = [Number::INFINITY, Number::NEGATIVE_INFINITY];
    prop_oneof![
        12 => finite_number(),
        1 => proptest::sample::select(infinities.to_vec()),
    ]
    .boxed()
}

fn any_double() -> BoxedStrategy<Number> {
    let small =
        (any::<i32>(), 0..40).prop_map(|(whole, shift)| f64::from(whole) / 2f64.powi(shift));
    let any = any::<f64>().prop_filter("there is no NaN", |value| value.is_finite());
    prop_oneof![small, Just(0.1), any]
        .prop_map(|value| Number::try_from(value).unwrap())
        .boxed()
}

fn parsed(text: &str) -> Number {
    text.parse().unwrap()
}

/// The numbers that go-cty itself does not get back from msgpack as they were. The text of a large
/// whole double is as short as its 53 bits allow, and is read at 512; a text of more digits than a
/// double shows, and which still is one, travels as one.
pub(crate) fn is_changed_by_msgpack(number: &Number) -> bool {
    if number.is_integer() {
        return number.precision() == 53 && number.to_i64().is_none();
    }
    let double = number.to_f64_exact().map(Number::try_from);
    number.precision() > 53 && double.is_some_and(|double| double.as_ref() != Ok(number))
}

/// The numbers that no text brings back: whole ones that need more than their 53 bits.
pub(crate) fn is_changed_by_text(number: &Number) -> bool {
    let fits = |value: i64| value.unsigned_abs() <= 1 << 53;
    number.is_integer() && number.precision() == 53 && !number.to_i64().is_some_and(fits)
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn are_read_as_they_are_written(number in any_number()) {
        prop_assume!(!is_changed_by_text(&number));
        prop_assert_eq!(number.to_text().parse::<Number>().unwrap(), number);
    }

    #[test]
    fn are_in_one_order(a in any_number(), b in any_number()) {
        prop_assert_eq!(a.compare(&b), b.compare(&a).reverse());
        if a.compare(&b).is_eq() && a.precision() == b.precision() {
            prop_assert_eq!(&a, &b);
        }
        prop_assert_eq!(a == b, b == a);
    }

    #[test]
    fn come_back_from_arithmetic(a in finite_number(), b in finite_number()) {
        let sum = a.add(&b).unwrap();
        prop_assert_eq!(&sum, &b.add(&a).unwrap());
        prop_assert_eq!(&a.subtract(&b).unwrap(), &a.add(&b.negate()).unwrap());
        prop_assert_eq!(&a.multiply(&b).unwrap(), &b.multiply(&a).unwrap());
        prop_assert_eq!(&a.negate().negate(), &a);
        prop_assert!(a.floor().compare(&a).is_le() && a.ceiling().compare(&a).is_ge());
    }
}
