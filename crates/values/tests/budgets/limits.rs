//! Every limit, at its edge.

use std::sync::PoisonError;

use tenon_values::Limits;
use tenon_values::json;
use tenon_values::msgpack::{decode_within, encode};
use tenon_values::{Number, Problem, Type, Value};

use crate::{TURN, deep_list, nested, ty};

fn limit_of(bytes: &[u8], ty: &Type, limits: Limits) -> Option<(&'static str, usize)> {
    match decode_within(bytes, ty, limits) {
        Ok(_) => None,
        Err(error) => match error.problem() {
            Problem::Limit { what, limit } => Some((what, *limit)),
            problem => panic!("{problem}"),
        },
    }
}

#[test]
fn the_size_is_limited_to_the_byte() {
    let bytes = encode(&Value::from("0123456789"), &Type::String).unwrap();
    let limits = |size| Limits {
        size,
        ..Limits::default()
    };
    assert_eq!(limit_of(&bytes, &Type::String, limits(11)), None);
    let over = limit_of(&bytes, &Type::String, limits(10));
    assert_eq!(over, Some(("the number of bytes", 10)));
}

#[test]
fn the_depth_is_limited_to_the_level() {
    let limits = |depth| Limits {
        depth,
        ..Limits::default()
    };
    let over = |depth| Some(("the depth of nesting", depth));
    assert_eq!(limit_of(&[0xc0], &Type::String, limits(0)), None);
    assert_eq!(limit_of(&[0x90], &deep_list(1), limits(0)), over(0));
    for depth in [1, 2, 7, 128] {
        let bytes = nested(&[0x91], depth, &[0xc0]);
        let ty = deep_list(depth);
        assert_eq!(limit_of(&bytes, &ty, limits(depth)), None);
        assert_eq!(limit_of(&bytes, &ty, limits(depth - 1)), over(depth - 1));
        // Levels that were left are free again.
        let twice = [vec![0x92], bytes.clone(), bytes.clone()].concat();
        let pair = Type::tuple([ty.clone(), ty.clone()]);
        assert_eq!(limit_of(&twice, &pair, limits(depth + 1)), None);
    }
    // A dynamic value is a level of its own.
    let bytes = [&b"\x92\xc4\x11[\"list\",\"string\"]"[..], &[0x91, 0xc0]].concat();
    assert_eq!(limit_of(&bytes, &Type::Dynamic, limits(2)), None);
    assert_eq!(limit_of(&bytes, &Type::Dynamic, limits(1)), over(1));
}

#[test]
fn the_elements_are_limited_to_the_one() {
    let limits = |elements| Limits {
        elements,
        ..Limits::default()
    };
    let over = |elements| Some(("the number of values", elements));
    for (text, bytes, count) in [
        ("list(string)", &[0x93, 0xc0, 0xc0, 0xc0][..], 3),
        ("tuple([string, string])", &[0x92, 0xc0, 0xc0], 2),
        ("list(list(string))", &[0x92, 0x91, 0xc0, 0x91, 0xc0], 4),
        // Keys count as well.
        (
            "map(string)",
            &[0x82, 0xa1, b'a', 0xc0, 0xa1, b'b', 0xc0],
            4,
        ),
        ("object({ a = string })", &[0x81, 0xa1, b'a', 0xc0], 2),
    ] {
        let ty = ty(text);
        assert_eq!(limit_of(bytes, &ty, limits(count)), None, "{text}");
        assert_eq!(
            limit_of(bytes, &ty, limits(count - 1)),
            over(count - 1),
            "{text}"
        );
    }
    assert_eq!(limit_of(&[0xc0], &Type::String, limits(0)), None);
}

/// A few bytes of JSON stand for as many nulls as the type has attributes, and these count.
#[test]
fn attributes_that_are_missing_in_json_count() {
    let ty: Type = "list(object({ a = string, b = string, c = string }))"
        .parse()
        .unwrap();
    let decode = |elements| {
        let limits = Limits {
            elements,
            ..Limits::default()
        };
        json::decode_within(b"[{},{}]", &ty, limits)
    };
    assert!(decode(9).is_ok());
    let error = decode(8).unwrap_err();
    let message = "the value is too large: the number of values is limited to 8";
    assert!(error.to_string().ends_with(message), "{error}");
}

#[test]
fn json_is_limited_in_size_and_depth() {
    let size = |size| {
        let limits = Limits {
            size,
            ..Limits::default()
        };
        json::decode_within(b"[1]", &Type::list(Type::Number), limits)
    };
    assert!(size(3).is_ok());
    assert!(size(2).is_err());
    let nested = |levels: usize| [vec![b'['; levels], vec![b']'; levels]].concat();
    let depth = Limits::default().depth * 2;
    assert!(json::implied(&nested(depth)).is_ok());
    assert!(json::implied(&nested(depth + 1)).is_err());
}

fn far_numbers(length: usize, text: &str) -> Value {
    let far: Value = text.parse::<Number>().map(Value::from).unwrap();
    Value::list(Type::Number, vec![far; length]).unwrap()
}

/// msgpack has all digits, as go-cty's has: ten bytes become a hundred thousand, but not without
/// end.
#[test]
fn digits_are_not_written_without_end() {
    // It takes memory that the other tests must not count as theirs.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for (text, written) in [("1e150000", 150_006), ("1e1000", 1004)] {
        let fits = Limits::default().size / written;
        for (length, is_written) in [(fits, true), (fits + 1, false)] {
            let list = far_numbers(length, text);
            let encoded = encode(&list, &list.ty());
            assert_eq!(encoded.is_ok(), is_written, "{length} times {text}");
        }
    }
}

/// Neither do conversions make texts without end of them.
#[test]
fn digits_are_not_converted_without_end() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = Limits::default().size / 150_001;
    for (length, is_converted) in [(fits, true), (fits + 1, false)] {
        let numbers = far_numbers(length, "1e150000");
        let tuple = Value::tuple(numbers.elements().unwrap().to_vec());
        let map = Value::map(Type::list(Type::Number), [("a", numbers.clone())]).unwrap();
        for (value, ty) in [
            (&numbers, "list(string)"),
            (&tuple, "list(string)"),
            (&map, "map(list(string))"),
            (&map, "object({ a = list(string) })"),
            (
                &Value::object([("a", tuple.clone())]),
                "object({ a = set(string) })",
            ),
        ] {
            let converted = tenon_values::convert::convert(value, &ty.parse().unwrap());
            assert_eq!(converted.is_ok(), is_converted, "{length} as {ty}");
        }
    }
}

/// JSON has exponents, so that what comes back from a peer takes as little room as it came in.
#[test]
fn far_numbers_are_short_in_json() {
    let text = format!("[{}]", vec!["1e157000,-2.5e-156000"; 10_000].join(","));
    let value = json::implied(text.as_bytes()).unwrap();
    let written = json::encode(&value, &value.ty()).unwrap();
    assert_eq!(written, text);
    assert_eq!(json::implied(written.as_bytes()).unwrap(), value);
    assert_eq!(value.to_string().replace(", ", ","), text);
}
