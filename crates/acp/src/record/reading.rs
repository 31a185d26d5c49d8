//! The entries of a record, one after the other.

use std::io::{self, BufRead, BufReader, Read};

use serde_json::value::RawValue;

use super::verifying::{Before, Found, Place, TOO_LONG, check, next_line};
use super::{Chain, Entry, Line, Source};

/// An entry of a record, and where it is.
#[derive(Clone, Debug)]
pub struct Item {
    /// The number of its line, from 1.
    pub line: u64,
    /// When it was written, in RFC 3339.
    pub at: String,
    /// What it says.
    pub content: Content,
}

/// What an entry says.
#[derive(Clone, Debug)]
pub enum Content {
    /// A guard has begun to write.
    Begin,
    /// A message.
    Message {
        /// Who sent it.
        from: Source,
        /// Who got it, if it is an answer of the guard itself.
        to: Option<Source>,
        /// The id of the call that it answers, as the caller has given it, if it is an answer to a forwarded call.
        answers: Option<Box<RawValue>>,
        /// The message, with secrets masked.
        message: Box<RawValue>,
    },
    /// Something that happened.
    Note(Box<RawValue>),
    /// The guard has ended.
    End,
}

/// Why an entry could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// A line was changed, removed or moved, or is not complete.
    #[error("line {line}: {problem}")]
    Damaged {
        /// The number of the line.
        line: u64,
        /// What is wrong.
        problem: String,
    },
}

/// Reads the entries of a record, and checks its chain meanwhile. It ends after the first error.
pub fn read<R: Read>(file: R) -> Entries<R> {
    Entries {
        reader: BufReader::new(file),
        chain: Chain::start(),
        lines: 0,
        is_closed: false,
        is_checked: true,
        is_done: false,
    }
}

/// The entries of a record.
#[derive(Debug)]
pub struct Entries<R> {
    reader: BufReader<R>,
    chain: Chain,
    lines: u64,
    /// The line before was the end of a session.
    is_closed: bool,
    is_checked: bool,
    is_done: bool,
}

impl<R: Read> Entries<R> {
    /// Does not check the chain, and skips lines that cannot be read.
    #[must_use]
    pub fn unchecked(mut self) -> Entries<R> {
        self.is_checked = false;
        self
    }

    fn next_line(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        let mut line = Vec::new();
        let problem = match next_line(&mut self.reader, &mut line)? {
            Found::Nothing => return Ok(None),
            Found::Line => return Ok(Some(line)),
            Found::Torn if !self.is_checked => return Ok(None),
            Found::Torn => "it is not complete: the process that wrote it was killed",
            Found::TooLong => {
                self.reader.skip_until(b'\n')?;
                TOO_LONG
            }
        };
        Err(ReadError::Damaged {
            line: self.lines + 1,
            problem: problem.to_owned(),
        })
    }

    fn item(&mut self, text: &[u8]) -> Result<Item, ReadError> {
        let line = self.lines + 1;
        let damaged = |problem: &str| ReadError::Damaged {
            line,
            problem: problem.to_owned(),
        };
        if self.is_checked {
            let before = Before {
                lines: self.lines,
                chain: &self.chain,
                is_closed: self.is_closed,
            };
            let (chain, place) = check(text, &before).map_err(damaged)?;
            self.chain = chain;
            self.is_closed = matches!(place, Place::End);
        }
        let unreadable = |_| damaged("it is not a line of a record");
        let outer: Line<'_> = serde_json::from_slice(text).map_err(unreadable)?;
        let entry: Entry<'_> = serde_json::from_str(outer.entry.get()).map_err(unreadable)?;
        let (at, content) = match entry {
            Entry::Begin { at, .. } => (at, Content::Begin),
            Entry::Message {
                at,
                from,
                to,
                answers,
                message,
            } => {
                let content = Content::Message {
                    from,
                    to,
                    answers: answers.map(ToOwned::to_owned),
                    message: message.to_owned(),
                };
                (at, content)
            }
            Entry::Note { at, note } => (at, Content::Note(note.to_owned())),
            Entry::End { at, .. } => (at, Content::End),
        };
        Ok(Item { line, at, content })
    }
}

impl<R: Read> Iterator for Entries<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Result<Item, ReadError>> {
        while !self.is_done {
            let item = match self.next_line() {
                Ok(None) => break,
                Ok(Some(text)) => self.item(&text),
                Err(error) => Err(error),
            };
            self.lines += 1;
            match item {
                Err(ReadError::Damaged { .. }) if !self.is_checked => {}
                item => {
                    self.is_done = item.is_err();
                    return Some(item);
                }
            }
        }
        self.is_done = true;
        None
    }
}
