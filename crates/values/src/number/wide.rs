//! Conversions from and to integers of 128 bits.

use dashu_int::UBig;

use super::binary::Binary;
use super::{Number, TEXT_PRECISION};

impl Number {
    /// The value as an `i128`, if it is exactly one.
    pub fn to_i128(&self) -> Option<i128> {
        if let Some(value) = self.as_small() {
            return Some(i128::from(value));
        }
        let magnitude = self.to_u128_magnitude()?;
        match self.has_minus() {
            false => i128::try_from(magnitude).ok(),
            true => 0i128.checked_sub_unsigned(magnitude),
        }
    }

    /// The value as a `u128`, if it is exactly one.
    pub fn to_u128(&self) -> Option<u128> {
        match self.is_negative() {
            true => None,
            false => self.to_u128_magnitude(),
        }
    }

    fn to_u128_magnitude(&self) -> Option<u128> {
        let binary = self.binary()?;
        if !binary.is_integer() || binary.top() > 128 {
            return None;
        }
        Some(u128::try_from(&binary.mantissa).ok()? << binary.exponent)
    }
}

/// The precision is that of other integers if 64 bits are enough, else that of text.
impl From<i128> for Number {
    fn from(value: i128) -> Number {
        match i64::try_from(value) {
            Ok(value) => Number::from(value),
            Err(_) => from_magnitude(value < 0, value.unsigned_abs()),
        }
    }
}

/// The precision is that of other integers if 64 bits are enough, else that of text.
impl From<u128> for Number {
    fn from(value: u128) -> Number {
        match u64::try_from(value) {
            Ok(value) => Number::from(value),
            Err(_) => from_magnitude(false, value),
        }
    }
}

fn from_magnitude(negative: bool, magnitude: u128) -> Number {
    let binary = Binary {
        negative,
        mantissa: UBig::from(magnitude),
        exponent: 0,
    };
    Number::stored(binary.reduced(), TEXT_PRECISION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_exact_values_fit() {
        let parsed = |text: &str| text.parse::<Number>().unwrap();
        assert_eq!(parsed("-0").to_i128(), Some(0));
        assert_eq!(parsed("-0").to_u128(), Some(0));
        assert_eq!(parsed("-1").to_u128(), None);
        assert_eq!(parsed("0.5").to_i128(), None);
        assert_eq!(parsed("1e39").to_u128(), None);
        assert_eq!(Number::INFINITY.to_i128(), None);
        // The text of this number is rounded; its value is not.
        let power = Number::try_from(2f64.powi(100)).unwrap();
        assert_eq!(power.to_u128(), Some(1 << 100));
    }

    proptest! {
        #[test]
        fn every_integer_comes_back(value: i128, unsigned: u128) {
            let number = Number::from(value);
            prop_assert_eq!(number.to_i128(), Some(value));
            prop_assert_eq!(number.to_text(), value.to_string());
            prop_assert_eq!(Number::from(unsigned).to_u128(), Some(unsigned));
        }
    }
}
