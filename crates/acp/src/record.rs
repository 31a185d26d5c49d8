//! A record of what was said: JSON lines with a hash chain.
//!
//! Each line has the SHA-256 of the line before it and of its own entry, so that nothing can be changed, removed or
//! moved without breaking the chain. A file holds one session or several, one after the other; each begins and ends with
//! a line that says so, and one that continues a file says what it continues. So a session whose end was cut off shows,
//! also if another one follows it; whether it was cut off or its guard was killed, a chain cannot tell.
//!
//! Someone who can write the file could recompute the whole chain, or remove whole sessions from its end.
//! [`Record::finish`] returns the hash of the end, which can be kept elsewhere and compared.
//!
//! A line is written with one call as soon as it is known, so a process that is killed loses nothing that it recorded.
//! Secrets are masked before they are written.

mod masking;
mod reading;
mod verifying;

use std::fs::{File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tenon_host::own_file::{self, Access};
use tenon_protocols::acp::Side;

pub use masking::Masks;
pub(crate) use masking::hide_variables;
pub use reading::{Content, Entries, Item, ReadError, read};
use verifying::LONGEST;
pub use verifying::{Session, Verdict, verify};

/// The version of the format, which is in the first line.
pub const FORMAT: &str = "tenon-acp-record 2";

/// Who has sent something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The client.
    Client,
    /// The agent.
    Agent,
    /// The guard: what it answered or decided itself.
    Guard,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Source::Client => "client",
            Source::Agent => "agent",
            Source::Guard => "guard",
        })
    }
}

impl From<Side> for Source {
    fn from(side: Side) -> Source {
        match side {
            Side::Client => Source::Client,
            Side::Agent => Source::Agent,
        }
    }
}

/// The content of a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry<'a> {
    /// The first line, and the first after the record was continued.
    Begin {
        /// [`FORMAT`].
        format: String,
        /// When, in RFC 3339.
        at: String,
        /// What was in the file before, if there was something.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        continues: Option<Continues>,
        /// The bytes of a line that was cut off when an earlier process was killed; they are removed.
        #[serde(default, skip_serializing_if = "is_zero")]
        removed_bytes: usize,
    },
    /// A message, as it was sent, with secrets masked.
    Message {
        /// When.
        at: String,
        /// By whom.
        from: Source,
        /// To whom, if it is an answer of the guard itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Source>,
        /// The id that the caller has given to the call that this is an answer to. The message itself has the id that the
        /// guard has given to it.
        #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
        answers: Option<&'a RawValue>,
        /// What was sent.
        #[serde(borrow)]
        message: &'a RawValue,
    },
    /// Something that happened: a decision, a refusal, a timeout.
    Note {
        /// When.
        at: String,
        /// What.
        #[serde(borrow)]
        note: &'a RawValue,
    },
    /// The last line.
    End {
        /// When.
        at: String,
        /// How many lines there are before it.
        lines: u64,
    },
}

/// What a session found in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continues {
    /// The lines.
    pub lines: u64,
    /// Whether the session before had its end.
    pub closed: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A line: an entry and the hash of everything up to it.
#[derive(Debug, Serialize, Deserialize)]
struct Line<'a> {
    sha256: String,
    #[serde(borrow)]
    entry: &'a RawValue,
}

/// Why a record could not be opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Another process writes to it.
    #[error("{} is in use by another process", .0.display())]
    Busy(PathBuf),
    /// An earlier line could not be written, so no later one can follow it.
    #[error("{}: an earlier line could not be written", .0.display())]
    Incomplete(PathBuf),
    /// The file is there, but it is not an intact record.
    #[error("{}: {problem}; move it away, or give another file", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// A record that is being written.
#[derive(Debug)]
pub struct Record {
    file: File,
    path: PathBuf,
    chain: Chain,
    masks: Masks,
    lines: u64,
    continues: Option<Continues>,
    /// A line could not be written. Nothing is added after it: the chain would be broken.
    is_incomplete: bool,
}

