//! Reading a record, and checking its chain.

use std::io::{self, BufRead, BufReader, Read};

use super::{Chain, Entry, FORMAT, Line};

/// Longer lines are not written.
pub(super) const LONGEST: u64 = 256 * 1024 * 1024;

/// What a record proves.
#[derive(Debug)]
pub struct Verdict {
    /// The lines up to the first problem.
    pub lines: u64,
    /// The first thing that is wrong: a line that was changed, removed or moved.
    pub problem: Option<String>,
    /// The last line says that it is the last. If it does not, the process that wrote it was killed or still runs, or
    /// lines were cut off.
    pub is_complete: bool,
    /// The bytes of a last line that was not written to its end.
    pub torn_bytes: usize,
    /// The hash of the last line, to compare with the one that [`Record::finish`](super::Record::finish) returned.
    pub sha256: String,
    pub(super) intact_bytes: u64,
    pub(super) chain: Chain,
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
        torn_bytes: 0,
        sha256: String::new(),
        intact_bytes: 0,
        chain: Chain::start(),
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        match line.split_last() {
            None => break,
            Some((b'\n', text)) => match check(text, verdict.lines, &verdict.chain) {
                Ok((chain, is_end)) => {
                    verdict.chain = chain;
                    verdict.is_complete = is_end;
                    verdict.lines += 1;
                    verdict.intact_bytes += line.len() as u64;
                }
                Err(problem) => {
                    verdict.problem = Some(format!("line {}: {problem}", verdict.lines + 1));
                    verdict.is_complete = false;
                    break;
                }
            },
            Some(_) => {
                verdict.torn_bytes = line.len();
                verdict.is_complete = false;
                break;
            }
        }
    }
    verdict.sha256.clone_from(&verdict.chain.0);
    Ok(verdict)
}

/// The hash after a line, and whether it is the last one of a session.
pub(super) fn check(
    text: &[u8],
    lines_before: u64,
    before: &Chain,
) -> Result<(Chain, bool), &'static str> {
    let line: Line<'_> =
        serde_json::from_slice(text).map_err(|_| "it is not a line of a record")?;
    let chain = before.after(line.entry.get());
    if chain.0 != line.sha256 {
        return Err(match lines_before {
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
        Entry::End { lines, .. } if lines != lines_before => {
            Err("it says that there are more or fewer lines")
        }
        Entry::End { .. } => Ok((chain, true)),
        Entry::Message { .. } | Entry::Note { .. } if lines_before == 0 => {
            Err("the first line of the record is missing")
        }
        _ => Ok((chain, false)),
    }
}
