//! Texts with the escapes of a language decoded.
//!
//! A secret with a quotation mark, a line break or an umlaut can be spelled in many ways, and a list of
//! them would never be complete. So the escapes in the text are decoded instead, by the rules of each
//! language, and the decoded texts are searched for the secret.

use std::borrow::Cow;
use std::ops::Range;

use super::runs;

/// The most levels of escapes: a quoted JSON string that contains JSON has three.
const LEVELS: usize = 3;

/// A text, with the position of each byte in the original.
pub(super) struct Spelling<'t> {
    pub(super) bytes: Cow<'t, [u8]>,
    /// The original position of each byte, and the end; no message is longer than 4 GiB. `None`: the
    /// positions are the same.
    places: Option<Vec<u32>>,
}

/// A decoded escape, and its length in the text.
pub(super) type Escape = (Decoded, usize);

/// The decoded bytes of an escape: at most one character.
pub(super) struct Decoded {
    bytes: [u8; 4],
    length: usize,
}

impl Decoded {
    fn byte(byte: u8) -> Decoded {
        Decoded::bytes(&[byte])
    }

    /// At most four bytes.
    pub(super) fn bytes(some: &[u8]) -> Decoded {
        let mut bytes = [0; 4];
        bytes[..some.len()].copy_from_slice(some);
        Decoded {
            bytes,
            length: some.len(),
        }
    }

    fn character(character: char) -> Decoded {
        let mut bytes = [0; 4];
        let length = character.encode_utf8(&mut bytes).len();
        Decoded { bytes, length }
    }
}

impl<'t> Spelling<'t> {
    /// The unchanged text.
    fn plain(text: &'t [u8]) -> Spelling<'t> {
        Spelling {
            bytes: Cow::Borrowed(text),
            places: None,
        }
    }

    fn place(&self, at: usize) -> usize {
        self.places
            .as_ref()
            .map_or(at, |places| places[at] as usize)
    }

    /// The range of a part in the original. An escape that is partly included is included whole.
    pub(super) fn original(&self, part: &Range<usize>) -> Range<usize> {
        let last = self.place(part.end - 1);
        let ends = (part.end..=self.bytes.len()).map(|at| self.place(at));
        let end = ends.into_iter().find(|end| *end > last);
        self.place(part.start)..end.unwrap_or(last + 1)
    }

    /// Decodes bytes in hex with separators.
    fn read_hex(&self) -> Option<Spelling<'static>> {
        let runs = runs::separated_hex(&self.bytes);
        let at = |rest: &[u8]| self.bytes.len() - rest.len();
        match runs[..] {
            [] => None,
            _ => self.read(|rest| runs::hex_byte(&self.bytes, at(rest), &runs)),
        }
    }

    /// Decodes text in base64.
    fn read_base64(&self) -> Option<Spelling<'static>> {
        let runs = runs::base64_text(&self.bytes);
        let at = |rest: &[u8]| self.bytes.len() - rest.len();
        match runs[..] {
            [] => None,
            _ => self.read(|rest| runs::base64_group(&self.bytes, at(rest), &runs)),
        }
    }

    fn has(&self, byte: u8) -> bool {
        memchr::memchr(byte, &self.bytes).is_some()
    }

    /// Decodes the escapes that `escape` knows; `None` if there are none.
    fn read(&self, escape: impl Fn(&[u8]) -> Option<Escape>) -> Option<Spelling<'static>> {
        let mut escapes = (0..self.bytes.len()).filter(|at| escape(&self.bytes[*at..]).is_some());
        escapes.next()?;
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut places = Vec::with_capacity(self.bytes.len() + 1);
        let mut at = 0;
        while at < self.bytes.len() {
            let (decoded, length) =
                escape(&self.bytes[at..]).unwrap_or_else(|| (Decoded::byte(self.bytes[at]), 1));
            bytes.extend_from_slice(&decoded.bytes[..decoded.length]);
            places.resize(bytes.len(), self.place(at) as u32);
            at += length;
        }
        places.push(self.place(at) as u32);
        Some(Spelling {
            bytes: bytes.into(),
            places: Some(places),
        })
    }
}

