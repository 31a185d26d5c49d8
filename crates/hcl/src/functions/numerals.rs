//! Numbers written as a format verb asks for.

use dashu_int::UBig;
use tenon_values::Number;

use super::verbs::Verb;

/// A finite number without its sign: digits without zeros at either end, and where the point is.
/// The value is `0.DIGITS` times ten to the power of `point`.
struct Digits {
    digits: String,
    point: i64,
}

/// A whole number, in the base that the verb's letter means; nothing if it is not whole.
pub(super) fn whole(number: &Number, verb: &Verb) -> Option<String> {
    if !number.is_integer() {
        return None;
    }
    let value: UBig = number.absolute().to_text().parse().ok()?;
    let (base, prefix) = match verb.letter {
        'b' => (2, "0b"),
        'o' => (8, "0"),
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        _ => (10, ""),
    };
    let mut digits = value.in_radix(base).to_string();
    if verb.letter == 'X' {
        digits = digits.to_ascii_uppercase();
    }
    match verb.precision {
        Some(0) if number.is_zero() => return Some(String::new()),
        Some(least) => digits.insert_str(0, &"0".repeat(least.saturating_sub(digits.len()))),
        None => {}
    }
    let prefix = if verb.is_sharp { prefix } else { "" };
    let head = format!("{}{prefix}", sign(number, verb));
    let is_filled = verb.is_filled && verb.precision.is_none();
    Some(padded(&head, &digits, verb, is_filled))
}

/// Any number, by the letters `e`, `f` and `g`, as Go writes them.
pub(super) fn real(number: &Number, verb: &Verb) -> String {
    if number.is_infinite() {
        let sign = match number.is_negative() {
            true => "-",
            false if verb.plus == " " => " ",
            false => "+",
        };
        return padded(sign, "Inf", verb, false);
    }
    let body = match (verb.letter, verb.precision) {
        ('e' | 'E', precision) => {
            let precision = precision.unwrap_or(6);
            Digits::exact(number)
                .rounded(1 + precision as i64)
                .scientific(precision, verb.letter)
        }
        ('g' | 'G', None) => general(&Digits::shortest(number), None, verb.letter),
        ('g' | 'G', Some(precision)) => {
            let precision = precision.max(1);
            let digits = Digits::exact(number).rounded(precision as i64);
            general(&digits, Some(precision), verb.letter)
        }
        (_, precision) => {
            let precision = precision.unwrap_or(6);
            let digits = Digits::exact(number);
            let kept = digits.point.saturating_add(precision as i64);
            digits.rounded(kept).plain(precision)
        }
    };
    padded(sign(number, verb), &body, verb, verb.is_filled)
}

/// The shortest digits that mean the number, with an exponent where it is large, as `%v` has them.
pub(super) fn shortest(number: &Number) -> String {
    if number.is_infinite() {
        return number.to_short_text();
    }
    let minus = if number.is_negative() { "-" } else { "" };
    format!("{minus}{}", general(&Digits::shortest(number), None, 'g'))
}

fn general(digits: &Digits, precision: Option<usize>, letter: char) -> String {
    let count = digits.digits.len();
    let exponent = digits.point - 1;
    let limit = match precision {
        None => 6,
        Some(precision) if precision > count && count as i64 >= digits.point => count as i64,
        Some(precision) => precision as i64,
    };
    if !digits.digits.is_empty() && (exponent < -4 || exponent >= limit) {
        let letter = if letter == 'G' { 'E' } else { 'e' };
        return digits.scientific(count - 1, letter);
    }
    let behind = (count as i64).saturating_sub(digits.point).max(0);
    digits.plain(if count == 0 { 0 } else { behind as usize })
}

fn sign(number: &Number, verb: &Verb) -> &'static str {
    match number.is_negative() {
        true => "-",
        false => verb.plus,
    }
}

fn padded(head: &str, body: &str, verb: &Verb, is_filled: bool) -> String {
    let missing = verb.width.saturating_sub(head.len() + body.len());
    match (verb.is_left, is_filled) {
        (true, _) => format!("{head}{body}{}", " ".repeat(missing)),
        (false, true) => format!("{head}{}{body}", "0".repeat(missing)),
        (false, false) => format!("{}{head}{body}", " ".repeat(missing)),
    }
}

