//! Where a JSON value ends: a validating scanner that allocates nothing and never recurses.
//!
//! `serde_json` reads a value into a type; a frame has to be cut before any type is known, and
//! within a limit of nesting, which its raw values do not have.

use std::fmt;
use std::ops::Range;

/// The deepest nesting the scanner can be asked to follow.
pub const MAX_DEPTH: usize = 1024;

/// What is wrong with a text that should be JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    pub at: usize,
    pub problem: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.problem, self.at)
    }
}

/// Checks that `bytes` are exactly one JSON value with blanks around it.
pub fn check(bytes: &[u8], depth: usize) -> Result<(), JsonError> {
    check_utf8(bytes)?;
    let mut scanner = Scanner::new(bytes, depth);
    scanner.value()?;
    scanner.end()
}

/// Checks that `bytes` are UTF-8, which most are by being ASCII.
pub fn check_utf8(bytes: &[u8]) -> Result<(), JsonError> {
    if bytes.is_ascii() {
        return Ok(());
    }
    std::str::from_utf8(bytes)
        .map(drop)
        .map_err(|error| JsonError {
            at: error.valid_up_to(),
            problem: "invalid UTF-8",
        })
}

/// Walks over JSON that is known to be UTF-8.
#[derive(Clone)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8], depth: usize) -> Scanner<'a> {
        Scanner {
            bytes,
            at: 0,
            depth: depth.clamp(1, MAX_DEPTH),
        }
    }

    fn fail<T>(&self, problem: &'static str) -> Result<T, JsonError> {
        Err(JsonError {
            at: self.at.min(self.bytes.len()),
            problem,
        })
    }

    /// How many bytes have been taken.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is no blank, without taking it.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Takes the next byte if it is `wanted`.
    pub fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    /// Only blanks may follow.
    pub fn end(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.fail("unexpected text after the value"),
        }
    }

    /// Walks the members of the object that starts here, handing out the places of key (without
    /// its quotes) and value.
    pub fn object(
        &mut self,
        mut member: impl FnMut(Range<usize>, Range<usize>),
    ) -> Result<(), JsonError> {
        if !self.take(b'{') {
            return self.fail("expected an object");
        }
        self.depth -= 1;
        let mut is_first = true;
        while self.another(b'}', &mut is_first)? {
            let key = self.key()?;
            member(key, self.value()?);
        }
        self.depth += 1;
        Ok(())
    }

    /// Walks the items of the array that starts here, handing out their places.
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
    pub fn deeper(&self, depth: usize) -> Result<usize, JsonError> {
        match depth.checked_sub(1) {
            Some(depth) => Ok(depth),
            None => self.fail("nested too deeply"),
        }
    }

    /// Whether another element follows in a container that has been opened; takes the comma before
    /// it, or the bracket that closes the container.
    pub fn another(&mut self, close: u8, is_first: &mut bool) -> Result<bool, JsonError> {
        let is_first = std::mem::take(is_first);
        if self.take(close) {
            return Ok(false);
        }
        if is_first || self.take(b',') {
            return Ok(true);
        }
        self.fail(match close {
            b'}' => "expected `,` or `}`",
            _ => "expected `,` or `]`",
        })
    }

    /// Takes `"key" :` and gives the place of what is between the quotes.
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
                if self.take(b',') {
                    if in_object {
                        self.key()?;
                    }
                    break;
                }
                if !self.take(if in_object { b'}' } else { b']' }) {
                    return self.fail(match (self.at == self.bytes.len(), in_object) {
                        (true, _) => "unexpected end",
                        (false, true) => "expected `,` or `}`",
                        (false, false) => "expected `,` or `]`",
                    });
                }
                open.count -= 1;
            }
        }
    }

    /// Takes a value that starts with this byte and holds no others.
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

    fn string(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        loop {
            self.skip_plain();
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..0x20) => return self.fail("control character in a string"),
                // Too close to the end to be skipped together with others.
                Some(_) => self.at += 1,
                None => return self.fail("unterminated string"),
            }
        }
    }

    /// Skips what is plain in a string, many bytes at once; it may stop early.
    fn skip_plain(&mut self) {
        // Most strings are short: a word tells exactly where they end.
        for _ in 0..4 {
            let Some(&word) = self.bytes[self.at..].first_chunk::<8>() else {
                return;
            };
            let special = special_bytes(u64::from_le_bytes(word));
            if special != 0 {
                self.at += special.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }
        // The others are mostly plain: the compiler turns this into vector instructions.
        while let Some(chunk) = self.bytes[self.at..].first_chunk::<32>() {
            let is_plain = chunk
                .iter()
                .fold(true, |plain, &byte| plain & !is_special(byte));
            if !is_plain {
                return;
            }
            self.at += 32;
        }
    }

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

    fn skip_if(&mut self, wanted: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return self.fail("invalid number");
        }
        self.at += count;
        Ok(())
    }

    fn literal(&mut self, literal: &[u8]) -> Result<(), JsonError> {
        if !self.bytes[self.at..].starts_with(literal) {
            return self.fail("expected a value");
        }
        self.at += literal.len();
        Ok(())
    }
}

