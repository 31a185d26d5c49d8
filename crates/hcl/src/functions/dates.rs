//! Functions of times.

use tenon_values::{Number, Type, Value};

use super::timestamps::{Moment, duration};
use crate::function::parameter::string;
use crate::function::{Arguments, Function, FunctionError};

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("formatdate", [string("format"), string("timestamp")])
            .describe("Formats a timestamp with verbs such as YYYY, MMM, DD, hh, mm and ss.")
            .gives(Type::String, format_date),
        Function::new("timeadd", [string("timestamp"), string("duration")])
            .describe("Adds a duration such as 1h30m to a timestamp.")
            .gives(Type::String, add),
        Function::new("timecmp", [string("first"), string("second")])
            .describe("Compares two timestamps: -1 if the first is earlier, 0 if they are equal, 1 if it is later.")
            .gives(Type::Number, compare),
        Function::new("timestamp", [])
            .describe("Returns the current time in UTC.")
            .impure()
            .gives(Type::String, |_| Ok(Moment::now().text().into())),
    ]
}

fn moment(arguments: Arguments, index: usize) -> Result<Moment, FunctionError> {
    let text = arguments.text(index)?;
    Moment::read(text).ok_or_else(|| {
        let message = "a timestamp such as 2006-01-02T15:04:05Z is required";
        FunctionError::new(message).at(index).quoting(text)
    })
}

fn add(arguments: Arguments) -> Result<Value, FunctionError> {
    let start = moment(arguments, 0)?;
    let text = arguments.text(1)?;
    let duration = duration(text).ok_or_else(|| {
        let message = "a duration such as 1h30m or -10s is required";
        FunctionError::new(message).at(1).quoting(text)
    })?;
    let end = start.later(duration);
    let end =
        end.ok_or_else(|| FunctionError::new("the time would not be in the years 0 to 9999"))?;
    Ok(end.text().into())
}

fn compare(arguments: Arguments) -> Result<Value, FunctionError> {
    let order = moment(arguments, 0)?
        .instant()
        .cmp(&moment(arguments, 1)?.instant());
    Ok(Value::number(Number::from(order as i8)))
}

fn format_date(arguments: Arguments) -> Result<Value, FunctionError> {
    let mut rest = arguments.text(0)?;
    let moment = moment(arguments, 1)?;
    let mut out = String::new();
    while let Some(first) = rest.chars().next() {
        let is_run = |character: char| character == first;
        let run = rest.len() - rest.trim_start_matches(is_run).len();
        let taken = match first {
            '\'' => {
                let (literal, length) = literal(rest)?;
                out.push_str(&literal);
                length
            }
            letter if letter.is_ascii_alphabetic() => {
                out.push_str(&part(&moment, &rest[..run])?);
                run
            }
            other => {
                out.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Ok(out.into())
}

/// The text in quotes that this begins with, and how long it is with them. Two quotes inside mean
/// one.
fn literal(text: &str) -> Result<(String, usize), FunctionError> {
    let mut literal = String::new();
    let mut at = 1;
    while let Some(end) = text[at..].find('\'') {
        literal.push_str(&text[at..at + end]);
        at += end + 1;
        if !text[at..].starts_with('\'') {
            return Ok((literal, at));
        }
        literal.push('\'');
        at += 1;
    }
    Err(
        FunctionError::new("the format has a quote that is not closed")
            .at(0)
            .quoting(text),
    )
}

/// What a run of one letter means.
fn part(moment: &Moment, verb: &str) -> Result<String, FunctionError> {
    let time = moment.local;
    let named = |pattern: &str| time.strftime(pattern).to_string();
    let hour = match time.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let is_utc = moment.offset.is_zero();
    Ok(match verb {
        "YYYY" => format!("{:04}", time.year()),
        "YY" => format!("{:02}", time.year() % 100),
        "MMMM" => named("%B"),
        "MMM" => named("%b"),
        "MM" => format!("{:02}", time.month()),
        "M" => time.month().to_string(),
        "DD" => format!("{:02}", time.day()),
        "D" => time.day().to_string(),
        "EEEE" => named("%A"),
        "EEE" => named("%a"),
        "hh" => format!("{:02}", time.hour()),
        "h" => time.hour().to_string(),
        "HH" => format!("{hour:02}"),
        "H" => hour.to_string(),
        "AA" if time.hour() < 12 => "AM".to_owned(),
        "AA" => "PM".to_owned(),
        "aa" if time.hour() < 12 => "am".to_owned(),
        "aa" => "pm".to_owned(),
        "mm" => format!("{:02}", time.minute()),
        "m" => time.minute().to_string(),
        "ss" => format!("{:02}", time.second()),
        "s" => time.second().to_string(),
        "ZZZZZ" => moment.offset_text(":"),
        "ZZZZ" => moment.offset_text(""),
        "ZZZ" if is_utc => "UTC".to_owned(),
        "ZZZ" => moment.offset_text(""),
        "Z" if is_utc => "Z".to_owned(),
        "Z" => moment.offset_text(":"),
        verb => {
            let message = "unknown verb in a date format; put other text in single quotes";
            return Err(FunctionError::new(message).at(0).quoting(verb));
        }
    })
}
