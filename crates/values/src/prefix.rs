//! Which part of a known prefix is safe: what no following text can change.

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_segmentation::UnicodeSegmentation;

use crate::text::normalized;

/// Characters that stand alone whatever follows, as far as machines use them. Letters and digits
/// are left out: scripts may come to combine them.
const DELIMITERS: &str = "-_:;/\\,.(){}[]|?!~ \t@#$%^&*+\"'";

/// Every character that is the second half of a canonical composition, apart from Hangul.
const SECOND_HALVES: &str = "\u{300}\u{301}\u{302}\u{303}\u{304}\u{306}\u{307}\u{308}\u{309}\
    \u{30a}\u{30b}\u{30c}\u{30f}\u{311}\u{313}\u{314}\u{31b}\u{323}\u{324}\u{325}\u{326}\u{327}\
    \u{328}\u{32d}\u{32e}\u{330}\u{331}\u{338}\u{342}\u{345}\u{653}\u{654}\u{655}\u{93c}\u{9be}\
    \u{9d7}\u{b3e}\u{b56}\u{b57}\u{bbe}\u{bd7}\u{c56}\u{cc2}\u{cd5}\u{cd6}\u{d3e}\u{d57}\u{dca}\
    \u{dcf}\u{ddf}\u{102e}\u{1b35}\u{3099}\u{309a}\u{110ba}\u{11127}\u{1133e}\u{11357}\u{114b0}\
    \u{114ba}\u{114bd}\u{115af}\u{11930}";

/// The part of `prefix`, in normal form C, that no following text changes.
pub(crate) fn safe(prefix: &str) -> String {
    let text = normalized(prefix);
    let end = match last_boundary(&text) {
        Some(boundary) if boundary < text.len() => boundary,
        _ => without_last_cluster(&text),
    };
    text[..end].to_owned()
}

/// The part of `bytes` that no following bytes change. They are not UTF-8, and the text
/// in them is in normal form C.
///
/// go-cty takes everything from the first invalid byte on for one cluster, so that is cut off
/// unless normalisation already ends the prefix elsewhere.
pub(crate) fn safe_bytes(bytes: &[u8]) -> &[u8] {
    let end = match last_boundary_of_bytes(bytes) {
        Some(boundary) if boundary < bytes.len() => boundary,
        _ => std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len),
    };
    &bytes[..end]
}

/// [`last_boundary`] of bytes. An invalid byte takes part in no composition; a character that is
/// cut short at the end counts as not there.
fn last_boundary_of_bytes(bytes: &[u8]) -> Option<usize> {
    let chunk = bytes.utf8_chunks().last()?;
    let text_end = bytes.len() - chunk.invalid().len();
    let is_cut_short =
        std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
    match chunk.invalid().is_empty() || is_cut_short {
        false => Some(bytes.len()),
        true if text_end == 0 => None,
        true if chunk.valid().is_empty() => Some(text_end),
        true => {
            let text_start = text_end - chunk.valid().len();
            match last_boundary(chunk.valid()) {
                Some(boundary) => Some(text_start + boundary),
                None => boundary_at_invalid(&bytes[..text_start]),
            }
        }
    }
}

/// Where to cut between invalid bytes and marks that would combine with what is before them.
fn boundary_at_invalid(bytes: &[u8]) -> Option<usize> {
    match bytes.last()? {
        // These begin no character of any length, so Go takes each for a character.
        0xc0 | 0xc1 | 0xf8..=0xff => Some(bytes.len() - 1),
        _ => Some(bytes.len()),
    }
}

/// The last place where normalisation can be cut: behind a last character that takes part in no
/// composition, else before the last one that begins a sequence. None where there is no such
/// place.
fn last_boundary(text: &str) -> Option<usize> {
    if is_inert(text.chars().next_back()?) {
        return Some(text.len());
    }
    text.char_indices()
        .rev()
        .find(|(_, character)| is_starter(*character))
        .map(|(index, _)| index)
}

