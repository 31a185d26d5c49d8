//! The texts to search for, and where they are in another text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::{Bound, Range};

use super::encodings::{self, Margin};

/// Shorter secrets are not masked: they occur in ordinary words.
pub(super) const SHORTEST: usize = 4;

/// The least length of an encoded form: a few characters of base64 occur by chance.
const SHORTEST_ENCODED: usize = 6;

/// The least length of a line of a secret that is searched for alone: shorter lines occur by chance.
const LONG: usize = 8;

/// The most bytes of a partial secret at a cut: the beginning of a line or of a frame.
const LONGEST_CUT: usize = 4096;

/// Longer secrets are files, which programs do not print in hex.
const LONGEST_ENCODED: usize = 1 << 20;

/// Base64 and hex of the JSON forms of a secret take up to fifty times its size in memory, so they are
/// searched for only in secrets up to this length.
const LONGEST_ESCAPED: usize = 1 << 16;

type Prefix = [u8; SHORTEST];

/// Texts to search for. The costs of adding a text and of examining a byte do not depend on how many
/// texts there are: most positions are skipped by their first two bytes.
#[derive(Debug, Default)]
pub(super) struct Needles {
    /// Sorted, so that a text can be found by its first bytes.
    known: BTreeMap<Box<[u8]>, Margin>,
    /// The ends of the texts, reversed and sorted, so that a text can be found by its last bytes.
    reversed: BTreeMap<Box<[u8]>, Margin>,
    /// The last bytes of each.
    endings: HashSet<Prefix>,
    /// The lengths of the texts that begin with these bytes, longest first.
    lengths: HashMap<Prefix, BTreeSet<Reverse<usize>>>,
    /// A bit for each pair of bytes that a text begins with.
    pairs: Vec<u64>,
    longest: usize,
    /// The secrets that the texts are spellings of.
    secrets: HashSet<Box<str>>,
    /// Whether any of them contains a space: forms write it as `+`.
    pub(super) has_blank: bool,
    /// Whether any of them contains a quotation mark: SQL and CSV double it.
    pub(super) has_quote: bool,
}

impl Needles {
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The number of secrets that were added.
    pub(super) fn count(&self) -> usize {
        self.secrets.len()
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        self.known.contains_key(text.as_bytes())
    }

    /// Adds a secret with and without the white space around it, which programs often remove.
    /// Returns whether it is new.
    pub(super) fn add(&mut self, text: &str) -> bool {
        if text.len() < SHORTEST || !self.secrets.insert(text.into()) {
            return false;
        }
        self.insert_all(text, text.len());
        let trimmed =
            text.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control());
        if trimmed.len() < text.len() && trimmed.len() >= SHORTEST {
            self.insert_all(trimmed, text.len());
        }
        true
    }

    /// Adds one line of a secret with this many bytes.
    pub(super) fn add_line(&mut self, line: &str, whole: usize) {
        if line.len() >= LONG {
            self.insert_all(line, whole);
        }
    }

    /// Adds a text as it is, in base64 and in hex. The number of forms depends on the size of the secret.
    fn insert_all(&mut self, text: &str, whole: usize) {
        self.insert_text(text);
        if whole > LONGEST_ENCODED {
            return;
        }
        self.insert_encoded(text);
        for line in encodings::base64_lines(text.as_bytes()) {
            if line.len() >= LONG {
                self.insert(line.as_bytes(), Margin::default());
            }
        }
        if whole <= LONGEST_ESCAPED {
            let escaped = encodings::json_forms(text);
            escaped.iter().for_each(|form| self.insert_encoded(form));
        }
    }

    fn insert_encoded(&mut self, text: &str) {
        let hex = encodings::hex(text.as_bytes());
        self.insert(hex.to_ascii_uppercase().as_bytes(), Margin::default());
        self.insert(hex.as_bytes(), Margin::default());
        for (encoded, margin) in encodings::base64_forms(text.as_bytes()) {
            if encoded.len() >= SHORTEST_ENCODED {
                let safe = encoded.replace('+', "-").replace('/', "_");
                self.insert(safe.as_bytes(), margin);
                self.insert(encoded.as_bytes(), margin);
            }
        }
    }

    fn insert_text(&mut self, text: &str) {
        self.has_blank |= text.contains(' ');
        self.has_quote |= text.contains(['"', '\'']);
        self.insert(text.as_bytes(), Margin::default());
    }

    fn insert(&mut self, needle: &[u8], margin: Margin) {
        let (Some(prefix), Some(ending)) = (needle.first_chunk(), needle.last_chunk()) else {
            return;
        };
        if self.known.contains_key(needle) {
            return;
        }
        if self.pairs.is_empty() {
            self.pairs.resize(1 << 10, 0);
        }
        let pair = pair(prefix);
        self.pairs[pair / 64] |= 1 << (pair % 64);
        let lengths = self.lengths.entry(*prefix).or_default();
        lengths.insert(Reverse(needle.len()));
        self.longest = self.longest.max(needle.len());
        self.endings.insert(*ending);
        let reversed = { needle.iter().rev() }.take(LONGEST_CUT + 1).copied();
        self.reversed.insert(reversed.collect(), margin);
        self.known.insert(needle.into(), margin);
    }

    /// The lengths of the texts that may begin here, longest first.
    fn lengths(&self, text: &[u8]) -> Option<&BTreeSet<Reverse<usize>>> {
        let prefix = text.first_chunk::<SHORTEST>()?;
        let pair = pair(prefix);
        match self.pairs[pair / 64] >> (pair % 64) & 1 {
            0 => None,
            _ => self.lengths.get(prefix),
        }
    }

    /// All occurrences, including overlapping ones: the rest of a text behind another would be half a
    /// secret.
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

    /// The beginning of a text right before `end`, where the searched text was cut.
    pub(super) fn find_beginning(&self, text: &[u8], end: usize) -> Option<Range<usize>> {
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

    /// The end of a text right after `start`, where the searched text continues after an omission.
    pub(super) fn find_ending(&self, text: &[u8], start: usize) -> Option<Range<usize>> {
        let last = text.len().min(start + self.longest.min(LONGEST_CUT));
        let reversed: Vec<u8> = text[start..last].iter().rev().copied().collect();
        // Longest first.
        (start + SHORTEST..=last).rev().find_map(|end| {
            if !self.endings.contains(text[..end].last_chunk::<SHORTEST>()?) {
                return None;
            }
            let ending = &reversed[last - end..];
            let range = (Bound::Excluded(ending), Bound::Unbounded);
            let (needle, margin) = self.reversed.range::<[u8], _>(range).next()?;
            let margin = Margin {
                before: false,
                ..*margin
            };
            { needle.starts_with(ending) }.then(|| widened(text, start..end, margin))
        })
    }
}

fn pair(prefix: &Prefix) -> usize {
    usize::from(u16::from_be_bytes([prefix[0], prefix[1]]))
}

/// Extends a match by the characters beside it that contain some of its bits.
fn widened(text: &[u8], range: Range<usize>, margin: Margin) -> Range<usize> {
    let is_base64 = |at: usize| {
        let letter = text.get(at).copied().unwrap_or_default();
        letter.is_ascii_alphanumeric() || b"+/-_".contains(&letter)
    };
    let before = margin.before && range.start > 0 && is_base64(range.start - 1);
    let after = margin.after && is_base64(range.end);
    range.start - usize::from(before)..range.end + usize::from(after)
}
