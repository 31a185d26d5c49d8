//! The numbers of cty: binary floating point, with a separate precision for each value.

use std::borrow::Cow;
use std::sync::Arc;

use dashu_int::UBig;

mod arithmetic;
mod binary;
mod decimal;
mod double;
mod error;
mod exact;
mod literal;
mod order;
mod scale;
mod text;
mod whole;
mod wide;

#[cfg(test)]
mod vectors;

use binary::Binary;
pub use error::NumberError;

/// The precision of numbers made from integers.
const INTEGER_PRECISION: u32 = 64;

/// The precision of an `f64`.
const DOUBLE_PRECISION: u32 = 53;

/// The precision of numbers read from text, and the least precision of intermediate products.
const TEXT_PRECISION: u32 = 512;

/// The largest binary exponent, in both directions. An exponent takes a few bytes on the wire
/// but can expand to that many digits, so it is capped wherever a number is created.
const MAX_EXPONENT: i64 = 1 << 19;

/// The largest precision that [`Number::from_binary_text`] gives.
const MAX_PRECISION: u32 = 1 << 16;

/// A cty number: a sign, a mantissa of `precision` bits and a binary exponent, or an infinity.
///
/// Results round to the nearest value, ties to even. There is no NaN. The precision decides how a
/// number prints, since it prints as the shortest decimal that reads back to it: 64 bits when
/// made from an integer, 53 from an `f64`, 512 from text.
///
/// `==` is cty's equality: integers are equal when their values are, other numbers when their
/// texts are, so 0.1 read from text equals 0.1 made from an `f64`. [`Number::compare`] orders by
/// exact value.
#[derive(Clone)]
pub struct Number(Repr);

#[derive(Clone)]
enum Repr {
    /// Every value that fits an `i64`, except negative zero.
    Small {
        value: i64,
        precision: u32,
    },
    Infinite {
        negative: bool,
    },
    /// Every other value with a precision of 53 bits that a finite `f64` represents exactly.
    Double(f64),
    Large(Arc<Large>),
}

struct Large {
    /// Reduced, with an exponent below the cap.
    binary: Binary,
    precision: u32,
}

impl Number {
    /// Zero, with the precision of an integer.
    pub const ZERO: Number = Number(Repr::Small {
        value: 0,
        precision: INTEGER_PRECISION,
    });

    /// Positive infinity.
    pub const INFINITY: Number = Number(Repr::Infinite { negative: false });

    /// Negative infinity.
    pub const NEGATIVE_INFINITY: Number = Number(Repr::Infinite { negative: true });

    /// How many bits the mantissa may have; 0 for the infinities.
    pub fn precision(&self) -> u32 {
        match &self.0 {
            Repr::Small { precision, .. } => *precision,
            Repr::Infinite { .. } => 0,
            Repr::Double(_) => DOUBLE_PRECISION,
            Repr::Large(large) => large.precision,
        }
    }

