//! Bytes that come from outside, as they stand in an answer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// How many bytes of a file, a body or a stream come back in an answer, unless more is asked for.
///
/// An answer is one frame, and a frame over 16 MiB would end the connection: this leaves room for
/// two such contents, for their escapes, and for base64.
pub(crate) const LARGEST: u32 = 4 * 1024 * 1024;

/// Text where bytes are text, base64 where they are not. Replacing what is not UTF-8 would hand on
/// contents that were never written. Megabytes of control characters are not text either: JSON
/// takes six bytes for each.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) text: Option<String>,
    pub(crate) base64: Option<String>,
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Content {
        match String::from_utf8(bytes) {
            Ok(text) if escaped_length(&text) <= 2 * LARGEST as usize => Content {
                text: Some(text),
                base64: None,
            },
            Ok(text) => Content::binary(text.as_bytes()),
            Err(error) => Content::binary(error.as_bytes()),
        }
    }
}

impl Content {
    fn binary(bytes: &[u8]) -> Content {
        Content {
            text: None,
            base64: Some(encoded(bytes)),
        }
    }
}

/// How many bytes a text is in JSON, at most.
fn escaped_length(text: &str) -> usize {
    let length = |byte| match byte {
        b'"' | b'\\' => 2,
        0..b' ' => 6,
        _ => 1,
    };
    text.bytes().map(length).sum()
}

/// Bytes in base64.
pub(crate) fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// What base64 stands for.
pub(crate) fn decoded(text: &str) -> Result<Vec<u8>, base64::DecodeError> {
    STANDARD.decode(text)
}

/// The beginning of an output, for an error text: at most 400 bytes, and whole characters.
pub(crate) fn beginning(bytes: &[u8]) -> String {
    const SHOWN: usize = 400;
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end();
    let mut end = SHOWN;
    if text.len() <= end {
        return text.to_owned();
    }
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_and_bytes_stay_whole() {
        let text = Content::from("grüß".as_bytes().to_vec());
        assert_eq!(text.text.as_deref(), Some("grüß"));
        assert_eq!(text.base64, None);
        let bytes = Content::from(vec![0, 255]);
        assert_eq!(bytes.text, None);
        assert_eq!(bytes.base64.as_deref(), Some("AP8="));
        assert_eq!(decoded("AP8=").unwrap(), [0, 255]);
    }

    #[test]
    fn what_would_burst_a_frame_is_not_text() {
        let zeros = Content::from(vec![0; LARGEST as usize]);
        assert_eq!(zeros.text, None);
        assert!(zeros.base64.unwrap().starts_with("AAAA"));
        let quotes = Content::from(vec![b'"'; LARGEST as usize]);
        assert!(quotes.text.is_some());
    }

    #[test]
    fn a_beginning_is_cut_between_characters() {
        let long = "x".repeat(399) + "ü and more";
        assert_eq!(beginning(long.as_bytes()), "x".repeat(399) + "…");
        assert_eq!(beginning(b"short\n"), "short");
    }
}
