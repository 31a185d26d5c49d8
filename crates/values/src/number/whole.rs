//! Negation, absolute value and rounding to integers.

use super::binary::Binary;
use super::{INTEGER_PRECISION, Number, Repr};

impl Number {
    /// This number with the opposite sign, also for zero.
    #[must_use]
    pub fn negate(&self) -> Number {
        match &self.0 {
            Repr::Small { value, precision } if *value != 0 && *value != i64::MIN => {
                Number::small(-value, *precision)
            }
            _ => self.with_sign(!self.has_minus()),
        }
    }

    /// This number without its sign.
    #[must_use]
    pub fn absolute(&self) -> Number {
        match self.has_minus() {
            true => self.negate(),
            false => self.clone(),
        }
    }

    /// The largest integer that is not above this number. Infinities are returned unchanged.
    #[must_use]
    pub fn floor(&self) -> Number {
        self.whole_towards(true)
    }

    /// The smallest integer that is not below this number. Infinities are returned unchanged.
    #[must_use]
    pub fn ceiling(&self) -> Number {
        self.whole_towards(false)
    }

    /// The whole part of this number, with a precision of 64 bits or as many as it needs. Integers
    /// and infinities are returned unchanged.
    #[must_use]
    pub fn truncate(&self) -> Number {
        match self.binary() {
            Some(binary) if !binary.is_integer() => {
                let whole = binary.whole();
                let needed = u32::try_from(whole.length()).unwrap_or(u32::MAX);
                let precision = needed.max(INTEGER_PRECISION);
                Number::stored(unsigned_zero(whole.reduced()), precision)
            }
            _ => self.clone(),
        }
    }

    /// The nearest integer below this number (`down`) or above it.
    fn whole_towards(&self, down: bool) -> Number {
        if matches!(self.0, Repr::Small { .. }) {
            return self.clone();
        }
        let Some(binary) = self.binary() else {
            return self.clone();
        };
        let mut whole = binary.whole();
        if !binary.is_integer() && binary.negative == down {
            whole.mantissa += 1u8;
        }
        Number::stored(unsigned_zero(whole.reduced()), self.precision())
    }

    fn with_sign(&self, negative: bool) -> Number {
        match self.binary() {
            None => Number::infinite(negative),
            Some(binary) => {
                let binary = Binary {
                    negative,
                    ..binary.into_owned()
                };
                Number::stored(binary.reduced(), self.precision())
            }
        }
    }
}

/// Zero loses its sign where Go goes through an integer.
pub(super) fn unsigned_zero(binary: Binary) -> Binary {
    Binary {
        negative: binary.negative && !binary.is_zero(),
        ..binary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn signs() {
        assert_eq!(Number::ZERO.negate().to_text(), "-0");
        assert_eq!(parsed("-0").negate().as_small(), Some(0));
        assert_eq!(parsed("-0").absolute().to_text(), "0");
        assert_eq!(
            Number::from(i64::MIN).negate().to_text(),
            "9223372036854775808"
        );
        assert_eq!(
            Number::from(i64::MIN).negate().negate().as_small(),
            Some(i64::MIN)
        );
        assert_eq!(parsed("-1.5").absolute().to_text(), "1.5");
        assert_eq!(Number::NEGATIVE_INFINITY.absolute(), Number::INFINITY);
        assert_eq!(Number::from(5).negate().precision(), 64);
    }

    #[test]
    fn wholes() {
        for (text, floor, ceiling, truncated) in [
            ("1.5", "1", "2", "1"),
            ("-1.5", "-2", "-1", "-1"),
            ("0.5", "0", "1", "0"),
            ("-0.5", "-1", "0", "0"),
            ("-0", "0", "0", "-0"),
            ("7", "7", "7", "7"),
            ("1e-100000", "0", "1", "0"),
            (
                "1e30",
                "1000000000000000000000000000000",
                "1000000000000000000000000000000",
                "1000000000000000000000000000000",
            ),
            ("-inf", "-Inf", "-Inf", "-Inf"),
        ] {
            assert_eq!(parsed(text).floor().to_text(), floor, "{text}");
            assert_eq!(parsed(text).ceiling().to_text(), ceiling, "{text}");
            assert_eq!(parsed(text).truncate().to_text(), truncated, "{text}");
        }
        assert_eq!(parsed("1.5").floor().precision(), 512);
        assert_eq!(parsed("1.5").truncate().precision(), 64);
    }
}
