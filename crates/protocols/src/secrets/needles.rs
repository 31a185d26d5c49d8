//! The texts that are looked for, and where they are in another text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::{Bound, Range};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Hiding shorter ones would hide every other word.
pub(super) const SHORTEST: usize = 4;

/// Encoded forms have to be as long as this: a few letters of base64 are there by chance.
const SHORTEST_ENCODED: usize = 6;

/// A line of a secret that is as long as this is not there by chance.
const LONG: usize = 8;

/// What was cut is the beginning of a line or of a frame, and no longer than this.
const LONGEST_CUT: usize = 4096;

/// What is longer is a file, which nobody prints in hex.
const LONGEST_ENCODED: usize = 1 << 20;

type Prefix = [u8; SHORTEST];

/// What is beside an encoded secret and has some of its bits: the letters of base64 do not end where
/// the bytes do.
#[derive(Clone, Copy, Debug, Default)]
struct Margin {
    before: bool,
    after: bool,
}

/// Texts to look for. Adding one costs the same however many there are, and so does a byte that is
/// looked at: most of them are passed over by their first two bytes.
#[derive(Debug, Default)]
pub(super) struct Needles {
    /// In order, so that the one that begins with some bytes is found as well.
    known: BTreeMap<Box<[u8]>, Margin>,
    /// How long those are that begin with these bytes, the longest first.
    lengths: HashMap<Prefix, BTreeSet<Reverse<usize>>>,
    /// A bit for each pair of bytes that one of them begins with.
    pairs: Vec<u64>,
    longest: usize,
    /// The secrets that all of these are spellings of.
    secrets: HashSet<Box<str>>,
    /// Whether there is a blank in any of them: a form writes it as `+`.
    pub(super) has_blank: bool,
    /// Whether there is a quotation mark in any of them: SQL and CSV double it.
    pub(super) has_quote: bool,
}

impl Needles {
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// How many secrets were added.
    pub(super) fn count(&self) -> usize {
        self.secrets.len()
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        self.known.contains_key(text.as_bytes())
    }

    /// Adds a secret as it is, in base64 and in hex. Whether it is a new one.
    pub(super) fn add(&mut self, text: &str) -> bool {
        if text.len() < SHORTEST || !self.secrets.insert(text.into()) {
            return false;
        }
        self.insert_text(text);
        if text.len() > LONGEST_ENCODED {
            return true;
        }
        let hex: String = { text.bytes() }.map(|byte| format!("{byte:02x}")).collect();
        self.insert(hex.to_ascii_uppercase().as_bytes(), Margin::default());
        self.insert(hex.as_bytes(), Margin::default());
        for (encoded, margin) in base64_forms(text.as_bytes()) {
            if encoded.len() >= SHORTEST_ENCODED {
                let safe = encoded.replace('+', "-").replace('/', "_");
                self.insert(safe.as_bytes(), margin);
                self.insert(encoded.as_bytes(), margin);
            }
        }
        // Programs that write base64 in lines.
        let encoded = STANDARD_NO_PAD.encode(text);
        for width in [64, 76] {
            if encoded.len() > width {
                let lines = encoded.as_bytes().chunks(width);
                let lines = lines.filter(|line| line.len() >= LONG);
                lines.for_each(|line| self.insert(line, Margin::default()));
            }
        }
        true
    }

    /// Adds one line of a secret, as it is.
    pub(super) fn add_line(&mut self, line: &str) {
        if line.len() >= LONG {
            self.insert_text(line);
        }
    }

    fn insert_text(&mut self, text: &str) {
        self.has_blank |= text.contains(' ');
        self.has_quote |= text.contains(['"', '\'']);
        self.insert(text.as_bytes(), Margin::default());
    }

    fn insert(&mut self, needle: &[u8], margin: Margin) {
        let Some(prefix) = needle.first_chunk::<SHORTEST>() else {
            return;
        };
        if self.pairs.is_empty() {
            self.pairs.resize(1 << 10, 0);
        }
        let pair = pair(prefix);
        self.pairs[pair / 64] |= 1 << (pair % 64);
        let lengths = self.lengths.entry(*prefix).or_default();
        lengths.insert(Reverse(needle.len()));
        self.longest = self.longest.max(needle.len());
        self.known.entry(needle.into()).or_insert(margin);
    }

    /// How long those are that may begin here, the longest first.
    fn lengths(&self, text: &[u8]) -> Option<&BTreeSet<Reverse<usize>>> {
        let prefix = text.first_chunk::<SHORTEST>()?;
        let pair = pair(prefix);
        match self.pairs[pair / 64] >> (pair % 64) & 1 {
            0 => None,
            _ => self.lengths.get(prefix),
        }
    }

    /// Where they are, overlaps included: what is left of one behind another would be half a secret.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(Range<usize>)) {
        if self.is_empty() {
            return;
        }
        for start in 0..text.len() {
            let rest = &text[start..];
            let Some(lengths) = self.lengths(rest) else {
                continue;
            };
            let longest = lengths.iter().find_map(|Reverse(length)| {
                let margin = self.known.get(rest.get(..*length)?)?;
                Some((start..start + length, *margin))
            });
            if let Some((range, margin)) = longest {
                found(widened(text, range, margin));
            }
        }
    }

    /// Where the beginning of one is right before `end`, where the text was cut.
    pub(super) fn find_cut(&self, text: &[u8], end: usize) -> Option<Range<usize>> {
        if self.is_empty() {
            return None;
        }
        let first = end.saturating_sub(self.longest.min(LONGEST_CUT));
        let begins_one = |start: &usize| {
            let beginning = &text[*start..end];
            let range = (Bound::Excluded(beginning), Bound::Unbounded);
            self.lengths(beginning).is_some() && { self.known.range::<[u8], _>(range).next() }
                .is_some_and(|(needle, _)| needle.starts_with(beginning))
        };
        let start = (first..=end.checked_sub(SHORTEST)?).find(begins_one)?;
        Some(start..end)
    }
}

fn pair(prefix: &Prefix) -> usize {
    usize::from(u16::from_be_bytes([prefix[0], prefix[1]]))
}

/// With the letters beside it that have some of its bits.
fn widened(text: &[u8], range: Range<usize>, margin: Margin) -> Range<usize> {
    let is_base64 = |at: usize| {
        let letter = text.get(at).copied().unwrap_or_default();
        letter.is_ascii_alphanumeric() || b"+/-_".contains(&letter)
    };
    let before = margin.before && range.start > 0 && is_base64(range.start - 1);
    let after = margin.after && is_base64(range.end);
    range.start - usize::from(before)..range.end + usize::from(after)
}

/// Bytes in base64: alone, and as a part of something longer, where there are three ways to stand
/// and only those letters are sure that have no bits of a neighbour.
fn base64_forms(bytes: &[u8]) -> impl Iterator<Item = (String, Margin)> {
    let alone = (STANDARD_NO_PAD.encode(bytes), Margin::default());
    let inside = (0..3).map(|offset| {
        let padded = [&[0; 3][..offset], bytes].concat();
        let encoded = STANDARD_NO_PAD.encode(&padded);
        let (start, end) = ((offset * 8).div_ceil(6), padded.len() * 8 / 6);
        let margin = Margin {
            before: offset > 0,
            after: padded.len() % 3 > 0,
        };
        (encoded[start..end].to_owned(), margin)
    });
    std::iter::once(alone).chain(inside)
}
