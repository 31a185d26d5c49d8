//! CSV as RFC 4180 has it, read as Go reads it.

use std::collections::HashSet;

use tenon_values::{Type, Value};

use crate::function::FunctionError;

/// A list of objects, one for each record but the first, which names the attributes.
pub(super) fn decode(text: &str) -> Result<Value, FunctionError> {
    let mut reader = Reader {
        rest: text,
        line: 0,
    };
    let missing = || FunctionError::new("the line with the names is missing").at(0);
    let names = reader.record()?.ok_or_else(missing)?;
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(FunctionError::new("a column name is used twice")
            .at(0)
            .quoting(twice));
    }
    let mut records = Vec::new();
    while let Some(fields) = reader.record()? {
        if fields.len() != names.len() {
            let wanted = names.len();
            return Err(reader.fail(&format!("expected {wanted} fields, found {}", fields.len())));
        }
        let fields = fields.into_iter().map(Value::from);
        records.push(Value::object(names.iter().zip(fields)));
    }
    let ty = Type::object(names.iter().map(|name| (name, Type::String)));
    Ok(Value::list(ty, records)?)
}

struct Reader<'a> {
    rest: &'a str,
    /// The line that was read last, from 1.
    line: usize,
}

impl<'a> Reader<'a> {
    fn fail(&self, problem: &str) -> FunctionError {
        FunctionError::new(format!("{problem} (line {})", self.line)).at(0)
    }

    /// The next line without its end.
    fn line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// The fields of the next record. Empty lines are skipped.
    fn record(&mut self) -> Result<Option<Vec<String>>, FunctionError> {
        let mut line = loop {
            match self.line() {
                None => return Ok(None),
                Some("") => {}
                Some(line) => break line,
            }
        };
        let mut fields = Vec::new();
        loop {
            let Some(quoted) = line.strip_prefix('"') else {
                let (field, rest) = line
                    .split_once(',')
                    .map_or((line, None), |(field, rest)| (field, Some(rest)));
                if field.contains('"') {
                    return Err(self.fail("a field with a quote in it must be in quotes"));
                }
                fields.push(field.to_owned());
                match rest {
                    Some(rest) => line = rest,
                    None => return Ok(Some(fields)),
                }
                continue;
            };
            let (field, rest) = self.quoted(quoted)?;
            fields.push(field);
            match rest.strip_prefix(',') {
                Some(rest) => line = rest,
                None if rest.is_empty() => return Ok(Some(fields)),
                None => {
                    return Err(self.fail(
                        "a comma is missing after a quote; write a quote inside a field twice",
                    ));
                }
            }
        }
    }

    /// A field up to its closing quote, which may be some lines on, and what follows on that line.
    fn quoted(&mut self, start: &'a str) -> Result<(String, &'a str), FunctionError> {
        let mut field = String::new();
        let mut line = start;
        loop {
            let Some((part, rest)) = line.split_once('"') else {
                field.push_str(line);
                field.push('\n');
                line = self
                    .line()
                    .ok_or_else(|| self.fail("a closing quote is missing"))?;
                continue;
            };
            field.push_str(part);
            match rest.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    line = after;
                }
                None => return Ok((field, rest)),
            }
        }
    }
}
