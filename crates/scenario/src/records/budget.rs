//! How much of its room a record has used. A record that became too large could not be read again,
//! and nothing could be undone.

use std::io::{self, Write};

use serde::Serialize;

use crate::masked::Masked;
use crate::records::node::NodeRecord;
use crate::records::record::Record;
use crate::records::undo::Undo;

/// The room of a record. Half of it is for what actions return; the other half is only for what
/// undoes them, and for what the record says about the scenario.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    total: u64,
    /// What actions returned takes so much of that.
    outputs: u64,
    nodes: Vec<Share>,
}

/// What an action takes.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    all: u64,
    outputs: u64,
}

impl Budget {
    pub(crate) fn new(record: &Record, limit: u64) -> Budget {
        let nodes: Vec<Share> = record.nodes.iter().map(Share::of).collect();
        Budget {
            limit,
            total: size(record),
            outputs: nodes.iter().map(|share| share.outputs).sum(),
            nodes,
        }
    }

    /// Everything but what is left for errors and the end of the run.
    fn most(&self) -> u64 {
        self.limit - self.limit / 16
    }

    /// Why no further action is begun, if so: there might be no room for what undoes it.
    pub(crate) fn is_full(&self) -> Option<String> {
        (self.total + self.limit / 16 > self.most()).then(|| {
            format!(
                "it was not started: the record of this run has {} bytes of at most {}, so there might be \
                 no room for what undoes this action; split the scenario into several",
                self.total, self.limit
            )
        })
    }

    /// Takes in what is known about an action now. What there is no room for is taken out, the
    /// outputs first, and the reason is given.
    pub(crate) fn fit(&mut self, place: usize, node: &mut NodeRecord) -> Option<String> {
        let before = self.nodes.get(place).copied().unwrap_or_default();
        let (others, others_outputs) = (self.total - before.all, self.outputs - before.outputs);
        let mut share = Share::of(node);
        let mut problem = None;
        let room = (self.limit / 2).saturating_sub(others_outputs);
        let room = room.min((self.most() + share.outputs).saturating_sub(others + share.all));
        if share.outputs > room {
            problem = Some(format!(
                "it was done, but what it returned takes {} bytes in the record of this run, which has \
                 only {room} left for that; return less, or split the scenario into several",
                share.outputs
            ));
            node.outputs = None;
            node.sensitive = Vec::new();
            node.sealed = Vec::new();
            share = Share::of(node);
        }
        let has_call = node.undo.as_ref().is_some_and(|undo| undo.call.is_some());
        if has_call && others + share.all > self.most() {
            let text = format!(
                "it was done, but what undoes it takes {} bytes, and the record of this run has only {} \
                 left; undo it by hand",
                size(&node.undo),
                self.most().saturating_sub(others)
            );
            node.undo = Some(Undo::problem(text.clone()));
            problem = Some(text);
            share = Share::of(node);
        }
        self.total = others + share.all;
        self.outputs = others_outputs + share.outputs;
        if let Some(known) = self.nodes.get_mut(place) {
            *known = share;
        }
        problem
    }

    /// Takes in an output of the scenario, or says why there is no room for it.
    pub(crate) fn fit_output(&mut self, name: &str, output: &Masked) -> Result<(), String> {
        let size = size(&(name, &output.value, name, &output.sensitive));
        let room = self.most().saturating_sub(self.total);
        if size > room {
            return Err(format!(
                "it takes {size} bytes in the record of this run, which has only {room} left"
            ));
        }
        self.total += size;
        Ok(())
    }
}

impl Share {
    fn of(node: &NodeRecord) -> Share {
        let outputs = match &node.outputs {
            Some(outputs) => size(&(outputs, &node.sensitive, &node.sealed)),
            None => 0,
        };
        Share {
            all: size(node),
            outputs,
        }
    }
}

/// How many bytes something takes in a record, rather too many than too few.
fn size(part: &impl Serialize) -> u64 {
    /// Parts are not indented more than that in a record, compared with alone.
    const INDENT: u64 = 6;
    let mut counter = Counter::default();
    // The same type of writer as for records, so that the code to write them is generated once.
    let writer: &mut dyn Write = &mut counter;
    match serde_json::to_writer_pretty(writer, part) {
        Ok(()) => counter.bytes + (counter.lines + 1) * INDENT,
        // It cannot be written at all.
        Err(_) => u64::MAX / 4,
    }
}

