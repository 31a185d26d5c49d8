//! Text from outside, made safe to show.
//!
//! What plugins, peers, files and file names contain must not control a terminal, hide or reorder
//! what is read, or forge lines of a log. Everything that is printed goes through one of these:
//!
//! | function | for | line breaks and tabs |
//! |---|---|---|
//! | [`line()`] | names, paths, log messages: one line | escaped |
//! | [`lines`] | messages of several lines, which the caller indents | kept |
//! | [`json`] | JSON; the value stays the same | kept |
//!
//! Control characters (C0, DEL, C1), bidi controls, line and paragraph separators, zero-width and
//! other invisible characters are written as escapes: `\n`, `\r`, `\t`, `\u{1b}`, and in JSON
//! `\u001b`. Everything else stays, letters of all scripts, combining marks and emoji included.
//!
//! Some invisible characters belong to ordinary text:
//!
//! - Joiners (U+200C, U+200D), which Persian, Indic scripts and emoji need, stay in [`lines`]
//!   between two characters that are not ASCII. In names they only make two names look the same,
//!   so [`line()`] always escapes them, and so does [`json`].
//! - Variation selectors stay behind a character that can have variants: one that is not ASCII, or
//!   a digit, `#` or `*` of a keycap emoji. A second one in a row is escaped.
//!
//! ```
//! assert_eq!(tenon_text::line("a\u{1b}[2J\nb"), r"a\u{1b}[2J\nb");
//! assert_eq!(tenon_text::lines("größe\r\n👩\u{200d}🚀"), "größe\n👩\u{200d}🚀");
//! assert_eq!(tenon_text::json("\"\u{202e}\""), r#""\u202e""#);
//! ```
//!
//! [`nearest()`] finds the name that was probably meant by a misspelt one, and [`did_you_mean`] makes a hint of it.
//! [`shell_word()`] quotes a word for a shell, [`Utc`] writes a time, and [`is_secret_name`] says which settings are secrets,
//! by their names.

mod hidden;
mod nearest;
mod secret;
mod shell;
mod utc;

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

pub use hidden::is_hidden;
use hidden::{has_variants, is_joiner, is_variation_selector};
pub use nearest::{did_you_mean, nearest};
pub use secret::{is_ordinary_value, is_secret_name, plain_name};
pub use shell::shell_word;
pub use utc::Utc;

/// Text on one line: line breaks and tabs are escaped too.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, Form::Line)
}

/// Text of several lines: line feeds and tabs stay, and a carriage return before a line feed is
/// removed.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, Form::Lines)
}

/// JSON text, which keeps its value: in valid JSON, hidden characters are only inside of strings,
/// where an escape means the same. A carriage return between values becomes a space.
pub fn json(text: &str) -> Cow<'_, str> {
    escaped(text, Form::Json)
}

/// The name of a file on one line. Bytes that are not UTF-8 are shown as U+FFFD.
pub fn path(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

/// Text without the sequences that set colours and fonts, which are for terminals and say nothing.
pub fn without_colours(text: &str) -> Cow<'_, str> {
    const START: &str = "\u{1b}[";
    if !text.contains(START) {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split(START);
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';' || c == ':');
        match rest.strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => plain.extend([START, piece]),
        }
    }
    Cow::Owned(plain)
}

/// Writes `character` as an escape, for texts that are escaped one character at a time.
pub fn push_escape(out: &mut String, character: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        other => {
            // Writing to a string does not fail.
            let _infallible = write!(out, "\\u{{{:x}}}", u32::from(other));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Line,
    Lines,
    Json,
}

impl Form {
    /// Whether `character` stays, between these two.
    fn keeps(self, before: Option<char>, character: char, after: Option<char>) -> bool {
        match character {
            '\n' | '\t' => self != Form::Line,
            one if is_joiner(one) => {
                let joins = |other: char| !other.is_ascii() && !is_hidden(other);
                self == Form::Lines && before.is_some_and(joins) && after.is_some_and(joins)
            }
            one if is_variation_selector(one) => before.is_some_and(has_variants),
            one => !is_hidden(one),
        }
    }

    fn push_escape(self, out: &mut String, character: char, after: Option<char>) {
        match (self, character) {
            (Form::Lines, '\r') if after == Some('\n') => {}
            (Form::Json, '\r') => out.push(' '),
            (Form::Json, other) => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    let _infallible = write!(out, "\\u{unit:04x}");
                }
            }
            _ => push_escape(out, character),
        }
    }
}

