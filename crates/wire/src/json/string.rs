//! The bytes of JSON strings, many at a time.

use bytes::BufMut;

/// Writes a JSON string, with the escapes that `serde_json` uses.
#[inline]
pub fn write_string(out: &mut impl BufMut, text: &str) {
    out.put_u8(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at(plain_length(rest).0);
        out.put_slice(plain);
        let Some((&byte, after)) = special.split_first() else {
            break;
        };
        write_escape(out, byte);
        rest = after;
    }
    out.put_u8(b'"');
}

fn write_escape(out: &mut impl BufMut, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            out.put_slice(b"\\u00");
            out.put_u8(DIGITS[usize::from(byte >> 4)]);
            out.put_u8(DIGITS[usize::from(byte & 0x0f)]);
            return;
        }
    };
    out.put_slice(&[b'\\', short]);
}

/// How many bytes there are before the first that ends a string or needs an escape, and whether all of them are ASCII.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> (usize, bool) {
    let (mut at, mut seen) = (0, 0);
    // A word at a time, which tells exactly where most strings, and the lines of a text, end.
    while let Some(&word) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(word);
        let special = special_bytes(word);
        if special != 0 {
            let before = (special & special.wrapping_neg()) - 1;
            let length = at + special.trailing_zeros() as usize / 8;
            return (length, is_ascii(seen | word & before));
        }
        seen |= word;
        at += 8;
        if at == LONG {
            (at, seen) = long_plain_length(bytes, at, seen);
        }
    }
    short_plain_length(bytes, at, seen)
}

/// A text without line breaks up to here is probably one without any, such as an encoded file.
const LONG: usize = 128;

/// The same for many plain bytes at a time; it may stop early. The compiler makes vector instructions of both sums, as long as
/// the first one is of bytes and the second one of words.
fn long_plain_length(bytes: &[u8], from: usize, seen: u64) -> (usize, u64) {
    let (mut at, mut seen) = (from, seen);
    while let Some(chunk) = bytes[at..].first_chunk::<64>() {
        let special = { chunk.iter() }.fold(0, |any, &byte| any | u8::from(is_special(byte)));
        if special != 0 {
            break;
        }
        let (words, _) = chunk.as_chunks::<8>();
        seen = { words.iter() }.fold(seen, |seen, &word| seen | u64::from_le_bytes(word));
        at += 64;
    }
    (at, seen)
}

/// The rest of the same, for what is near the end.
#[inline]
fn short_plain_length(bytes: &[u8], from: usize, seen: u64) -> (usize, bool) {
    let (mut at, mut seen) = (from, seen);
    while let Some(&byte) = bytes.get(at).filter(|byte| !is_special(**byte)) {
        seen |= u64::from(byte);
        at += 1;
    }
    (at, is_ascii(seen))
}

/// Whether the bytes that were joined by `|` are ASCII.
#[inline]
fn is_ascii(seen: u64) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    seen & HIGH == 0
}

/// The high bit of the first byte in `word` that ends or escapes a string; bits above it may be
/// wrong.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let below = |word: u64, limit: u64| word.wrapping_sub(limit * ONES) & !word & HIGH;
    let quote = below(word ^ (u64::from(b'"') * ONES), 1);
    let backslash = below(word ^ (u64::from(b'\\') * ONES), 1);
    quote | backslash | below(word, 0x20)
}

#[inline]
fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut bytes = Vec::new();
        write_string(&mut bytes, text);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_character_is_written_as_serde_json_does() {
        for character in ('\0'..='\u{ff}').chain(['\u{2028}', '\u{10ffff}']) {
            // At the start, at the end, in a word, beyond the words and in a long text.
            for (before, after) in [
                (0, 0),
                (0, 40),
                (5, 0),
                (7, 70),
                (33, 1),
                (70, 70),
                (150, 300),
            ] {
                let text = format!("{}{character}{}", "a".repeat(before), "b".repeat(after));
                assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
            }
        }
    }

    #[test]
    fn every_byte_of_a_long_text_counts() {
        let plain = [b'a'; 400];
        assert_eq!(plain_length(&plain), (400, true));
        for at in 0..plain.len() {
            let with = |byte| {
                plain_length(&{
                    let mut text = plain;
                    text[at] = byte;
                    text
                })
            };
            assert_eq!(with(0xc3), (400, false));
            assert_eq!(with(b'"'), (at, true));
        }
    }

    proptest! {
        #[test]
        fn strings_are_written_as_serde_json_does(text in "([a-z]{0,60}|.{0,40}|[\0-\x1f\"\\\\]{0,5}){0,8}") {
            prop_assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn the_first_special_byte_is_found(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let expected = bytes.iter().position(|&byte| is_special(byte));
            let length = expected.unwrap_or(bytes.len());
            prop_assert_eq!(plain_length(&bytes), (length, bytes[..length].is_ascii()));
        }

        /// Bytes above 0x7f are never special, wherever they are.
        #[test]
        fn plain_bytes_are_counted(bytes in prop::collection::vec(0x5du8.., 0..400), at in 0usize..400) {
            let mut bytes = bytes;
            prop_assert_eq!(plain_length(&bytes), (bytes.len(), bytes.is_ascii()));
            if let Some(byte) = bytes.get_mut(at) {
                *byte = b'\n';
                prop_assert_eq!(plain_length(&bytes).0, at);
            }
        }
    }
}
