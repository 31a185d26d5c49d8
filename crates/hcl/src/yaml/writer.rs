//! Writing YAML, byte for byte as Terraform's `yamlencode` does.
//!
//! Blocks, two spaces deep; lists in a mapping are not indented. Texts and keys are in double
//! quotes, which are folded after 80 columns, or they are literal blocks if they have several lines.

use std::fmt::Write as _;

use tenon_values::{Kind, Text, Value};

/// Texts are folded at the first space after this column.
const WIDTH: usize = 80;

/// A key of more bytes than this is written after a `?`.
const SIMPLE_KEY: usize = 128;

/// How deep each level is indented.
const INDENT: usize = 2;

/// Writes a value that is wholly known and not marked. `allow` is asked whether the text may be so
/// long.
///
/// # Errors
/// Those of `allow`.
pub fn write<E>(value: &Value, allow: impl Fn(usize) -> Result<(), E>) -> Result<String, E> {
    let mut writer = Writer {
        out: String::new(),
        allow,
    };
    writer.value(value, 0, Lead::Document)?;
    if !matches!(value.kind(), Kind::String(_)) && !is_collection(value) {
        // A document that is a plain scalar could continue.
        writer.out.push_str("...\n");
    }
    Ok(writer.out)
}

fn is_collection(value: &Value) -> bool {
    let kind = value.kind();
    matches!(
        kind,
        Kind::List(_) | Kind::Set(_) | Kind::Tuple(_) | Kind::Map(_) | Kind::Object(_)
    )
}

/// What stands before a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// Nothing at all.
    Document,
    /// `-`, or the `?` and `:` of a key that is not simple: a collection begins on the same line.
    Dash,
    /// `"key":`
    Key,
}

struct Writer<A> {
    out: String,
    allow: A,
}

impl<E, A: Fn(usize) -> Result<(), E>> Writer<A> {
    /// Writes a value in a collection that is indented so far, with the end of its line.
    fn value(&mut self, value: &Value, indent: usize, lead: Lead) -> Result<(), E> {
        match value.kind() {
            Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => {
                let inner = match lead {
                    Lead::Dash => indent + INDENT,
                    Lead::Document | Lead::Key => indent,
                };
                if values.is_empty() {
                    return self.scalar("[]", lead);
                }
                for (index, value) in values.iter().enumerate() {
                    self.begin(index == 0, inner, lead);
                    self.out.push('-');
                    self.value(value, inner, Lead::Dash)?;
                }
                Ok(())
            }
            Kind::Map(entries) => {
                let named = entries.iter().map(|(key, value)| (text(key), value));
                self.mapping(named, indent, lead)
            }
            Kind::Object(attributes) => {
                let named = attributes.iter();
                self.mapping(
                    named.map(|(name, value)| (name.to_owned(), value)),
                    indent,
                    lead,
                )
            }
            Kind::String(string) => self.text(&text(string), indent + INDENT, lead),
            Kind::Number(number) if number.is_infinite() => {
                let text = if number.is_negative() { "-Inf" } else { "+Inf" };
                self.scalar(text, lead)
            }
            Kind::Number(number) => self.scalar(&number.to_text(), lead),
            Kind::Bool(true) => self.scalar("true", lead),
            Kind::Bool(false) => self.scalar("false", lead),
            _ => self.scalar("null", lead),
        }
    }

    fn mapping<'v>(
        &mut self,
        entries: impl Iterator<Item = (String, &'v Value)>,
        indent: usize,
        lead: Lead,
    ) -> Result<(), E> {
        let inner = match lead {
            Lead::Document => indent,
            Lead::Dash | Lead::Key => indent + INDENT,
        };
        let mut is_first = true;
        for (key, value) in entries {
            self.begin(is_first, inner, lead);
            is_first = false;
            if key.len() <= SIMPLE_KEY && !key.contains(is_break) {
                self.quoted(&key, None);
                self.out.push(':');
                self.value(value, inner, Lead::Key)?;
            } else {
                self.out.push('?');
                self.text(&key, inner + INDENT, Lead::Dash)?;
                self.pad(inner);
                self.out.push(':');
                self.value(value, inner, Lead::Dash)?;
            }
        }
        match is_first {
            true => self.scalar("{}", lead),
            false => Ok(()),
        }
    }

