//! The parts of a text that are strings, heredocs and templates.

use super::{Open, Opener, Scan};
use crate::diagnostic::Diagnostic;

impl Scan<'_> {
    pub(super) fn in_quotes(&mut self) -> Result<(), Diagnostic> {
        match &self.text[self.at..] {
            [b'\\', _, ..] => self.at += 2,
            [b'"', ..] => {
                self.open.pop();
                self.before = b'"';
                self.at += 1;
            }
            [b'\n', ..] => {
                // The quote that ends the line may have been meant for the text around a `${`.
                let around = self
                    .open
                    .len()
                    .checked_sub(2)
                    .map(|index| &self.open[index]);
                let around = around.filter(|open| open.opener == Opener::Sequence);
                if let Some(open) = around.or(self.open.last()) {
                    return Err(self.never_closed(open));
                }
            }
            _ => self.sequence_or_byte(),
        }
        Ok(())
    }

    pub(super) fn in_heredoc(&mut self, end: &[u8]) {
        let is_line_start = self
            .at
            .checked_sub(1)
            .is_none_or(|at| self.text[at] == b'\n');
        if is_line_start {
            let line = self.text[self.at..].trim_ascii_start();
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            let ends = line
                .strip_prefix(end)
                .is_some_and(|after| after.first().is_none_or(|byte| !is_word(byte)));
            // White space before the end must be on the same line.
            let skipped = &self.text[self.at..self.text.len() - line.len()];
            if ends && !skipped.contains(&b'\n') {
                self.at = self.text.len() - line.len() + end.len();
                self.open.pop();
                self.before = b'"';
                return;
            }
        }
        self.sequence_or_byte();
    }

    pub(super) fn in_template(&mut self) {
        self.sequence_or_byte();
    }

    /// In text: `${` and `%{` open code again, unless they are escaped by doubling.
    fn sequence_or_byte(&mut self) {
        match &self.text[self.at..] {
            [b'$', b'$', b'{', ..] | [b'%', b'%', b'{', ..] => self.at += 3,
            [b'$' | b'%', b'{', ..] => {
                self.open.push(Open::new(Opener::Sequence, self.at));
                self.before = b'{';
                self.at += 2;
            }
            _ => self.at += 1,
        }
    }
}
