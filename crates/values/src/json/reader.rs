//! Reading JSON piece by piece.

use std::borrow::Cow;

use crate::error::{Error, Problem};
use crate::limits::Limits;

/// One value, or the beginning of one.
pub(crate) enum Token<'a> {
    Null,
    Bool(bool),
    /// The number as it is written.
    Number(&'a str),
    String(Cow<'a, str>),
    /// Elements follow, see [`Reader::next_element`].
    Array,
    /// Properties follow, see [`Reader::next_key`].
    Object,
}

impl Token<'_> {
    /// What it is, for error messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Token::Null => "null",
            Token::Bool(_) => "a bool",
            Token::Number(_) => "a number",
            Token::String(_) => "a string",
            Token::Array => "an array",
            Token::Object => "an object",
        }
    }
}

/// What is wrong with the JSON, and at which byte.
pub(crate) struct Fault {
    pub(crate) message: Cow<'static, str>,
    pub(crate) offset: usize,
}

#[derive(Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// How many more levels may be entered.
    depth: usize,
    limit: usize,
    /// An array or object was just entered, so no comma is due.
    is_first: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], limits: Limits) -> Result<Reader<'a>, Problem> {
        limits.check_size(bytes)?;
        Ok(Reader::with_depth(bytes, limits.depth.saturating_mul(2)))
    }

    pub(crate) fn with_depth(bytes: &'a [u8], depth: usize) -> Reader<'a> {
        Reader {
            bytes,
            offset: 0,
            depth,
            limit: depth,
            is_first: false,
        }
    }

    /// Where the next byte is read.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    pub(crate) fn fail(&self, message: impl Into<Cow<'static, str>>) -> Fault {
        Fault {
            message: message.into(),
            offset: self.offset,
        }
    }

    /// The fault as a problem with a place in the text.
    pub(crate) fn error(&self, fault: Fault) -> Error {
        let before = &self.bytes[..fault.offset.min(self.bytes.len())];
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let problem = Problem::Json {
            message: fault.message.into_owned(),
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: before.len() - line_start + 1,
        };
        problem.into()
    }

    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.offset) {
            self.offset += 1;
        }
        self.bytes.get(self.offset).copied()
    }

    /// The next value, or where it begins.
    pub(crate) fn value(&mut self) -> Result<Token<'a>, Fault> {
        match self.peek() {
            Some(b'"') => Ok(Token::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => Ok(Token::Number(self.number()?)),
            Some(b'[') => self.enter().map(|()| Token::Array),
            Some(b'{') => self.enter().map(|()| Token::Object),
            Some(b'n') => self.word("null").map(|()| Token::Null),
            Some(b't') => self.word("true").map(|()| Token::Bool(true)),
            Some(b'f') => self.word("false").map(|()| Token::Bool(false)),
            Some(_) => Err(self.fail("a JSON value is required here")),
            None => Err(self.fail("the JSON ends where a value is required")),
        }
    }

    fn enter(&mut self) -> Result<(), Fault> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(self.fail(format!(
                "the JSON is nested more than {} levels deep",
                self.limit
            )));
        };
        self.depth = depth;
        self.offset += 1;
        self.is_first = true;
        Ok(())
    }

    /// Whether another element of the array follows. If not, the array is closed.
    pub(crate) fn next_element(&mut self) -> Result<bool, Fault> {
        self.next_item(b']', "`,` or `]` is required after an element")
    }

    /// The key of the next property of the object, if another one follows.
    pub(crate) fn next_key(&mut self) -> Result<Option<Cow<'a, str>>, Fault> {
        if !self.next_item(b'}', "`,` or `}` is required after a property")? {
            return Ok(None);
        }
        if self.peek() != Some(b'"') {
            return Err(self.fail("a property begins with its name in quotes"));
        }
        let key = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.fail("`:` is required after a property's name"));
        }
        self.offset += 1;
        Ok(Some(key))
    }

    fn next_item(&mut self, end: u8, message: &'static str) -> Result<bool, Fault> {
        let is_first = std::mem::take(&mut self.is_first);
        match self.peek() {
            Some(byte) if byte == end => {
                self.offset += 1;
                self.depth += 1;
                Ok(false)
            }
            Some(b',') if !is_first => {
                self.offset += 1;
                if self.peek() == Some(end) {
                    return Err(self.fail("a trailing comma is not allowed"));
                }
                Ok(true)
            }
            Some(_) if is_first => Ok(true),
            Some(_) => Err(self.fail(message)),
            None => Err(self.fail("the JSON ends inside an array or object")),
        }
    }

    /// Skips the next value.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        match self.value()? {
            Token::Array => {
                while self.next_element()? {
                    self.skip()?;
                }
            }
            Token::Object => {
                while self.next_key()?.is_some() {
                    self.skip()?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Nothing but space follows.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.fail("the JSON value ends here, but more follows")),
        }
    }

    fn word(&mut self, word: &'static str) -> Result<(), Fault> {
        if !self.bytes[self.offset..].starts_with(word.as_bytes()) {
            return Err(self.fail("a JSON value is required here"));
        }
        self.offset += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<&'a str, Fault> {
        let start = self.offset;
        if self.bytes[self.offset] == b'-' {
            self.offset += 1;
        }
        if self.bytes.get(self.offset) == Some(&b'0') {
            self.offset += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.offset) == Some(&b'.') {
            self.offset += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.offset) {
            self.offset += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.offset) {
                self.offset += 1;
            }
            self.digits()?;
        }
        let digits = &self.bytes[start..self.offset];
        std::str::from_utf8(digits).map_err(|_| self.fail("a number is not ASCII"))
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let rest = &self.bytes[self.offset..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.fail("a digit is required here"));
        }
        self.offset += count;
        Ok(())
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.offset += 1;
        let start = self.offset;
        let mut unescaped: Option<Vec<u8>> = None;
        loop {
            let rest = &self.bytes[self.offset..];
            let plain = rest
                .iter()
                .take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f))
                .count();
            if let Some(text) = &mut unescaped {
                text.extend_from_slice(&rest[..plain]);
            }
            self.offset += plain;
            match rest.get(plain) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let so_far = &self.bytes[start..self.offset];
                    let text = unescaped.get_or_insert_with(|| so_far.to_vec());
                    let character = self.escape()?;
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(_) => return Err(self.fail("a control character in a string must be escaped")),
                None => return Err(self.fail("the JSON ends inside a string")),
            }
        }
        let end = self.offset;
        self.offset += 1;
        Ok(match unescaped {
            None => String::from_utf8_lossy(&self.bytes[start..end]),
            Some(text) => match String::from_utf8(text) {
                Ok(text) => Cow::Owned(text),
                Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
            },
        })
    }

    /// The character of an escape. Half a surrogate pair is U+FFFD, as peers in Go read it.
    fn escape(&mut self) -> Result<char, Fault> {
        let escaped = self.bytes.get(self.offset + 1).copied();
        let character = match escaped {
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(plain),
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.fail("this is not a valid JSON escape")),
        };
        self.offset += 2;
        Ok(character)
    }

    fn unicode_escape(&mut self) -> Result<char, Fault> {
        let Some(first) = self.hexadecimal(self.offset) else {
            return Err(self.fail("`\\u` needs four hexadecimal digits"));
        };
        self.offset += 6;
        if !(0xd800..0xdc00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        match self.hexadecimal(self.offset) {
            Some(second @ 0xdc00..0xe000) => {
                self.offset += 6;
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            _ => Ok(char::REPLACEMENT_CHARACTER),
        }
    }

    /// The four digits of a `\u` at this place.
    fn hexadecimal(&self, offset: usize) -> Option<u32> {
        let digits = self.bytes.get(offset..offset + 6)?.strip_prefix(b"\\u")?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}
