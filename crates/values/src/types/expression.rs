//! Reading types as HCL writes them: `object({ name = string, tags = optional(list(string)) })`.

use std::collections::HashSet;
use std::str::FromStr;

use super::{Attribute, ObjectType, TYPE_DEPTH, TupleType, Type, TypeError};
use crate::path::is_identifier;
use crate::text::normalized;

impl FromStr for Type {
    type Err = TypeError;

    /// Reads a type expression. Spaces are optional, attributes are separated by commas or by
    /// lines, and [`Type::Dynamic`] is `any`.
    fn from_str(text: &str) -> Result<Type, TypeError> {
        let mut reader = Reader { text, offset: 0 };
        let ty = reader.type_expression(TYPE_DEPTH)?;
        reader.skip_space();
        match reader.rest() {
            "" => Ok(ty),
            _ => Err(reader.fail("a type ends here, but more follows")),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn fail(&self, message: impl Into<String>) -> TypeError {
        TypeError::at(self.text, self.offset, message)
    }

    /// White space and comments.
    fn skip_space(&mut self) {
        loop {
            self.offset = self.text.len() - self.rest().trim_start().len();
            let rest = self.rest();
            let end = if rest.starts_with('#') || rest.starts_with("//") {
                rest.find('\n')
            } else if rest.starts_with("/*") {
                rest.find("*/").map(|end| end + 2)
            } else {
                return;
            };
            self.offset += end.unwrap_or(rest.len());
        }
    }

    /// Takes `token` if it is next.
    fn take(&mut self, token: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.offset += token.len_utf8();
        }
        found
    }

    fn expect(&mut self, token: char, purpose: &str) -> Result<(), TypeError> {
        match self.take(token) {
            true => Ok(()),
            false => Err(self.fail(format!("`{token}` is required {purpose}"))),
        }
    }

    fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let is_part = |next: char| next.is_alphanumeric() || next == '_' || next == '-';
        let length = rest.find(|next| !is_part(next)).unwrap_or(rest.len());
        self.offset += length;
        &rest[..length]
    }

    fn type_expression(&mut self, depth: usize) -> Result<Type, TypeError> {
        self.skip_space();
        let start = self.offset;
        let Some(depth) = depth.checked_sub(1) else {
            return Err(self.fail(format!(
                "the type is nested more than {TYPE_DEPTH} levels deep"
            )));
        };
        match self.word() {
            "string" => Ok(Type::String),
            "number" => Ok(Type::Number),
            "bool" => Ok(Type::Bool),
            "any" => Ok(Type::Dynamic),
            "list" => Ok(Type::list(self.argument("list", depth)?)),
            "set" => Ok(Type::set(self.argument("set", depth)?)),
            "map" => Ok(Type::map(self.argument("map", depth)?)),
            "tuple" => self.tuple(depth),
            "object" => self.object(depth),
            other => {
                self.offset = start;
                Err(self.fail(unknown_type(other)))
            }
        }
    }

    fn argument(&mut self, kind: &str, depth: usize) -> Result<Type, TypeError> {
        self.expect('(', &format!("after `{kind}`, as in `{kind}(string)`,"))?;
        let element = self.type_expression(depth)?;
        self.expect(')', &format!("to end `{kind}(`"))?;
        Ok(element)
    }

    fn tuple(&mut self, depth: usize) -> Result<Type, TypeError> {
        self.expect('(', "after `tuple`, as in `tuple([string, number])`,")?;
        self.expect('[', "before the element types of a tuple")?;
        let mut elements = Vec::new();
        while !self.take(']') {
            elements.push(self.type_expression(depth)?);
            if !self.take(',') {
                self.expect(']', "or a comma after an element type")?;
                break;
            }
        }
        self.expect(')', "to end `tuple(`")?;
        Ok(Type::Tuple(TupleType::new(elements)))
    }

    fn object(&mut self, depth: usize) -> Result<Type, TypeError> {
        self.expect('(', "after `object`, as in `object({ name = string })`,")?;
        self.expect('{', "before the attributes of an object")?;
        let mut attributes: Vec<Attribute> = Vec::new();
        let mut names = HashSet::new();
        while !self.take('}') {
            self.skip_space();
            let start = self.offset;
            let attribute = self.attribute(depth)?;
            if !names.insert(attribute.name.clone()) {
                self.offset = start;
                return Err(self.fail(format!(
                    "the attribute {:?} is defined twice",
                    attribute.name
                )));
            }
            attributes.push(attribute);
            let before_space = self.offset;
            if !self.take(',') {
                let has_line_break = self.text[before_space..self.offset].contains('\n');
                if !has_line_break {
                    self.expect('}', "or a comma after an attribute")?;
                    break;
                }
            }
        }
        self.expect(')', "to end `object(`")?;
        Ok(Type::Object(ObjectType::new(attributes)))
    }

    fn attribute(&mut self, depth: usize) -> Result<Attribute, TypeError> {
        let name = self.name()?;
        if !self.take('=') && !self.take(':') {
            return Err(self.fail("`=` is required after an attribute's name"));
        }
        self.skip_space();
        let start = self.offset;
        let is_optional = self.word() == "optional";
        let ty = if is_optional {
            self.argument("optional", depth)?
        } else {
            self.offset = start;
            self.type_expression(depth)?
        };
        Ok(Attribute {
            name: normalized(&name).into(),
            ty,
            is_optional,
        })
    }

