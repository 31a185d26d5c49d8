//! Strings as cty has them: Unicode text in normal form C.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smol_str::SmolStr;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A string in normal form C. Short ones are kept inline, long ones are shared: a clone copies no
/// bytes.
///
/// Nearly always UTF-8. A msgpack peer may send bytes that are not, and they are kept as they are,
/// so that what passes through comes out unchanged.
#[derive(Clone)]
pub struct Text(Content);

#[derive(Clone)]
enum Content {
    Utf8(SmolStr),
    Bytes(Arc<[u8]>),
}

impl Text {
    /// The text in normal form C.
    #[inline]
    pub fn new(text: &str) -> Text {
        // Nearly all text is ASCII, and all ASCII is normal.
        match text.is_ascii() {
            true => Text(Content::Utf8(SmolStr::new(text))),
            false => Text::normalizing(text),
        }
    }

    fn normalizing(text: &str) -> Text {
        match normalized(text) {
            Cow::Borrowed(text) => Text(Content::Utf8(SmolStr::new(text))),
            Cow::Owned(text) => Text(Content::Utf8(SmolStr::from(text))),
        }
    }

    /// The text of these bytes. Bytes that are not UTF-8 stay; the text around them is normalised.
    pub fn from_bytes(bytes: &[u8]) -> Text {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Text::new(text);
        }
        let mut kept = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            kept.extend_from_slice(normalized(chunk.valid()).as_bytes());
            kept.extend_from_slice(chunk.invalid());
        }
        Text(Content::Bytes(kept.into()))
    }

    /// The text, or nothing where its bytes are not UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Content::Utf8(text) => Some(text),
            Content::Bytes(_) => None,
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Content::Utf8(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// The text to show: invalid UTF-8 becomes U+FFFD.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Content::Utf8(text) => Cow::Borrowed(text),
            Content::Bytes(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    /// The longest part of this text, from its start, that is sure to stay whatever is written
    /// behind it.
    ///
    /// A last letter may still take an accent, a last emoji a skin tone; both are cut off. A last
    /// delimiter as machines use them, such as `-` or `/`, stays.
    #[must_use]
    pub fn safe_prefix(&self) -> Text {
        match self.as_str() {
            Some(text) => Text(Content::Utf8(crate::prefix::safe(text).into())),
            None => Text::from_bytes(crate::prefix::safe_bytes(self.as_bytes())),
        }
    }
}

/// The text in normal form C, without a copy where it already is.
pub(crate) fn normalized(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::new(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::new(&text)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_string_lossy())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.to_string_lossy(), formatter)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Text) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By bytes, which for UTF-8 is the order of the code points.
impl Ord for Text {
    fn cmp(&self, other: &Text) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composes() {
        assert_eq!(Text::new("e\u{301}").as_str(), Some("\u{e9}"));
        assert_eq!(Text::new("plain").as_str(), Some("plain"));
    }

    #[test]
    fn keeps_what_is_not_utf_8() {
        let text = Text::from_bytes(b"e\xcc\x81\xffe\xcc\x81");
        assert_eq!(text.as_str(), None);
        assert_eq!(text.as_bytes(), b"\xc3\xa9\xff\xc3\xa9");
        assert_eq!(text.to_string(), "\u{e9}\u{fffd}\u{e9}");
    }

    #[test]
    fn is_small() {
        assert!(size_of::<Text>() <= 24, "{}", size_of::<Text>());
    }
}