/// The high bit of the first byte in `word` that ends or escapes a string; bits above it may be
/// wrong.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let below = |word: u64, limit: u64| word.wrapping_sub(limit * ONES) & !word & HIGH;
    let quote = below(word ^ (u64::from(b'"') * ONES), 1);
    let backslash = below(word ^ (u64::from(b'\\') * ONES), 1);
    quote | backslash | below(word, 0x20)
}

fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
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

/// The text of a JSON string, given what is between its quotes.
pub fn unescape(bytes: &[u8]) -> Option<std::borrow::Cow<'_, str>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if !bytes.contains(&b'\\') {
        return Some(text.into());
    }
    serde_json::from_str::<String>(&format!("\"{text}\""))
        .ok()
        .map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_serde_json_on_odd_texts() {
        for text in [
            "",
            " ",
            "{",
            "}",
            "[",
            "[]",
            "[1",
            "[1,]",
            "[1 2]",
            "{}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":1}",
            "{a:1}",
            "nul",
            "null",
            "nulll",
            "tru",
            "-",
            "-0",
            "01",
            "1.",
            "1.5",
            "1e",
            "1e+5",
            "1E-5",
            "+1",
            ".5",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u0041\"",
            "\"a\nb\"",
            "[[]]",
            "[{}]",
            "[{\"a\":[1,{\"b\":null}]}]",
            " [ 1 , 2 ] ",
            "[}",
            "{]",
            "1 1",
            "\"é\"",
            "\u{feff}1",
            "[1]x",
            "{\"a\":1 \"b\":2}",
            "{\"a\",1}",
        ] {
            assert_eq!(
                check(text.as_bytes(), 128).is_ok(),
                serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(),
                "{text}"
            );
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(check(nested(128).as_bytes(), 128).is_ok());
        let error = check(nested(129).as_bytes(), 128).unwrap_err();
        assert_eq!(error.problem, "nested too deeply");
        assert!(check("[".repeat(1_000_000).as_bytes(), usize::MAX).is_err());
    }

    #[test]
    fn members_are_found_in_place() {
        let text = br#" { "a" : [1, 2] , "b":"x\"y" } "#;
        let mut found = Vec::new();
        let mut scanner = Scanner::new(text, 128);
        scanner
            .object(|key, value| found.push((&text[key], &text[value])))
            .unwrap();
        scanner.end().unwrap();
        assert_eq!(found, [(&b"a"[..], &b"[1, 2]"[..]), (b"b", br#""x\"y""#)]);
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in r#"[\[\]{}:,"0-9eE.\\+\-a tfn\n]{0,12}"#) {
            prop_assert_eq!(
                check(text.as_bytes(), 128).is_ok(),
                serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok()
            );
        }

        #[test]
        fn long_strings_end_where_they_end(text in "[a-z\\n\"\\\\]{0,100}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert!(check(json.as_bytes(), 1).is_ok());
            prop_assert!(check(&json.as_bytes()[..json.len() - 1], 1).is_err());
        }
    }
}
