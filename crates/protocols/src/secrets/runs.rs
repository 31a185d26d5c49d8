//! Runs of hex digits or base64 characters within a text, and the bytes that they encode.

use std::ops::Range;

use super::spellings::{Decoded, Escape};

/// Shorter runs of hex are dates, versions and the like, not secrets.
const SHORTEST_HEX: usize = 4;

/// Separators between bytes in hex: `bytes.hex(':')`, `<Buffer 70 6c>`, `[0x70, 0x6c]`.
const SEPARATORS: [&str; 8] = [":", "-", " ", ".", ",", "_", ", 0x", " 0x"];

/// Words are shorter, or do not decode to text as base64.
const SHORTEST_BASE64: usize = 8;

/// The positions and lengths of runs of hex bytes with separators.
pub(super) fn separated_hex(text: &[u8]) -> Vec<(Range<usize>, usize)> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at + 3 < text.len() {
        let is_pair = |at: usize| hex_pair(&text[at..]).is_some();
        let separator = |form: &&&str| {
            is_pair(at)
                && text[at + 2..].starts_with(form.as_bytes())
                && is_pair(at + 2 + form.len())
        };
        let Some(form) = SEPARATORS.iter().find(separator) else {
            at += 1;
            continue;
        };
        let mut end = at + 2;
        while text[end..].starts_with(form.as_bytes()) && is_pair(end + form.len()) {
            end += form.len() + 2;
        }
        if (end - at).div_ceil(form.len() + 2) >= SHORTEST_HEX {
            runs.push((at..end, form.len()));
            at = end;
        } else {
            at += 1;
        }
    }
    runs
}

/// The byte at a position in such a run.
pub(super) fn hex_byte(text: &[u8], at: usize, runs: &[(Range<usize>, usize)]) -> Option<Escape> {
    let (run, separator) = run_at(runs, at, |(run, _)| run)?;
    let byte = hex_pair(&text[at..])?;
    Some((Decoded::bytes(&[byte]), (2 + separator).min(run.end - at)))
}

fn hex_pair(text: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

/// The positions of text in base64. Runs that do not decode to text are ordinary words, or cannot be
/// distinguished from them.
pub(super) fn base64_text(text: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let letters = { text[at..].iter() }.take_while(|letter| sextet(**letter).is_some());
        let length = letters.count();
        // A single character is less than a byte.
        let whole = length - usize::from(length % 4 == 1);
        if length >= SHORTEST_BASE64 && is_text(&text[at..at + whole]) {
            runs.push(at..at + whole);
        }
        at += length.max(1);
    }
    runs
}

fn is_text(base64: &[u8]) -> bool {
    let mut bytes = Vec::with_capacity(base64.len());
    for group in base64.chunks(4) {
        let (decoded, length) = decoded(group);
        bytes.extend_from_slice(&decoded[..length]);
        // The first characters rule out most words.
        if decoded[0] < b' ' && !decoded[0].is_ascii_whitespace() {
            return false;
        }
    }
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The last character of the decoded text is incomplete.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let is_readable = |letter: char| !letter.is_control() || letter.is_ascii_whitespace();
    text.chars().all(is_readable)
}

/// The bytes of the four characters at a position in such a run.
pub(super) fn base64_group(text: &[u8], at: usize, runs: &[Range<usize>]) -> Option<Escape> {
    let run = run_at(runs, at, |run| run)?;
    let group = &text[at..run.end.min(at + 4)];
    let (bytes, length) = decoded(group);
    (length > 0).then(|| (Decoded::bytes(&bytes[..length]), group.len()))
}

/// Decodes up to four characters: one byte fewer than characters.
fn decoded(group: &[u8]) -> ([u8; 3], usize) {
    let bits = (0..4).fold(0_u32, |bits, at| {
        let letter = group.get(at).and_then(|letter| sextet(*letter));
        bits << 6 | u32::from(letter.unwrap_or_default())
    });
    let [_, bytes @ ..] = bits.to_be_bytes();
    (bytes, group.len().saturating_sub(1))
}

/// The six bits of a base64 character, standard or URL-safe.
fn sextet(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// The run that contains a position.
fn run_at<R>(runs: &[R], at: usize, range: impl Fn(&R) -> &Range<usize>) -> Option<&R> {
    let next = runs.partition_point(|run| range(run).end <= at);
    runs.get(next).filter(|run| range(run).contains(&at))
}
