//! Reading a record, and checking its chain.

use std::io::{self, BufRead, BufReader, Read};

use serde::Serialize;

use super::{Chain, Continues, Entry, FORMAT, Line};

/// The most bytes of a line, with its line break. Longer ones are not written, so they are not part of a record.
pub(super) const LONGEST: u64 = match cfg!(test) {
    true => 64 * 1024,
    false => 256 * 1024 * 1024,
};

/// The most bytes of a message or a note in a line, which leaves room for the id of a call.
pub(super) const LONGEST_CONTENT: usize = LONGEST as usize / 2;

/// What [`next_line`] has found.
pub(super) enum Found {
    /// The end of the file.
    Nothing,
    /// A whole line; its line break is not in the buffer.
    Line,
    /// The file ends before the line does.
    Torn,
    /// More than [`LONGEST`] bytes without a line break.
    TooLong,
}

/// Reads a line into a buffer.
pub(super) fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Found> {
    line.clear();
    reader.by_ref().take(LONGEST).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Found::Line);
    }
    Ok(match line.len() as u64 {
        0 => Found::Nothing,
        // Only what the end of the file has cut off may be removed when the record is continued.
        LONGEST => Found::TooLong,
        _ => Found::Torn,
    })
}

/// What is wrong with a line that is [`Found::TooLong`].
pub(super) const TOO_LONG: &str = "it is longer than any line of a record";

/// What a record proves.
#[derive(Debug)]
pub struct Verdict {
    /// The lines up to the first problem.
    pub lines: u64,
    /// The first thing that is wrong: a line that was changed, removed or moved.
    pub problem: Option<String>,
    /// The last session has its end. If it does not, the process that wrote it was killed or still runs, or lines were
    /// cut off.
    pub is_complete: bool,
    /// The sessions, up to the first problem.
    pub sessions: Vec<Session>,
    /// The bytes of a last line that was not written to its end.
    pub torn_bytes: usize,
    /// The hash of the last line, to compare with the one that [`Record::finish`](super::Record::finish) returned.
    pub sha256: String,
    pub(super) intact_bytes: u64,
    pub(super) chain: Chain,
}

/// What one guard has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    /// Its first line, from 1.
    pub first_line: u64,
    /// Its last line.
    pub last_line: u64,
    /// When it began, in RFC 3339.
    pub began: String,
    /// The hash of its end. Nothing if it has none: its guard was killed or still runs, or its end was cut off.
    pub sha256: Option<String>,
}

impl Verdict {
    /// The sessions that have no end.
    pub fn unclosed(&self) -> impl Iterator<Item = &Session> {
        { self.sessions.iter() }.filter(|session| session.sha256.is_none())
    }
}

/// Checks a record.
///
/// # Errors
/// It cannot be read.
pub fn verify(file: impl Read) -> io::Result<Verdict> {
    let mut reader = BufReader::new(file);
    let mut verdict = Verdict {
        lines: 0,
        problem: None,
        is_complete: false,
        sessions: Vec::new(),
        torn_bytes: 0,
        sha256: String::new(),
        intact_bytes: 0,
        chain: Chain::start(),
    };
    let mut line = Vec::new();
    loop {
        let checked = match next_line(&mut reader, &mut line)? {
            Found::Nothing => break,
            Found::Torn => {
                verdict.torn_bytes = line.len();
                verdict.is_complete = false;
                break;
            }
            Found::TooLong => Err(TOO_LONG),
            Found::Line => check(
                &line,
                &Before {
                    lines: verdict.lines,
                    chain: &verdict.chain,
                    is_closed: verdict.is_complete,
                },
            ),
        };
        match checked {
            Ok((chain, place)) => verdict.add(chain, place, line.len() + 1),
            Err(problem) => {
                verdict.problem = Some(format!("line {}: {problem}", verdict.lines + 1));
                verdict.is_complete = false;
                break;
            }
        }
    }
    verdict.sha256.clone_from(&verdict.chain.0);
    Ok(verdict)
}

impl Verdict {
    fn add(&mut self, chain: Chain, place: Place, bytes: usize) {
        self.lines += 1;
        self.intact_bytes += bytes as u64;
        self.is_complete = matches!(place, Place::End);
        if let Place::Begin(began) = place {
            self.sessions.push(Session {
                first_line: self.lines,
                last_line: self.lines,
                began,
                sha256: None,
            });
        }
        if let Some(session) = self.sessions.last_mut() {
            session.last_line = self.lines;
            session.sha256 = self.is_complete.then(|| chain.0.clone());
        }
        self.chain = chain;
    }
}

/// What comes before a line.
pub(super) struct Before<'a> {
    pub(super) lines: u64,
    pub(super) chain: &'a Chain,
    /// The line before is the end of a session.
    pub(super) is_closed: bool,
}

/// Where in a session a line is.
pub(super) enum Place {
    /// It begins one, at this time.
    Begin(String),
    Inside,
    End,
}

/// The hash after a line, and where the line is.
pub(super) fn check(text: &[u8], before: &Before<'_>) -> Result<(Chain, Place), &'static str> {
    let line: Line<'_> =
        serde_json::from_slice(text).map_err(|_| "it is not a line of a record")?;
    let chain = before.chain.after(line.entry.get());
    if chain.0 != line.sha256 {
        return Err(match before.lines {
            0 => "its hash is wrong: it was changed, or lines before it were removed",
            _ => {
                "its hash is wrong: it or the line before it was changed, or lines between them were removed"
            }
        });
    }
    let entry: Entry<'_> =
        serde_json::from_str(line.entry.get()).map_err(|_| "its entry is of an unknown kind")?;
    match entry {
        Entry::Begin { format, .. } if format != FORMAT => {
            Err("the record has another format; use the version of Tenon that wrote it")
        }
        Entry::Begin { at, continues, .. } => {
            let found = Continues {
                lines: before.lines,
                closed: before.is_closed,
            };
            match continues {
                None if before.lines == 0 => Ok((chain, Place::Begin(at))),
                Some(continues) if before.lines > 0 && continues == found => {
                    Ok((chain, Place::Begin(at)))
                }
                _ => Err("the session that begins here has continued another record"),
            }
        }
        _ if before.lines == 0 => Err("the first line of the record is missing"),
        _ if before.is_closed => Err("it was added after the end of a session"),
        Entry::End { lines, .. } if lines != before.lines => {
            Err("it says that there are more or fewer lines")
        }
        Entry::End { .. } => Ok((chain, Place::End)),
        Entry::Message { .. } | Entry::Note { .. } => Ok((chain, Place::Inside)),
    }
}
