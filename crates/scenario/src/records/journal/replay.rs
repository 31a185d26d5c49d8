//! From a journal and the record beside it to what is known.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

use super::error::Damage;
use super::line::{Header, NoHeader, Sum};
use super::{Entry, entry};
use crate::event::Status;
use crate::records::node::NodeRecord;
use crate::records::record::{InProgress, Record};
use crate::records::storage::LIMIT;
use crate::records::undo::Undo;

/// What was found in a journal.
#[derive(Debug)]
pub(super) struct Replay {
    /// How many bytes of it are whole lines.
    pub(super) good: u64,
    /// How many lines follow the header.
    pub(super) lines: u64,
    /// The checksum of the last one.
    pub(super) sum: Sum,
    /// The last line is whole except for its line end.
    pub(super) lacks_line_end: bool,
    /// Why what comes after that cannot be relied on, if it cannot.
    pub(super) damage: Option<Damage>,
}

/// Brings a record up to date with the lines that are whole, as far as the first that is not.
///
/// # Errors
/// It cannot be read.
pub(super) fn replay(journal: impl Read, record: &mut Record) -> io::Result<Replay> {
    let mut journal = BufReader::new(journal);
    let mut replay = Replay {
        good: 0,
        lines: 0,
        sum: Sum::of_run(&record.id),
        lacks_line_end: false,
        damage: None,
    };
    let numbered = record.nodes.iter().enumerate();
    let places: HashMap<String, usize> = numbered
        .map(|(place, node)| (node.address.clone(), place))
        .collect();
    let mut line = Vec::new();
    next_line(&mut journal, &mut line)?;
    let header = match Header::read(line.strip_suffix(b"\n").unwrap_or(&line)) {
        Ok(header) if header.run == record.id => header,
        Ok(header) => {
            replay.damage = Some(Damage::OtherRun(header.run));
            return Ok(replay);
        }
        Err(problem) => {
            replay.damage = Some(match problem {
                NoHeader::Damaged if line.is_empty() => Damage::Line(1, "it is empty".into()),
                NoHeader::Damaged => Damage::Line(1, SUM.into()),
                NoHeader::Old => Damage::Old,
                NoHeader::New(format) => Damage::New(format),
            });
            return Ok(replay);
        }
    };
    if !line.ends_with(b"\n") {
        replay.damage = Some(Damage::Line(1, "its line end is missing".into()));
        return Ok(replay);
    }
    replay.good = line.len() as u64;
    loop {
        next_line(&mut journal, &mut line)?;
        let (text, is_whole) = match line.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (line.as_slice(), false),
        };
        let Some((json, sum)) = replay.sum.read(text) else {
            // Half a line was being written when the run was cut off: it was not on disk, so what
            // it is about was not begun. A line with another byte instead of its end was.
            let is_half = !is_whole
                && text
                    .split_last()
                    .is_none_or(|(_, text)| replay.sum.read(text).is_none());
            if !is_half {
                replay.damage = Some(Damage::Line(replay.lines + 2, SUM.into()));
            }
            break;
        };
        if let Err(problem) = apply(&json, record, &places) {
            replay.damage = Some(Damage::Line(replay.lines + 2, problem));
            break;
        }
        replay.sum = sum;
        replay.lines += 1;
        replay.good += line.len() as u64;
        if !is_whole {
            replay.lacks_line_end = true;
            break;
        }
    }
    if replay.damage.is_none() && replay.lines < header.lines {
        replay.damage = Some(Damage::Cut {
            lines: replay.lines + 1,
            written: header.lines + 1,
        });
    }
    Ok(replay)
}

const SUM: &str = "its checksum does not match";

/// One line with its end; less at the end of the journal. No line is longer than a record.
fn next_line(journal: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    journal.take(LIMIT).read_until(b'\n', line)?;
    Ok(())
}

fn apply(json: &[u8], record: &mut Record, places: &HashMap<String, usize>) -> Result<(), String> {
    let entry: Entry = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let node = places.get(entry.action());
    match node.and_then(|place| record.nodes.get_mut(*place)) {
        Some(node) => {
            entry::apply(entry, node)?;
            node.check_providers(record.providers.len())
        }
        None => Err(format!(
            "it names {:?}, which is not in the record",
            entry.action()
        )),
    }
}

/// What is unknown when a journal is lost, or part of it. Whatever may have been begun since the
/// record was written has an unknown outcome, so that it is neither done twice nor forgotten.
pub(super) fn forget(record: &mut Record, damage: &Damage) {
    if !record.needs_journal() {
        return;
    }
    if record.in_progress == Some(InProgress::Teardown) {
        // Everything that the run did is in the record.
        record.nodes.iter_mut().for_each(lose_teardown);
        return;
    }
    let redone = std::mem::take(&mut record.redo);
    for node in &mut record.nodes {
        let is_known = node.status == Status::Succeeded && !redone.contains(&node.address);
        if !is_known {
            lose(node, damage);
        }
    }
    record.redo = redone;
}

/// It may have been undone. A teardown does that again, and the run cannot continue.
fn lose_teardown(node: &mut NodeRecord) {
    if node.is_there() && node.undo.is_some() {
        node.set_teardown(None, Status::Maybe, None);
    }
    let unknown = { node.earlier.iter_mut() }.filter(|one| one.status != Some(Status::Succeeded));
    unknown.for_each(|one| one.status = Some(Status::Maybe));
}

fn lose(node: &mut NodeRecord, damage: &Damage) {
    if node.status == Status::Succeeded {
        // It may have been run again: then there are two executions to undo.
        node.retire();
    }
    node.status = Status::Maybe;
    node.error = Some(format!("its outcome is unknown: {damage}"));
    if node.undo.is_none() {
        node.undo = Some(Undo::problem(
            "it is unknown whether it was done: the journal of its run was damaged or missing\n  \
             check whether it was done, and undo it by hand",
        ));
    }
}