    /// Whether this is a whole number; the infinities are not.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small { .. } => true,
            Repr::Infinite { .. } => false,
            Repr::Double(value) => value.fract() == 0.0,
            Repr::Large(large) => large.binary.is_integer(),
        }
    }

    /// Whether this is one of the two infinities.
    pub fn is_infinite(&self) -> bool {
        matches!(self.0, Repr::Infinite { .. })
    }

    /// Whether this is below zero; negative zero is not.
    pub fn is_negative(&self) -> bool {
        self.has_minus() && !self.is_zero()
    }

    /// Whether this is zero, with either sign.
    pub fn is_zero(&self) -> bool {
        match &self.0 {
            Repr::Small { value, .. } => *value == 0,
            Repr::Infinite { .. } => false,
            Repr::Double(value) => *value == 0.0,
            Repr::Large(large) => large.binary.is_zero(),
        }
    }

    /// The value as an `i64`, if it is exactly one.
    pub fn to_i64(&self) -> Option<i64> {
        self.as_small().or_else(|| self.is_zero().then_some(0))
    }

    /// The value as a `u64`, if it is exactly one.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small { value, .. } => u64::try_from(*value).ok(),
            _ if self.is_zero() => Some(0),
            _ if self.has_minus() => None,
            _ => self.binary()?.to_u64(),
        }
    }

    /// The value if it is stored inline, which all integers of an `i64` but negative zero are.
    pub(crate) fn as_small(&self) -> Option<i64> {
        match self.0 {
            Repr::Small { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Whether the text has a minus sign, as that of negative zero does.
    fn has_minus(&self) -> bool {
        match &self.0 {
            Repr::Small { value, .. } => *value < 0,
            Repr::Infinite { negative } => *negative,
            Repr::Double(value) => value.is_sign_negative(),
            Repr::Large(large) => large.binary.negative,
        }
    }

    /// Sign, mantissa and exponent, reduced; `None` for the infinities.
    fn binary(&self) -> Option<Cow<'_, Binary>> {
        match &self.0 {
            Repr::Small { value, .. } => {
                let binary = Binary {
                    negative: *value < 0,
                    mantissa: UBig::from(value.unsigned_abs()),
                    exponent: 0,
                };
                Some(Cow::Owned(binary.reduced()))
            }
            Repr::Infinite { .. } => None,
            Repr::Double(value) => Some(Cow::Owned(Binary::from_double(*value))),
            Repr::Large(large) => Some(Cow::Borrowed(&large.binary)),
        }
    }

    fn small(value: i64, precision: u32) -> Number {
        Number(Repr::Small { value, precision })
    }

    fn infinite(negative: bool) -> Number {
        Number(Repr::Infinite { negative })
    }

    /// The number nearest to `binary` that `precision` bits can hold.
    fn rounded(binary: Binary, precision: u32) -> Result<Number, NumberError> {
        let binary = binary.rounded(precision, false).reduced();
        if binary.top().abs() > MAX_EXPONENT {
            return Err(NumberError::OutOfRange);
        }
        Ok(Number::stored(binary, precision))
    }

    /// Stores a reduced and rounded value in the variant that the invariant requires.
    fn stored(binary: Binary, precision: u32) -> Number {
        if let Some(value) = binary.to_i64() {
            return Number::small(value, precision);
        }
        match binary.to_double().filter(|_| precision == DOUBLE_PRECISION) {
            Some(value) => Number(Repr::Double(value)),
            None => Number(Repr::Large(Arc::new(Large { binary, precision }))),
        }
    }
}

macro_rules! from_signed {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Number {
                Number::small(i64::from(value), INTEGER_PRECISION)
            }
        }
    )*};
}

from_signed!(i8, i16, i32, i64, u8, u16, u32);

impl From<u64> for Number {
    fn from(value: u64) -> Number {
        let binary = Binary {
            negative: false,
            mantissa: UBig::from(value),
            exponent: 0,
        };
        match i64::try_from(value) {
            Ok(value) => Number::small(value, INTEGER_PRECISION),
            Err(_) => Number::stored(binary.reduced(), INTEGER_PRECISION),
        }
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Number {
        Number::from(value as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_two_words() {
        assert_eq!(size_of::<Number>(), 16);
        assert_eq!(size_of::<Option<Number>>(), 16);
    }

    #[test]
    fn integers_are_inline_when_an_i64_holds_them() {
        for value in [0, 1, -1, i64::MAX, i64::MIN] {
            assert_eq!(Number::from(value).as_small(), Some(value));
            assert_eq!(Number::from(value).to_i64(), Some(value));
        }
        let above = Number::from(1u64 << 63);
        assert_eq!(above.as_small(), None);
        assert_eq!(above.to_i64(), None);
        assert_eq!(above.to_u64(), Some(1 << 63));
        assert_eq!(above.precision(), 64);
        assert_eq!(Number::from(u64::MAX).to_u64(), Some(u64::MAX));
        let text = |text: &str| text.parse::<Number>().unwrap();
        assert_eq!(text("-9223372036854775808").as_small(), Some(i64::MIN));
        assert_eq!(text("-9223372036854775809").as_small(), None);
        assert_eq!(text("12.50e1").as_small(), Some(125));
        assert_eq!(text("18446744073709551616").to_u64(), None);
    }

    #[test]
    fn negative_zero_is_zero_with_a_minus() {
        let zero = "-0".parse::<Number>().unwrap();
        assert_eq!(zero.as_small(), None);
        assert!(zero.is_zero() && zero.is_integer());
        assert!(!zero.is_negative());
        assert_eq!(zero.to_i64(), Some(0));
        assert_eq!(zero.to_u64(), Some(0));
        assert_eq!(zero.precision(), 512);
    }

    #[test]
    fn infinities_are_not_integers() {
        assert!(Number::INFINITY.is_infinite() && !Number::INFINITY.is_integer());
        assert!(Number::NEGATIVE_INFINITY.is_negative());
        assert_eq!(Number::INFINITY.to_u64(), None);
        assert_eq!(Number::INFINITY.to_i64(), None);
    }
}
