//! Walks over JSON text in place, without recursion.

use std::ops::Range;

use super::string::plain_length;
use super::{JsonError, MAX_DEPTH};

/// Walks over JSON. Whether its strings are UTF-8 is checked by [`check_utf8`](super::check_utf8), before or after.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    is_ascii: bool,
    has_line_breaks: bool,
}

impl<'a> Scanner<'a> {
    /// Starts at the first of `bytes`; values nested more than `depth` levels deep are errors.
    #[inline]
    pub fn new(bytes: &'a [u8], depth: usize) -> Scanner<'a> {
        Scanner {
            bytes,
            at: 0,
            depth: depth.clamp(1, MAX_DEPTH),
            is_ascii: true,
            has_line_breaks: false,
        }
    }

    fn fail<T>(&self, problem: &'static str) -> Result<T, JsonError> {
        Err(JsonError {
            at: self.at.min(self.bytes.len()),
            problem,
        })
    }

    /// How many bytes have been taken.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether everything that has been taken is ASCII, and so UTF-8.
    #[inline]
    pub fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    /// Whether there are line breaks in what has been taken: between values, as strings cannot have any.
    #[inline]
    pub fn has_line_breaks(&self) -> bool {
        self.has_line_breaks
    }

    /// The next byte that is not blank, without taking it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.has_line_breaks |= matches!(byte, b'\n' | b'\r');
            self.at += 1;
        }
        None
    }

    /// Takes the next byte if it is `wanted`.
    #[inline]
    pub fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    /// Only blanks may follow.
    ///
    /// # Errors
    /// Something else follows.
    #[inline]
    pub fn end(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.fail("unexpected text after the value"),
        }
    }

    /// Walks the members of the object that starts here, handing out the places of key (without
    /// its quotes) and value.
    ///
    /// # Errors
    /// There is no object here, or it is not valid.
    pub fn object(
        &mut self,
        mut member: impl FnMut(Range<usize>, Range<usize>),
    ) -> Result<(), JsonError> {
        self.object_with(|scanner, key| {
            member(key, scanner.value()?);
            Ok(())
        })
    }

    /// Walks the members of the object that starts here. The function gets the place of a key, and has to take the value
    /// from the scanner.
    ///
    /// # Errors
    /// There is no object here, it is not valid, or the function fails.
    pub fn object_with(
        &mut self,
        mut member: impl FnMut(&mut Self, Range<usize>) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        if !self.take(b'{') {
            return self.fail("expected an object");
        }
        self.depth = self.deeper(self.depth)?;
        let mut is_first = true;
        while self.another(b'}', &mut is_first)? {
            let key = self.key()?;
            member(self, key)?;
        }
        self.depth += 1;
        Ok(())
    }

    /// Walks the items of the array that starts here, handing out their places.
    ///
    /// # Errors
    /// There is no array here, or it is not valid.
    pub fn array(&mut self, mut item: impl FnMut(Range<usize>)) -> Result<(), JsonError> {
        if !self.take(b'[') {
            return self.fail("expected an array");
        }
        self.depth -= 1;
        let mut is_first = true;
        while self.another(b']', &mut is_first)? {
            item(self.value()?);
        }
        self.depth += 1;
        Ok(())
    }

    /// One level less than `depth`, if there is one.
    ///
    /// # Errors
    /// There is none: the text is nested too deeply.
    #[inline]
    pub fn deeper(&self, depth: usize) -> Result<usize, JsonError> {
        match depth.checked_sub(1) {
            Some(depth) => Ok(depth),
            None => self.fail("nested too deeply"),
        }
    }

    /// Whether another element follows in a container that has been opened; takes the comma before
    /// it, or the bracket that closes the container.
    ///
    /// # Errors
    /// Neither follows.
    #[inline]
    pub fn another(&mut self, close: u8, is_first: &mut bool) -> Result<bool, JsonError> {
        let (next, is_first) = (self.peek(), std::mem::take(is_first));
        if next == Some(close) {
            self.at += 1;
            Ok(false)
        } else if is_first {
            Ok(true)
        } else if next == Some(b',') {
            self.at += 1;
            Ok(true)
        } else {
            self.fail(match close {
                b'}' => "expected `,` or `}`",
                _ => "expected `,` or `]`",
            })
        }
    }

    /// Takes `"key" :` and gives the place of what is between the quotes.
    ///
    /// # Errors
    /// There is none here.
    #[inline]
    pub fn key(&mut self) -> Result<Range<usize>, JsonError> {
        if self.peek() != Some(b'"') {
            return self.fail("expected a member name");
        }
        let start = self.at + 1;
        self.string()?;
        let key = start..self.at - 1;
        if !self.take(b':') {
            return self.fail("expected `:`");
        }
        Ok(key)
    }

    /// Takes one value of any kind and gives its place.
    ///
    /// # Errors
    /// There is none here, or it is not valid.
    #[inline]
    pub fn value(&mut self) -> Result<Range<usize>, JsonError> {
        let first = self.peek();
        let start = self.at;
        if !matches!(first, Some(b'{' | b'[')) {
            self.scalar(first)?;
            return Ok(start..self.at);
        }
        let mut open = Containers::default();
        loop {
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    if open.count == self.depth {
                        return self.fail("nested too deeply");
                    }
                    self.at += 1;
                    let is_object = bracket == b'{';
                    open.push(is_object);
                    if self.take(if is_object { b'}' } else { b']' }) {
                        open.count -= 1;
                    } else {
                        if is_object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                other => self.scalar(other)?,
            }
            // A value just ended: close what it closes, and find out whether another follows.
            loop {
                let Some(in_object) = open.last() else {
                    return Ok(start..self.at);
                };
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if in_object {
                            self.key()?;
                        }
                        break;
                    }
                    Some(b'}') if in_object => {}
                    Some(b']') if !in_object => {}
                    None => return self.fail("unexpected end"),
                    Some(_) if in_object => return self.fail("expected `,` or `}`"),
                    Some(_) => return self.fail("expected `,` or `]`"),
                }
                self.at += 1;
                open.count -= 1;
            }
        }
    }

    /// Takes a value that starts with this byte and holds no others.
    #[inline]
    fn scalar(&mut self, first: Option<u8>) -> Result<(), JsonError> {
        match first {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            Some(_) => self.fail("expected a value"),
            None => self.fail("unexpected end"),
        }
    }

    #[inline]
    fn string(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        loop {
            let (length, is_ascii) = plain_length(&self.bytes[self.at..]);
            self.at += length;
            self.is_ascii &= is_ascii;
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fail("control character in a string"),
                None => return self.fail("unterminated string"),
            }
        }
    }

    #[inline]
    fn escape(&mut self) -> Result<(), JsonError> {
        let length = match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') => match self.bytes.get(self.at + 2..self.at + 6) {
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => 6,
                _ => return self.fail("invalid escape"),
            },
            _ => return self.fail("invalid escape"),
        };
        self.at += length;
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<(), JsonError> {
        self.skip_if(b'-');
        if !self.skip_if(b'0') {
            self.digits()?;
        }
        if self.skip_if(b'.') {
            self.digits()?;
        }
        if self.skip_if(b'e') || self.skip_if(b'E') {
            let _sign = self.skip_if(b'+') || self.skip_if(b'-');
            self.digits()?;
        }
        Ok(())
    }

    #[inline]
    fn skip_if(&mut self, wanted: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn digits(&mut self) -> Result<(), JsonError> {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return self.fail("invalid number");
        }
        self.at += count;
        Ok(())
    }

    #[inline]
    fn literal(&mut self, literal: &[u8]) -> Result<(), JsonError> {
        if !self.bytes[self.at..].starts_with(literal) {
            return self.fail("expected a value");
        }
        self.at += literal.len();
        Ok(())
    }
}

/// Which of the open brackets are objects: one bit each. Few values are nested so deeply that the
/// first bits do not do.
#[derive(Default)]
struct Containers {
    first: u128,
    rest: Vec<bool>,
    count: usize,
}

impl Containers {
    const FIRST: usize = 128;

    fn push(&mut self, is_object: bool) {
        if self.count < Containers::FIRST {
            let bit = 1 << self.count;
            self.first = self.first & !bit | u128::from(is_object) << self.count;
        } else {
            self.rest.truncate(self.count - Containers::FIRST);
            self.rest.push(is_object);
        }
        self.count += 1;
    }

    fn last(&self) -> Option<bool> {
        let index = self.count.checked_sub(1)?;
        match index.checked_sub(Containers::FIRST) {
            None => Some(self.first >> index & 1 == 1),
            Some(index) => self.rest.get(index).copied(),
        }
    }
}
