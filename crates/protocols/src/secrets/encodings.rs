//! The encoded forms of a secret to search for.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Characters beside an encoded secret that contain some of its bits: base64 characters do not end at
/// byte boundaries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Margin {
    pub(super) before: bool,
    pub(super) after: bool,
}

/// Bytes in lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes in base64: alone, and as a part of something longer. There are three possible alignments, and
/// only characters without bits of a neighbour are certain.
pub(super) fn base64_forms(bytes: &[u8]) -> impl Iterator<Item = (String, Margin)> {
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

/// Base64 as programs write it that break it into lines.
pub(super) fn base64_lines(bytes: &[u8]) -> Vec<String> {
    let encoded = STANDARD_NO_PAD.encode(bytes);
    let widths = [64, 76].into_iter().filter(|width| encoded.len() > *width);
    let lines = widths.flat_map(|width| encoded.as_bytes().chunks(width));
    lines
        .map(|line| line.iter().map(|letter| char::from(*letter)).collect())
        .collect()
}

/// Which characters are escaped in JSON besides those that must be.
#[derive(Clone, Copy, Default)]
struct Escapes {
    /// All that are not ASCII.
    wide: bool,
    /// `/`, as PHP does.
    slash: bool,
    /// Characters with a meaning in HTML, as Go does.
    html: bool,
}

/// The forms of a text inside a JSON string that differ from the text: with the fewest escapes, and as
/// Python, PHP and Go write it.
pub(super) fn json_forms(text: &str) -> Vec<String> {
    let fewest = Escapes::default();
    let python = Escapes {
        wide: true,
        ..fewest
    };
    let php = Escapes {
        slash: true,
        ..python
    };
    let go = Escapes {
        html: true,
        ..fewest
    };
    let mut forms: Vec<String> = Vec::new();
    for escapes in [fewest, python, php, go] {
        let form = escaped(text, escapes);
        if form != text && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

fn escaped(text: &str, escapes: Escapes) -> String {
    let mut form = String::with_capacity(text.len());
    for letter in text.chars() {
        let short = match letter {
            '"' | '\\' => Some(letter),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            '\u{8}' => Some('b'),
            '\u{c}' => Some('f'),
            '/' if escapes.slash => Some('/'),
            _ => None,
        };
        let is_escaped = letter < ' '
            || (escapes.wide && letter > '~')
            || (escapes.html && matches!(letter, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'));
        match short {
            Some(short) => form.extend(['\\', short]),
            None if is_escaped => {
                let units = letter.encode_utf16(&mut [0; 2]).to_vec();
                form.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
            }
            None => form.push(letter),
        }
    }
    form
}
