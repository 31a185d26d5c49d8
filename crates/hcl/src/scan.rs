//! A look over a text before the parser gets it: for what is opened and never closed, which the
//! parser blames on the wrong place, for objects with so many entries that it would take minutes
//! over them, and for numbers beyond the floats that it reads them as.

mod numeral;

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::parse::Limits;
use crate::source::{Place, Source, Span};

pub(crate) use numeral::stand_in;

/// Where a text has numbers that the parser cannot read: those beyond 64-bit floats.
pub(crate) type FarNumbers = Vec<Range<usize>>;

/// Looks over a file or an expression.
pub(crate) fn body(source: &Arc<Source>, limits: Limits) -> Result<FarNumbers, Diagnostic> {
    let mut scan = Scan::new(source, limits);
    scan.run()?;
    Ok(scan.far_numbers)
}

/// Looks over a template.
pub(crate) fn template(source: &Arc<Source>, limits: Limits) -> Result<FarNumbers, Diagnostic> {
    let mut scan = Scan::new(source, limits);
    scan.open.push(Open::new(Opener::Template, 0));
    scan.run()?;
    Ok(scan.far_numbers)
}

/// Where the comments of an expression are.
pub(crate) fn comments(source: &Arc<Source>) -> Vec<Range<usize>> {
    let mut scan = Scan::new(source, Limits::default());
    // What is wrong with the text is told by whoever looks at it as a whole.
    let _told_elsewhere = scan.run();
    scan.comments
}

/// Whether a line closes all that it opens and nothing else, so that a file without it still
/// holds together.
pub(crate) fn is_balanced(line: &str) -> bool {
    let source = Source::new("", line);
    !line.contains("<<") && !line.contains("*/") && body(&source, Limits::default()).is_ok()
}

struct Scan<'a> {
    source: &'a Arc<Source>,
    text: &'a [u8],
    at: usize,
    open: Vec<Open<'a>>,
    entries: usize,
    /// The last byte that is neither white space nor in a comment.
    before: u8,
    comments: Vec<Range<usize>>,
    far_numbers: FarNumbers,
}

/// Something that has to be closed.
struct Open<'a> {
    opener: Opener<'a>,
    at: usize,
    entries: usize,
    /// `?` without its `:`.
    conditionals: usize,
}

impl<'a> Open<'a> {
    fn new(opener: Opener<'a>, at: usize) -> Open<'a> {
        Open {
            opener,
            at,
            entries: 0,
            conditionals: 0,
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Opener<'a> {
    /// A bracket of a kind, by the byte that closes it.
    Bracket(u8),
    /// An object, not a block.
    Object,
    /// `${` or `%{`
    Sequence,
    Quote,
    Heredoc(&'a [u8]),
    /// The whole text is one; it ends with the text.
    Template,
}

impl<'a> Scan<'a> {
    fn new(source: &'a Arc<Source>, limits: Limits) -> Scan<'a> {
        Scan {
            source,
            text: source.text().as_bytes(),
            at: 0,
            open: Vec::new(),
            entries: limits.entries,
            before: b'\n',
            comments: Vec::new(),
            far_numbers: FarNumbers::new(),
        }
    }

    fn run(&mut self) -> Result<(), Diagnostic> {
        while self.at < self.text.len() {
            self.refuse_lone_return()?;
            match self.open.last().map(|open| open.opener) {
                Some(Opener::Quote) => self.in_quotes()?,
                Some(Opener::Heredoc(end)) => self.in_heredoc(end),
                Some(Opener::Template) => self.in_template(),
                _ => self.in_code()?,
            }
        }
        match self.open.pop() {
            None
            | Some(Open {
                opener: Opener::Template,
                ..
            }) => Ok(()),
            Some(open) => Err(self.never_closed(&open)),
        }
    }

    fn in_code(&mut self) -> Result<(), Diagnostic> {
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

    /// Digits in it make no number.
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

    /// Goes behind so many bytes of code, one at least.
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

    /// Old line ends are none here, and would hide what is written.
    fn refuse_lone_return(&self) -> Result<(), Diagnostic> {
        match &self.text[self.at..] {
            [b'\r', b'\n', ..] => Ok(()),
            [b'\r', ..] => {
                let place = Place::new(self.source, Span::new(self.at..self.at + 1));
                let diagnostic = Diagnostic::error("a carriage return alone ends no line")
                    .at(place)
                    .help("write line ends as `\\n` or `\\r\\n`");
                Err(diagnostic)
            }
            _ => Ok(()),
        }
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
        let mut diagnostic = Diagnostic::error(format!(
            "this `{}` closes nothing that is open",
            char::from(byte)
        ))
        .at(place);
        if let Some(open) = self.open.last() {
            diagnostic = diagnostic.related(self.place_of(open), "this is open");
        }
        Err(diagnostic)
    }

    fn in_quotes(&mut self) -> Result<(), Diagnostic> {
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

    fn in_heredoc(&mut self, end: &[u8]) {
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
            // White space before the end may span lines only by mistake of ours.
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

    fn in_template(&mut self) {
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

    /// Goes behind the next of these; to the end if there is none.
    fn skip_past(&mut self, end: &[u8]) -> bool {
        let rest = &self.text[self.at..];
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.text.len(), |at| self.at + at + end.len());
        found.is_some()
    }

    fn place_of(&self, open: &Open<'_>) -> Place {
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

    fn single_quote(&self) -> Diagnostic {
        let place = Place::new(self.source, Span::new(self.at..self.at + 1));
        Diagnostic::error("a single quote means nothing here")
            .at(place)
            .help("texts are written in double quotes")
    }

    fn never_closed(&self, open: &Open<'_>) -> Diagnostic {
        let (summary, help) = match open.opener {
            Opener::Quote => (
                "this string is not closed on its line".into(),
                "close it with `\"`; a text of several lines is written between <<END and END"
                    .into(),
            ),
            Opener::Heredoc(end) => {
                let end = String::from_utf8_lossy(end);
                let help = format!("end it with a line that has nothing but {end} in it");
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

    fn too_many_entries(&self) -> Diagnostic {
        let summary = format!("this object has more than {} entries", self.entries);
        let diagnostic = Diagnostic::error(summary)
            .help("keep data of this size in a JSON file, and read it with jsondecode(file(...))");
        match self.open.last() {
            Some(open) => diagnostic.at(self.place_of(open)),
            None => diagnostic,
        }
    }
}

/// Whether a byte can begin a word of code, or go on with one.
fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn never(opening: &[u8], closing: u8) -> (String, String) {
    let opening = String::from_utf8_lossy(opening);
    (
        format!("this `{opening}` is never closed"),
        format!("close it with `{}`", char::from(closing)),
    )
}
