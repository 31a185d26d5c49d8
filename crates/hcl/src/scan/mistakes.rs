//! What is wrong with a text, and where.

use super::{Open, Opener, Scan};
use crate::diagnostic::Diagnostic;
use crate::source::{Place, Span};

impl Scan<'_> {
    /// A single carriage return does not end a line, and would hide text in a terminal.
    pub(super) fn refuse_lone_return(&self) -> Result<(), Diagnostic> {
        match &self.text[self.at..] {
            [b'\r', b'\n', ..] => Ok(()),
            [b'\r', ..] => {
                let place = Place::new(self.source, Span::new(self.at..self.at + 1));
                let diagnostic = Diagnostic::error("a single carriage return does not end a line")
                    .at(place)
                    .help("write line ends as `\\n` or `\\r\\n`");
                Err(diagnostic)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn place_of(&self, open: &Open<'_>) -> Place {
        let length = match open.opener {
            Opener::Sequence => 2,
            Opener::Heredoc(end) => match self.text.get(open.at + 2) {
                Some(b'-') => 3 + end.len(),
                _ => 2 + end.len(),
            },
            _ => 1,
        };
        Place::new(self.source, Span::new(open.at..open.at + length))
    }

    pub(super) fn single_quote(&self) -> Diagnostic {
        let place = Place::new(self.source, Span::new(self.at..self.at + 1));
        Diagnostic::error("a single quote is not allowed here")
            .at(place)
            .help("write strings in double quotes")
    }

    pub(super) fn never_closed(&self, open: &Open<'_>) -> Diagnostic {
        let (summary, help) = match open.opener {
            Opener::Quote => (
                "this string is not closed on its line".into(),
                "close it with `\"`; a text of several lines is written between <<END and END"
                    .into(),
            ),
            Opener::Heredoc(end) => {
                let end = String::from_utf8_lossy(end);
                let help = format!("end it with a line that contains only {end}");
                ("this heredoc is never closed".into(), help)
            }
            Opener::Bracket(closing) => never(&self.text[open.at..=open.at], closing),
            Opener::Sequence => never(&self.text[open.at..open.at + 2], b'}'),
            _ => never(b"{", b'}'),
        };
        Diagnostic::error(summary)
            .at(self.place_of(open))
            .help(help)
    }

    pub(super) fn too_many_entries(&self) -> Diagnostic {
        let summary = format!("this object has more than {} entries", self.entries);
        let diagnostic = Diagnostic::error(summary)
            .help("keep data of this size in a JSON file, and read it with jsondecode(file(...))");
        match self.open.last() {
            Some(open) => diagnostic.at(self.place_of(open)),
            None => diagnostic,
        }
    }
}

fn never(opening: &[u8], closing: u8) -> (String, String) {
    let opening = String::from_utf8_lossy(opening);
    (
        format!("this `{opening}` is never closed"),
        format!("close it with `{}`", char::from(closing)),
    )
}