impl Record {
    /// Creates a record that only its owner can read, or continues one.
    ///
    /// # Errors
    /// The file cannot be written, is in use, belongs to someone else, or is not an intact record.
    pub fn open(path: &Path, masks: Masks) -> Result<Record, RecordError> {
        let failed = |error| RecordError::File {
            path: path.to_owned(),
            error,
        };
        let file = match own_file::create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                own_file::open(path, Access::ReadWrite)
            }
            created => created,
        };
        Record::begin(file.map_err(failed)?, path, masks)
    }

    /// Creates a record that only its owner can read.
    ///
    /// # Errors
    /// The file exists, or cannot be written.
    pub fn create(path: &Path, masks: Masks) -> Result<Record, RecordError> {
        let file = own_file::create(path).map_err(|error| RecordError::File {
            path: path.to_owned(),
            error,
        })?;
        Record::begin(file, path, masks)
    }

    fn begin(mut file: File, path: &Path, masks: Masks) -> Result<Record, RecordError> {
        let failed = |error| RecordError::File {
            path: path.to_owned(),
            error,
        };
        match own_file::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RecordError::Busy(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let verdict = verify(&mut file).map_err(failed)?;
        if let Some(problem) = verdict.problem {
            return Err(RecordError::Damaged {
                path: path.to_owned(),
                problem,
            });
        }
        let continues = (verdict.lines > 0).then_some(Continues {
            lines: verdict.lines,
            closed: verdict.is_complete,
        });
        file.set_len(verdict.intact_bytes).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut record = Record {
            file,
            path: path.to_owned(),
            chain: verdict.chain,
            masks,
            lines: verdict.lines,
            continues,
            is_incomplete: false,
        };
        record.write(&Entry::Begin {
            format: FORMAT.to_owned(),
            at: now(),
            continues,
            removed_bytes: verdict.torn_bytes,
        })?;
        Ok(record)
    }

    /// Records a message.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn message(&mut self, from: Source, message: &str) -> Result<(), RecordError> {
        self.say(from, None, None, message)
    }

    /// Records the answer of a side to a call that the guard has forwarded to it. `id` is that of the caller, as JSON.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forwarded_answer(
        &mut self,
        from: Source,
        id: &RawValue,
        message: &str,
    ) -> Result<(), RecordError> {
        self.say(from, None, Some(id), message)
    }

    /// Records an answer that the guard gave itself, to this side.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn answer(&mut self, to: Source, message: &str) -> Result<(), RecordError> {
        self.say(Source::Guard, Some(to), None, message)
    }

    fn say(
        &mut self,
        from: Source,
        to: Option<Source>,
        answers: Option<&RawValue>,
        message: &str,
    ) -> Result<(), RecordError> {
        let message = self.masks.hide(message);
        let at = now();
        self.write(&Entry::Message {
            at,
            from,
            to,
            answers,
            message: &message,
        })
    }

    /// Records something that happened.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note(&mut self, note: &impl Serialize) -> Result<(), RecordError> {
        let note = serde_json::to_string(note).map_err(|error| self.failed(error.into()))?;
        let note = self.masks.hide(&note);
        let at = now();
        self.write(&Entry::Note { at, note: &note })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was in the file before, if there was something.
    pub fn continues(&self) -> Option<Continues> {
        self.continues
    }

    /// What is masked.
    pub fn masks(&self) -> &Masks {
        &self.masks
    }

    /// Writes the last line, and returns the hash of the whole record.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<String, RecordError> {
        self.end()
    }

    pub(crate) fn end(&mut self) -> Result<String, RecordError> {
        let lines = self.lines;
        self.write(&Entry::End { at: now(), lines })?;
        self.file.sync_all().map_err(|error| self.failed(error))?;
        Ok(self.chain.0.clone())
    }

    fn write(&mut self, entry: &Entry<'_>) -> Result<(), RecordError> {
        if self.is_incomplete {
            return Err(RecordError::Incomplete(self.path.clone()));
        }
        let entry = serde_json::to_string(entry).map_err(|error| self.failed(error.into()))?;
        let sha256 = self.chain.after(&entry);
        let line = format!("{{\"sha256\":\"{}\",\"entry\":{entry}}}\n", sha256.0);
        let written = match line.len() as u64 <= LONGEST {
            true => self.file.write_all(line.as_bytes()),
            // It would be taken for damage, and with it everything that follows.
            false => Err(io::Error::other("a line is too long for a record")),
        };
        if let Err(error) = written {
            self.is_incomplete = true;
            return Err(self.failed(error));
        }
        self.chain = sha256;
        self.lines += 1;
        Ok(())
    }

    fn failed(&self, error: io::Error) -> RecordError {
        RecordError::File {
            path: self.path.clone(),
            error,
        }
    }
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// The hash of everything so far, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chain(String);