    fn name(&mut self) -> Result<String, TypeError> {
        if self.take('"') {
            return self.quoted();
        }
        let start = self.offset;
        let word = self.word();
        if is_identifier(word) {
            return Ok(word.to_owned());
        }
        self.offset = start;
        Err(self.fail("an attribute's name is required; quote it if it is not a plain word"))
    }

    fn quoted(&mut self) -> Result<String, TypeError> {
        let mut name = String::new();
        loop {
            let mut characters = self.rest().chars();
            let Some(next) = characters.next() else {
                return Err(self.fail("the quoted name does not end"));
            };
            match (next, characters.next()) {
                ('"', _) => {
                    self.offset += 1;
                    return Ok(name);
                }
                ('\\', Some(escaped)) => name.push(self.escape(escaped)?),
                ('$' | '%', Some(second)) if second == next && characters.next() == Some('{') => {
                    name.extend([next, '{']);
                    self.offset += 3;
                }
                _ => {
                    name.push(next);
                    self.offset += next.len_utf8();
                }
            }
        }
    }

    /// The character after a backslash.
    fn escape(&mut self, escaped: char) -> Result<char, TypeError> {
        let plain = match escaped {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '"' | '\\' => escaped,
            'u' => {
                let digits = self.rest().get(2..6).unwrap_or_default();
                let code = u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32);
                let Some(code) = code else {
                    return Err(self.fail(
                        "`\\u` must be followed by the four hexadecimal digits of a character",
                    ));
                };
                self.offset += 6;
                return Ok(code);
            }
            _ => return Err(self.fail(format!("`\\{escaped}` is not a valid escape"))),
        };
        self.offset += 2;
        Ok(plain)
    }
}

fn unknown_type(word: &str) -> String {
    let hint = match word {
        "" => return "a type is required".to_owned(),
        "dynamic" => "; HCL calls it `any`",
        "str" | "text" | "String" => "; did you mean `string`?",
        "int" | "integer" | "float" | "double" => "; did you mean `number`?",
        "boolean" => "; did you mean `bool`?",
        "array" => "; did you mean `list`?",
        "dict" | "hash" => "; did you mean `map`?",
        "optional" => "; only an attribute of an object can be optional",
        _ => "; types are string, number, bool, any, list, set, map, tuple and object",
    };
    format!("`{word}` is not a type{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints() {
        for (text, printed) in [
            ("string", "string"),
            (" list( number ) ", "list(number)"),
            ("map(any)", "map(any)"),
            ("tuple([])", "tuple([])"),
            ("tuple([string,bool,])", "tuple([string, bool])"),
            ("object({})", "object({})"),
            ("object({k=string})", "object({ k = string })"),
            (
                "object({b=number,a=optional(set(string))})",
                "object({ a = optional(set(string)), b = number })",
            ),
            (
                "object({\n  b = number # how many\n  /* or */ a = bool // yes\n})",
                "object({ a = bool, b = number })",
            ),
            (
                r#"object({"a b" = string, "${x}$${y}" = any})"#,
                r#"object({ "$${x}$${y}" = any, "a b" = string })"#,
            ),
            (
                r#"object({"\u0041\n\"" = string})"#,
                r#"object({ "A\n\"" = string })"#,
            ),
        ] {
            let ty: Type = text
                .parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(ty.to_string(), printed);
            assert_eq!(printed.parse::<Type>().as_ref(), Ok(&ty));
        }
    }

    #[test]
    fn says_where_it_is_wrong() {
        for (text, message, line, column) in [
            ("", "a type is required", 1, 1),
            (
                "list",
                "`(` is required after `list`, as in `list(string)`,",
                1,
                5,
            ),
            (
                "list(int)",
                "`int` is not a type; did you mean `number`?",
                1,
                6,
            ),
            (
                "object({\n  a = stringy\n})",
                "`stringy` is not a type; types are string, number, bool, any, list, set, map, tuple and object",
                2,
                7,
            ),
            (
                "object({a=string b=number})",
                "`}` is required or a comma after an attribute",
                1,
                18,
            ),
            (
                "object({a=string,a=number})",
                "the attribute \"a\" is defined twice",
                1,
                18,
            ),
            ("string string", "a type ends here, but more follows", 1, 8),
            (
                "object({\"a=string})",
                "the quoted name does not end",
                1,
                20,
            ),
        ] {
            let error = text.parse::<Type>().unwrap_err();
            assert_eq!(
                (error.message.as_str(), error.line, error.column),
                (message, line, column),
                "{text}"
            );
        }
    }

    #[test]
    fn stops_at_the_depth_limit() {
        let nested = |depth: usize| format!("{}string{}", "list(".repeat(depth), ")".repeat(depth));
        assert!(nested(TYPE_DEPTH - 1).parse::<Type>().is_ok());
        let error = nested(100_000).parse::<Type>().unwrap_err();
        assert_eq!(
            error.message,
            "the type is nested more than 128 levels deep"
        );
    }
}
