//! From msgpack to JSON and back, for people and for proxies between dialects.
//!
//! What JSON has no form for is spelled out in an object with one `$` member:
//!
//! | msgpack | JSON |
//! |---|---|
//! | bin, or a str that is not UTF-8 | `{"$binary":"<base64>"}` |
//! | ext | `{"$ext":[type,"<base64>"]}` |
//! | ext 0 with one zero byte: an unknown value of Terraform's type system | `{"$unknown":true}` |
//! | ext 12 with a map inside: an unknown value about which something is known | `{"$unknown":{..}}` |
//! | NaN and infinities | `{"$float":"NaN"}`, `"Infinity"`, `"-Infinity"` |
//! | a map with keys that are no text | `{"$map":[[key,value],..]}` |

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use crate::json::{self, Scanner};
use crate::msgpack::{Reader, Token, write};

/// Both directions walk the value with a function that calls itself; this keeps the stack small.
const DEPTH: usize = 256;

/// A level of msgpack may take three of JSON, and the way back must not be refused.
const JSON_DEPTH: usize = json::MAX_DEPTH;

const UNKNOWN: i8 = 0;
const REFINED_UNKNOWN: i8 = 12;

/// Bytes that are not valid in their own format, or that the other format cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct TranscodeError {
    problem: String,
}

impl TranscodeError {
    fn new(problem: impl ToString) -> TranscodeError {
        TranscodeError {
            problem: problem.to_string(),
        }
    }
}

/// JSON text that stands for a msgpack value.
///
/// # Errors
/// The bytes are not one msgpack value, or it is nested too deeply.
pub fn msgpack_to_json(bytes: &[u8]) -> Result<String, TranscodeError> {
    let mut out = String::with_capacity(bytes.len() * 2);
    let mut reader = Reader::new(bytes);
    write_json(&mut reader, &mut out, DEPTH)
        .filter(|()| reader.position() == bytes.len())
        .ok_or_else(|| TranscodeError::new("not one msgpack value within the limits"))?;
    Ok(out)
}

