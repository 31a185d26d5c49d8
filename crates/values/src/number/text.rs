//! Numbers as decimal text: with all digits, with an exponent for very large and very small numbers, or
//! in the short form by which sets are sorted.

use std::fmt;

use super::binary::Binary;
use super::decimal::Decimal;
use super::{Number, Repr};

impl Number {
    /// The shortest decimal without an exponent that reads back to the same value at the same
    /// precision, as Go's `Text('f', -1)`; `+Inf` or `-Inf` for the infinities.
    ///
    /// A number at the cap of exponents has about 158,000 characters.
    pub fn to_text(&self) -> String {
        if let Repr::Small { value, precision } = self.0
            && fits(value, precision)
        {
            return value.to_string();
        }
        self.written(|binary, text| {
            if binary.is_integer() && binary.top() <= i64::from(self.precision()) {
                let whole = &binary.mantissa << binary.exponent as usize;
                text.push_str(&whole.to_string());
            } else {
                Decimal::shortest(binary, self.precision()).write_plain(text);
            }
        })
    }

    /// As [`Number::to_text`], but with an exponent where more than 128 zeros would only place the
    /// point: `1e157000`, `-2.5e-400`. Both forms read back to the same number.
    ///
    /// This is the form for JSON and for people: `1e157000` in the input stays a few bytes in the output.
    pub fn to_compact_text(&self) -> String {
        if let Repr::Small { value, precision } = self.0
            && fits(value, precision)
        {
            return value.to_string();
        }
        self.written(|binary, text| {
            let decimal = match binary.is_integer() && binary.top() <= i64::from(self.precision()) {
                true => Decimal::whole(&(&binary.mantissa << binary.exponent as usize)),
                false => Decimal::shortest(binary, self.precision()),
            };
            decimal.write_compact(text);
        })
    }

    /// Ten significant digits, with an exponent where it is below -4 or at least 10, as Go's
    /// `String`; `+Inf` or `-Inf` for the infinities. Different numbers can have the same text.
    pub fn to_short_text(&self) -> String {
        if let Repr::Small { value, .. } = self.0
            && value.unsigned_abs() < 10_000_000_000
        {
            return value.to_string();
        }
        self.written(|binary, text| {
            Decimal::short(binary).write_short(text);
        })
    }

    /// A text with its sign, where `write` writes the digits. Infinities and zeros are the same in all
    /// forms, and only infinity has a plus sign.
    pub(super) fn written(&self, write: impl FnOnce(&Binary, &mut String)) -> String {
        let mut text = String::new();
        if self.has_minus() {
            text.push('-');
        }
        match self.binary() {
            None if self.has_minus() => text.push_str("Inf"),
            None => text.push_str("+Inf"),
            Some(binary) if binary.is_zero() => text.push('0'),
            Some(binary) => write(&binary, &mut text),
        }
        text
    }
}

/// Whether `precision` bits are enough to represent `value` exactly.
pub(super) fn fits(value: i64, precision: u32) -> bool {
    64 - value.unsigned_abs().leading_zeros() <= precision
}

