//! How a value is shown to people: as HCL writes it, without what must not be seen.

use std::fmt;

use crate::path::is_identifier;
use crate::refinement::{Bound, Refinement};
use crate::value::{Kind, Value};

impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// As HCL, on one line. Marked values show their marks and nothing else; unknown ones what is
/// known of them.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Kind::Null => formatter.write_str("null"),
            Kind::Unknown(refinement) => {
                write!(formatter, "(unknown {}{refinement})", self.ty_ref())
            }
            Kind::Bool(value) => value.fmt(formatter),
            Kind::Number(number) => number.fmt(formatter),
            Kind::String(text) => write!(formatter, "{text:?}"),
            Kind::List(values) | Kind::Tuple(values) => list("[", values, "]", formatter),
            Kind::Set(values) => list("toset([", values, "])", formatter),
            Kind::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| (key.to_string_lossy(), value));
                object(entries, formatter)
            }
            Kind::Object(attributes) => object(
                attributes.iter().map(|(name, value)| (name.into(), value)),
                formatter,
            ),
            Kind::Marked(marks, _) => write!(formatter, "({marks} value)"),
        }
    }
}

fn list(
    start: &str,
    values: &[Value],
    end: &str,
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    formatter.write_str(start)?;
    for (index, value) in values.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(formatter, "{separator}{value}")?;
    }
    formatter.write_str(end)
}

fn object<'a>(
    entries: impl Iterator<Item = (std::borrow::Cow<'a, str>, &'a Value)>,
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    formatter.write_str("{")?;
    let mut end = "}";
    for (index, (name, value)) in entries.enumerate() {
        formatter.write_str(if index == 0 { " " } else { ", " })?;
        match is_identifier(&name) {
            true => write!(formatter, "{name} = {value}")?,
            false => write!(formatter, "{name:?} = {value}")?,
        }
        end = " }";
    }
    formatter.write_str(end)
}

impl fmt::Display for Refinement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_not_null {
            formatter.write_str(", not null")?;
        }
        if let Some(prefix) = &self.prefix {
            write!(formatter, ", begins with {prefix:?}")?;
        }
        if let Some(Bound {
            number,
            is_inclusive,
        }) = &self.lower
        {
            let sign = if *is_inclusive { ">=" } else { ">" };
            write!(formatter, ", {sign} {number}")?;
        }
        if let Some(Bound {
            number,
            is_inclusive,
        }) = &self.upper
        {
            let sign = if *is_inclusive { "<=" } else { "<" };
            write!(formatter, ", {sign} {number}")?;
        }
        match (self.shortest, self.longest) {
            (0, None) => Ok(()),
            (shortest, None) => write!(formatter, ", length >= {shortest}"),
            (shortest, Some(longest)) if shortest == longest => {
                write!(formatter, ", length {longest}")
            }
            (shortest, Some(longest)) => write!(formatter, ", length {shortest} to {longest}"),
        }
    }
}
