//! Scalars: null, true and false, numbers, texts.

use granit_parser::{ScalarStyle, Tag};
use tenon_values::{Number, Value};

/// The value of a scalar.
///
/// # Errors
/// It is not what its tag says, or a number that no variable can hold.
pub(super) fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    let wrong = |ty: &str| format!("this is not a value of the type {ty} that its tag names");
    match tag.and_then(Tag::core_suffix) {
        Some("str") => return Ok(Value::string(text)),
        Some("null") => return Ok(Value::NULL),
        Some("bool") => return boolean(text).map(Value::from).ok_or_else(|| wrong("bool")),
        Some(ty @ ("int" | "float")) => return number(text)?.ok_or_else(|| wrong(ty)),
        _ => {}
    }
    // `!` alone says that it is not to be resolved.
    let is_resolved = tag.is_none_or(|tag| !(tag.handle().is_empty() && tag.suffix() == "!"));
    if style != ScalarStyle::Plain || !is_resolved {
        return Ok(Value::string(text));
    }
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Ok(Value::NULL);
    }
    if let Some(value) = boolean(text) {
        return Ok(Value::from(value));
    }
    Ok(number(text)?.unwrap_or_else(|| Value::string(text)))
}

fn boolean(text: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 4]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_one_of(["true", "yes", "y", "on"]) {
        return Some(true);
    }
    is_one_of(["false", "no", "n", "off"]).then_some(false)
}

/// The number that a text is, if it is one.
///
/// # Errors
/// It is one that no variable can hold.
fn number(text: &str) -> Result<Option<Value>, String> {
    let (sign, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) if text.starts_with('-') => ("-", digits),
        Some(digits) => ("", digits),
        None => ("", text),
    };
    let word = digits.to_ascii_lowercase();
    if word == ".inf" || (text.len() == 4 && word == ".nan") {
        return Err("a number is neither infinite nor NaN here; put it in quotes for text".into());
    }
    let decimal = match radix(&word) {
        Some((radix, digits))
            if digits
                .bytes()
                .all(|digit| char::from(digit).is_digit(radix)) =>
        {
            let whole = u128::from_str_radix(digits, radix);
            let too_large = |_| "this number has more than 128 bits; write it in decimal";
            format!("{sign}{}", whole.map_err(too_large)?)
        }
        None if is_decimal(digits) => format!("{sign}{digits}"),
        _ => return Ok(None),
    };
    let number: Number = decimal.parse().map_err(|_| "this number is too large")?;
    Ok(Some(Value::number(number)))
}

fn radix(text: &str) -> Option<(u32, &str)> {
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2)];
    let found = prefixes.iter().find_map(|(prefix, radix)| {
        let digits = text.strip_prefix(prefix)?;
        Some((*radix, digits))
    });
    found.filter(|(_, digits)| !digits.is_empty())
}

/// `12`, `1.5`, `.5`, `1.`, `2e10`. With a zero before other digits it is text, such as a post code.
fn is_decimal(text: &str) -> bool {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let is_exponent = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digit = !whole.is_empty() || !fraction.is_empty();
    let is_padded = whole.len() > 1 && whole.starts_with('0');
    is_exponent && has_digit && !is_padded && is_digits(whole) && is_digits(fraction)
}