impl Chain {
    /// Before the first line.
    fn start() -> Chain {
        Chain("0".repeat(64))
    }

    fn after(&self, entry: &str) -> Chain {
        let mut hash = Sha256::new();
        hash.update(self.0.as_bytes());
        hash.update(entry.as_bytes());
        let digits = hash.finalize();
        Chain(digits.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::verifying::LONGEST_CONTENT;
    use super::*;

    #[test]
    fn nothing_follows_a_line_that_could_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let mut record = Record::open(&path, Masks::default()).unwrap();
        let writable = std::mem::replace(&mut record.file, File::open(&path).unwrap());
        let lost = record.message(Source::Agent, "1");
        assert!(matches!(lost, Err(RecordError::File { .. })), "{lost:?}");
        record.file = writable;
        let later = record.message(Source::Agent, "2");
        assert!(
            matches!(later, Err(RecordError::Incomplete(_))),
            "{later:?}"
        );
        assert!(record.finish().is_err());
    }

    /// Nothing that a peer can send makes a line that is taken for a torn one, which the next session would remove with all
    /// that follows.
    #[test]
    fn long_messages_damage_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        // JSON at the limit, over it, and a text that grows six times.
        let json = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
        let messages = [
            json(LONGEST_CONTENT),
            json(LONGEST_CONTENT + 1),
            "\u{1}".repeat(LONGEST_CONTENT),
        ];
        for session in 1..=2 {
            let mut record = Record::open(&path, Masks::default()).unwrap();
            for message in &messages {
                record.message(Source::Agent, message).unwrap();
                record.note(message).unwrap();
            }
            record.finish().unwrap();
            let verdict = verify(File::open(&path).unwrap()).unwrap();
            assert!(verdict.is_complete, "{verdict:?}");
            assert_eq!(verdict.sessions.len(), session);
            assert_eq!(verdict.unclosed().count(), 0);
        }
        let cut = read(File::open(&path).unwrap()).filter_map(|item| match item.unwrap().content {
            Content::Message { message, .. } => Some(message.get().to_owned()),
            _ => None,
        });
        let cut: Vec<_> = cut.map(|message| message.ends_with(" bytes)\"")).collect();
        assert_eq!(cut, [false, true, true, false, true, true]);
    }

    /// Only what the end of the file has cut off is removed.
    #[test]
    fn a_record_with_an_endless_line_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let hash = Record::open(&path, Masks::default()).unwrap().finish();
        let mut file = File::options().append(true).open(&path).unwrap();
        let line = "x".repeat(usize::try_from(LONGEST).unwrap());
        write!(file, "{line}\n{{}}\n").unwrap();
        let before = std::fs::read(&path).unwrap();
        let verdict = verify(&before[..]).unwrap();
        assert_eq!((verdict.lines, verdict.torn_bytes), (2, 0));
        assert_eq!(verdict.sha256, hash.unwrap());
        assert!(verdict.problem.unwrap().contains("line 3"));
        let refused = Record::open(&path, Masks::default()).unwrap_err();
        assert!(
            matches!(refused, RecordError::Damaged { .. }),
            "{refused:?}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(read(&before[..]).filter(Result::is_err).count(), 1);
        assert_eq!(read(&before[..]).unchecked().count(), 2);
    }
}
