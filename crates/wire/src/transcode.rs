//! From msgpack to JSON and back, for people and for proxies between dialects.
//!
//! Values that JSON cannot express are spelled out as an object with one `$` member:
//!
//! | msgpack | JSON |
//! |---|---|
//! | bin, or a str that is not UTF-8 | `{"$binary":"<base64>"}` |
//! | ext | `{"$ext":[type,"<base64>"]}`, or as its [`ExtName`] says |
//! | NaN and infinities | `{"$float":"NaN"}`, `"Infinity"`, `"-Infinity"` |
//! | a map whose keys are not all strings | `{"$map":[[key,value],..]}` |

mod to_json;
mod to_msgpack;

use crate::json;
use crate::msgpack::Reader;

/// Both directions walk the value recursively; this bounds the stack.
const DEPTH: usize = 256;

/// One level of msgpack may take three of JSON, and the way back must not be refused.
const JSON_DEPTH: usize = json::MAX_DEPTH;

/// An ext type that a protocol gives a spelling of its own: `{"$unknown":true}` instead of
/// `{"$ext":[0,"AA=="]}`. One name may stand for two types, one with each kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtName {
    /// The ext type.
    pub code: i8,
    /// The member in JSON: `$` and a word.
    pub name: &'static str,
    /// What the bytes of such a value are. Any other bytes are spelled as `$ext`.
    pub content: ExtContent,
}

/// The bytes of an ext value that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtContent {
    /// Always these bytes. JSON has `true`.
    Fixed(&'static [u8]),
    /// A map in msgpack, with names for keys that are numbers. JSON has that map with the names.
    Map(&'static [(u64, &'static str)]),
}

/// Bytes that are not valid in their own format, or that the other format cannot express.
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

/// Converts a msgpack value to JSON text.
///
/// # Errors
/// The bytes are not one msgpack value, or it is nested too deeply.
pub fn msgpack_to_json(bytes: &[u8], names: &[ExtName]) -> Result<String, TranscodeError> {
    let mut reader = Reader::new(bytes);
    let mut writer = to_json::Writer {
        out: String::with_capacity(bytes.len() * 2),
        names,
    };
    writer
        .value(&mut reader, DEPTH)
        .filter(|()| reader.position() == bytes.len())
        .ok_or_else(|| TranscodeError::new("not one msgpack value within the limits"))?;
    Ok(writer.out)
}