/// Nothing that follows or precedes the character changes it or is changed by it.
fn is_inert(character: char) -> bool {
    let combines = |second| compose(character, second).is_some();
    canonical_combining_class(character) == 0
        && decomposed(character).1 == 1
        && !is_hangul(character)
        && !SECOND_HALVES.contains(character)
        && !SECOND_HALVES.chars().any(combines)
}

/// The character begins with one that no other reorders or composes with from behind.
fn is_starter(character: char) -> bool {
    canonical_combining_class(decomposed(character).0) == 0
}

/// The first character of the canonical decomposition, and how many there are.
fn decomposed(character: char) -> (char, usize) {
    let mut parts = (character, 0);
    decompose_canonical(character, |part| {
        if parts.1 == 0 {
            parts.0 = part;
        }
        parts.1 += 1;
    });
    parts
}

/// Hangul letters and syllables compose by rule, not by table.
fn is_hangul(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{1112}' | '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}' | '\u{ac00}'..='\u{d7a3}')
}

/// Where the last grapheme cluster begins, or the end of the text where that cluster is a
/// delimiter.
fn without_last_cluster(text: &str) -> usize {
    let Some((start, cluster)) = text.grapheme_indices(true).next_back() else {
        return 0;
    };
    let mut characters = cluster.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) if DELIMITERS.contains(only) => text.len(),
        _ => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    #[test]
    fn cuts_what_may_still_combine() {
        for (prefix, expected) in [
            ("", ""),
            ("a", ""),
            ("ami-", "ami-"),
            ("boop\r", "boop"),
            ("x=", "x"),
            ("room 7", "room "),
            ("e\u{301}", ""),
            ("hello \u{1f937}\u{200d}", "hello "),
            ("hello \u{1f1e6}\u{1f1e6}", "hello "),
            ("hello \u{1f1e6}\u{1f1e6} ", "hello \u{1f1e6}\u{1f1e6} "),
            ("\u{301}", ""),
            ("-\u{301}", ""),
        ] {
            assert_eq!(safe(prefix), expected, "{prefix:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_cut_as_terraform_cuts_them() {
        for (prefix, expected) in [
            (&b"abc-\xff"[..], &b"abc-"[..]),
            (&b"\xff"[..], &b""[..]),
            (&b"abc\xff-"[..], &b"abc"[..]),
            (&b"\xff-"[..], &b""[..]),
            (&b"a\xffb-"[..], &b"a"[..]),
            (&b"a\xffb"[..], &b"a\xff"[..]),
            (&b"ab-\xc3"[..], &b"ab-"[..]),
            (&b"ab-\xe2\x82"[..], &b"ab-"[..]),
            (&b"\xc3(-"[..], &b""[..]),
            (&b"e\xcc\x81\xff"[..], &b"\xc3\xa9"[..]),
            (&b"e\xcc\x81\xff-"[..], &b"\xc3\xa9"[..]),
            (&b"ab\xffe\xcc\x81-"[..], &b"ab"[..]),
            (&b"ab\xff e\xcc\x81"[..], &b"ab\xff "[..]),
            (&b"-\xed\xa0\x80"[..], &b"-"[..]),
            (&b"-\xff\xff"[..], &b"-"[..]),
            (&b"x-\xffe\xcc\x81z-"[..], &b"x-"[..]),
            (&b"\xcc\x81\xff-"[..], &b"\xcc\x81"[..]),
            (&b"a-\x80\x80"[..], &b"a-"[..]),
            (&b"\xf0\x9f\xa4"[..], &b""[..]),
            (&b"a-\xf0\x9f\xa4"[..], &b"a-"[..]),
            (&b"a\xcc"[..], &b""[..]),
            (&b"-\xcc\x81\xff"[..], &b"-\xcc\x81"[..]),
            (&b"-\xff\xcc\x81"[..], &b"-"[..]),
            (&b"-e\xff\xcc\x81-"[..], &b"-e"[..]),
            (&b"caf\xc3\xa9\xff."[..], &b"caf\xc3\xa9"[..]),
        ] {
            let safe = Text::from_bytes(prefix).safe_prefix();
            assert_eq!(safe.as_bytes(), expected, "{}", prefix.escape_ascii());
        }
    }
}