    /// Goes to where an element of a collection begins.
    fn begin(&mut self, is_first: bool, indent: usize, lead: Lead) {
        match lead {
            Lead::Dash if is_first => return self.out.push(' '),
            Lead::Key if is_first => self.out.push('\n'),
            _ => {}
        }
        self.pad(indent);
    }

    fn pad(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn lead(&mut self, lead: Lead) {
        if lead != Lead::Document {
            self.out.push(' ');
        }
    }

    fn scalar(&mut self, plain: &str, lead: Lead) -> Result<(), E> {
        self.lead(lead);
        self.out.push_str(plain);
        self.out.push('\n');
        (self.allow)(self.out.len())
    }

    fn text(&mut self, text: &str, indent: usize, lead: Lead) -> Result<(), E> {
        self.lead(lead);
        match text.contains('\n') && is_literal(text) {
            true => self.literal(text, indent),
            false => {
                self.quoted(text, Some(indent));
                self.out.push('\n');
            }
        }
        (self.allow)(self.out.len())
    }

    /// `|` and the lines as they are.
    fn literal(&mut self, text: &str, indent: usize) {
        self.out.push('|');
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            let _ = write!(self.out, "{INDENT}");
        }
        let mut last = text.chars().rev();
        match (last.next().map(is_break), last.next().map(is_break)) {
            (Some(true), Some(true) | None) => self.out.push('+'),
            (Some(true), Some(false)) => {}
            _ => self.out.push('-'),
        }
        self.out.push('\n');
        let mut is_at_start = true;
        for character in text.chars() {
            if is_break(character) {
                is_at_start = true;
            } else if is_at_start {
                self.pad(indent);
                is_at_start = false;
            }
            self.out.push(character);
        }
        if !is_at_start {
            self.out.push('\n');
        }
    }

    /// In double quotes, folded to this indentation where it is given.
    fn quoted(&mut self, text: &str, indent: Option<usize>) {
        let line = self.out.rfind('\n').map_or(0, |at| at + 1);
        let mut column = self.out[line..].chars().count() + 1;
        self.out.push('"');
        let mut was_space = false;
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            if let (' ', Some(indent)) = (character, indent)
                && !was_space
                && column > WIDTH
                && at > 0
                && let Some(next) = next
            {
                self.out.push('\n');
                self.pad(indent);
                column = indent;
                if next == ' ' {
                    self.out.push('\\');
                    column += 1;
                }
                was_space = true;
                continue;
            }
            was_space = character == ' ';
            let before = self.out.len();
            match is_printable(character)
                && !is_break(character)
                && !matches!(character, '"' | '\\')
            {
                true => {
                    self.out.push(character);
                    column += 1;
                }
                false => {
                    self.escape(character);
                    column += self.out.len() - before;
                }
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, character: char) {
        let short = match character {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' | '\\' => character,
            '\u{85}' => 'N',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            other => {
                let code = u32::from(other);
                let _ = match code {
                    0..=0xff => write!(self.out, "\\x{code:02X}"),
                    0x100..=0xffff => write!(self.out, "\\u{code:04X}"),
                    _ => write!(self.out, "\\U{code:08X}"),
                };
                return;
            }
        };
        self.out.extend(['\\', short]);
    }
}

/// The content of a string. What is not UTF-8 has no place in YAML.
fn text(text: &Text) -> String {
    text.to_string_lossy().into_owned()
}

/// A text can be a literal block: nothing in it needs to be escaped, and no line ends with a space.
fn is_literal(text: &str) -> bool {
    let ends_with_space = |line: &str| line.ends_with(' ');
    text.chars().all(is_printable) && !text.split(is_break).any(ends_with_space)
}

fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What is written as it is. Characters past U+FFFF are not among them.
fn is_printable(character: char) -> bool {
    matches!(
        character,
        '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}'
    )
}
