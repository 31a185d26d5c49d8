//! The last output of a program.

use std::collections::VecDeque;

/// The end of a text, up to a number of bytes.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
    is_truncated: bool,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Tail {
        Tail {
            bytes: VecDeque::new(),
            limit,
            is_truncated: false,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.is_truncated |= excess > 0 || kept.len() < bytes.len();
        self.bytes.drain(..excess.min(self.bytes.len()));
        self.bytes.extend(kept);
    }

    /// The text, from the beginning of a character on, and whether something before it is missing. A character that
    /// has not arrived completely is left out; what is not UTF-8 is replaced.
    pub(super) fn text(&self) -> (String, bool) {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let mut bytes = &bytes[..];
        if self.is_truncated {
            let is_continuation = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
            let cut = bytes.iter().take(3).take_while(is_continuation).count();
            bytes = &bytes[cut..];
        }
        if let Err(error) = std::str::from_utf8(bytes)
            && error.error_len().is_none()
            && bytes.len() - error.valid_up_to() < 4
        {
            bytes = &bytes[..error.valid_up_to()];
        }
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        // Replacement characters are longer than what they replace.
        if text.len() > self.limit {
            let excess = text.len() - self.limit;
            let start = (excess..text.len()).find(|at| text.is_char_boundary(*at));
            text.drain(..start.unwrap_or(text.len()));
            return (text, true);
        }
        (text, self.is_truncated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(limit: usize, parts: &[&[u8]]) -> (String, bool) {
        let mut tail = Tail::new(limit);
        parts.iter().for_each(|part| tail.push(part));
        tail.text()
    }

    #[test]
    fn the_end_is_kept() {
        assert_eq!(tail(10, &[b"hello"]), ("hello".into(), false));
        assert_eq!(
            tail(10, &[b"hello", b" world"]),
            ("ello world".into(), true)
        );
        assert_eq!(tail(3, &[b"hello world"]), ("rld".into(), true));
        assert_eq!(tail(0, &[b"x"]), (String::new(), true));
        assert_eq!(tail(0, &[]), (String::new(), false));
    }

    #[test]
    fn characters_are_not_cut() {
        let text = "aéö€😀z";
        for limit in 0..=text.len() {
            let (kept, is_truncated) = tail(limit, &[text.as_bytes()]);
            assert!(
                text.ends_with(&kept) && kept.len() <= limit,
                "{limit}: {kept}"
            );
            assert!(limit - kept.len() < 4);
            assert_eq!(is_truncated, limit < text.len());
        }
        // Its last byte has not arrived yet.
        assert_eq!(
            tail(10, &[b"a", "€".as_bytes().split_at(2).0]),
            ("a".into(), false)
        );
        assert_eq!(tail(10, &[b"a\xffb"]).0, "a\u{fffd}b");
        assert!(tail(10, &[&[0xff; 10]]).0.len() <= 10);
    }
}