/// Which rare spellings are worth decoding.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) has_blank: bool,
    pub(super) has_quote: bool,
}

/// Calls a function with the text as it is and as decoded in every language.
pub(super) fn each(text: &[u8], wanted: Wanted, mut show: impl FnMut(&Spelling<'_>)) {
    let mut level = Some(Spelling::plain(text));
    for _ in 0..=LEVELS {
        let Some(spelling) = level else {
            return;
        };
        show(&spelling);
        let mut also = |read: Option<Spelling<'static>>| {
            let Some(read) = read else { return };
            show(&read);
            // JSON in a URL or in base64.
            if let Some(inner) = { read.has(b'\\') }.then(|| read.read(in_text)).flatten() {
                show(&inner);
            }
        };
        also(spelling.read_hex());
        also(spelling.read_base64());
        if wanted.has_blank && spelling.has(b'+') {
            also(spelling.read(form));
        }
        if spelling.has(b'%') {
            also(spelling.read(javascript));
            // A URL in a URL.
            let mut url = spelling.read(percent);
            for _ in 0..LEVELS {
                let Some(read) = url else { break };
                if wanted.has_blank && read.has(b'+') {
                    also(read.read(form));
                }
                url = read.read(percent);
                also(Some(read));
            }
        }
        if spelling.has(b'&') {
            also(spelling.read(entity));
        }
        if wanted.has_quote {
            also(spelling.read(doubled));
        }
        // Between the apostrophes of a shell, a backslash is not an escape.
        if wanted.has_quote && spelling.has(b'\'') {
            also(spelling.read(shell));
        }
        if !spelling.has(b'\\') {
            return;
        }
        // `\xfc` is a byte in some languages and a character in others.
        let is_wide = |three: &[u8]| three.starts_with(b"\\x") && three[2] >= b'8';
        if spelling.bytes.windows(3).any(is_wide) {
            also(spelling.read(|rest| backslash(rest, true)));
        }
        level = spelling.read(in_text);
    }
}

/// The escapes of strings in most languages.
fn in_text(rest: &[u8]) -> Option<Escape> {
    shell(rest).or_else(|| backslash(rest, false))
}

/// An apostrophe in a quoted word of a shell: `'it'\''s'`, `'it'"'"'s'`.
fn shell(rest: &[u8]) -> Option<Escape> {
    let forms: [&[u8]; 2] = [br"'\''", br#"'"'"'"#];
    let form = forms.into_iter().find(|form| rest.starts_with(form))?;
    Some((Decoded::byte(b'\''), form.len()))
}

/// What follows a backslash in JSON, JavaScript, Python, Go, Rust, C and shells.
fn backslash(rest: &[u8], has_wide_bytes: bool) -> Option<Escape> {
    let [b'\\', kind, digits @ ..] = rest else {
        return None;
    };
    let byte = |byte| Some((Decoded::byte(byte), 2));
    match kind {
        b'n' => byte(b'\n'),
        b't' => byte(b'\t'),
        b'r' => byte(b'\r'),
        b'b' => byte(8),
        b'f' => byte(12),
        b'v' => byte(11),
        b'a' => byte(7),
        b'e' => byte(27),
        b'x' => {
            let (code, _) = number(digits, 2, 16)?;
            let decoded = match char::from_u32(code) {
                Some(character) if has_wide_bytes => Decoded::character(character),
                _ => Decoded::byte(code as u8),
            };
            Some((decoded, 4))
        }
        b'u' => unicode(digits),
        b'U' => {
            let (code, _) = number(digits, 8, 16)?;
            Some((Decoded::character(char::from_u32(code)?), 10))
        }
        b'0'..=b'7' => match number(&rest[1..], 3, 8) {
            Some((code, _)) => Some((Decoded::byte(u8::try_from(code).ok()?), 4)),
            None if *kind == b'0' => byte(0),
            None => None,
        },
        kind if kind.is_ascii_punctuation() || *kind == b' ' => byte(*kind),
        _ => None,
    }
}

/// What follows `\u`: four digits, twice for a surrogate pair, or any number in braces.
fn unicode(digits: &[u8]) -> Option<Escape> {
    if let [b'{', rest @ ..] = digits {
        let length = rest.iter().take(9).position(|byte| *byte == b'}')?;
        let (code, _) = number(rest, length, 16)?;
        return Some((Decoded::character(char::from_u32(code)?), length + 4));
    }
    utf16(digits, b"\\u")
}

/// Four digits, or four and four for a surrogate pair, with `between` before each.
fn utf16(digits: &[u8], between: &[u8]) -> Option<Escape> {
    let (code, rest) = number(digits, 4, 16)?;
    if let Some(character) = char::from_u32(code) {
        return Some((Decoded::character(character), 6));
    }
    let (low, _) = number(rest.strip_prefix(between)?, 4, 16)?;
    let pair = [u16::try_from(code).ok()?, u16::try_from(low).ok()?];
    let character = char::decode_utf16(pair).next()?.ok()?;
    Some((Decoded::character(character), 12))
}

/// A number with this many digits, and the rest.
fn number(text: &[u8], length: usize, radix: u32) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at_checked(length)?;
    let digits = std::str::from_utf8(digits).ok()?;
    // The standard library also accepts a sign.
    let is_number = digits.chars().all(|digit| digit.is_digit(radix));
    let code = u32::from_str_radix(digits, radix).ok()?;
    is_number.then_some((code, rest))
}