/// As [`Number::to_compact_text`].
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::Small { value, precision } if fits(value, precision) => {
                write!(f, "{value}")
            }
            _ => f.write_str(&self.to_compact_text()),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
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
    fn precision_decides_the_text() {
        let single = f64::from(0.1f32);
        assert_eq!(
            Number::try_from(single).unwrap().to_text(),
            "0.10000000149011612"
        );
        let at = |precision| Number::from_binary_text("0x.cccccdp-3", precision).unwrap();
        assert_eq!(at(24).to_text(), "0.1");
        assert_eq!(at(53).to_text(), "0.10000000149011612");
        assert_eq!(at(512).to_text(), "0.100000001490116119384765625");
        // An integer of more bits than its precision rounds to fewer digits too.
        let at = |precision| Number::from_binary_text("0x.8p+5", precision).unwrap();
        assert_eq!(at(1).to_text(), "20");
        assert_eq!(at(5).to_text(), "16");
        assert_eq!(
            Number::try_from(1e22).unwrap().to_text(),
            "10000000000000000000000"
        );
        assert_eq!(
            Number::try_from(2f64.powi(60)).unwrap().to_text(),
            "1152921504606847000"
        );
        assert_eq!(Number::from(1i64 << 60).to_text(), "1152921504606846976");
    }

    #[test]
    fn exact_bounds_and_middles_go_as_in_go() {
        for (double, text) in [
            // Halfway between two texts, the even one is chosen.
            ("1649641077219358.25", "1649641077219358.2"),
            // The upper bound is 437499999999999200, and ends before the digit that should be rounded up
            // (golang/go#80206).
            ("4.3749999999999917e+17", "437499999999999160"),
        ] {
            let double: f64 = double.parse().unwrap();
            assert_eq!(Number::try_from(double).unwrap().to_text(), text);
        }
    }

    #[test]
    fn short_texts() {
        for (text, short) in [
            ("0", "0"),
            ("-0", "-0"),
            ("1", "1"),
            ("100", "100"),
            ("-21", "-21"),
            ("1234567890", "1234567890"),
            ("9999999999", "9999999999"),
            ("10000000000", "1e+10"),
            ("12345678901", "1.23456789e+10"),
            ("12345678911", "1.234567891e+10"),
            ("99999999999", "1e+11"),
            ("123456789.15", "123456789.2"),
            ("9999999999.5", "1e+10"),
            ("1234567890.5", "1234567890"),
            ("1234567891.5", "1234567892"),
            ("0.1", "0.1"),
            ("0.00012345", "0.00012345"),
            ("0.000012345", "1.2345e-05"),
            ("0.3333333333333333", "0.3333333333"),
            ("1e21", "1e+21"),
            ("-1e-100", "-1e-100"),
            ("1.5e100000", "1.5e+100000"),
            ("Inf", "+Inf"),
            ("-Inf", "-Inf"),
        ] {
            assert_eq!(parsed(text).to_short_text(), short, "{text}");
        }
    }

    #[test]
    fn far_exponents_are_written_as_such() {
        for (text, compact) in [
            ("0", "0"),
            ("-0", "-0"),
            ("12.50", "12.5"),
            ("1e157000", "1e157000"),
            ("-25e156999", "-2.5e157000"),
            ("1e-157000", "1e-157000"),
            ("1.25e-400", "1.25e-400"),
            ("Inf", "+Inf"),
        ] {
            assert_eq!(parsed(text).to_compact_text(), compact, "{text}");
        }
        // 128 zeros are written out, one more is not, on both sides of the point. This also holds for
        // integers that 512 bits represent exactly.
        for (exponent, length) in [
            (128, 129),
            (129, 5),
            (154, 5),
            (155, 5),
            (-129, 131),
            (-130, 6),
        ] {
            let number = parsed(&format!("1e{exponent}"));
            assert_eq!(number.to_compact_text().len(), length, "1e{exponent}");
        }
        assert_eq!(
            Number::try_from(f64::MAX).unwrap().to_compact_text(),
            "1.7976931348623157e308"
        );
        let digits = "7".repeat(150);
        assert_eq!(parsed(&digits).to_compact_text(), digits);
    }

    #[test]
    fn both_formats_show_the_text() {
        assert_eq!(
            format!("{} {:?}", parsed("-1.50"), Number::INFINITY),
            "-1.5 +Inf"
        );
    }

    proptest! {
        #[test]
        fn texts_read_back(
            text in "-?[0-9]{1,40}(\\.[0-9]{1,200})?(e-?[0-9]{1,3})?",
        ) {
            let number = parsed(&text);
            let back = parsed(&number.to_text());
            prop_assert_eq!(back.to_binary_text(), number.to_binary_text());
            prop_assert_eq!(&back, &number);
            let back = parsed(&number.to_compact_text());
            prop_assert_eq!(back.to_binary_text(), number.to_binary_text());
        }

        #[test]
        fn compact_texts_read_back_however_far(
            text in "-?[1-9][0-9]{0,60}(\\.[0-9]{1,60})?e-?[0-9]{1,5}",
        ) {
            let number = parsed(&text);
            let compact = number.to_compact_text();
            prop_assert!(compact.len() < 400, "{}", compact);
            prop_assert_eq!(parsed(&compact).to_binary_text(), number.to_binary_text());
        }

        #[test]
        fn doubles_print_as_the_standard_library_prints_them(bits: u64) {
            let value = f64::from_bits(bits);
            // The neighbour below a power of two is nearer, which Go ignores.
            prop_assume!(value.is_normal() && bits.trailing_zeros() < 52);
            let number = Number::try_from(value).unwrap();
            // With few exact digits, the rules for exact bounds and middles differ.
            let exact = Number::from_binary_text(&number.to_binary_text(), 4096).unwrap();
            let exact = exact.to_text().replace('.', "");
            prop_assume!(exact.trim_matches(['-', '0']).len() > 24);
            prop_assert_eq!(number.to_text(), value.to_string());
        }

        #[test]
        fn short_texts_are_rounded_texts(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_normal());
            let short = Number::try_from(value).unwrap().to_short_text();
            let scientific = format!("{value:.9e}");
            prop_assert_eq!(short.parse::<f64>().unwrap(), scientific.parse::<f64>().unwrap());
        }
    }
}
