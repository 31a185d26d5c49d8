//! The parts of a text that are code: outside of strings and comments.

use super::numeral;
use super::{Open, Opener, Scan};
use crate::diagnostic::Diagnostic;
use crate::source::{Place, Span};

impl Scan<'_> {
    pub(super) fn in_code(&mut self) -> Result<(), Diagnostic> {
        let rest = &self.text[self.at..];
        match rest {
            [b'#', ..] | [b'/', b'/', ..] => self.line_comment(),
            [b'/', b'*', ..] => self.block_comment()?,
            [b'<', b'<', ..] if self.heredoc_starts() => {}
            [byte, ..] if byte.is_ascii_digit() => self.number()?,
            [byte, ..] if is_in_word(*byte) => self.word(),
            [byte, ..] => {
                self.byte_of_code(*byte)?;
                if !byte.is_ascii_whitespace() {
                    self.before = *byte;
                }
                self.at += 1;
            }
            [] => {}
        }
        Ok(())
    }

    fn byte_of_code(&mut self, byte: u8) -> Result<(), Diagnostic> {
        match byte {
            b'"' => self.open.push(Open::new(Opener::Quote, self.at)),
            b'\'' => return Err(self.single_quote()),
            b'(' => self.open.push(Open::new(Opener::Bracket(b')'), self.at)),
            b'[' => self.open.push(Open::new(Opener::Bracket(b']'), self.at)),
            b'{' => {
                let opener = match self.before {
                    // After a name or a label comes a block, after anything else an object.
                    b'"' | b'_' | b'-' => Opener::Bracket(b'}'),
                    byte if byte.is_ascii_alphanumeric() || byte >= 0x80 => Opener::Bracket(b'}'),
                    _ => Opener::Object,
                };
                self.open.push(Open::new(opener, self.at));
            }
            b')' | b']' | b'}' => self.close(byte)?,
            b'?' | b'=' | b':' => self.count_entry(byte)?,
            _ => {}
        }
        Ok(())
    }

    /// `=` and `:` are between a key and its value, unless they belong to an operator.
    fn count_entry(&mut self, byte: u8) -> Result<(), Diagnostic> {
        let after = self.text.get(self.at + 1).copied().unwrap_or(b' ');
        let is_operator =
            byte == b'=' && (matches!(self.before, b'=' | b'!' | b'<' | b'>') || after == b'=');
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        if open.opener != Opener::Object || is_operator {
            return Ok(());
        }
        match byte {
            b'?' => open.conditionals += 1,
            b':' if open.conditionals > 0 => open.conditionals -= 1,
            _ => open.entries += 1,
        }
        match open.entries > self.entries {
            true => Err(self.too_many_entries()),
            false => Ok(()),
        }
    }

    /// A word. Digits in it are not a number.
    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let end = rest
            .iter()
            .position(|byte| !is_in_word(*byte) && *byte != b'-');
        self.pass(end.unwrap_or(rest.len()));
    }

    fn number(&mut self) -> Result<(), Diagnostic> {
        let numeral = numeral::at_start(&self.source.text()[self.at..]);
        match numeral::is_far(numeral) {
            Ok(false) => {}
            Ok(true) => self.far_numbers.push(self.at..self.at + numeral.len()),
            Err(error) => {
                let span = Span::new(self.at..self.at + numeral.len());
                let place = Place::new(self.source, span);
                return Err(Diagnostic::error(error.to_string()).at(place));
            }
        }
        self.pass(numeral.len());
        Ok(())
    }

    /// Skips `length` bytes of code, at least one.
    fn pass(&mut self, length: usize) {
        self.at += length.max(1);
        self.before = self.text[self.at - 1];
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.iter().position(|byte| *byte == b'\n');
        self.at += length.unwrap_or(rest.len());
        self.comments.push(start..self.at);
    }

    fn block_comment(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        self.at += 2;
        if !self.skip_past(b"*/") {
            let place = Place::new(self.source, Span::new(start..start + 2));
            let diagnostic = Diagnostic::error("this comment is never closed")
                .at(place)
                .help("close it with `*/`");
            return Err(diagnostic);
        }
        self.comments.push(start..self.at);
        Ok(())
    }

    fn close(&mut self, byte: u8) -> Result<(), Diagnostic> {
        let closes = match self.open.last().map(|open| open.opener) {
            Some(Opener::Bracket(closing)) => closing == byte,
            Some(Opener::Object | Opener::Sequence) => byte == b'}',
            _ => false,
        };
        if closes {
            self.open.pop();
            return Ok(());
        }
        let place = Place::new(self.source, Span::new(self.at..self.at + 1));
        let mut diagnostic =
            Diagnostic::error(format!("this `{}` closes nothing", char::from(byte))).at(place);
        if let Some(open) = self.open.last() {
            diagnostic = diagnostic.related(self.place_of(open), "this is open");
        }
        Err(diagnostic)
    }

    fn heredoc_starts(&mut self) -> bool {
        let after = &self.text[self.at + 2..];
        let name = after.strip_prefix(b"-").unwrap_or(after);
        let is_word = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || *byte >= 0x80
        };
        let length = name.iter().take_while(|byte| is_word(byte)).count();
        let (end, rest) = name.split_at(length);
        let is_heredoc = length > 0 && (rest.starts_with(b"\n") || rest.starts_with(b"\r\n"));
        if is_heredoc {
            self.open.push(Open::new(Opener::Heredoc(end), self.at));
            self.at = self.text.len() - rest.len();
            self.skip_past(b"\n");
        }
        is_heredoc
    }

    /// Goes to the end of the next of these, or to the end of the text if there is none.
    fn skip_past(&mut self, end: &[u8]) -> bool {
        let rest = &self.text[self.at..];
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.text.len(), |at| self.at + at + end.len());
        found.is_some()
    }
}

/// Whether a byte can begin a word of code, or continue one.
fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