fn write_json(reader: &mut Reader<'_>, out: &mut String, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match reader.token()? {
        Token::Nil => out.push_str("null"),
        Token::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Token::Unsigned(number) => out.push_str(itoa::Buffer::new().format(number)),
        Token::Negative(number) => out.push_str(itoa::Buffer::new().format(number)),
        Token::Float(number) => match number {
            _ if number.is_nan() => out.push_str(r#"{"$float":"NaN"}"#),
            f64::INFINITY => out.push_str(r#"{"$float":"Infinity"}"#),
            f64::NEG_INFINITY => out.push_str(r#"{"$float":"-Infinity"}"#),
            _ => out.push_str(&serde_json::to_string(&number).ok()?),
        },
        Token::Str(text) => match std::str::from_utf8(text) {
            Ok(text) => out.push_str(&serde_json::to_string(text).ok()?),
            Err(_) => write_base64(out, r#"{"$binary":""#, text, r#""}"#),
        },
        Token::Bin(bytes) => write_base64(out, r#"{"$binary":""#, bytes, r#""}"#),
        Token::Ext(UNKNOWN, [0]) => out.push_str(r#"{"$unknown":true}"#),
        Token::Ext(kind, bytes) => {
            let refinements = (kind == REFINED_UNKNOWN)
                .then(|| refinements_to_json(bytes, depth))
                .flatten();
            match refinements {
                Some(text) => {
                    out.push_str(r#"{"$unknown":"#);
                    out.push_str(&text);
                    out.push('}');
                }
                None => write_base64(out, &format!(r#"{{"$ext":[{kind},""#), bytes, r#""]}"#),
            }
        }
        Token::Array(length) => {
            out.push('[');
            for index in 0..length {
                if index > 0 {
                    out.push(',');
                }
                write_json(reader, out, depth)?;
            }
            out.push(']');
        }
        Token::Map(length) if has_text_keys(reader, length)? => {
            out.push('{');
            for index in 0..length {
                if index > 0 {
                    out.push(',');
                }
                write_json(reader, out, depth)?;
                out.push(':');
                write_json(reader, out, depth)?;
            }
            out.push('}');
        }
        Token::Map(length) => {
            out.push_str(r#"{"$map":["#);
            for index in 0..length {
                out.push_str(if index > 0 { ",[" } else { "[" });
                write_json(reader, out, depth)?;
                out.push(',');
                write_json(reader, out, depth)?;
                out.push(']');
            }
            out.push_str("]}");
        }
    }
    Some(())
}

fn refinements_to_json(bytes: &[u8], depth: usize) -> Option<String> {
    let mut reader = Reader::new(bytes);
    if !matches!(reader.clone().token()?, Token::Map(_)) {
        return None;
    }
    let mut text = String::new();
    write_json(&mut reader, &mut text, depth)?;
    (reader.position() == bytes.len()).then_some(text)
}

fn write_base64(out: &mut String, before: &str, bytes: &[u8], after: &str) {
    out.push_str(before);
    STANDARD.encode_string(bytes, out);
    out.push_str(after);
}

/// Whether all keys of the map that starts here are texts, and none of them could be taken for
/// one of the spellings above.
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

/// The msgpack value that JSON text stands for.
///
/// # Errors
/// The text is not JSON, is nested too deeply, or has a number or a `$` spelling that msgpack cannot
/// hold.
pub fn json_to_msgpack(text: &[u8]) -> Result<Vec<u8>, TranscodeError> {
    json::check(text, JSON_DEPTH).map_err(TranscodeError::new)?;
    let mut out = Vec::with_capacity(text.len());
    write_msgpack(text, &mut out, DEPTH).ok_or_else(|| {
        TranscodeError::new(
            "nested too deeply, a number that msgpack cannot hold, or a `$` spelling that is not valid",
        )
    })?;
    Ok(out)
}

/// `text` has been checked: it is one JSON value.
fn write_msgpack(text: &[u8], out: &mut Vec<u8>, depth: usize) -> Option<()> {
    let scanner = Scanner::new(text, JSON_DEPTH);
    Packer { text, scanner, out }.value(depth)
}

/// Walks the text, writing as it goes.
struct Packer<'a> {
    text: &'a [u8],
    scanner: Scanner<'a>,
    out: &'a mut Vec<u8>,
}

impl Packer<'_> {
    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.scanner.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            _ => {
                let place = self.scanner.value().ok()?;
                write_scalar(&self.text[place], self.out)
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.scanner.take(b'[');
        let (start, mut count, mut is_first) = (self.out.len(), 0, true);
        while self.scanner.another(b']', &mut is_first).ok()? {
            self.value(depth)?;
            count += 1;
        }
        let mut head = Vec::new();
        write::array(&mut head, count);
        self.out.splice(start..start, head);
        Some(())
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.scanner.take(b'{');
        let (start, mut count, mut is_first) = (self.out.len(), 0, true);
        while self.scanner.another(b'}', &mut is_first).ok()? {
            let key = &self.text[self.scanner.key().ok()?];
            if count == 0 && key.starts_with(b"$") {
                let before = self.scanner.clone();
                let value = self.scanner.value().ok()?;
                if self.scanner.take(b'}') {
                    return write_spelling(key, &self.text[value], self.out, depth);
                }
                self.scanner = before;
            }
            write::str(self.out, json::unescape(key)?.as_bytes());
            self.value(depth)?;
            count += 1;
        }
        let mut head = Vec::new();
        write::map(&mut head, count);
        self.out.splice(start..start, head);
        Some(())
    }
}

fn write_scalar(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    match text.first()? {
        b'n' => write::nil(out),
        b't' => out.push(0xc3),
        b'f' => out.push(0xc2),
        b'"' => write::str(out, json::unescape(&text[1..text.len() - 1])?.as_bytes()),
        _ => {
            let number = std::str::from_utf8(text).ok()?;
            match (number.parse::<u64>(), number.parse::<i64>()) {
                (Ok(number), _) => write::unsigned(out, number),
                (_, Ok(number)) if number != 0 => write::signed(out, number),
                _ => write::float(out, number.parse().ok().filter(|n: &f64| n.is_finite())?),
            }
        }
    }
    Some(())
}

fn write_spelling(key: &[u8], value: &[u8], out: &mut Vec<u8>, depth: usize) -> Option<()> {
    let bytes = |text: String| STANDARD.decode(text).ok();
    match key {
        b"$binary" => write::bin(out, &bytes(serde_json::from_slice(value).ok()?)?),
        b"$ext" => {
            let (kind, text) = serde_json::from_slice(value).ok()?;
            write::ext(out, kind, &bytes(text)?);
        }
        b"$unknown" if value == b"true" => write::ext(out, UNKNOWN, &[0]),
        b"$unknown" => {
            let mut refinements = Vec::new();
            // Refinements are keyed by number, so they come as `$map`.
            write_msgpack(value, &mut refinements, depth)?;
            write::ext(out, REFINED_UNKNOWN, &refinements);
        }
        b"$float" => write::float(
            out,
            match serde_json::from_slice::<&str>(value).ok()? {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                "-Infinity" => f64::NEG_INFINITY,
                _ => return None,
            },
        ),
        b"$map" => {
            let entries: Vec<(&RawValue, &RawValue)> = serde_json::from_slice(value).ok()?;
            write::map(out, entries.len());
            for (key, value) in entries {
                write_msgpack(key.get().as_bytes(), out, depth)?;
                write_msgpack(value.get().as_bytes(), out, depth)?;
            }
        }
        _ => {
            write::map(out, 1);
            write::str(out, json::unescape(key)?.as_bytes());
            write_msgpack(value, out, depth)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn both_ways(msgpack: &[u8], json: &str) {
        assert_eq!(msgpack_to_json(msgpack).unwrap(), json);
        assert_eq!(json_to_msgpack(json.as_bytes()).unwrap(), msgpack);
    }

    #[test]
    fn plain_values() {
        both_ways(b"\xc0", "null");
        both_ways(b"\x93\x01\xff\xc3", "[1,-1,true]");
        both_ways(b"\x82\xa1a\x01\xa1b\xa2hi", r#"{"a":1,"b":"hi"}"#);
        both_ways(b"\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a", "0.1");
        both_ways(
            b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
            "18446744073709551615",
        );
    }

    #[test]
    fn what_json_cannot_say_is_spelled_out() {
        both_ways(b"\xc4\x02hi", r#"{"$binary":"aGk="}"#);
        both_ways(b"\xd4\x05\x01", r#"{"$ext":[5,"AQ=="]}"#);
        both_ways(b"\xd4\x00\x00", r#"{"$unknown":true}"#);
        both_ways(
            b"\xc7\x03\x0c\x81\x01\xc2",
            r#"{"$unknown":{"$map":[[1,false]]}}"#,
        );
        both_ways(b"\xcb\x7f\xf0\0\0\0\0\0\0", r#"{"$float":"Infinity"}"#);
        both_ways(b"\x81\x01\x02", r#"{"$map":[[1,2]]}"#);
        // A map that looks like a spelling is spelled out itself, so that nothing is mistaken.
        both_ways(b"\x81\xa4$ext\x02", r#"{"$map":[["$ext",2]]}"#);
    }

    #[test]
    fn bad_spellings_and_bad_bytes_are_errors() {
        assert!(json_to_msgpack(br#"{"$binary":"?"}"#).is_err());
        assert!(json_to_msgpack(br#"{"$float":"1"}"#).is_err());
        assert!(json_to_msgpack(b"[").is_err());
        assert!(msgpack_to_json(b"\x92\x01").is_err());
        assert!(msgpack_to_json(b"\x01\x01").is_err());
        assert!(msgpack_to_json(&[0x91; 100_000]).is_err());
        assert!(json_to_msgpack("[".repeat(100_000).as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn random_bytes_are_survived_and_go_round(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(text) = msgpack_to_json(&bytes) {
                let again = json_to_msgpack(text.as_bytes()).unwrap();
                prop_assert_eq!(msgpack_to_json(&again).unwrap(), text);
            }
        }
    }
}
