//! The part of HCL that the cases are written in: literals, tuples, objects, calls and
//! `local.unknown`. Standing in for the evaluator, so that functions are tested without it.

use std::iter::Peekable;
use std::str::Chars;

use tenon_hcl::{FunctionError, Functions};
use tenon_values::{Type, Value};

/// What the expression is. It panics on what it cannot read: the cases are our own.
pub(crate) fn evaluate(functions: &Functions, expression: &str) -> Result<Value, FunctionError> {
    let mut reader = Reader {
        functions,
        rest: expression.chars().peekable(),
    };
    let value = reader.value()?;
    assert_eq!(reader.rest.next(), None, "something follows {expression}");
    Ok(value)
}

struct Reader<'a> {
    functions: &'a Functions,
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<Value, FunctionError> {
        self.spaces();
        let value = match self.rest.peek().copied().expect("a value is missing") {
            '"' => Value::from(self.quoted()),
            '[' => Value::tuple(self.sequence('[', ']')?),
            '{' => self.object()?,
            '-' | '0'..='9' => {
                let is_digit =
                    |next: &char| next.is_ascii_digit() || matches!(next, '.' | 'e' | '-' | '+');
                let text = self.word(is_digit);
                Value::number(text.parse::<tenon_values::Number>().expect("a number"))
            }
            _ => {
                let name = self.word(|next| next.is_alphanumeric() || matches!(next, '_' | '.'));
                match name.as_str() {
                    "null" => Value::NULL,
                    "true" => Value::TRUE,
                    "false" => Value::FALSE,
                    "local.unknown" => Value::unknown(Type::Dynamic),
                    name => {
                        let function = self.functions.get(name);
                        let function = function.unwrap_or_else(|| panic!("there is no {name}"));
                        function.call(&self.sequence('(', ')')?)?
                    }
                }
            }
        };
        self.spaces();
        Ok(value)
    }

    /// Values between brackets. Three dots spread the last one.
    fn sequence(&mut self, start: char, end: char) -> Result<Vec<Value>, FunctionError> {
        self.expect(start);
        let mut values = Vec::new();
        loop {
            self.spaces();
            if self.rest.next_if_eq(&end).is_some() {
                return Ok(values);
            }
            values.push(self.value()?);
            while self.rest.next_if_eq(&'.').is_some() {
                let spread = values.pop().expect("there is one");
                values
                    .extend_from_slice(spread.elements().unwrap_or(std::slice::from_ref(&spread)));
            }
            self.rest.next_if_eq(&',');
        }
    }

    fn object(&mut self) -> Result<Value, FunctionError> {
        self.expect('{');
        let mut attributes = Vec::new();
        loop {
            self.spaces();
            if self.rest.next_if_eq(&'}').is_some() {
                return Ok(Value::object(attributes));
            }
            let name = match self.rest.peek() {
                Some('"') => self.quoted(),
                _ => self.word(|next| next.is_alphanumeric() || matches!(next, '_' | '-')),
            };
            self.spaces();
            self.expect('=');
            attributes.push((name, self.value()?));
            self.rest.next_if_eq(&',');
        }
    }

    fn quoted(&mut self) -> String {
        self.expect('"');
        let mut text = String::new();
        loop {
            match self.rest.next().expect("the string ends") {
                '"' => return text.replace("$${", "${").replace("%%{", "%{"),
                '\\' => text.push(match self.rest.next().expect("the escape ends") {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => {
                        let digits: String = self.rest.by_ref().take(4).collect();
                        let number = u32::from_str_radix(&digits, 16).expect("four digits");
                        char::from_u32(number).expect("a character")
                    }
                    other => other,
                }),
                other => text.push(other),
            }
        }
    }

    fn word(&mut self, is_inside: impl Fn(&char) -> bool) -> String {
        let mut word = String::new();
        while let Some(character) = self.rest.next_if(|character| is_inside(character)) {
            word.push(character);
        }
        word
    }

    fn spaces(&mut self) {
        self.word(|character| *character == ' ');
    }

    fn expect(&mut self, wanted: char) {
        assert_eq!(self.rest.next(), Some(wanted));
    }
}
