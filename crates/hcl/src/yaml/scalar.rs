//! Scalars: null, true and false, numbers, texts.

use base64::Engine;
use granit_parser::{ScalarStyle, Tag};
use tenon_values::convert::convert;
use tenon_values::{Number, Type, Value};

use super::Rules;
use crate::functions::{BASE64, Moment};

/// The prefix of the tags of YAML itself, which `!!` stands for.
const NAMESPACE: &str = "tag:yaml.org,2002:";

/// The value of a scalar.
///
/// # Errors
/// It does not have the type of its tag, or is a number that is out of range.
pub(super) fn scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
    rules: Rules,
) -> Result<Value, String> {
    match rules {
        Rules::Strict => strict(text, style, tag),
        Rules::Terraform => terraform(text, style, tag),
    }
}

/// The text of a scalar that is a key.
///
/// # Errors
/// As for [`scalar`], or it is null.
pub(super) fn key(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
    rules: Rules,
) -> Result<String, String> {
    if rules == Rules::Strict {
        return Ok(text.to_owned());
    }
    let value = scalar(text, style, tag, rules)?;
    let value = convert(&value, &Type::String).map_err(|error| error.to_string())?;
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| "a key cannot be null".into())
}

fn wrong(ty: &str) -> String {
    format!("the value does not have the type {ty} that its tag names")
}

fn strict(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    match tag.and_then(Tag::core_suffix) {
        Some("str") => return Ok(Value::string(text)),
        Some("null") => return Ok(Value::NULL),
        Some("bool") => {
            let value = boolean(&text.to_ascii_lowercase());
            return value.map(Value::from).ok_or_else(|| wrong("bool"));
        }
        Some(ty @ ("int" | "float")) => return number(text)?.ok_or_else(|| wrong(ty)),
        _ => {}
    }
    // The tag `!` means that the scalar is a string.
    let is_resolved = tag.is_none_or(|tag| !(tag.handle().is_empty() && tag.suffix() == "!"));
    if style != ScalarStyle::Plain || !is_resolved {
        return Ok(Value::string(text));
    }
    if is_null(text) {
        return Ok(Value::NULL);
    }
    if let Some(value) = boolean(&text.to_ascii_lowercase()) {
        return Ok(Value::from(value));
    }
    Ok(number(text)?.unwrap_or_else(|| Value::string(text)))
}

