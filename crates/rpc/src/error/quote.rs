//! What errors quote of the bytes that a peer sent.

use std::fmt;
use std::sync::Arc;

use crate::dialect::Dialect;

/// Masks secrets in bytes before they are quoted. The second argument says whether the bytes were cut,
/// possibly in the middle of a secret.
pub type Redact = Arc<dyn Fn(&[u8], bool) -> Vec<u8> + Send + Sync>;

/// The first bytes of something unexpected, made printable: text as quoted text,
/// anything else as hex.
#[derive(Clone, PartialEq, Eq)]
pub struct Quote {
    shown: String,
    /// More than is shown, so that a secret can be masked that is shown in part.
    start: Vec<u8>,
}

impl Quote {
    /// How many bytes are shown.
    pub const LENGTH: usize = 120;

    /// How many bytes are kept.
    pub(crate) const KEPT: usize = 1024;

    /// This many readable characters at the start count as text.
    const TEXT: usize = 8;

    /// Quotes the beginning of `bytes`.
    pub fn of(bytes: &[u8]) -> Quote {
        let start = bytes[..bytes.len().min(Quote::KEPT)].to_vec();
        Quote {
            shown: Quote::shown(&start),
            start,
        }
    }

    /// The same with secrets masked. They are masked before the bytes are cut, so that no part of one is
    /// left.
    pub fn redacted(self, redact: &Redact) -> Quote {
        let redacted = redact(&self.start, self.start.len() >= Quote::KEPT);
        match redacted == self.start {
            true => self,
            false => Quote::of(&redacted),
        }
    }

    fn shown(bytes: &[u8]) -> String {
        let start = &bytes[..bytes.len().min(Quote::LENGTH)];
        let text = match std::str::from_utf8(start) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
        };
        let is_readable = |c: char| !c.is_control() || c.is_ascii_whitespace();
        let end = text.find(|c| !is_readable(c)).unwrap_or(text.len());
        // Readable text with something else after it was printed by a program; a few letters in
        // binary data were not.
        if end == bytes.len() || end >= Quote::TEXT {
            let rest = if end < bytes.len() { "…" } else { "" };
            return format!("{:?}{rest}", &text[..end]);
        }
        let hex: Vec<String> = start.iter().take(32).map(|b| format!("{b:02x}")).collect();
        let rest = if bytes.len() > 32 { " …" } else { "" };
        format!("bytes {}{rest}", hex.join(" "))
    }

    /// The dialect that this may be in, if it looks like one.
    pub fn dialect(&self) -> Option<Dialect> {
        let text = self.shown.strip_prefix('"');
        let begins = |start: &str| {
            let found = text.and_then(|text| text.get(..start.len()));
            found.is_some_and(|found| found.eq_ignore_ascii_case(start))
        };
        let hex = self.shown.strip_prefix("bytes ");
        let first = hex.and_then(|hex| hex.get(..2));
        if begins("Content-Length:") {
            Some(Dialect::JsonRpcHeaders)
        } else if begins("{") && self.shown.contains("\\\"jsonrpc\\\"") {
            Some(Dialect::JsonRpcLines)
        } else if first.is_some_and(|first| first.starts_with('9') || first == "dc") {
            Some(Dialect::MsgpackRpc)
        } else {
            None
        }
    }
}

impl fmt::Display for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Only what is shown: the rest may hold secrets.
impl fmt::Debug for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Quote").field(&self.shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_shows_the_dialect() {
        let dialect = |bytes: &[u8]| Quote::of(bytes).dialect();
        assert_eq!(
            dialect(b"Content-Length: 12\r\n"),
            Some(Dialect::JsonRpcHeaders)
        );
        let line = br#"{"jsonrpc":"2.0","id":1}"#;
        assert_eq!(dialect(line), Some(Dialect::JsonRpcLines));
        assert_eq!(dialect(b"\x94\x01\x01\xc0\x01"), Some(Dialect::MsgpackRpc));
        assert_eq!(dialect(b"hello"), None);
        assert_eq!(dialect(br#"{"a":1}"#), None);
    }

    #[test]
    fn quotes_are_printable_and_short() {
        assert_eq!(
            Quote::of(b"Hello from a plugin\n").to_string(),
            "\"Hello from a plugin\\n\""
        );
        assert_eq!(Quote::of(b"\x00\x01").to_string(), "bytes 00 01");
        let long = "é".repeat(200);
        assert!(Quote::of(long.as_bytes()).to_string().ends_with("é\"…"));
        assert!(
            Quote::of(&[0xff; 500]).to_string().len() < 120,
            "hex is cut as well"
        );
    }

    #[test]
    fn a_quote_is_masked_before_it_is_cut() {
        let redact: Redact = Arc::new(|bytes, is_cut| {
            let text = String::from_utf8_lossy(bytes).replace("secret", "***");
            let cut = text.strip_suffix("sec").filter(|_| is_cut);
            cut.map_or(text.clone(), |cut| format!("{cut}***"))
                .into_bytes()
        });
        let shown = |text: &str| Quote::of(text.as_bytes()).redacted(&redact).to_string();
        // Where it is shown in part, it is masked whole.
        let text = format!("{}secret", "x".repeat(Quote::LENGTH - 3));
        assert_eq!(shown(&text), format!("\"{}***\"", "x".repeat(117)));
        // Bytes that are shown in hex are masked before that.
        assert_eq!(shown("\u{1}secret"), "bytes 01 2a 2a 2a");
        let text = format!("{}secret", " ".repeat(Quote::KEPT - 3));
        let quote = Quote::of(text.as_bytes()).redacted(&redact);
        assert!(quote.start.ends_with(b"***"), "{quote:?}");
        assert_eq!(shown("a sec"), "\"a sec\"");
    }
}
