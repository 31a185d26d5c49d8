//! Sets: their order, what is in them once, and how long they are.

use tenon_values::{Number, Text, Type, Value, msgpack};

use crate::{number, ty};

/// The set of these, whichever of them comes first.
fn the_set_of(element: &Type, values: Vec<Value>) -> Value {
    let set = Value::set(element.clone(), values.clone()).unwrap();
    for by in 0..values.len() {
        let mut other = values.clone();
        other.rotate_left(by);
        assert_eq!(
            Value::set(element.clone(), other.clone()).unwrap(),
            set,
            "{other:?}"
        );
        other.reverse();
        assert_eq!(
            Value::set(element.clone(), other.clone()).unwrap(),
            set,
            "{other:?}"
        );
    }
    set
}

#[test]
fn have_one_order() {
    let one = |value: Value| Value::tuple(vec![value]);
    let numbers = [
        "12345678901.25",
        "12345678901.5",
        "12345678902",
        "1e30",
        "1e30",
    ];
    let numbers = numbers.map(|text| Value::number(number(text)));
    assert_eq!(
        the_set_of(&Type::Number, numbers.to_vec())
            .elements()
            .unwrap()
            .len(),
        4
    );
    // Within other values too, where only ten digits tell them apart for go-cty.
    let wrapped = numbers.map(one).to_vec();
    let set = the_set_of(&ty("tuple([number])"), wrapped.clone());
    assert_eq!(set.elements().unwrap().len(), 4);
    let mut reversed = wrapped;
    reversed.reverse();
    let reversed = Value::set(ty("tuple([number])"), reversed).unwrap();
    assert_eq!(set.equals(&reversed), Value::TRUE);
    // Zero has two signs and is one number.
    let zeros = ["-0", "-1", "0"].map(|text| one(Value::number(number(text))));
    let set = the_set_of(&ty("tuple([number])"), zeros.to_vec());
    let bytes = msgpack::encode(&set, &set.ty()).unwrap();
    assert_eq!(msgpack::decode(&bytes, &set.ty()).unwrap(), set);
    // Bytes that are not text differ although they print alike.
    let bytes = [b"\xff", b"\xfe", b"\xfd"].map(|bytes| Value::from(Text::from_bytes(bytes)));
    the_set_of(&Type::String, bytes.to_vec());
    the_set_of(&ty("tuple([string])"), bytes.map(one).to_vec());
    let prefixed =
        ["a-", "b-"].map(|prefix| Value::unknown(Type::String).refine_prefix(prefix).unwrap());
    the_set_of(&Type::String, prefixed.to_vec());
}

#[test]
fn have_primitives_in_their_order() {
    let unknown = || Value::unknown(Type::String);
    let strings = vec![
        Value::null(Type::String),
        "b".into(),
        unknown(),
        "B".into(),
        "\u{e9}".into(),
        "b".into(),
    ];
    let set = Value::set(Type::String, strings).unwrap();
    let expected = [
        "B".into(),
        "b".into(),
        "\u{e9}".into(),
        unknown(),
        Value::null(Type::String),
    ];
    assert_eq!(set.elements().unwrap(), expected);
    let bools = vec![Value::TRUE, Value::FALSE, Value::TRUE];
    assert_eq!(
        Value::set(Type::Bool, bools).unwrap().elements().unwrap(),
        [Value::FALSE, Value::TRUE]
    );
    let numbers = ["10", "-1e30", "2.5", "inf", "-0", "0"].map(|text| Value::number(number(text)));
    let set = Value::set(Type::Number, numbers.to_vec()).unwrap();
    let expected = ["-1e30", "0", "2.5", "10", "inf"].map(|text| Value::number(number(text)));
    assert_eq!(set.elements().unwrap(), expected);
}

#[test]
fn with_unknown_elements_have_no_known_length() {
    let unknown = Value::unknown(Type::Number);
    let set = |values: Vec<Value>| Value::set(Type::Number, values).unwrap();
    let range = |set: Value| {
        let length = set.length().unwrap();
        let range = length.range();
        let bound =
            |bound: Option<&tenon_values::Bound>| bound.and_then(|bound| bound.number.to_u64());
        (bound(range.lower()), bound(range.upper()))
    };
    for (values, expected) in [
        (vec![], (Some(0), Some(0))),
        (vec![unknown.clone()], (Some(1), Some(1))),
        (vec![unknown.clone(); 3], (Some(1), Some(3))),
        (vec![Value::from(1), unknown.clone()], (Some(1), Some(2))),
        (vec![Value::from(1), Value::from(1)], (Some(1), Some(1))),
    ] {
        assert_eq!(range(set(values.clone())), expected, "{values:?}");
    }
    let partly = set(vec![Value::from(1), unknown]);
    assert_eq!(partly.has_element(&Value::from(1)).unwrap(), Value::TRUE);
    assert!(!partly.has_element(&Value::from(2)).unwrap().is_known());
    assert!(!partly.equals(&partly).is_known());
    assert_eq!(partly.has_element(&Value::from("1")).unwrap(), Value::FALSE);
}

/// A set whose length is not known becomes a list of which nothing is known but its type, and
/// that is the one that was asked for.
#[test]
fn of_unknown_length_convert_to_unknown_lists() {
    let values = vec![Value::from(1), Value::unknown(Type::Number)];
    let set = Value::set(Type::Number, values).unwrap();
    let list = tenon_values::convert::convert(&set, &ty("list(string)")).unwrap();
    assert_eq!(list.ty(), ty("list(string)"));
    assert!(!list.is_known());
}

/// The same number at two precisions is in a set once, and the first stays.
#[test]
fn keep_the_first_of_equal_numbers() {
    let (double, text) = (Number::try_from(0.1).unwrap(), number("0.1"));
    let set = Value::set(Type::Number, vec![double.into(), text.into()]).unwrap();
    let elements = set.elements().unwrap();
    assert_eq!(elements.len(), 1);
    assert_eq!(elements[0].as_number().unwrap().precision(), 53);
}
