//! A finite value as an integer times a power of two.

use std::cmp::Ordering;

use dashu_int::UBig;
use dashu_int::ops::{BitTest, DivRem};

/// The value `mantissa * 2^exponent`, with a sign, also for zero.
///
/// Once reduced, the mantissa is odd, or it is zero and so is the exponent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Binary {
    pub(super) negative: bool,
    pub(super) mantissa: UBig,
    pub(super) exponent: i64,
}

impl Binary {
    pub(super) fn zero(negative: bool) -> Binary {
        Binary {
            negative,
            mantissa: UBig::ZERO,
            exponent: 0,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    /// Whether a reduced value is whole.
    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// How many bits the mantissa has.
    pub(super) fn length(&self) -> i64 {
        // Allocations are limited far below the range of `i64`.
        self.mantissa.bit_len() as i64
    }

    /// The exponent `e` of `0.m * 2^e` where the first bit of `m` is set; 0 for zero.
    pub(super) fn top(&self) -> i64 {
        self.exponent + self.length()
    }

    /// The magnitude as a `u64`, if it is exactly one.
    pub(super) fn to_u64(&self) -> Option<u64> {
        if self.exponent < 0 || self.top() > 64 {
            return None;
        }
        Some(u64::try_from(&self.mantissa).ok()? << self.exponent)
    }

    /// The value as an `i64`, if it is exactly one; negative zero is not.
    pub(super) fn to_i64(&self) -> Option<i64> {
        let magnitude = self.to_u64()?;
        match self.negative {
            false => i64::try_from(magnitude).ok(),
            true if magnitude == 0 => None,
            true => 0i64.checked_sub_unsigned(magnitude),
        }
    }

    /// The same value with an odd mantissa.
    pub(super) fn reduced(self) -> Binary {
        match self.mantissa.trailing_zeros() {
            None => Binary::zero(self.negative),
            Some(0) => self,
            Some(zeros) => Binary {
                mantissa: self.mantissa >> zeros,
                exponent: self.exponent + zeros as i64,
                ..self
            },
        }
    }

    /// The nearest value with at most `precision` bits, ties to even.
    ///
    /// `is_cut` says that the true value is slightly further from zero, by less than the last bit
    /// of the mantissa; the mantissa then needs two bits more than `precision`.
    pub(super) fn rounded(self, precision: u32, is_cut: bool) -> Binary {
        let excess = self.mantissa.bit_len().saturating_sub(precision as usize);
        if excess == 0 {
            return self;
        }
        let is_half = self.mantissa.bit(excess - 1);
        let is_above = is_cut || self.mantissa.trailing_zeros() < Some(excess - 1);
        let mut mantissa = self.mantissa >> excess;
        if is_half && (is_above || mantissa.bit(0)) {
            mantissa += 1u8;
        }
        Binary {
            mantissa,
            exponent: self.exponent + excess as i64,
            ..self
        }
    }

    /// `numerator / denominator` rounded to `precision` bits, without sign. The denominator is not
    /// zero; `is_cut` says that the true numerator is slightly larger.
    pub(super) fn ratio(
        numerator: &UBig,
        denominator: &UBig,
        precision: u32,
        is_cut: bool,
    ) -> Binary {
        let wanted = precision as usize + 2 + denominator.bit_len();
        let shift = wanted.saturating_sub(numerator.bit_len());
        let (mantissa, rest) = (numerator << shift).div_rem(denominator);
        let quotient = Binary {
            negative: false,
            mantissa,
            exponent: -(shift as i64),
        };
        quotient.rounded(precision, is_cut || !rest.is_zero())
    }

    /// The exact sum. Equal values of opposite sign make positive zero.
    pub(super) fn plus(&self, other: &Binary) -> Binary {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Binary::zero(self.negative && other.negative),
            (true, false) => return other.clone(),
            (false, true) => return self.clone(),
            (false, false) => {}
        }
        let exponent = self.exponent.min(other.exponent);
        let left = &self.mantissa << distance(self.exponent, exponent);
        let right = &other.mantissa << distance(other.exponent, exponent);
        let (negative, mantissa) = if self.negative == other.negative {
            (self.negative, left + right)
        } else {
            match left.cmp(&right) {
                Ordering::Equal => return Binary::zero(false),
                Ordering::Greater => (self.negative, left - right),
                Ordering::Less => (other.negative, right - left),
            }
        };
        Binary {
            negative,
            mantissa,
            exponent,
        }
    }

    /// The sum rounded to `precision` bits.
    ///
    /// If one of them is so small that it affects only the direction of the rounding, it is not shifted
    /// into place: the exact sum of 1e157000 and 1 has half a million bits.
    pub(super) fn plus_rounded(&self, other: &Binary, precision: u32) -> Binary {
        let (large, small) = match self.top() >= other.top() {
            true => (self, other),
            false => (other, self),
        };
        // Two bits more than the precision, and one that a subtraction can cancel.
        let length = large.length().max(i64::from(precision) + 3);
        if large.is_zero() || small.is_zero() || small.top() > large.top() - length {
            return self.plus(other).rounded(precision, false);
        }
        let shift = length - large.length();
        let mut mantissa = &large.mantissa << distance(shift, 0);
        if large.negative != small.negative {
            mantissa -= 1u8;
        }
        let sum = Binary {
            negative: large.negative,
            mantissa,
            exponent: large.exponent - shift,
        };
        sum.rounded(precision, true)
    }

    /// The exact product.
    pub(super) fn times(&self, other: &Binary) -> Binary {
        Binary {
            negative: self.negative != other.negative,
            mantissa: &self.mantissa * &other.mantissa,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The quotient rounded to `precision` bits; the divisor is not zero.
    pub(super) fn over(&self, divisor: &Binary, precision: u32) -> Binary {
        let ratio = Binary::ratio(&self.mantissa, &divisor.mantissa, precision, false);
        Binary {
            negative: self.negative != divisor.negative,
            exponent: ratio.exponent + self.exponent - divisor.exponent,
            mantissa: ratio.mantissa,
        }
    }

    /// The whole part: the value without its fraction.
    pub(super) fn whole(&self) -> Binary {
        if self.exponent >= 0 {
            return self.clone();
        }
        Binary {
            negative: self.negative,
            mantissa: &self.mantissa >> distance(0, self.exponent),
            exponent: 0,
        }
    }

    /// Compares the magnitudes.
    pub(super) fn compare_magnitude(&self, other: &Binary) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        self.top().cmp(&other.top()).then_with(|| {
            // With equal tops, the exponents differ by at most the lengths of the mantissas.
            let exponent = self.exponent.min(other.exponent);
            let left = &self.mantissa << distance(self.exponent, exponent);
            let right = &other.mantissa << distance(other.exponent, exponent);
            left.cmp(&right)
        })
    }
}

/// How far `from` is above `to`, as a number of bits to shift by.
pub(super) fn distance(from: i64, to: i64) -> usize {
    usize::try_from(from.saturating_sub(to)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(bits: &str, precision: u32, is_cut: bool) -> (String, i64) {
        let binary = Binary {
            negative: false,
            mantissa: UBig::from_str_radix(bits, 2).unwrap(),
            exponent: 0,
        };
        let binary = binary.rounded(precision, is_cut);
        (binary.mantissa.in_radix(2).to_string(), binary.exponent)
    }

    #[test]
    fn ties_go_to_even() {
        for (bits, precision, is_cut, expected, exponent) in [
            ("1010", 3, false, "101", 1),
            ("1011", 3, false, "110", 1),
            ("1001", 3, false, "100", 1),
            ("10010", 3, true, "101", 2),
            ("10011", 3, false, "101", 2),
            ("1111", 3, false, "1000", 1),
            ("11", 3, false, "11", 0),
            ("1000", 0, false, "0", 4),
            ("1001", 0, false, "1", 4),
        ] {
            let rounded = rounded(bits, precision, is_cut);
            assert_eq!(rounded, (expected.to_owned(), exponent), "{bits}");
        }
    }

    #[test]
    fn quotients_see_what_is_behind_their_last_bit() {
        let ratio = Binary::ratio(&UBig::from(1u8), &UBig::from(3u8), 4, false);
        // 1/3 is 0.0101010..., which 4 bits hold as 1011 behind one zero.
        assert_eq!(ratio.mantissa, UBig::from(0b1011u8));
        assert_eq!(ratio.top(), -1);
    }
}
