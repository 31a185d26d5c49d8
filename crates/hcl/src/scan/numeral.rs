//! Numbers as they are written.

use tenon_values::{Number, NumberError};

/// No number of fewer digits, and without an exponent, is beyond a float.
const FEW: usize = 300;

/// The number that a text begins with, as far as it goes: `12`, `1.5`, `2e10`.
pub(super) fn at_start(text: &str) -> &str {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    &text[..end]
}

/// Whether a number is out of the range of 64-bit floats.
///
/// # Errors
/// It is also out of the range of [`Number`].
pub(super) fn is_far(numeral: &str) -> Result<bool, NumberError> {
    if numeral.len() < FEW && !numeral.contains(['e', 'E']) {
        return Ok(false);
    }
    numeral.parse::<Number>()?;
    Ok(numeral.parse::<f64>().is_ok_and(f64::is_infinite))
}

/// Replaces the digits, so that the parser reads a number of the same length.
pub(crate) fn stand_in(numeral: &mut [u8]) {
    for byte in numeral.iter_mut().filter(|byte| byte.is_ascii_digit()) {
        *byte = b'0';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_they_end() {
        for (text, numeral) in [
            ("1", "1"),
            ("12.50+1", "12.50"),
            ("1.x", "1"),
            ("1e5)", "1e5"),
            ("1.5E-12.3", "1.5E-12"),
            ("1e", "1"),
            ("1e+]", "1"),
        ] {
            assert_eq!(at_start(text), numeral, "{text}");
        }
    }

    #[test]
    fn far_is_what_no_float_holds() {
        for (numeral, far) in [
            ("1e308", Ok(false)),
            ("1e309", Ok(true)),
            ("1e157000", Ok(true)),
            ("1e-157000", Ok(false)),
            ("1e999999999", Err(NumberError::OutOfRange)),
            ("1e-999999999", Err(NumberError::OutOfRange)),
        ] {
            assert_eq!(is_far(numeral), far, "{numeral}");
        }
        assert_eq!(is_far(&"9".repeat(308)), Ok(false));
        assert_eq!(is_far(&"9".repeat(310)), Ok(true));
        let mut numeral = *b"12.5e-400";
        stand_in(&mut numeral);
        assert_eq!(&numeral, b"00.0e-000");
    }
}
