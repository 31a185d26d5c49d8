//! The bytes of JSON strings, many at a time.

use bytes::BufMut;

/// Writes a JSON string, with the escapes that `serde_json` uses.
#[inline]
pub fn write_string(out: &mut impl BufMut, text: &str) {
    out.put_u8(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at(plain_length(rest));
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

/// How many bytes there are before the first that ends a string or needs an escape.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    // Most strings are short: a word tells exactly where they end.
    for _ in 0..4 {
        let Some(&word) = bytes[at..].first_chunk::<8>() else {
            return at + short_plain_length(&bytes[at..]);
        };
        let special = special_bytes(u64::from_le_bytes(word));
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    // The others are mostly plain: the compiler turns this into vector instructions.
    while let Some(chunk) = bytes[at..].first_chunk::<32>() {
        let is_plain = chunk
            .iter()
            .fold(true, |plain, &byte| plain & !is_special(byte));
        if !is_plain {
            break;
        }
        at += 32;
    }
    at + short_plain_length(&bytes[at..])
}

/// The same, for what is near the end or has a special byte soon.
#[inline]
fn short_plain_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| !is_special(**byte)).count()
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
            // At the start, at the end, in a word and beyond the words.
            for (before, after) in [(0, 0), (0, 40), (5, 0), (7, 70), (33, 1), (70, 70)] {
                let text = format!("{}{character}{}", "a".repeat(before), "b".repeat(after));
                assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
            }
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
            prop_assert_eq!(plain_length(&bytes), expected.unwrap_or(bytes.len()));
        }

        /// Bytes above 0x7f are never special, wherever they are.
        #[test]
        fn plain_bytes_are_counted(bytes in prop::collection::vec(0x5du8.., 0..200), at in 0usize..200) {
            let mut bytes = bytes;
            prop_assert_eq!(plain_length(&bytes), bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte = b'\n';
                prop_assert_eq!(plain_length(&bytes), at);
            }
        }
    }
}