impl Digits {
    /// The fewest digits that mean the number.
    fn shortest(number: &Number) -> Digits {
        Digits::read(&number.absolute().to_text())
    }

    /// All the digits of the number: it is binary, so they end.
    fn exact(number: &Number) -> Digits {
        let text = number.absolute().to_binary_text();
        let parts = text
            .strip_prefix("0x.")
            .and_then(|text| text.split_once('p'));
        let read = parts.and_then(|(mantissa, exponent)| {
            let value = UBig::from_str_radix(mantissa, 16).ok()?;
            let shift = 4 * mantissa.len() as i64 - exponent.parse::<i64>().ok()?;
            // The number is value * 2^-shift, which is value * 5^shift * 10^-shift.
            let decimal = match usize::try_from(shift) {
                Ok(shift) => value * UBig::from(5u8).pow(shift),
                Err(_) => value << usize::try_from(-shift).ok()?,
            };
            let decimal = decimal.to_string();
            let point = decimal.len() as i64 - shift.max(0);
            Some(Digits::trimmed(&decimal, point))
        });
        // Zero has no such form.
        read.unwrap_or_else(|| Digits::shortest(number))
    }

    /// The digits of a decimal text without an exponent.
    fn read(text: &str) -> Digits {
        let (before, behind) = text.split_once('.').unwrap_or((text, ""));
        Digits::trimmed(&format!("{before}{behind}"), before.len() as i64)
    }

    fn trimmed(digits: &str, point: i64) -> Digits {
        let significant = digits.trim_start_matches('0');
        let point = point - (digits.len() - significant.len()) as i64;
        let digits = significant.trim_end_matches('0').to_owned();
        match digits.is_empty() {
            true => Digits { digits, point: 0 },
            false => Digits { digits, point },
        }
    }

    /// Rounded to at most `count` digits, ties to even.
    fn rounded(self, count: i64) -> Digits {
        if count >= self.digits.len() as i64 {
            return self;
        }
        let Ok(count) = usize::try_from(count) else {
            return Digits::trimmed("", 0);
        };
        let (kept, cut) = self.digits.split_at(count);
        let is_odd = kept.bytes().last().is_some_and(|digit| digit % 2 == 1);
        let is_up = match cut.as_bytes() {
            [b'5'] => is_odd,
            [first, ..] => *first >= b'5',
            [] => false,
        };
        if !is_up {
            return Digits::trimmed(kept, self.point);
        }
        let incremented = match kept {
            "" => UBig::ONE,
            kept => kept.parse::<UBig>().unwrap_or(UBig::ZERO) + 1u8,
        };
        let incremented = incremented.to_string();
        let carried = (incremented.len() - kept.len()) as i64;
        Digits::trimmed(&incremented, self.point + carried)
    }

    /// `1.2345e+06`, with `precision` digits after the point.
    fn scientific(&self, precision: usize, letter: char) -> String {
        let mut digits = self.digits.chars();
        let first = digits.next().unwrap_or('0');
        let mut behind: String = digits.take(precision).collect();
        behind.push_str(&"0".repeat(precision - behind.len()));
        let point = if precision > 0 { "." } else { "" };
        let exponent = if self.digits.is_empty() {
            0
        } else {
            self.point - 1
        };
        let minus = if exponent < 0 { '-' } else { '+' };
        format!("{first}{point}{behind}{letter}{minus}{:02}", exponent.abs())
    }

    /// `1234.5`, with `precision` digits after the point.
    fn plain(&self, precision: usize) -> String {
        let digit = |at: i64| match usize::try_from(at) {
            Ok(at) => self
                .digits
                .as_bytes()
                .get(at)
                .map_or('0', |digit| char::from(*digit)),
            Err(_) => '0',
        };
        let mut out: String = match self.point > 0 {
            true => (0..self.point).map(digit).collect(),
            false => "0".to_owned(),
        };
        if precision > 0 {
            out.push('.');
            out.extend((self.point..self.point + precision as i64).map(digit));
        }
        out
    }
}
