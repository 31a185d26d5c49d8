//! Why a record cannot be worked with.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::hint::Hint;

/// Why a record cannot be worked with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The folder for the record does not exist, or is not a folder.
    #[error("the record cannot be written to {0}: there is no such folder")]
    NoFolder(PathBuf),
    /// Another process uses it.
    #[error("{0} belongs to a run that is in progress; wait until it has ended")]
    Busy(PathBuf),
    /// The journal does not say what happened.
    #[error(
        "{path}: {damage}, so it is unknown what this run has done; nothing was started\n  \
         {}",
        .damage.remedy()
    )]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
}

impl JournalError {
    /// What a user can do about it, beside what the error says.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            JournalError::NoFolder(_) => Some(Hint::MissingRecordFolder),
            JournalError::Damaged { .. } => Some(Hint::Salvage),
            JournalError::File { .. } | JournalError::Busy(_) => None,
        }
    }
}

/// What is wrong with a journal.
#[derive(Debug, PartialEq, Eq)]
pub enum Damage {
    /// It does not exist, although the run did not end.
    Missing,
    /// A version of tenon wrote it whose journals have no header and no checksums.
    Old,
    /// A later version of tenon wrote it, in this format.
    New(u32),
    /// It belongs to the run with this id.
    OtherRun(String),
    /// A line, from 1, is not what was written.
    Line(u64, String),
    /// It has fewer lines than were written.
    Cut {
        /// How many there are.
        lines: u64,
        /// How many there were at least.
        written: u64,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Missing => formatter.write_str("this journal is missing"),
            Damage::Old => formatter.write_str(
                "this journal was written by an earlier version of tenon and has no checksums",
            ),
            Damage::New(format) => write!(
                formatter,
                "this journal has the format {format} of a later version of tenon"
            ),
            Damage::OtherRun(run) => {
                write!(formatter, "this journal belongs to another run, {run}")
            }
            Damage::Line(line, problem) => {
                write!(
                    formatter,
                    "line {line} of this journal is damaged: {problem}"
                )
            }
            Damage::Cut { lines, written } => write!(
                formatter,
                "this journal was cut off after line {lines}; it had at least {written} lines"
            ),
        }
    }
}

impl Damage {
    /// What to do about it.
    fn remedy(&self) -> &'static str {
        match self {
            Damage::Missing => {
                "put the journal back beside the record: both belong together until the run is over"
            }
            Damage::Old | Damage::New(_) => "use the version of tenon that wrote it",
            Damage::OtherRun(_) => "put the journal of this run beside the record",
            Damage::Line(..) | Damage::Cut { .. } => {
                "put an undamaged copy of the journal there, if there is one"
            }
        }
    }
}
