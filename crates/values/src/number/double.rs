//! Conversions from and to `f64`, by its bits.

use dashu_int::UBig;

use super::binary::{Binary, distance};
use super::{DOUBLE_PRECISION, Number, NumberError, Repr};

/// The number of stored bits of the mantissa, without the hidden one.
const FRACTION_BITS: u32 = DOUBLE_PRECISION - 1;

/// The power of two of the smallest positive value.
const LOWEST: i64 = -1074;

/// Values of this binary exponent and more are infinite.
const BEYOND: i64 = 1025;

/// The exponent bits of infinities and NaN.
const SPECIAL: u64 = 0x7ff;

impl TryFrom<f64> for Number {
    type Error = NumberError;

    /// The same value at 53 bits, with infinities and negative zero.
    ///
    /// # Errors
    ///
    /// [`NumberError::NotANumber`] for a NaN.
    fn try_from(value: f64) -> Result<Number, NumberError> {
        if value.is_nan() {
            return Err(NumberError::NotANumber);
        }
        if value.is_infinite() {
            return Ok(Number::infinite(value.is_sign_negative()));
        }
        // Most doubles are fractions, which are stored as they are.
        match value.fract() == 0.0 {
            true => Ok(Number::stored(Binary::from_double(value), DOUBLE_PRECISION)),
            false => Ok(Number(Repr::Double(value))),
        }
    }
}

impl Binary {
    /// The value of a finite `f64`, reduced.
    pub(super) fn from_double(value: f64) -> Binary {
        let negative = value.is_sign_negative();
        let bits = value.to_bits();
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        let (mantissa, exponent) = match (bits >> FRACTION_BITS) & SPECIAL {
            0 => (fraction, LOWEST),
            biased => (fraction | 1 << FRACTION_BITS, LOWEST - 1 + biased as i64),
        };
        if mantissa == 0 {
            return Binary::zero(negative);
        }
        // Reduced here, while the mantissa is still a machine word.
        let zeros = mantissa.trailing_zeros();
        Binary {
            negative,
            mantissa: UBig::from(mantissa >> zeros),
            exponent: exponent + i64::from(zeros),
        }
    }

    /// A reduced value as an `f64`, if it is exactly one.
    pub(super) fn to_double(&self) -> Option<f64> {
        let mantissa = u64::try_from(&self.mantissa).ok()?;
        let length = u64::BITS - mantissa.leading_zeros();
        let top = self.exponent + i64::from(length);
        let is_in_range = self.exponent >= LOWEST && top < BEYOND;
        if length > DOUBLE_PRECISION || (mantissa != 0 && !is_in_range) {
            return None;
        }
        let magnitude = if mantissa == 0 {
            0
        } else if top < LOWEST + i64::from(DOUBLE_PRECISION) {
            // Below the normal range, the last bit always has the same value.
            mantissa << (self.exponent - LOWEST)
        } else {
            let fraction = (mantissa << (DOUBLE_PRECISION - length)) & ((1 << FRACTION_BITS) - 1);
            let biased = (top - i64::from(DOUBLE_PRECISION) - LOWEST + 1) as u64;
            biased << FRACTION_BITS | fraction
        };
        Some(f64::from_bits(u64::from(self.negative) << 63 | magnitude))
    }
}

impl Number {
    /// The nearest `f64`, ties to even; an infinity if the value is too large.
    pub fn to_f64(&self) -> f64 {
        let sign = u64::from(self.has_minus()) << 63;
        f64::from_bits(sign | self.to_f64_magnitude())
    }

    /// The same value as an `f64`, if it is exactly one. The infinities are.
    pub fn to_f64_exact(&self) -> Option<f64> {
        match &self.0 {
            Repr::Double(value) => Some(*value),
            Repr::Infinite { .. } => Some(self.to_f64()),
            _ => self.binary()?.to_double(),
        }
    }

    fn to_f64_magnitude(&self) -> u64 {
        let infinity = SPECIAL << FRACTION_BITS;
        let Some(binary) = self.binary() else {
            return infinity;
        };
        // Below the normal range, each power of two costs a bit of precision.
        let precision = (binary.top() - LOWEST).clamp(0, i64::from(DOUBLE_PRECISION)) as u32;
        let below = binary.top() < LOWEST;
        if binary.is_zero() || below {
            return 0;
        }
        let nearest = binary.into_owned().rounded(precision, false).reduced();
        if nearest.top() >= BEYOND {
            return infinity;
        }
        let lowest = (nearest.top() - i64::from(DOUBLE_PRECISION)).max(LOWEST);
        let significand = nearest.mantissa << distance(nearest.exponent, lowest);
        let Ok(significand) = u64::try_from(significand) else {
            return infinity;
        };
        if significand < 1 << FRACTION_BITS {
            return significand;
        }
        let biased = (lowest - LOWEST + 1) as u64;
        biased << FRACTION_BITS | (significand & ((1 << FRACTION_BITS) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn nan_is_not_a_number() {
        assert_eq!(
            Number::try_from(f64::NAN).unwrap_err(),
            NumberError::NotANumber
        );
    }

    #[test]
    fn zeros_and_infinities_keep_their_signs() {
        let back = |value: f64| Number::try_from(value).unwrap().to_f64_exact().unwrap();
        for value in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(back(value).to_bits(), value.to_bits());
        }
        assert_eq!(Number::try_from(-0.0).unwrap().precision(), 53);
    }

    #[test]
    fn only_exact_values_are_exact() {
        assert_eq!(parsed("0.5").to_f64_exact(), Some(0.5));
        assert_eq!(parsed("0.1").to_f64_exact(), None);
        assert_eq!(parsed("1e400").to_f64_exact(), None);
        assert_eq!(parsed("1e-400").to_f64_exact(), None);
        assert_eq!(parsed("9007199254740993").to_f64_exact(), None);
        assert_eq!(parsed("1p-1074").to_f64_exact(), Some(5e-324));
        assert_eq!(parsed("1p1023").to_f64_exact(), Some(2f64.powi(1023)));
    }

    #[test]
    fn the_nearest_is_taken() {
        for text in [
            "0.1",
            "1e400",
            "-1e400",
            "1e-400",
            "1e-320",
            "3e-324",
            "2e-324",
            "2.5e-324",
            "1p-1075",
            "3p-1075",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "9007199254740993",
            "9007199254740995",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "123456.789",
        ] {
            let expected: f64 = match text.split_once('p') {
                Some((mantissa, exponent)) => {
                    let mantissa: f64 = mantissa.parse().unwrap();
                    let exponent: i32 = exponent.parse().unwrap();
                    mantissa * 2f64.powi(-1000) * 2f64.powi(exponent + 1000)
                }
                None => text.parse().unwrap(),
            };
            assert_eq!(parsed(text).to_f64(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_double_comes_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(!value.is_nan());
            let number = Number::try_from(value).unwrap();
            prop_assert_eq!(number.to_f64().to_bits(), bits);
            prop_assert_eq!(number.to_f64_exact().unwrap().to_bits(), bits);
        }

        #[test]
        fn decimals_round_as_the_standard_library_does(digits in 1u64.., exponent in -345i32..310) {
            let text = format!("{digits}e{exponent}");
            prop_assert_eq!(parsed(&text).to_f64(), text.parse::<f64>().unwrap());
        }
    }
}
