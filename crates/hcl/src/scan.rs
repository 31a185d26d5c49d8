//! Scans a text before it is parsed. It finds what is opened and never closed, which the parser
//! reports at the wrong place; objects with so many entries that parsing would take minutes; and
//! numbers that do not fit into the floats that the parser reads them as.

mod code;
mod mistakes;
mod numeral;
mod text;

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::parse::Limits;
use crate::source::Source;

pub(crate) use numeral::stand_in;

/// Where a text has numbers that do not fit into 64-bit floats, which the parser cannot read.
pub(crate) type FarNumbers = Vec<Range<usize>>;

/// Scans a file or an expression.
pub(crate) fn body(source: &Arc<Source>, limits: Limits) -> Result<FarNumbers, Diagnostic> {
    let mut scan = Scan::new(source, limits);
    scan.run()?;
    Ok(scan.far_numbers)
}

/// Scans a template.
pub(crate) fn template(source: &Arc<Source>, limits: Limits) -> Result<FarNumbers, Diagnostic> {
    let mut scan = Scan::new(source, limits);
    scan.open.push(Open::new(Opener::Template, 0));
    scan.run()?;
    Ok(scan.far_numbers)
}

/// Where the comments of an expression are.
pub(crate) fn comments(source: &Arc<Source>) -> Vec<Range<usize>> {
    let mut scan = Scan::new(source, Limits::default());
    // Errors are reported when the whole text is scanned.
    let _reported_elsewhere = scan.run();
    scan.comments
}

/// Whether a line closes exactly what it opens, so that the file stays balanced without it.
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

/// Something that must be closed.
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
}
