//! Functions of numbers.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use tenon_values::{Number, Type, Value, convert};

use super::limits;
use crate::function::parameter::{any, number};
use crate::function::{Arguments, Function, FunctionError};

/// The most digits that `parseint` reads: what is made of them takes time that grows faster than
/// they do.
const DIGITS: usize = 10_000;

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("abs", [number("number")])
            .describe("Returns the absolute value of a number.")
            .gives(Type::Number, |arguments| {
                Ok(Value::number(arguments.number(0)?.absolute()))
            }),
        Function::new("ceil", [number("number")])
            .describe("Rounds a number up to a whole number.")
            .gives(Type::Number, |arguments| {
                Ok(Value::number(arguments.number(0)?.ceiling()))
            }),
        Function::new("floor", [number("number")])
            .describe("Rounds a number down to a whole number.")
            .gives(Type::Number, |arguments| {
                Ok(Value::number(arguments.number(0)?.floor()))
            }),
        Function::new("log", [number("number"), number("base")])
            .describe("Returns the logarithm of a number to this base.")
            .gives(Type::Number, |arguments| {
                real(arguments.number(0)?.to_f64().ln() / arguments.number(1)?.to_f64().ln())
            }),
        Function::new("max", [])
            .and_more(number("numbers"))
            .describe("Returns the largest number.")
            .gives(Type::Number, |arguments| {
                best(arguments, std::cmp::Ordering::is_gt)
            }),
        Function::new("min", [])
            .and_more(number("numbers"))
            .describe("Returns the smallest number.")
            .gives(Type::Number, |arguments| {
                best(arguments, std::cmp::Ordering::is_lt)
            }),
        Function::new("parseint", [any("text"), number("base")])
            .describe("Parses a whole number in a base from 2 to 62.")
            .gives(Type::Number, parse),
        Function::new("pow", [number("number"), number("power")])
            .describe("Raises a number to a power.")
            .gives(Type::Number, |arguments| {
                real(
                    arguments
                        .number(0)?
                        .to_f64()
                        .powf(arguments.number(1)?.to_f64()),
                )
            }),
        Function::new("range", [])
            .and_more(number("limits"))
            .describe("Returns the numbers from a start (default 0) up to, but not including, an end, by a step (default 1).")
            .gives(Type::list(Type::Number), range),
        Function::new("signum", [number("number")])
            .describe("Returns the sign of a whole number: -1, 0 or 1.")
            .gives(Type::Number, |arguments| {
                Ok(Value::number(arguments.whole(0)?.signum()))
            }),
        Function::new("sum", [any("list")])
            .describe("Returns the sum of numbers.")
            .gives(Type::Number, sum),
    ]
}

fn real(result: f64) -> Result<Value, FunctionError> {
    let number = Number::try_from(result);
    number
        .map(Value::number)
        .map_err(|_| FunctionError::new("the result is not a real number"))
}

fn best(
    arguments: Arguments,
    is_better: fn(std::cmp::Ordering) -> bool,
) -> Result<Value, FunctionError> {
    let mut best: Option<&Number> = None;
    for index in 0..arguments.all().len() {
        let number = arguments.number(index)?;
        if best.is_none_or(|best| is_better(number.compare(best))) {
            best = Some(number);
        }
    }
    let best = best.ok_or_else(|| FunctionError::new("at least one number is required"))?;
    Ok(Value::number(best.clone()))
}

fn parse(arguments: Arguments) -> Result<Value, FunctionError> {
    let text = arguments.text(0)?;
    let base = u32::try_from(arguments.whole(1)?).unwrap_or(0);
    if !(2..=62).contains(&base) {
        return Err(FunctionError::new("a base from 2 to 62 is required").at(1));
    }
    let (is_negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    limits::check("the number", digits.len(), DIGITS, "digits")?;
    let wrong = || {
        let message = format!("a whole number of base {base} is required");
        FunctionError::new(message).at(0).quoting(text)
    };
    let mut sum = UBig::ZERO;
    for digit in digits {
        let digit = digit_of(*digit, base)
            .filter(|digit| *digit < base)
            .ok_or_else(wrong)?;
        sum = sum * base + digit;
    }
    if digits.is_empty() {
        return Err(wrong());
    }
    // Binary text keeps every digit; decimal text is read at 512 bits.
    let sign = if is_negative { "-" } else { "" };
    let digits = sum.in_radix(16).to_string();
    let precision = u32::try_from(sum.bit_len()).map_err(|_| wrong())?.max(64);
    let text = format!("{sign}0x.{digits}p{:+}", digits.len() * 4);
    let number = Number::from_binary_text(&text, precision).map_err(|_| wrong())?;
    Ok(Value::number(number))
}

/// The value of a digit. Up to base 36 letters mean the same in both cases, above it small letters
/// come first, as in Go.
fn digit_of(digit: u8, base: u32) -> Option<u32> {
    let value = match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'z' => digit - b'a' + 10,
        b'A'..=b'Z' if base <= 36 => digit - b'A' + 10,
        b'A'..=b'Z' => digit - b'A' + 36,
        _ => return None,
    };
    Some(u32::from(value))
}

fn range(arguments: Arguments) -> Result<Value, FunctionError> {
    let numbers: Vec<&Number> = (0..arguments.all().len())
        .map(|index| arguments.number(index))
        .collect::<Result<_, _>>()?;
    let (zero, one) = (Number::ZERO, Number::from(1));
    let (start, end, step) = match numbers.as_slice() {
        [end] => (&zero, *end, None),
        [start, end] => (*start, *end, None),
        [start, end, step] => (*start, *end, Some(*step)),
        _ => {
            return Err(FunctionError::new(
                "an end, or a start, an end and perhaps a step are required",
            ));
        }
    };
    let is_down = end.compare(start).is_lt();
    let step = match step {
        Some(step) => step.clone(),
        None if is_down => one.negate(),
        None => one,
    };
    if end.compare(start).is_ne() && !step.is_zero() && is_down != step.is_negative() {
        return Err(FunctionError::new("the step leads away from the end").at(2));
    }
    let mut values = Vec::new();
    let mut next = start.clone();
    while next.compare(end).is_ne() && next.compare(end).is_gt() == is_down {
        values.push(Value::number(next.clone()));
        limits::check("the range", values.len(), limits::RANGE, "numbers")?;
        let sum = next.add(&step);
        next = sum.map_err(|error| FunctionError::new("invalid range").because(error))?;
    }
    Ok(Value::list(Type::Number, values)?)
}

fn sum(arguments: Arguments) -> Result<Value, FunctionError> {
    let elements = arguments.elements(0)?;
    if elements.is_empty() {
        return Err(FunctionError::new("at least one number is required").at(0));
    }
    if !arguments[0].is_wholly_known() {
        return Ok(arguments.unknown());
    }
    let mut sum: Option<Value> = None;
    for element in elements {
        let added = convert::convert(element, &Type::Number).and_then(|number| match &sum {
            Some(sum) => sum.add(&number),
            None => number.add(&Value::from(0)).map(|_| number),
        });
        sum = Some(added.map_err(|error| {
            FunctionError::new("numbers are required")
                .at(0)
                .because(error)
        })?);
    }
    Ok(sum.unwrap_or(Value::from(0)))
}
