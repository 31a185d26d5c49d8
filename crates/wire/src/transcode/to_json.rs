//! From msgpack to JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{ExtContent, ExtName};
use crate::msgpack::{Reader, Token};

/// Writes values as they are read.
pub(super) struct Writer<'a> {
    pub(super) out: String,
    pub(super) names: &'a [ExtName],
}

impl Writer<'_> {
    /// Writes the next value. `None` if it is not msgpack, or nested too deeply.
    pub(super) fn value(&mut self, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match reader.token()? {
            Token::Nil => self.out.push_str("null"),
            Token::Bool(value) => self.out.push_str(if value { "true" } else { "false" }),
            Token::Unsigned(number) => self.out.push_str(itoa::Buffer::new().format(number)),
            Token::Negative(number) => self.out.push_str(itoa::Buffer::new().format(number)),
            Token::Float(number) => match number {
                _ if number.is_nan() => self.out.push_str(r#"{"$float":"NaN"}"#),
                f64::INFINITY => self.out.push_str(r#"{"$float":"Infinity"}"#),
                f64::NEG_INFINITY => self.out.push_str(r#"{"$float":"-Infinity"}"#),
                _ => self.out.push_str(&serde_json::to_string(&number).ok()?),
            },
            Token::Str(text) => match std::str::from_utf8(text) {
                Ok(text) => self.out.push_str(&serde_json::to_string(text).ok()?),
                Err(_) => self.base64(r#"{"$binary":""#, text, r#""}"#),
            },
            Token::Bin(bytes) => self.base64(r#"{"$binary":""#, bytes, r#""}"#),
            Token::Ext(code, bytes) => self.ext(code, bytes, depth),
            Token::Array(length) => {
                self.out.push('[');
                for index in 0..length {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.value(reader, depth)?;
                }
                self.out.push(']');
            }
            Token::Map(length) if has_text_keys(reader, length)? => {
                self.out.push('{');
                for index in 0..length {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.value(reader, depth)?;
                    self.out.push(':');
                    self.value(reader, depth)?;
                }
                self.out.push('}');
            }
            Token::Map(length) => self.spelled_map(reader, length, depth)?,
        }
        Some(())
    }

    /// A map that JSON cannot express, or that could be mistaken for something else.
    fn spelled_map(&mut self, reader: &mut Reader<'_>, length: u32, depth: usize) -> Option<()> {
        self.out.push_str(r#"{"$map":["#);
        for index in 0..length {
            self.out.push_str(if index > 0 { ",[" } else { "[" });
            self.value(reader, depth)?;
            self.out.push(',');
            self.value(reader, depth)?;
            self.out.push(']');
        }
        self.out.push_str("]}");
        Some(())
    }

    /// A map whose keys have names. If one of them has none, the map is written as any other.
    fn named_map(&mut self, reader: &mut Reader<'_>, names: &Names, depth: usize) -> Option<()> {
        let start = reader.clone();
        let Token::Map(length) = reader.token()? else {
            return None;
        };
        let inner = depth.checked_sub(1)?;
        match keys_of(reader, length, names)? {
            Keys::Named => {
                self.out.push('{');
                for index in 0..length {
                    let Token::Unsigned(key) = reader.token()? else {
                        return None;
                    };
                    let (_, name) = names.iter().find(|(known, _)| *known == key)?;
                    let separator = if index > 0 { "," } else { "" };
                    self.out.push_str(&format!("{separator}\"{name}\":"));
                    self.value(reader, inner)?;
                }
                self.out.push('}');
                Some(())
            }
            Keys::LikeNames => self.spelled_map(reader, length, inner),
            Keys::Other => {
                *reader = start;
                self.value(reader, depth)
            }
        }
    }

    fn ext(&mut self, code: i8, bytes: &[u8], depth: usize) {
        let start = self.out.len();
        for named in self.names.iter().filter(|named| named.code == code) {
            if self.named_ext(named, bytes, depth).is_some() {
                return;
            }
            self.out.truncate(start);
        }
        self.base64(&format!(r#"{{"$ext":[{code},""#), bytes, r#""]}"#);
    }

    /// `None` if the bytes are not what the name stands for; part of it may have been written.
    fn named_ext(&mut self, named: &ExtName, bytes: &[u8], depth: usize) -> Option<()> {
        self.out.push_str("{\"");
        self.out.push_str(named.name);
        self.out.push_str("\":");
        match named.content {
            ExtContent::Fixed(fixed) => (bytes == fixed).then(|| self.out.push_str("true"))?,
            ExtContent::Map(names) => {
                let mut reader = Reader::new(bytes);
                self.named_map(&mut reader, names, depth)?;
                (reader.position() == bytes.len()).then_some(())?;
            }
        }
        self.out.push('}');
        Some(())
    }

    fn base64(&mut self, before: &str, bytes: &[u8], after: &str) {
        self.out.push_str(before);
        STANDARD.encode_string(bytes, &mut self.out);
        self.out.push_str(after);
    }
}

type Names = [(u64, &'static str)];

/// The keys of a map whose keys may have names.
enum Keys {
    /// All of them are numbers that have names.
    Named,
    /// One of them is a text that is a name as well.
    LikeNames,
    Other,
}

fn keys_of(reader: &Reader<'_>, length: u32, names: &Names) -> Option<Keys> {
    let mut reader = reader.clone();
    let (mut are_named, mut is_like_name) = (length > 0, false);
    for _ in 0..length {
        let key = reader.clone().token()?;
        reader.skip()?;
        let is = |(number, name): &(u64, &str)| match key {
            Token::Unsigned(key) => *number == key,
            Token::Str(text) => text == name.as_bytes(),
            _ => false,
        };
        let has_name = names.iter().any(is);
        are_named &= has_name && matches!(key, Token::Unsigned(_));
        is_like_name |= has_name && matches!(key, Token::Str(_));
        reader.skip()?;
    }
    Some(match (are_named, is_like_name) {
        (true, _) => Keys::Named,
        (false, true) => Keys::LikeNames,
        (false, false) => Keys::Other,
    })
}

/// Whether all keys of the map that starts here are strings, and none of them could be mistaken for
/// a `$` spelling.
fn has_text_keys(reader: &Reader<'_>, length: u32) -> Option<bool> {
    let mut reader = reader.clone();
    for _ in 0..length {
        match reader.token()? {
            Token::Str(text) if std::str::from_utf8(text).is_err() => return Some(false),
            Token::Str(text) if length == 1 && text.starts_with(b"$") => return Some(false),
            Token::Str(_) => {}
            _ => return Some(false),
        }
        reader.skip()?;
    }
    Some(true)
}