fn escaped(text: &str, form: Form) -> Cow<'_, str> {
    let is_plain = |byte: u8| {
        matches!(byte, b' '..=b'~') || (form != Form::Line && matches!(byte, b'\n' | b'\t'))
    };
    // Most texts are ASCII, and this is much faster than looking at characters.
    let Some(start) = text.bytes().position(|byte| !is_plain(byte)) else {
        return Cow::Borrowed(text);
    };
    // The character before may decide about the one that was found.
    let start = start.saturating_sub(1);
    let mut out: Option<String> = None;
    let mut before = None;
    let mut characters = text[start..].char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map(|(_, after)| *after);
        if !form.keeps(before, character, after) {
            let out = out.get_or_insert_with(|| text[..start + at].to_owned());
            form.push_escape(out, character, after);
        } else if let Some(out) = &mut out {
            out.push(character);
        }
        before = Some(character);
    }
    out.map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_removed_and_nothing_else() {
        let coloured = "\u{1b}[0m\u{1b}[1m\u{1b}[38;5;1merror\u{1b}[0m: no\u{1b}[m";
        assert_eq!(without_colours(coloured), "error: no");
        for text in [
            "plain",
            "\u{1b}[2J",
            "\u{1b}]0;title\u{7}",
            "cut \u{1b}[3",
            "\u{1b}",
        ] {
            assert_eq!(without_colours(text), text);
        }
    }

    #[test]
    fn hidden_characters_are_escaped_in_every_form() {
        let hidden = [
            0..=8,
            0xb..=0xc,
            0xe..=0x1f,
            0x7f..=0x9f,
            0xad..=0xad,
            0x61c..=0x61c,
            0x180e..=0x180e,
            0x200b..=0x200f,
            0x2028..=0x202e,
            0x2060..=0x206f,
            0x3164..=0x3164,
            0xfeff..=0xfeff,
            0xfff9..=0xfffb,
            0xe0001..=0xe007f,
        ];
        for code in hidden.into_iter().flatten() {
            let character = char::from_u32(code).unwrap();
            let text = format!("a{character}b");
            let escape = format!("a\\u{{{code:x}}}b");
            assert_eq!(line(&text), escape);
            assert_eq!(lines(&text), escape);
            let json = json(&format!("\"{text}\"")).into_owned();
            assert!(json.is_ascii() && !json.contains(character), "{json}");
        }
    }

    #[test]
    fn ordinary_text_is_not_touched() {
        for text in [
            "",
            "plain",
            "größe, 漢字, हिन्दी, עברית, عربي, 한국어",
            "e\u{301}",
            "☎\u{fe0f} 1\u{fe0f}\u{20e3} 葛\u{e0100}",
            "\u{e0b0} powerline",
            "no-break\u{a0}space \u{fffd}",
        ] {
            assert!(matches!(line(text), Cow::Borrowed(_)), "{text}");
            assert!(matches!(lines(text), Cow::Borrowed(_)), "{text}");
            assert!(matches!(json(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn line_breaks_and_tabs_stay_only_in_texts_of_several_lines() {
        assert_eq!(line("a\r\n\tb"), r"a\r\n\tb");
        assert_eq!(lines("a\r\n\tb\rc\r"), "a\n\tb\\rc\\r");
        assert_eq!(lines("\r\n"), "\n");
        assert_eq!(json("[1,\r\n\t2]"), "[1, \n\t2]");
    }

    #[test]
    fn joiners_stay_where_a_text_needs_them() {
        let kept = "❤\u{fe0f}\u{200d}🔥 می\u{200c}خواهم";
        assert_eq!(lines(kept), kept);
        assert!(!line(kept).contains(['\u{200c}', '\u{200d}']));
        assert_eq!(lines("pay\u{200d}pal"), r"pay\u{200d}pal");
        assert_eq!(lines("é\u{200d}"), r"é\u{200d}");
        assert_eq!(lines("é\u{200d}\u{200d}é"), r"é\u{200d}\u{200d}é");
    }

    #[test]
    fn variation_selectors_stay_behind_what_has_variants() {
        assert_eq!(line("a\u{fe0f}"), r"a\u{fe0f}");
        assert_eq!(line("\u{e0101}"), r"\u{e0101}");
        assert_eq!(line("☎\u{fe0f}\u{fe01}"), "☎\u{fe0f}\\u{fe01}");
    }

    #[test]
    fn json_keeps_its_value() {
        assert_eq!(json("\"\u{7f}\u{e0041}\""), r#""\u007f\udb40\udc41""#);
    }

    #[test]
    fn a_path_is_on_one_line() {
        assert_eq!(path(Path::new("a\nb/\u{1b}c")), r"a\nb/\u{1b}c");
    }
}
