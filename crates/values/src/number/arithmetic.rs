//! Arithmetic with the precisions and signs that cty gets from Go's `big.Float`.

use super::binary::Binary;
use super::text::fits;
use super::whole::unsigned_zero;
use super::{INTEGER_PRECISION, Number, NumberError, Repr, TEXT_PRECISION};

impl Number {
    /// The sum, rounded to the larger precision of both.
    ///
    /// # Errors
    ///
    /// [`NumberError::NotANumber`] for infinities of opposite sign, [`NumberError::OutOfRange`]
    /// for a sum that is too large or too small.
    pub fn add(&self, other: &Number) -> Result<Number, NumberError> {
        if let Some(sum) = self.small_result(other, i64::checked_add) {
            return Ok(sum);
        }
        match (self.binary(), other.binary()) {
            (Some(left), Some(right)) => {
                let precision = self.shared_precision(other);
                Number::rounded(left.plus_rounded(&right, precision), precision)
            }
            (None, None) if self.has_minus() != other.has_minus() => Err(NumberError::NotANumber),
            (None, _) => Ok(self.clone()),
            (_, None) => Ok(other.clone()),
        }
    }

    /// The difference, rounded to the larger precision of both.
    ///
    /// # Errors
    ///
    /// [`NumberError::NotANumber`] for infinities of the same sign, [`NumberError::OutOfRange`]
    /// for a difference that is too large or too small.
    pub fn subtract(&self, other: &Number) -> Result<Number, NumberError> {
        match self.small_result(other, i64::checked_sub) {
            Some(difference) => Ok(difference),
            None => self.add(&other.negate()),
        }
    }

    /// The product, rounded to 512 bits or the larger precision of both if that is more. Its own
    /// precision is the larger of both, or as many bits as it needs.
    ///
    /// # Errors
    ///
    /// [`NumberError::NotANumber`] for zero times an infinity, [`NumberError::OutOfRange`] for a
    /// product that is too large or too small.
    pub fn multiply(&self, other: &Number) -> Result<Number, NumberError> {
        // The product of zero and a negative number is negative zero.
        if !self.is_zero()
            && !other.is_zero()
            && let Some(product) = self.small_result(other, i64::checked_mul)
        {
            return Ok(product);
        }
        let (Some(left), Some(right)) = (self.binary(), other.binary()) else {
            if self.is_zero() || other.is_zero() {
                return Err(NumberError::NotANumber);
            }
            return Ok(Number::infinite(self.has_minus() != other.has_minus()));
        };
        let precision = self.shared_precision(other);
        let product = left
            .times(&right)
            .rounded(precision.max(TEXT_PRECISION), false)
            .reduced();
        let needed = u32::try_from(product.length()).unwrap_or(u32::MAX);
        Number::rounded(product, precision.max(needed))
    }

    /// The quotient, rounded to the larger precision of both. Anything but zero divided by zero is
    /// an infinity.
    ///
    /// # Errors
    ///
    /// [`NumberError::NotANumber`] for zero divided by zero and an infinity divided by an
    /// infinity, [`NumberError::OutOfRange`] for a quotient that is too large or too small.
    pub fn divide(&self, other: &Number) -> Result<Number, NumberError> {
        let precision = self.shared_precision(other);
        let negative = self.has_minus() != other.has_minus();
        match (self.binary(), other.binary()) {
            (None, None) => Err(NumberError::NotANumber),
            (None, Some(_)) => Ok(Number::infinite(negative)),
            (Some(_), None) => Ok(Number::stored(Binary::zero(negative), precision)),
            (Some(left), Some(right)) if right.is_zero() => match left.is_zero() {
                true => Err(NumberError::NotANumber),
                false => Ok(Number::infinite(negative)),
            },
            (Some(left), Some(right)) => Number::rounded(left.over(&right, precision), precision),
        }
    }

    /// The remainder of a division truncated towards zero.
    /// It has the sign and the precision of this number, and is this number when `other` is zero.
    /// With an infinity it is the result of [`Number::multiply`].
    ///
    /// # Errors
    ///
    /// [`NumberError::NotANumber`] for zero and an infinity, [`NumberError::OutOfRange`] when the
    /// quotient is too large.
    pub fn remainder(&self, other: &Number) -> Result<Number, NumberError> {
        let (Some(left), Some(right)) = (self.binary(), other.binary()) else {
            return self.multiply(other);
        };
        if right.is_zero() {
            return Ok(self.clone());
        }
        // 64 bits are enough for no step of the long way to round.
        if self.precision() >= INTEGER_PRECISION
            && let (Repr::Small { value, precision }, Repr::Small { value: divisor, .. }) =
                (&self.0, &other.0)
        {
            return Ok(Number::small(value.wrapping_rem(*divisor), *precision));
        }
        // The quotient is less than one, and may be too small to be worked out.
        if !left.is_zero() && left.compare_magnitude(&right).is_lt() {
            return Ok(self.clone());
        }
        let precision = self.precision();
        let quotient = self.divide(other)?;
        let Some(quotient) = quotient.binary() else {
            return Err(NumberError::NotANumber);
        };
        let times = unsigned_zero(quotient.whole().reduced()).rounded(precision, false);
        let mut taken = right.times(&times).rounded(precision, false).reduced();
        taken.negative = !taken.negative;
        Number::rounded(left.plus_rounded(&taken, precision), precision)
    }

    fn shared_precision(&self, other: &Number) -> u32 {
        self.precision().max(other.precision())
    }