#[derive(Default)]
struct Counter {
    bytes: u64,
    lines: u64,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::*;
    use crate::event::Status;

    const LIMIT: u64 = 100_000;

    fn record(actions: usize) -> Record {
        let nodes = (0..actions).map(|number| {
            json!({ "address": format!("action.put.a{number}"), "provider": "p", "status": "pending" })
        });
        let provider = json!({
            "name": "p", "source": { "builtin": "exec" }, "version": "1", "config": { "values": {} },
        });
        let record = json!({
            "format": 2, "scenario": "s", "path": "/s.hcl", "id": "i", "status": "running",
            "started_at": "", "variables": {}, "outputs": {}, "providers": [provider],
            "nodes": nodes.collect::<Vec<_>>(),
        });
        serde_json::from_str(&record.to_string()).unwrap()
    }

    fn text(length: usize) -> Box<RawValue> {
        RawValue::from_string(format!("{:?}", "x".repeat(length))).unwrap()
    }

    fn undo(length: usize) -> Undo {
        let call = json!({ "call": {
            "provider": 0, "action": "put", "attributes": { "values": "x".repeat(length) },
        }});
        serde_json::from_str(&call.to_string()).unwrap()
    }

    /// An action ends with so much to keep.
    fn end(
        record: &mut Record,
        budget: &mut Budget,
        place: usize,
        (outputs, undone): (usize, usize),
    ) -> Option<String> {
        let node = &mut record.nodes[place];
        node.status = Status::Succeeded;
        node.outputs = Some(text(outputs));
        node.undo = Some(undo(undone));
        budget.fit(place, node)
    }

    fn written(record: &Record) -> u64 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("orchard_s_run_i.json");
        record.write_within(&path, LIMIT).expect("it fits");
        Record::read(&path).expect("a record that can be read");
        std::fs::metadata(path).unwrap().len()
    }

    #[test]
    fn outputs_without_room_are_dropped_and_what_undoes_the_action_is_kept() {
        let mut record = record(3);
        let mut budget = Budget::new(&record, LIMIT);
        assert_eq!(end(&mut record, &mut budget, 0, (40_000, 100)), None);
        let problem = end(&mut record, &mut budget, 1, (40_000, 20_000)).unwrap();
        assert!(problem.contains("what it returned takes 40"), "{problem}");
        assert!(record.nodes[1].outputs.is_none());
        assert!(record.nodes[1].undo.as_ref().unwrap().call.is_some());
        // The outputs of the first are gone when it is run again and returns less.
        assert_eq!(end(&mut record, &mut budget, 0, (10, 100)), None);
        assert_eq!(end(&mut record, &mut budget, 1, (40_000, 20_000)), None);
        assert!(written(&record) <= budget.total);
    }

    /// Whatever the answers are, the record can be written and read, and no action is begun whose
    /// undoing may not fit.
    #[test]
    fn a_record_never_outgrows_its_limit() {
        for (outputs, undone) in [
            (3_000, 10),
            (10, 5_000),
            (2_000, 2_000),
            (60_000, 6_000),
            (0, 0),
        ] {
            let mut record = record(100);
            let mut budget = Budget::new(&record, LIMIT);
            for place in 0..100 {
                if budget.is_full().is_some() {
                    break;
                }
                let _too_large = end(&mut record, &mut budget, place, (outputs, undone));
                let undo = record.nodes[place].undo.as_ref().unwrap();
                assert!(undo.call.is_some(), "{place} cannot be undone");
            }
            let written = written(&record);
            assert!(written <= budget.total, "{written} of {}", budget.total);
        }
    }

    #[test]
    fn outputs_of_the_scenario_count_as_well() {
        let mut record = record(1);
        let mut budget = Budget::new(&record, LIMIT);
        let masked = |length| Masked {
            value: text(length),
            sensitive: Vec::new(),
        };
        assert!(budget.fit_output("small", &masked(60_000)).is_ok());
        record.set_output("small", masked(60_000));
        let problem = budget.fit_output("large", &masked(60_000)).unwrap_err();
        assert!(problem.contains("it takes 60"), "{problem}");
        assert!(written(&record) <= budget.total);
    }

    #[test]
    fn a_record_that_is_too_large_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("orchard_s_run_i.json");
        let mut record = record(1);
        record.write_within(&path, LIMIT).unwrap();
        let before = std::fs::read(&path).unwrap();
        record.nodes[0].outputs = Some(text(100_000));
        let error = record.write_within(&path, LIMIT).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("100000 bytes"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