/// `%2F`
fn percent(rest: &[u8]) -> Option<Escape> {
    let (code, _) = number(rest.strip_prefix(b"%")?, 2, 16)?;
    Some((Decoded::byte(code as u8), 3))
}

/// What JavaScript's `escape` writes: `%E9` is a character, and `%u20AC` is one or half of a surrogate pair.
fn javascript(rest: &[u8]) -> Option<Escape> {
    let digits = rest.strip_prefix(b"%")?;
    let Some(digits) = digits.strip_prefix(b"u") else {
        let (code, _) = number(digits, 2, 16)?;
        return Some((Decoded::character(char::from_u32(code)?), 3));
    };
    utf16(digits, b"%u")
}

/// The same in a form, where `+` is a space.
fn form(rest: &[u8]) -> Option<Escape> {
    match rest.first() {
        Some(b'+') => Some((Decoded::byte(b' '), 1)),
        _ => percent(rest),
    }
}

/// `&amp;`, `&#39;`, `&#x27;`
fn entity(rest: &[u8]) -> Option<Escape> {
    const NAMED: [(&[u8], u8); 5] = [
        (b"amp", b'&'),
        (b"lt", b'<'),
        (b"gt", b'>'),
        (b"quot", b'"'),
        (b"apos", b'\''),
    ];
    let name = rest.strip_prefix(b"&")?;
    let length = name.iter().take(10).position(|byte| *byte == b';')?;
    let name = &name[..length];
    let named = NAMED.iter().find(|(known, _)| *known == name);
    let decoded = match (named, name) {
        (Some((_, byte)), _) => Decoded::byte(*byte),
        (None, [b'#', b'x' | b'X', digits @ ..]) => {
            Decoded::character(char::from_u32(number(digits, digits.len(), 16)?.0)?)
        }
        (None, [b'#', digits @ ..]) => {
            Decoded::character(char::from_u32(number(digits, digits.len(), 10)?.0)?)
        }
        _ => return None,
    };
    Some((decoded, length + 2))
}

/// A doubled quotation mark, as in SQL, YAML and CSV.
fn doubled(rest: &[u8]) -> Option<Escape> {
    match rest {
        [b'\'', b'\'', ..] | [b'"', b'"', ..] => Some((Decoded::byte(rest[0]), 2)),
        _ => None,
    }
}