/// Converts JSON text to a msgpack value.
///
/// # Errors
/// The text is not JSON, is nested too deeply, or has a number or a `$` spelling that msgpack cannot
/// express.
pub fn json_to_msgpack(text: &[u8], names: &[ExtName]) -> Result<Vec<u8>, TranscodeError> {
    json::check(text, JSON_DEPTH).map_err(TranscodeError::new)?;
    let mut out = Vec::with_capacity(text.len());
    to_msgpack::write(text, &mut out, names, DEPTH).ok_or_else(|| {
        TranscodeError::new(
            "nested too deeply, a number that msgpack cannot express, or an invalid `$` spelling",
        )
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: &[ExtName] = &[
        ExtName {
            code: 0,
            name: "$unknown",
            content: ExtContent::Fixed(&[0]),
        },
        ExtName {
            code: 12,
            name: "$unknown",
            content: ExtContent::Map(&[(1, "null"), (2, "prefix")]),
        },
    ];

    #[track_caller]
    fn both_ways_with(names: &[ExtName], msgpack: &[u8], json: &str) {
        assert_eq!(msgpack_to_json(msgpack, names).unwrap(), json);
        assert_eq!(json_to_msgpack(json.as_bytes(), names).unwrap(), msgpack);
    }

    #[track_caller]
    fn both_ways(msgpack: &[u8], json: &str) {
        both_ways_with(NAMES, msgpack, json);
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
    fn values_that_json_cannot_express_are_spelled_out() {
        both_ways(b"\xc4\x02hi", r#"{"$binary":"aGk="}"#);
        both_ways(b"\xd4\x05\x01", r#"{"$ext":[5,"AQ=="]}"#);
        both_ways(b"\xd4\x00\x00", r#"{"$unknown":true}"#);
        both_ways(
            b"\xc7\x03\x0c\x81\x01\xc2",
            r#"{"$unknown":{"null":false}}"#,
        );
        both_ways(b"\xcb\x7f\xf0\0\0\0\0\0\0", r#"{"$float":"Infinity"}"#);
        both_ways(b"\x81\x01\x02", r#"{"$map":[[1,2]]}"#);
        // A map that looks like a spelling is spelled out itself, so that nothing is mistaken.
        both_ways(b"\x81\xa4$ext\x02", r#"{"$map":[["$ext",2]]}"#);
    }

    #[test]
    fn keys_of_a_named_map_have_names_where_all_of_them_do() {
        for (map, json) in [
            (
                &b"\x82\x01\xc2\x02\xa1a"[..],
                r#"{"null":false,"prefix":"a"}"#,
            ),
            (b"\x81\x07\xc2", r#"{"$map":[[7,false]]}"#),
            (b"\x82\x01\xc2\x07\xc2", r#"{"$map":[[1,false],[7,false]]}"#),
            // A text that looks like a name is not mistaken for it.
            (b"\x81\xa4null\xc2", r#"{"$map":[["null",false]]}"#),
            (b"\x81\xa5other\xc2", r#"{"other":false}"#),
            (b"\x80", "{}"),
        ] {
            let mut ext = Vec::new();
            crate::msgpack::write::ext(&mut ext, 12, map);
            both_ways(&ext, &format!(r#"{{"$unknown":{json}}}"#));
        }
        let inner = br#"{"$unknown":{"prefix":{"null":1}}}"#;
        let ext = json_to_msgpack(inner, NAMES).unwrap();
        assert_eq!(msgpack_to_json(&ext, NAMES).unwrap().as_bytes(), inner);
    }

    #[test]
    fn ext_types_without_a_name_are_spelled_by_their_number() {
        both_ways_with(&[], b"\xd4\x00\x00", r#"{"$ext":[0,"AA=="]}"#);
        both_ways_with(&[], b"\xc7\x03\x0c\x81\x01\xc2", r#"{"$ext":[12,"gQHC"]}"#);
        // A name that is not in the table is a key as any other.
        let map = b"\x81\xa8$unknown\xc3";
        assert_eq!(json_to_msgpack(br#"{"$unknown":true}"#, &[]).unwrap(), map);
        // With a name, other bytes than it stands for are kept as they are.
        both_ways(b"\xd4\x00\x01", r#"{"$ext":[0,"AQ=="]}"#);
        both_ways(b"\xd4\x0c\x01", r#"{"$ext":[12,"AQ=="]}"#);
        both_ways(b"\xd5\x0c\x81\x01", r#"{"$ext":[12,"gQE="]}"#);
    }

    #[test]
    fn bad_spellings_and_bad_bytes_are_errors() {
        assert!(json_to_msgpack(br#"{"$binary":"?"}"#, NAMES).is_err());
        assert!(json_to_msgpack(br#"{"$float":"1"}"#, NAMES).is_err());
        assert!(json_to_msgpack(b"[", NAMES).is_err());
        assert!(msgpack_to_json(b"\x92\x01", NAMES).is_err());
        assert!(msgpack_to_json(b"\x01\x01", NAMES).is_err());
        assert!(msgpack_to_json(&[0x91; 100_000], NAMES).is_err());
        assert!(json_to_msgpack("[".repeat(100_000).as_bytes(), NAMES).is_err());
    }

    proptest! {
        #[test]
        fn random_bytes_are_converted_there_and_back_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            for names in [&[], NAMES] {
                if let Ok(text) = msgpack_to_json(&bytes, names) {
                    let again = json_to_msgpack(text.as_bytes(), names).unwrap();
                    prop_assert_eq!(msgpack_to_json(&again, names).unwrap(), text);
                }
            }
        }
    }
}
