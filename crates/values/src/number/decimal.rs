//! Decimal digits of a binary value, by the rules of Go's `big.Float.Text`.
//!
//! Only the first digits are computed, and whether anything follows them: a number at the cap of
//! exponents has hundreds of thousands of digits, of which the shortest text needs a few.

use dashu_int::UBig;
use dashu_int::ops::DivRem;

use super::binary::{Binary, distance};
use super::scale::{BOUND_BITS, Five};

/// The number of digits of the short text.
const SHORT_DIGITS: usize = 10;

/// The most zeros that are written only to place the point.
const WRITTEN_ZEROS: i64 = 128;

/// The value `0.digits * 10^point`, or slightly more if it `is_cut`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    /// ASCII, without zeros at the end unless something follows them.
    digits: Vec<u8>,
    point: i64,
    is_cut: bool,
}

impl Decimal {
    /// The shortest decimal that reads back to the magnitude of a non-zero `binary` at its
    /// `precision`.
    pub(super) fn shortest(binary: &Binary, precision: u32) -> Decimal {
        // The precision times log10(2), and a few digits more for the bounds and the rounding.
        let places = i64::from(precision) * 1233 / 4096 + 6;
        let unit = Unit::for_digits(binary, places);

        // With one bit more than the precision, the last bit is half of the last place: every decimal
        // between the two neighbours at that precision reads back to the value. At a power of two,
        // where the neighbour below is nearer, Go does the same.
        let shift = i64::from(precision) + 1 - binary.length();
        let middle = &binary.mantissa << distance(shift, 0);
        let exponent = binary.exponent - shift.max(0);
        let is_even = middle.trailing_zeros() > Some(1);
        let lower = unit.decimal(&middle - 1u8, exponent);
        let upper = unit.decimal(&middle + 1u8, exponent);
        let mut decimal = unit.decimal(middle, exponent);

        for at in 0..decimal.digits.len() {
            let (digit, low, high) = (decimal.at(at), lower.at(at), upper.at(at));
            let may_fall = low != digit || (is_even && lower.ends_at(at + 1));
            let may_rise = digit != high && (is_even || digit + 1 < high || !upper.ends_by(at + 1));
            match (may_fall, may_rise) {
                (true, true) => decimal.round(at + 1),
                (true, false) => decimal.cut(at + 1),
                (false, true) => decimal.raise(at + 1),
                (false, false) => continue,
            }
            break;
        }
        decimal
    }

    /// All digits of a non-zero integer.
    pub(super) fn whole(integer: &UBig) -> Decimal {
        let digits = integer.to_string().into_bytes();
        let mut decimal = Decimal {
            point: digits.len() as i64,
            digits,
            is_cut: false,
        };
        decimal.trim();
        decimal
    }

    /// The magnitude of a non-zero `binary` to ten digits.
    pub(super) fn short(binary: &Binary) -> Decimal {
        let unit = Unit::for_digits(binary, SHORT_DIGITS as i64 + 2);
        let mut decimal = unit.decimal(binary.mantissa.clone(), binary.exponent);
        decimal.round(SHORT_DIGITS);
        decimal
    }

    fn at(&self, at: usize) -> u8 {
        self.digits.get(at).copied().unwrap_or(b'0')
    }

    fn ends_at(&self, length: usize) -> bool {
        !self.is_cut && self.digits.len() == length
    }

    fn ends_by(&self, length: usize) -> bool {
        !self.is_cut && self.digits.len() <= length
    }

    /// Rounds to `length` digits, ties to even.
    fn round(&mut self, length: usize) {
        if length >= self.digits.len() {
            return;
        }
        let is_middle = self.at(length) == b'5' && self.ends_at(length + 1);
        let is_odd = length > 0 && self.at(length - 1) % 2 == 1;
        let rises = if is_middle {
            is_odd
        } else {
            self.at(length) >= b'5'
        };
        match rises {
            true => self.raise(length),
            false => self.cut(length),
        }
    }

    /// Keeps `length` digits.
    fn cut(&mut self, length: usize) {
        self.digits.truncate(length);
        self.is_cut = false;
        self.trim();
    }

    /// Keeps `length` digits and adds one to the last.
    fn raise(&mut self, length: usize) {
        self.digits.truncate(length);
        self.is_cut = false;
        while self.digits.last() == Some(&b'9') {
            self.digits.pop();
        }
        match self.digits.last_mut() {
            Some(digit) => *digit += 1,
            None => {
                self.digits.push(b'1');
                self.point += 1;
            }
        }
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
    }

    /// Appends all digits without an exponent.
    pub(super) fn write_plain(&self, text: &mut String) {
        let whole = usize::try_from(self.point).unwrap_or(0);
        let (before, behind) = self.digits.split_at(whole.min(self.digits.len()));
        text.reserve(self.digits.len() + self.point.unsigned_abs() as usize + 2);
        if whole == 0 {
            text.push('0');
        }
        text.extend(before.iter().copied().map(char::from));
        text.extend(std::iter::repeat_n('0', whole - before.len()));
        if !behind.is_empty() {
            text.push('.');
            text.extend(std::iter::repeat_n('0', distance(0, self.point)));
            text.extend(behind.iter().copied().map(char::from));
        }
    }

    /// Appends all digits, with an exponent where that saves many zeros.
    pub(super) fn write_compact(&self, text: &mut String) {
        let zeros = (self.point - self.digits.len() as i64).max(-self.point);
        if zeros <= WRITTEN_ZEROS {
            return self.write_plain(text);
        }
        self.write_scientific(text);
        text.push_str(&format!("e{}", self.point - 1));
    }

