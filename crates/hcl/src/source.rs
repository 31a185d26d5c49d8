//! Source texts and places in them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text that was read, with its name in errors.
#[derive(PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
}

impl Source {
    /// A text by this name, usually the path of its file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source {
            name: name.into(),
            text: text.into(),
        })
    }

    /// Its name in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in a span. Empty if the span is not in it.
    pub(crate) fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let start = before
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        (line, column)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({:?}, {} bytes)", self.name, self.text.len())
    }
}

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Texts are far smaller than what fits here; see the parser's limits.
    pub(crate) fn new(range: Range<usize>) -> Span {
        Span {
            start: range.start.try_into().unwrap_or(u32::MAX),
            end: range.end.try_into().unwrap_or(u32::MAX),
        }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From where this begins to where the other ends.
    pub(crate) fn to(self, other: Span) -> Span {
        Span {
            start: self.start,
            end: other.end.max(self.end),
        }
    }
}

/// A range of bytes in a certain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    source: Arc<Source>,
    span: Span,
}

impl Place {
    pub(crate) fn new(source: &Arc<Source>, span: Span) -> Place {
        Place {
            source: source.clone(),
            span,
        }
    }

    /// The beginning of a text, for what concerns the whole file.
    pub fn beginning(source: &Arc<Source>) -> Place {
        Place::new(source, Span::default())
    }

    /// The text it is in.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The range of bytes.
    pub fn range(&self) -> Range<usize> {
        self.span.range()
    }

    /// The text there.
    pub fn text(&self) -> &str {
        self.source.slice(self.span)
    }

    /// `main.hcl:3:7`, without the text.
    pub fn position(&self) -> String {
        self.to_string()
    }

    /// The line it begins in, from 1.
    pub fn line(&self) -> usize {
        self.source.position(self.range().start).0
    }

    /// The column it begins at, in characters, from 1.
    pub fn column(&self) -> usize {
        self.source.position(self.range().start).1
    }
}

impl fmt::Display for Place {
    /// `main.hcl:3:7`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.source.position(self.range().start);
        write!(f, "{}:{line}:{column}", self.source.name)
    }
}
