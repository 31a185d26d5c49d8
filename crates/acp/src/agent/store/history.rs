//! The history of a session: one update a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tenon_protocols::acp::{Chunk, ContentBlock, SessionUpdate};

use super::{StoreError, at, now};

/// How much of a turn that was begun below the limit is kept above it.
const SLACK: u64 = 16 * 1024 * 1024;
/// The longest text that chunks are joined into when they are sent again.
const TEXT: usize = 64 * 1024;

#[derive(Debug, Serialize, Deserialize)]
struct Line<T> {
    at: String,
    update: T,
}

/// A history that is written.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    path: PathBuf,
    size: u64,
    limit: u64,
}

impl Log {
    pub(super) fn new(file: File, path: PathBuf, limit: u64) -> Log {
        Log {
            file,
            path,
            size: 0,
            limit,
        }
    }

    /// Reopens a history, and truncates an incomplete last line, which a killed process leaves.
    pub(super) fn resume(mut file: File, path: PathBuf, limit: u64) -> Result<Log, StoreError> {
        let size = whole_lines(&mut file).and_then(|size| {
            file.set_len(size)?;
            file.seek(SeekFrom::Start(size))
        });
        let size = size.map_err(at(&path))?;
        Ok(Log {
            file,
            path,
            size,
            limit,
        })
    }

    /// Whether a further turn would be too much.
    pub(crate) fn is_full(&self) -> bool {
        self.size >= self.limit
    }

    /// Appends an update. In a turn that goes far beyond the limit, nothing more is kept.
    pub(crate) fn append(&mut self, update: &SessionUpdate) -> Result<(), StoreError> {
        let line = Line { at: now(), update };
        let mut line = serde_json::to_vec(&line).map_err(|error| at(&self.path)(error.into()))?;
        line.push(b'\n');
        if self.size + line.len() as u64 > self.limit.saturating_add(SLACK) {
            tracing::warn!("the history of a session is full");
            return Ok(());
        }
        if let Err(error) = self.file.write_all(&line) {
            // A full disk must not leave half a line that the next one is appended to.
            let _restored = { self.file.set_len(self.size) }
                .and_then(|()| self.file.seek(SeekFrom::Start(self.size)));
            return Err(at(&self.path)(error));
        }
        self.size += line.len() as u64;
        Ok(())
    }

    /// Makes sure that everything is kept if the system fails.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(at(&self.path))
    }

    /// What was said up to now.
    pub(crate) fn read(&self) -> Result<History, StoreError> {
        let file = File::open(&self.path).map_err(at(&self.path))?;
        Ok(History {
            lines: BufReader::new(file.take(self.size)),
            next: None,
        })
    }
}

/// Where the last complete line ends.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const STEP: u64 = 64 * 1024;
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut buffer = Vec::new();
    while end > 0 {
        let begin = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(begin))?;
        buffer.clear();
        (&*file).take(end - begin).read_to_end(&mut buffer)?;
        if let Some(newline) = buffer.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + newline as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

/// The updates of a history, in order. Chunks of the same message that follow each other are joined.
#[derive(Debug)]
pub(crate) struct History {
    lines: BufReader<io::Take<File>>,
    next: Option<SessionUpdate>,
}

impl History {
    fn line(&mut self) -> io::Result<Option<SessionUpdate>> {
        loop {
            let mut line = Vec::new();
            if self.lines.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            match serde_json::from_slice::<Line<SessionUpdate>>(&line) {
                Ok(line) => return Ok(Some(line.update)),
                // A file system that fails can leave anything.
                Err(error) => tracing::warn!(%error, "a line of a history could not be read"),
            }
        }
    }
}

impl Iterator for History {
    type Item = io::Result<SessionUpdate>;

    fn next(&mut self) -> Option<io::Result<SessionUpdate>> {
        let mut update = match self.next.take() {
            Some(update) => update,
            None => match self.line().transpose()? {
                Ok(update) => update,
                Err(error) => return Some(Err(error)),
            },
        };
        loop {
            match self.line() {
                Ok(Some(following)) => {
                    if !join(&mut update, &following) {
                        self.next = Some(following);
                        return Some(Ok(update));
                    }
                }
                Ok(None) => return Some(Ok(update)),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Appends a chunk to the one before, if both are text of the same message and nothing is lost.
fn join(update: &mut SessionUpdate, following: &SessionUpdate) -> bool {
    use SessionUpdate::{AgentMessageChunk, AgentThoughtChunk};
    // What the user says is not streamed: two prompts that follow each other are two messages.
    let (first, second) = match (update, following) {
        (AgentMessageChunk(first), AgentMessageChunk(second))
        | (AgentThoughtChunk(first), AgentThoughtChunk(second)) => (first, second),
        _ => return false,
    };
    let is_same = first.message_id == second.message_id;
    let (Some(first), Some(second)) = (plain_text(first), plain_text_of(second)) else {
        return false;
    };
    let fits = is_same && first.len() + second.len() <= TEXT;
    if fits {
        first.push_str(second);
    }
    fits
}

fn plain_text(chunk: &mut Chunk) -> Option<&mut String> {
    plain_text_of(chunk)?;
    match &mut chunk.content {
        ContentBlock::Text(content) => Some(&mut content.text),
        _ => None,
    }
}

fn plain_text_of(chunk: &Chunk) -> Option<&String> {
    let ContentBlock::Text(content) = &chunk.content else {
        return None;
    };
    let is_plain = content.annotations.is_none()
        && content.rest.iter().next().is_none()
        && chunk.rest.iter().next().is_none();
    is_plain.then_some(&content.text)
}
