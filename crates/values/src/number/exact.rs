//! Numbers as binary text, which is exact.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::binary::Binary;
use super::literal::power;
use super::{INTEGER_PRECISION, MAX_EXPONENT, MAX_PRECISION, Number, NumberError};

impl Number {
    /// The exact value as `0x.MANTISSAp+EXPONENT`, with hexadecimal digits after the point and a
    /// power of two, as Go's `Text('p', 0)`.
    pub fn to_binary_text(&self) -> String {
        self.written(|binary, text| {
            // The first bit of the first digit is set.
            let filled = binary.mantissa.bit_len().next_multiple_of(4);
            let mantissa = &binary.mantissa << (filled - binary.mantissa.bit_len());
            let digits = mantissa.in_radix(16).to_string();
            let digits = digits.trim_end_matches('0');
            text.push_str(&format!("0x.{digits}p{:+}", binary.top()));
        })
    }

    /// Reads what [`Number::to_binary_text`] writes, rounded to `precision` bits; 0 stands for 64.
    ///
    /// # Errors
    ///
    /// [`NumberError::Syntax`] for other forms, [`NumberError::OutOfRange`] for an exponent that
    /// is too large, [`NumberError::TooPrecise`] for a precision of more than 65,536 bits.
    pub fn from_binary_text(text: &str, precision: u32) -> Result<Number, NumberError> {
        if precision > MAX_PRECISION {
            return Err(NumberError::TooPrecise { precision });
        }
        let precision = match precision {
            0 => INTEGER_PRECISION,
            precision => precision,
        };
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(unsigned) => (true, unsigned),
            None => (false, text),
        };
        match unsigned {
            "0" => return Ok(Number::stored(Binary::zero(negative), precision)),
            "Inf" | "+Inf" => return Ok(Number::infinite(negative)),
            _ => {}
        }
        let fail = |problem, at| Err(NumberError::Syntax { problem, at });
        let start = text.len() - unsigned.len();
        let Some(mantissa) = unsigned.strip_prefix("0x.") else {
            return fail("the prefix `0x.` is missing", start);
        };
        let start = start + 3;
        let Some((digits, _)) = mantissa.split_once('p') else {
            return fail("the exponent is missing", text.len());
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return fail("a hexadecimal digit is missing", start);
        }
        let mut at = start + digits.len();
        let top = power(text.as_bytes(), &mut at)?;
        if at < text.len() {
            return fail("unexpected text", at);
        }
        let Ok(mantissa) = UBig::from_str_radix(digits, 16) else {
            return fail("a hexadecimal digit is missing", start);
        };
        // A mantissa has at most as many leading zeros as digits.
        let length = digits.len() as i64 * 4;
        if top.saturating_abs() > MAX_EXPONENT + length {
            return Err(NumberError::OutOfRange);
        }
        let binary = Binary {
            negative,
            mantissa,
            exponent: top - length,
        };
        Number::rounded(binary, precision)
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
    fn binary_texts() {
        for (text, binary) in [
            ("0", "0"),
            ("-0", "-0"),
            ("1", "0x.8p+1"),
            ("-1", "-0x.8p+1"),
            ("0.5", "0x.8p+0"),
            ("0.25", "0x.8p-1"),
            ("10", "0x.ap+4"),
            ("255", "0x.ffp+8"),
            ("-9223372036854775808", "-0x.8p+64"),
            ("Inf", "+Inf"),
            ("-Inf", "-Inf"),
        ] {
            assert_eq!(parsed(text).to_binary_text(), binary, "{text}");
            let back = Number::from_binary_text(binary, 512).unwrap();
            assert_eq!(back.to_text(), parsed(text).to_text());
        }
    }

    #[test]
    fn binary_texts_refused() {
        for text in [
            "", "1", "0x.", "0x.p+1", "0x.8", "0x.8p", "0x.8p+", "0x.8p+1x", "0x.gp+1", "0x.8_0p1",
            "0x.+8p+1", "--0", "0x8p+1",
        ] {
            let error = Number::from_binary_text(text, 512).unwrap_err();
            assert!(
                matches!(error, NumberError::Syntax { .. }),
                "{text}: {error}"
            );
        }
        for text in ["0x.8p+524289", "0x.8p-524289", "0x.8p+99999999999999999999"] {
            let error = Number::from_binary_text(text, 512).unwrap_err();
            assert_eq!(error, NumberError::OutOfRange, "{text}");
        }
        let error = Number::from_binary_text("0", u32::MAX).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a number cannot have 4294967295 bits of precision; 65536 is the maximum"
        );
    }

    proptest! {
        #[test]
        fn binary_texts_read_back(text in "-?0x\\.[89a-f][0-9a-f]{0,200}[1-9]p[+-][0-9]{1,4}") {
            let number = Number::from_binary_text(&text, 1024).unwrap();
            let (mantissa, exponent) = text.split_once('p').unwrap();
            let expected = format!("{mantissa}p{:+}", exponent.parse::<i64>().unwrap());
            prop_assert_eq!(number.to_binary_text(), expected);
        }
    }
}
