//! Arithmetic, comparison and logic.

use tenon_values::{Error, Number, Problem, Type, Value};

use crate::{between, number};

type Operation = fn(&Value, &Value) -> Result<Value, Error>;

#[test]
fn the_larger_precision_decides() {
    let whole = Value::from(1);
    let double = Value::number(Number::try_from(0.1).unwrap());
    let text = Value::number(number("0.1"));
    for (left, right, sum, precision) in [
        (&whole, &double, "1.1000000000000000056", 64),
        (&double, &text, "0.2", 512),
        (&double, &double, "0.2", 53),
        (&whole, &text, "1.1", 512),
    ] {
        for (left, right) in [(left, right), (right, left)] {
            let result = left.add(right).unwrap();
            let result = result.as_number().unwrap();
            assert_eq!(result.precision(), precision, "{left} + {right}");
            // Of 512 bits the double shows its error, which the first digits do not.
            assert!(result.to_text().starts_with(&sum[..3]), "{result}");
            if precision < 512 {
                assert_eq!(result.to_text(), sum);
            }
        }
    }
}

#[test]
fn known_numbers() {
    let table: [(Operation, &str, &str, &str); 12] = [
        (Value::add, "0.1", "0.2", "0.3"),
        (
            Value::add,
            "9223372036854775807",
            "1",
            "9223372036854775808",
        ),
        (
            Value::subtract,
            "1",
            "1e-30",
            "0.999999999999999999999999999999",
        ),
        (
            Value::multiply,
            "4294967296",
            "4294967296",
            "18446744073709551616",
        ),
        (Value::multiply, "-0.5", "4", "-2"),
        (Value::divide, "1", "8", "0.125"),
        (Value::divide, "1", "0", "inf"),
        (Value::divide, "-1", "0", "-inf"),
        (Value::remainder, "-7", "3", "-1"),
        (Value::remainder, "7", "-3", "1"),
        (Value::remainder, "7", "0", "7"),
        (Value::add, "inf", "-1e100", "inf"),
    ];
    for (operation, left, right, expected) in table {
        let result = operation(&number(left).into(), &number(right).into()).unwrap();
        assert_eq!(
            result,
            Value::number(number(expected)),
            "{left} and {right}"
        );
    }
}

#[test]
fn results_that_do_not_exist() {
    let table: [(Operation, &str, &str); 5] = [
        (Value::add, "inf", "-inf"),
        (Value::subtract, "inf", "inf"),
        (Value::multiply, "inf", "0"),
        (Value::divide, "0", "0"),
        (Value::divide, "inf", "-inf"),
    ];
    for (operation, left, right) in table {
        let error = operation(&number(left).into(), &number(right).into()).unwrap_err();
        assert!(
            matches!(error.problem(), Problem::Number(_)),
            "{left} and {right}: {error}"
        );
    }
}

#[test]
fn ranges_of_unknown_numbers() {
    let table: [(Operation, Value, Value); 6] = [
        (Value::add, between("2", "4"), between("12", "24")),
        (Value::subtract, between("2", "4"), between("-18", "-6")),
        (Value::subtract, between("-4", "-2"), between("12", "24")),
        (Value::multiply, between("2", "4"), between("20", "80")),
        (Value::multiply, between("-4", "2"), between("-80", "40")),
        (Value::multiply, Value::from(-1), between("-20", "-10")),
    ];
    for (index, (operation, other, expected)) in table.into_iter().enumerate() {
        let result = match index {
            1 => operation(&other, &between("10", "20")),
            2 => operation(&between("10", "20"), &other),
            _ => operation(&between("10", "20"), &other),
        };
        assert_eq!(result.unwrap(), expected, "row {index}");
    }
    let plain = Value::unknown(Type::Number);
    let not_null = plain.refine_not_null().unwrap();
    assert_eq!(plain.add(&Value::from(1)).unwrap(), not_null);
    assert_eq!(plain.divide(&Value::from(2)).unwrap(), not_null);
    assert_eq!(plain.negate().unwrap(), not_null);
    let positive = not_null.refine_lower(Number::ZERO, true).unwrap();
    assert_eq!(plain.absolute().unwrap(), positive);
    assert_eq!(
        Value::unknown(Type::Dynamic).add(&Value::from(1)).unwrap(),
        not_null
    );
    assert_eq!(plain.multiply(&Value::from(0)).unwrap(), Value::from(0));
    // One number is left, although it was not known before.
    assert_eq!(
        between("1", "2")
            .subtract(&Value::number(Number::INFINITY))
            .unwrap(),
        not_null
    );
}

#[test]
fn comparisons_of_ranges() {
    let low = between("1", "5");
    for (other, less, less_or_equal) in [
        (between("6", "9"), Some(true), Some(true)),
        (between("5", "9"), None, None),
        (between("-3", "0"), Some(false), Some(false)),
        (Value::from(6), Some(true), Some(true)),
        (Value::from(0), Some(false), Some(false)),
        (Value::from(3), None, None),
        (Value::unknown(Type::Number), None, None),
    ] {
        assert_eq!(low.less_than(&other).unwrap().as_bool(), less, "{other}");
        assert_eq!(
            low.less_than_or_equal(&other).unwrap().as_bool(),
            less_or_equal,
            "{other}"
        );
        assert_eq!(other.greater_than(&low).unwrap().as_bool(), less, "{other}");
        assert_eq!(
            other.greater_than_or_equal(&low).unwrap().as_bool(),
            less_or_equal,
            "{other}"
        );
    }
    // 0.1 is 0.1 in every precision.
    let (double, text) = (Number::try_from(0.1).unwrap(), number("0.1"));
    let (double, text) = (Value::number(double), Value::number(text));
    assert_eq!(double.less_than(&text).unwrap(), Value::FALSE);
    assert_eq!(double.greater_than(&text).unwrap(), Value::FALSE);
    assert_eq!(double.greater_than_or_equal(&text).unwrap(), Value::TRUE);
}

#[test]
fn logic_of_three_values() {
    let unknown = Value::unknown(Type::Bool).refine_not_null().unwrap();
    let (yes, no) = (&Value::TRUE, &Value::FALSE);
    for (left, right, and, or) in [
        (yes, yes, yes, yes),
        (yes, no, no, yes),
        (no, no, no, no),
        (yes, &unknown, &unknown, yes),
        (no, &unknown, no, &unknown),
        (&unknown, &unknown, &unknown, &unknown),
    ] {
        for (left, right) in [(left, right), (right, left)] {
            assert_eq!(left.and(right).unwrap(), *and, "{left} and {right}");
            assert_eq!(left.or(right).unwrap(), *or, "{left} or {right}");
        }
    }
    assert_eq!(unknown.not().unwrap(), unknown);
    assert_eq!(yes.not().unwrap(), *no);
}

#[test]
fn null_and_other_types_are_refused() {
    let operations: [Operation; 9] = [
        Value::add,
        Value::subtract,
        Value::multiply,
        Value::divide,
        Value::remainder,
        Value::less_than,
        Value::less_than_or_equal,
        Value::greater_than,
        Value::greater_than_or_equal,
    ];
    for operation in operations {
        for null in [Value::NULL, Value::null(Type::Number)] {
            let error = operation(&Value::from(1), &null).unwrap_err();
            assert_eq!(error.problem(), &Problem::Null);
        }
        for other in [Value::from("1"), Value::TRUE, Value::unknown(Type::String)] {
            let error = operation(&other, &Value::from(1)).unwrap_err();
            assert!(
                matches!(error.problem(), Problem::WrongType { .. }),
                "{other}: {error}"
            );
        }
    }
}