/// The rules of Terraform. The value of a scalar with a tag may be any of the words and numbers.
fn terraform(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    let ty = match tag {
        None => None,
        Some(tag) => Some({ tag.suffix_in_namespace(NAMESPACE) }.ok_or("unknown tag")?),
    };
    let ty = ty.as_deref();
    let is_quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
    match ty {
        Some("str") => return Ok(Value::string(text)),
        Some("binary") => {
            let is_base64 = BASE64.decode(text.replace(['\n', '\r'], "")).is_ok();
            return match is_base64 {
                true => Ok(Value::string(text)),
                false => Err("not valid base64".into()),
            };
        }
        None | Some("null" | "bool" | "int" | "float" | "timestamp") => {}
        Some(_) => return Err("unknown tag".into()),
    }
    if is_quoted || (ty.is_none() && style != ScalarStyle::Plain) {
        return Ok(Value::string(text));
    }
    if is_null(text) {
        return Ok(Value::NULL);
    }
    if let Some(value) = capitalized(text).and_then(|word| boolean(&word)) {
        return Ok(Value::from(value));
    }
    if let Some(value) = terraform_number(text)? {
        return Ok(Value::number(value));
    }
    if matches!(ty, None | Some("timestamp"))
        && let Some(moment) = timestamp(text)
    {
        return Ok(Value::string(&moment.text()));
    }
    match ty {
        None => Ok(Value::string(text)),
        Some("null") => Ok(Value::NULL),
        Some(ty) => Err(wrong(ty)),
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// The word in lower case, if its case is one of the three that YAML allows: `yes`, `Yes`, `YES`.
fn capitalized(text: &str) -> Option<String> {
    let small = text.to_ascii_lowercase();
    let (first, rest) = text.split_at_checked(1)?;
    let is_one_way = text == small
        || text == text.to_ascii_uppercase()
        || (first != &small[..1] && *rest == small[1..]);
    is_one_way.then_some(small)
}

fn boolean(small: &str) -> Option<bool> {
    match small {
        "true" | "yes" | "y" | "on" => Some(true),
        "false" | "no" | "n" | "off" => Some(false),
        _ => None,
    }
}

/// The number that a text is, if it is one.
///
/// # Errors
/// It is infinite, NaN or too large.
fn number(text: &str) -> Result<Option<Value>, String> {
    let (sign, digits) = signed(text);
    let word = digits.to_ascii_lowercase();
    if word == ".inf" || (text.len() == 4 && word == ".nan") {
        return Err("a number must be finite; write the value in quotes if it is a string".into());
    }
    let is_padded = |digits: &str| {
        let whole = digits.split(['.', 'e', 'E']).next().unwrap_or_default();
        whole.len() > 1 && whole.starts_with('0')
    };
    let decimal = match radix(&word, &[("0x", 16), ("0o", 8), ("0b", 2)]) {
        Some((radix, digits)) => {
            let whole = u128::from_str_radix(digits, radix);
            let too_large = |_| "the number has more than 128 bits; write it in decimal";
            format!("{sign}{}", whole.map_err(too_large)?)
        }
        // With a zero before other digits it is text, such as a post code.
        None if is_decimal(digits) && !is_padded(digits) => format!("{sign}{digits}"),
        None => return Ok(None),
    };
    Ok(Some(Value::number(parsed(&decimal)?)))
}

/// The number that a text is by the rules of Terraform, if it is one.
fn terraform_number(text: &str) -> Result<Option<Number>, String> {
    let (sign, digits) = signed(text);
    match digits {
        ".inf" | ".Inf" | ".INF" if sign == "-" => return Ok(Some(Number::NEGATIVE_INFINITY)),
        ".inf" | ".Inf" | ".INF" => return Ok(Some(Number::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if text == digits => {
            return Err(
                "a number cannot be NaN; write the value in quotes if it is a string".into(),
            );
        }
        _ => {}
    }
    if let Some((radix, digits)) = radix(text, &[("0x", 16), ("0o", 8)]) {
        let too_large = |_| "the number has more than 64 bits; write it in decimal";
        let whole = u64::from_str_radix(digits, radix).map_err(too_large)?;
        return Ok(Some(Number::from(whole)));
    }
    match is_decimal(digits) {
        true => parsed(&format!("{sign}{digits}")).map(Some),
        false => Ok(None),
    }
}

fn signed(text: &str) -> (&str, &str) {
    match text.strip_prefix(['-', '+']) {
        Some(digits) if text.starts_with('-') => ("-", digits),
        Some(digits) => ("", digits),
        None => ("", text),
    }
}

fn parsed(decimal: &str) -> Result<Number, String> {
    { decimal.parse() }.map_err(|_| "the number is too large".to_owned())
}

/// The digits after one of these prefixes, and what they are digits of.
fn radix<'a>(text: &'a str, prefixes: &[(&str, u32)]) -> Option<(u32, &'a str)> {
    let found = prefixes.iter().find_map(|(prefix, radix)| {
        let digits = text.strip_prefix(prefix)?;
        Some((*radix, digits))
    });
    found.filter(|(radix, digits)| {
        !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(*radix))
    })
}

/// `12`, `1.5`, `.5`, `1.`, `2e10`.
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
    is_exponent && has_digit && is_digits(whole) && is_digits(fraction)
}

/// A date such as `2001-12-14`, or a time such as `2001-12-14 21:59:43.1` or `2001-12-14T21:59:43Z`.
/// Fields may have one digit.
fn timestamp(text: &str) -> Option<Moment> {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some((text.as_bytes()[at], &text[at + 1..]))),
        None => (text, None),
    };
    let (year, rest) = date.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    if year.len() != 4 {
        return None;
    }
    let date = format!("{year}-{}-{}", padded(month)?, padded(day)?);
    let Some((separator, time)) = time else {
        return Moment::read(&format!("{date}T00:00:00Z"));
    };
    let end = time.find(|c: char| !c.is_ascii_digit() && c != ':');
    let (clock, rest) = time.split_at(end.unwrap_or(time.len()));
    let mut fields = clock.split(':');
    let (hour, minute, second) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() {
        return None;
    }
    let zone = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
        None => rest,
    };
    let zone = match separator {
        b' ' if zone.is_empty() => "Z",
        b' ' => return None,
        _ => zone,
    };
    let (hour, minute, second) = (padded(hour)?, padded(minute)?, padded(second)?);
    Moment::read(&format!("{date}T{hour}:{minute}:{second}{zone}"))
}

/// One digit or two, as two.
fn padded(digits: &str) -> Option<String> {
    matches!(digits.len(), 1 | 2).then(|| format!("{digits:0>2}"))
}
