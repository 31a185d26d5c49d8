//! Numbers from decimal text, by the grammar of Go's `big.ParseFloat` in base ten.

use std::str::FromStr;

use super::binary::Binary;
use super::{Number, NumberError, TEXT_PRECISION, scale};

/// The most digits of a value before the point, or zeros after it: slightly more than the cap of binary
/// exponents allows, which is checked at the end.
const MAX_POINT: i64 = 157_900;

/// A binary exponent beyond this is out of range with every mantissa within [`MAX_POINT`].
const MAX_SHIFT: i64 = 1 << 21;

/// The most digits that always fit an `i64`.
const SMALL_DIGITS: usize = 18;

impl FromStr for Number {
    type Err = NumberError;

    /// Reads a decimal text at 512 bits, rounded to the nearest value.
    ///
    /// Accepts a sign, digits with a point, and an exponent after `e`. Like Go, and so cty, it also accepts
    /// a power of two after `p`, and `Inf` or `inf`.
    ///
    /// # Errors
    ///
    /// [`NumberError::Syntax`] for everything else, such as spaces, separators or prefixes, and
    /// [`NumberError::OutOfRange`] for an exponent that is too large.
    fn from_str(text: &str) -> Result<Number, NumberError> {
        if let Some(value) = small_integer(text.as_bytes()) {
            return Ok(Number::small(value, TEXT_PRECISION));
        }
        match text {
            "Inf" | "inf" | "+Inf" | "+inf" => return Ok(Number::INFINITY),
            "-Inf" | "-inf" => return Ok(Number::NEGATIVE_INFINITY),
            _ => {}
        }
        Literal::read(text.as_bytes())?.value()
    }
}

/// Reads an integer of a few digits, the form of most numbers. Not negative zero, which the general
/// parser reads.
fn small_integer(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > SMALL_DIGITS {
        return None;
    }
    let mut value = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    match is_negative {
        true if value == 0 => None,
        true => Some(-value),
        false => Some(value),
    }
}

/// The parts of a well-formed number.
struct Literal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    /// The power of ten after `e`.
    exponent: i64,
    /// The power of two after `p`.
    shift: i64,
}

impl<'a> Literal<'a> {
    fn read(text: &'a [u8]) -> Result<Literal<'a>, NumberError> {
        let mut at = 0;
        let negative = text.first() == Some(&b'-');
        at += usize::from(matches!(text.first(), Some(b'-' | b'+')));

        let whole = digits(text, &mut at);
        let mut fraction: &[u8] = &[];
        if text.get(at) == Some(&b'.') {
            at += 1;
            fraction = digits(text, &mut at);
        }
        if whole.is_empty() && fraction.is_empty() {
            return fail("a digit is missing", at);
        }

        let (mut exponent, mut shift) = (0, 0);
        match text.get(at) {
            Some(b'e' | b'E') => exponent = power(text, &mut at)?,
            Some(b'p' | b'P') => shift = power(text, &mut at)?,
            _ => {}
        }
        if at < text.len() {
            return fail("unexpected text", at);
        }
        Ok(Literal {
            negative,
            whole,
            fraction,
            exponent,
            shift,
        })
    }

    fn value(&self) -> Result<Number, NumberError> {
        let mut digits = Vec::with_capacity(self.whole.len() + self.fraction.len());
        digits.extend(
            self.whole
                .iter()
                .chain(self.fraction)
                .skip_while(|d| **d == b'0'),
        );
        // The position of the point, counted from the first non-zero digit.
        let behind = self.fraction.len() as i64;
        let point = (digits.len() as i64 - behind).saturating_add(self.exponent);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Ok(Number::stored(Binary::zero(self.negative), TEXT_PRECISION));
        }
        if point.saturating_abs() > MAX_POINT || self.shift.saturating_abs() > MAX_SHIFT {
            return Err(NumberError::OutOfRange);
        }
        let scaled = scale::nearest(&digits, point);
        let binary = Binary {
            negative: self.negative,
            mantissa: scaled.mantissa,
            exponent: scaled.exponent + self.shift,
        };
        Number::rounded(binary, TEXT_PRECISION)
    }
}

fn fail<T>(problem: &'static str, at: usize) -> Result<T, NumberError> {
    Err(NumberError::Syntax { problem, at })
}