    /// Appends all digits, with the point after the first.
    fn write_scientific(&self, text: &mut String) {
        let mut digits = self.digits.iter().copied().map(char::from);
        text.extend(digits.next());
        if self.digits.len() > 1 {
            text.push('.');
            text.extend(digits);
        }
    }

    /// Appends up to ten digits, with an exponent where Go's `%g` has one.
    pub(super) fn write_short(&self, text: &mut String) {
        let length = self.digits.len();
        let mut most = SHORT_DIGITS;
        if most > length && length as i64 >= self.point {
            most = length;
        }
        let exponent = self.point - 1;
        if (-4..most as i64).contains(&exponent) {
            return self.write_plain(text);
        }
        self.write_scientific(text);
        let sign = if exponent < 0 { '-' } else { '+' };
        text.push_str(&format!("e{sign}{:02}", exponent.unsigned_abs()));
    }
}

/// A power of ten, the unit in which digits are counted.
struct Unit {
    exponent: i64,
    /// Its power of five, truncated if it is long.
    five: Five,
}

impl Unit {
    /// The unit in which a value has at least `places` digits.
    fn for_digits(binary: &Binary, places: i64) -> Unit {
        // 1292913986 / 2^32 is log10(2), just too small.
        let point = ((binary.top() - 1) * 1_292_913_986).div_euclid(1 << 32);
        let exponent = point - places;
        let five = Five::power(exponent.unsigned_abs() as usize);
        Unit { exponent, five }
    }

    /// The digits of `mantissa * 2^exponent` down to this unit.
    fn decimal(&self, mantissa: UBig, exponent: i64) -> Decimal {
        let shift = exponent - self.exponent;
        let (count, is_cut) = match self.five.is_exact {
            true => self.count(
                mantissa,
                &self.five.mantissa,
                shift + self.direction() * self.five.exponent,
            ),
            false => self.count_between(&mantissa, shift).unwrap_or_else(|| {
                let five = UBig::from(5u8).pow(self.five.power);
                self.count(mantissa, &five, shift)
            }),
        };
        let digits = count.to_string().into_bytes();
        let mut decimal = Decimal {
            point: digits.len() as i64 + self.exponent,
            digits,
            is_cut,
        };
        if !is_cut {
            decimal.trim();
        }
        decimal
    }

    /// Whether the power of five multiplies or divides.
    fn direction(&self) -> i64 {
        if self.exponent < 0 { 1 } else { -1 }
    }

    /// The quotient of `mantissa * 2^shift`, times or divided by `five`, and this unit, and whether
    /// there is a remainder.
    fn count(&self, mantissa: UBig, five: &UBig, shift: i64) -> (UBig, bool) {
        let mantissa = match self.exponent {
            ..0 => mantissa * five,
            _ => mantissa,
        };
        let (mantissa, is_cut) = shifted(mantissa, shift);
        match self.exponent {
            ..=0 => (mantissa, is_cut),
            _ => {
                let (count, rest) = mantissa.div_rem(five);
                (count, is_cut || !rest.is_zero())
            }
        }
    }

    /// The same with the two bounds of a long power of five, if both give the same result. There is
    /// always a remainder then: such a power has more digits than are counted, and divides no mantissa.
    fn count_between(&self, mantissa: &UBig, shift: i64) -> Option<(UBig, bool)> {
        let above = &self.five.mantissa + self.five.error()?;
        let (low, high, shift) = if self.exponent < 0 {
            let low = mantissa * &self.five.mantissa;
            (low, mantissa * above, shift + self.five.exponent)
        } else {
            let room = mantissa << (2 * BOUND_BITS);
            let high = &room / &self.five.mantissa + 1u8;
            let shift = shift - self.five.exponent - 2 * BOUND_BITS as i64;
            (room / above, high, shift)
        };
        let (low, high) = (shifted(low, shift).0, shifted(high, shift).0);
        (low == high).then_some((low, true))
    }
}

/// The whole part of `mantissa * 2^shift`, and whether there is a remainder.
fn shifted(mantissa: UBig, shift: i64) -> (UBig, bool) {
    if shift >= 0 {
        return (mantissa << distance(shift, 0), false);
    }
    let lost = distance(0, shift);
    let is_cut = mantissa.trailing_zeros().is_some_and(|zeros| zeros < lost);
    (mantissa >> lost, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(digits: &str, point: i64) -> Decimal {
        Decimal {
            digits: digits.as_bytes().to_vec(),
            point,
            is_cut: false,
        }
    }

    fn rounded(digits: &str, length: usize) -> Decimal {
        let mut decimal = decimal(digits, 0);
        decimal.round(length);
        decimal
    }

    #[test]
    fn rounding() {
        assert_eq!(rounded("125", 2), decimal("12", 0));
        assert_eq!(rounded("135", 2), decimal("14", 0));
        assert_eq!(rounded("1251", 2), decimal("13", 0));
        assert_eq!(rounded("1203", 3), decimal("12", 0));
        assert_eq!(rounded("999", 2), decimal("1", 1));
        assert_eq!(rounded("99", 5), decimal("99", 0));
        let mut cut = decimal("125", 0);
        cut.is_cut = true;
        cut.round(2);
        assert_eq!(cut, decimal("13", 0));
    }

    #[test]
    fn layout() {
        let plain = |digits, point| {
            let mut text = String::new();
            decimal(digits, point).write_plain(&mut text);
            text
        };
        assert_eq!(plain("125", 1), "1.25");
        assert_eq!(plain("125", 3), "125");
        assert_eq!(plain("125", 5), "12500");
        assert_eq!(plain("125", 0), "0.125");
        assert_eq!(plain("125", -2), "0.00125");
    }
}
