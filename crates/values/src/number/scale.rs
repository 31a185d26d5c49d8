//! The binary value nearest to a decimal one.
//!
//! An exact power of five can have hundreds of thousands of bits, and a short text can require it. So two
//! bounds of about 700 bits are computed first: if both round to the same number, that is the result.
//! The exact power is computed only for values too close to the middle between two numbers.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::TEXT_PRECISION;
use super::binary::Binary;

/// The number of digits that the bounds use: about 664 bits.
const BOUND_DIGITS: usize = 200;

/// The number of bits of a power of five that the bounds use.
pub(super) const BOUND_BITS: usize = 704;

/// Bounds are computed only for powers below this, for which [`Five::error`] holds.
const BOUND_POWERS: usize = 1 << 18;

/// No middle between two numbers within the cap has this many digits, so further digits only show that
/// the value is larger.
const TELLING_DIGITS: usize = 400_000;

/// Rounds `0.digits * 10^point` to the precision of text. The digits are ASCII, do not begin or
/// end with a zero, and are not empty; the point is small enough for the exact computation.
pub(super) fn nearest(digits: &[u8], point: i64) -> Binary {
    let is_short = digits.len() <= BOUND_DIGITS;
    let kept = &digits[..digits.len().min(BOUND_DIGITS)];
    let exponent = point - kept.len() as i64;
    let five = Five::power(exponent.unsigned_abs() as usize);
    if !(is_short && five.is_exact) {
        let low = integer(kept);
        let high = if is_short { low.clone() } else { &low + 1u8 };
        if let Some(result) = between(low, high, exponent, &five) {
            return result;
        }
    }
    exact(digits, point)
}

/// The number that both bounds round to, if it is the same.
fn between(low: UBig, high: UBig, exponent: i64, five: &Five) -> Option<Binary> {
    let five_high = &five.mantissa + five.error()?;
    let (low, high, shift) = if exponent >= 0 {
        let shift = exponent + five.exponent;
        (low * &five.mantissa, high * five_high, shift)
    } else {
        let room = 2 * BOUND_BITS;
        let low = (low << room) / five_high;
        let high = (high << room) / &five.mantissa + 1u8;
        (low, high, exponent - five.exponent - room as i64)
    };
    let rounded = |mantissa| {
        let binary = Binary {
            negative: false,
            mantissa,
            exponent: shift,
        };
        binary.rounded(TEXT_PRECISION, false).reduced()
    };
    let low = rounded(low);
    (low == rounded(high)).then_some(low)
}

fn exact(digits: &[u8], point: i64) -> Binary {
    let kept = &digits[..digits.len().min(TELLING_DIGITS)];
    let is_cut = kept.len() < digits.len();
    let exponent = point - kept.len() as i64;
    let five = UBig::from(5u8).pow(exponent.unsigned_abs() as usize);
    let scaled = if exponent >= 0 {
        let binary = Binary {
            negative: false,
            mantissa: integer(kept) * five,
            exponent: 0,
        };
        binary.rounded(TEXT_PRECISION, is_cut)
    } else {
        Binary::ratio(&integer(kept), &five, TEXT_PRECISION, is_cut)
    };
    Binary {
        exponent: scaled.exponent + exponent,
        ..scaled
    }
}

/// The integer that ASCII digits spell.
fn integer(digits: &[u8]) -> UBig {
    if digits.len() < 20 {
        let add = |value: u64, digit: &u8| value * 10 + u64::from(digit - b'0');
        return UBig::from(digits.iter().fold(0, add));
    }
    str::from_utf8(digits)
        .ok()
        .and_then(|digits| UBig::from_str_radix(digits, 10).ok())
        .unwrap_or_default()
}

/// A power of five, truncated to its first bits: `mantissa * 2^exponent` or slightly more.
pub(super) struct Five {
    pub(super) power: usize,
    pub(super) mantissa: UBig,
    pub(super) exponent: i64,
    pub(super) is_exact: bool,
}

impl Five {
    pub(super) fn power(power: usize) -> Five {
        let mut five = Five {
            power,
            mantissa: UBig::ONE,
            exponent: 0,
            is_exact: true,
        };
        for bit in (0..usize::BITS - power.leading_zeros()).rev() {
            five.mantissa = five.mantissa.sqr();
            five.exponent *= 2;
            if power >> bit & 1 == 1 {
                five.mantissa *= 5u8;
            }
            let excess = five.mantissa.bit_len().saturating_sub(BOUND_BITS);
            if excess > 0 {
                five.mantissa >>= excess;
                five.exponent += excess as i64;
                five.is_exact = false;
            }
        }
        five
    }

    /// By how much the mantissa may be too small, if that is known.
    pub(super) fn error(&self) -> Option<UBig> {
        if self.is_exact {
            return Some(UBig::ZERO);
        }
        // Each squaring doubles the relative error and each truncation adds at most two units of the last
        // place. The sum is slightly more than twice the power.
        (self.power < BOUND_POWERS).then(|| UBig::from(4 * BOUND_POWERS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(digits: &str, point: i64) {
        let digits = digits.as_bytes();
        assert_eq!(
            nearest(digits, point).reduced(),
            exact(digits, point).reduced()
        );
    }

    #[test]
    fn powers_stay_within_their_error() {
        for power in [0, 1, 303, 304, 1_000, 65_537, 158_000, 200_000] {
            let five = Five::power(power);
            let truth = UBig::from(5u8).pow(power) >> five.exponent as usize;
            assert!(five.mantissa <= truth);
            assert!(truth <= &five.mantissa + five.error().unwrap());
        }
        assert!(Five::power(BOUND_POWERS).error().is_none());
    }

    #[test]
    fn the_middle_goes_to_even_and_a_digit_decides() {
        // 2^512 + 1 needs 513 bits; halved 400 times, it has more digits than the bounds use.
        let five = UBig::from(5u8).pow(400);
        for (odd, up) in [(1u8, false), (3, true)] {
            let middle = (UBig::ONE << 512usize) + odd;
            let digits = (&middle * &five).to_string();
            let point = digits.len() as i64 - 400;
            let kept = nearest(digits.as_bytes(), point).reduced();
            let expected = (UBig::ONE << 512usize) + if up { 4u8 } else { 0 };
            let value = |mantissa: UBig| {
                Binary {
                    negative: false,
                    mantissa,
                    exponent: -400,
                }
                .reduced()
            };
            assert_eq!(kept, value(expected));
            let above = format!("{digits}{}1", "0".repeat(500_000));
            let expected = (UBig::ONE << 512usize) + odd + 1u8;
            assert_eq!(nearest(above.as_bytes(), point).reduced(), value(expected));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn bounds_agree_with_the_exact_way(
            digits in "[1-9][0-9]{0,400}[1-9]",
            point in -3_000i64..3_000,
        ) {
            check(&digits, point);
        }

        #[test]
        fn bounds_agree_far_out(digits in "[1-9]{1,20}", point in 100_000i64..157_000) {
            check(&digits, point);
            check(&digits, -point);
        }
    }
}