    /// The result for two inline values, if it is one that does not need rounding.
    fn small_result(
        &self,
        other: &Number,
        operation: fn(i64, i64) -> Option<i64>,
    ) -> Option<Number> {
        let (Repr::Small { value: left, .. }, Repr::Small { value: right, .. }) =
            (&self.0, &other.0)
        else {
            return None;
        };
        let precision = self.shared_precision(other);
        let value = operation(*left, *right)?;
        fits(value, precision).then(|| Number::small(value, precision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Operation = fn(&Number, &Number) -> Result<Number, NumberError>;

    fn parsed(text: &str) -> Number {
        text.parse().unwrap()
    }

    fn check(operation: Operation, cases: &[(&str, &str, &str)]) {
        for (left, right, expected) in cases {
            let text = match operation(&parsed(left), &parsed(right)) {
                Ok(number) => number.to_text(),
                Err(NumberError::NotANumber) => "not a number".to_owned(),
                Err(NumberError::OutOfRange) => "out of range".to_owned(),
                Err(error) => error.to_string(),
            };
            assert_eq!(text, *expected, "{left} and {right}");
        }
    }

    #[test]
    fn sums() {
        let cases = [
            ("0.1", "0.2", "0.3"),
            ("9223372036854775807", "1", "9223372036854775808"),
            ("9223372036854775808", "-1", "9223372036854775807"),
            ("-0", "-0", "-0"),
            ("1.5", "-1.5", "0"),
            ("inf", "-inf", "not a number"),
            ("1p524287", "1p524287", "out of range"),
        ];
        check(Number::add, &cases);
        let far = parsed("1e100000").add(&parsed("1e-100000")).unwrap();
        assert_eq!(far, parsed("1e100000"));
    }

    #[test]
    fn differences() {
        let cases = [
            ("0.75", "0.5", "0.25"),
            ("-9223372036854775808", "1", "-9223372036854775809"),
            ("0", "0", "0"),
            ("-0", "0", "-0"),
            ("0", "-0", "0"),
            ("1", "inf", "-Inf"),
            ("inf", "inf", "not a number"),
        ];
        check(Number::subtract, &cases);
    }

    #[test]
    fn products() {
        let cases = [
            ("0", "-5", "-0"),
            ("-0", "-5", "0"),
            (
                "9223372036854775807",
                "9223372036854775807",
                "85070591730234615847396907784232501249",
            ),
            ("-9223372036854775808", "-1", "9223372036854775808"),
            ("inf", "-2", "-Inf"),
            ("-inf", "-inf", "+Inf"),
            ("inf", "0", "not a number"),
            ("1e100000", "1e100000", "out of range"),
        ];
        check(Number::multiply, &cases);
        // The precision grows to what the product of the integers needs.
        let product = Number::from(i64::MAX)
            .multiply(&Number::from(i64::MAX))
            .unwrap();
        assert_eq!(product.precision(), 126);
        assert_eq!(product.to_text(), "85070591730234615847396907784232501249");
    }

    #[test]
    fn quotients() {
        let cases = [
            ("1", "4", "0.25"),
            ("0", "-5", "-0"),
            ("1", "0", "+Inf"),
            ("1", "-0", "-Inf"),
            ("0", "0", "not a number"),
            ("5", "-inf", "-0"),
            ("inf", "inf", "not a number"),
            ("1e100000", "1e-100000", "out of range"),
        ];
        check(Number::divide, &cases);
        let third = Number::from(1).divide(&Number::from(3)).unwrap();
        assert_eq!(third.precision(), 64);
        assert_eq!(third.to_text(), "0.33333333333333333334");
    }

    #[test]
    fn remainders() {
        let cases = [
            ("7", "-3", "1"),
            ("-9223372036854775808", "-1", "0"),
            ("-7.5", "2", "-1.5"),
            ("1", "2.5", "1"),
            ("-0", "2.5", "-0"),
            ("5", "-0", "5"),
            ("1e40", "7", "4"),
            ("inf", "-2", "-Inf"),
            ("5", "inf", "+Inf"),
            ("0", "inf", "not a number"),
            ("1e100000", "1e-100000", "out of range"),
            ("-1.5", "1e100000", "-1.5"),
        ];
        check(Number::remainder, &cases);
    }

    proptest! {
        #[test]
        fn integers_agree_with_wider_ones(left: i64, right: i64) {
            let (a, b) = (Number::from(left), Number::from(right));
            let wide = |value: i128| parsed(&value.to_string());
            let (left, right) = (i128::from(left), i128::from(right));
            prop_assert_eq!(a.multiply(&b).unwrap(), wide(left * right));
            let (a, b) = (wide(left), wide(right));
            prop_assert_eq!(a.add(&b).unwrap(), wide(left + right));
            prop_assert_eq!(a.subtract(&b).unwrap(), wide(left - right));
            prop_assume!(right != 0);
            prop_assert_eq!(a.remainder(&b).unwrap(), wide(left % right));
            // Too large for the inline form.
            let remainder = wide(left << 62).remainder(&b).unwrap();
            prop_assert_eq!(remainder, wide((left << 62) % right));
        }

        #[test]
        fn doubles_agree_with_the_processor(left: f64, right: f64) {
            let (a, b) = (Number::try_from(left), Number::try_from(right));
            let (Ok(a), Ok(b)) = (a, b) else { return Ok(()) };
            for (result, expected) in [
                (a.add(&b), left + right),
                (a.subtract(&b), left - right),
                (a.divide(&b), left / right),
            ] {
                // Other exponents are possible here, and none of them loses bits.
                if expected.is_normal() {
                    prop_assert_eq!(result.unwrap().to_f64_exact(), Some(expected));
                }
            }
        }
    }
}