/// Takes the digits at `at`.
fn digits<'a>(text: &'a [u8], at: &mut usize) -> &'a [u8] {
    let rest = text.get(*at..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    *at += length;
    &rest[..length]
}

/// Takes an exponent with its letter.
pub(super) fn power(text: &[u8], at: &mut usize) -> Result<i64, NumberError> {
    *at += 1;
    let sign = match text.get(*at) {
        Some(b'-') => -1,
        _ => 1,
    };
    *at += usize::from(matches!(text.get(*at), Some(b'-' | b'+')));
    let digits = digits(text, at);
    if digits.is_empty() {
        return fail("a digit of the exponent is missing", *at);
    }
    digits
        .iter()
        .try_fold(0i64, |power, digit| {
            let digit = i64::from(digit - b'0') * sign;
            power.checked_mul(10)?.checked_add(digit)
        })
        .ok_or(NumberError::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Number {
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn accepted() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "-0"),
            ("-0.000", "-0"),
            ("0e999999999", "0"),
            ("5.", "5"),
            ("1E+5", "100000"),
            ("1e0000000000000000000000002", "100"),
            ("1p4", "16"),
            ("1P4", "16"),
            ("1.5p4", "24"),
            ("0.1", "0.1"),
            (
                "3.14159265358979323846264338327950288",
                "3.14159265358979323846264338327950288",
            ),
            ("9999999999999999999", "9999999999999999999"),
            ("Inf", "+Inf"),
            ("inf", "+Inf"),
            ("-inf", "-Inf"),
        ] {
            assert_eq!(parsed(text).to_text(), expected, "{text}");
        }
        assert_eq!(
            parsed(&"9".repeat(160)).to_text(),
            format!("1{}", "0".repeat(160))
        );
        assert_eq!(parsed("7").precision(), 512);
    }

    #[test]
    fn refused() {
        for (text, at) in [
            ("", 0),
            (" 1", 0),
            ("1 ", 1),
            (".", 1),
            ("1e", 2),
            ("1e1.5", 3),
            ("1.2.3", 3),
            ("1_000", 1),
            ("0x10", 1),
            ("infinity", 0),
            ("INF", 0),
            ("١", 0),
        ] {
            match text.parse::<Number>() {
                Err(NumberError::Syntax { at: found, .. }) => assert_eq!(found, at, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn messages_tell_what_to_write() {
        let error = "1 000".parse::<Number>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "a number is required, such as 10, -2.5 or 1e9 (unexpected text at byte 1)"
        );
        assert_eq!(
            "1e999999999".parse::<Number>().unwrap_err().to_string(),
            "the number is too large or too small: its exponent is beyond ±524288 in base two, \
             which is about ±157826 in base ten"
        );
    }

    #[test]
    fn exponents_are_capped() {
        for text in [
            "1e100000000",
            "-1e-100000000",
            "1e99999999999999999999",
            "0e99999999999999999999",
            "1e9223372036854775807",
            "1e-9223372036854775808",
            "1p99999999",
            "1p-9223372036854775808",
            "1p524288",
            "1e157827",
            "1e-157828",
        ] {
            assert_eq!(
                text.parse::<Number>().unwrap_err(),
                NumberError::OutOfRange,
                "{text}"
            );
        }
        for text in ["1e100000", "1e-100000", "1p524287", "1p-524288", "1e157826"] {
            parsed(text);
        }
        let long = format!("0.{}1", "0".repeat(1_000_000));
        assert_eq!(long.parse::<Number>().unwrap_err(), NumberError::OutOfRange);
        let long = "7".repeat(1_000_000);
        assert_eq!(long.parse::<Number>().unwrap_err(), NumberError::OutOfRange);
        assert_eq!(parsed(&format!("0.{long}")).to_short_text(), "0.7777777778");
    }

    proptest! {
        #[test]
        fn no_text_is_a_surprise(text in "[-+.eEpPinfI0-9_ ]{0,8}", other: String) {
            for text in [text, other] {
                if let Ok(number) = text.parse::<Number>() {
                    prop_assert_eq!(number.to_text().parse::<Number>().unwrap(), number);
                }
                let _ = Number::from_binary_text(&text, 512);
            }
        }
    }
}
