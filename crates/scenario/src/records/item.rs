//! What a teardown goes through: the actions of a record, and their earlier executions.

use crate::address::{earlier_address, part_of};
use crate::event::Status;
use crate::records::journal::Entry;
use crate::records::kept::Kept;
use crate::records::node::NodeRecord;
use crate::records::record::Record;
use crate::records::undo::{Call, Undo};

/// An action of a record, or an earlier execution of it. In the schedule, the groups of the record
/// come after all of these.
#[derive(Debug)]
pub(crate) struct Item {
    /// Which of the record's nodes.
    pub(crate) node: usize,
    /// Which of its earlier executions.
    pub(crate) earlier: Option<usize>,
    /// It is there, and something undoes it or should.
    pub(crate) is_wanted: bool,
}

impl Item {
    /// Everything in a record, nodes first.
    pub(crate) fn all(record: &Record) -> Vec<Item> {
        let nodes = record.nodes.iter().enumerate();
        let last = nodes.clone().map(|(index, node)| Item {
            node: index,
            earlier: None,
            is_wanted: node.is_there() && node.undo.is_some(),
        });
        let earlier = nodes.flat_map(|(index, node)| {
            let undos = node.earlier.iter().enumerate();
            undos.map(move |(place, undo)| Item {
                node: index,
                earlier: Some(place),
                is_wanted: undo.status != Some(Status::Succeeded),
            })
        });
        last.chain(earlier).collect()
    }

    /// What undoes it.
    pub(crate) fn undo<'r>(&self, record: &'r Record) -> Option<&'r Undo> {
        let node = &record.nodes[self.node];
        match self.earlier {
            Some(index) => node.earlier.get(index),
            None => node.undo.as_ref(),
        }
    }

    /// The status of undoing it.
    pub(crate) fn teardown(&self, record: &Record) -> Option<Status> {
        let node = &record.nodes[self.node];
        match self.earlier {
            Some(index) => node.earlier.get(index).and_then(|undo| undo.status),
            None => node.teardown,
        }
    }

    /// Its address; an earlier execution has a number as well, as in `action.put.a@earlier1`.
    pub(crate) fn address(&self, record: &Record) -> String {
        let address = &record.nodes[self.node].address;
        match self.earlier {
            Some(index) => earlier_address(address, index),
            None => address.clone(),
        }
    }

    /// Whether it was done, or may have been, and something undoes it or should.
    pub(crate) fn is_there(&self, record: &Record) -> bool {
        let status = record.nodes[self.node].status;
        let was_done =
            self.earlier.is_some() || matches!(status, Status::Succeeded | Status::Maybe);
        was_done && self.undo(record).is_some()
    }

    /// Marks it as undone in the record, and returns the entry for the journal.
    pub(crate) fn undone_by_hand(&self, record: &mut Record) -> Entry {
        let node = &mut record.nodes[self.node];
        node.set_teardown(self.earlier, Status::Succeeded, None);
        Entry::TeardownEnd {
            action: node.address.clone(),
            status: Status::Succeeded,
            error: None,
            earlier: self.earlier,
        }
    }

    /// The attributes of a call that undoes it, with their secrets under names that mean this
    /// execution and no other; and whether the scenario file can make those secrets again.
    pub(crate) fn attributes(&self, call: &Call, record: &Record) -> (Kept, bool) {
        let mut kept = call.attributes.clone();
        let mut names = kept.secrets.iter().flat_map(|secret| &secret.from);
        let is_stale = names.any(|name| self.is_stale(name, record));
        if is_stale {
            // The file knows only what was returned last.
            kept.secrets.iter_mut().for_each(|one| one.from.clear());
        }
        let own = &record.nodes[self.node].address;
        for secret in &mut kept.secrets {
            let Some(copy) = secret.copy_of.take() else {
                continue;
            };
            secret.copy_of = match part_of(own, &copy) {
                Some(rest) => Some(format!("{}{rest}", self.address(record))),
                None if self.is_stale(&copy, record) => None,
                None => Some(copy),
            };
        }
        (kept, !is_stale)
    }

    /// Whether the output of this name was returned again after it was used here.
    fn is_stale(&self, name: &str, record: &Record) -> bool {
        let node = &record.nodes[self.node];
        let is_meant = |other: &&NodeRecord| part_of(&other.address, name).is_some();
        let mut others = record.nodes.iter().filter(is_meant);
        // It is not known when an earlier execution was.
        others.any(|other| {
            !other.earlier.is_empty()
                && (self.earlier.is_some() || node.started_at < other.started_at)
        })
    }

    /// The provider that undoes it, if it is wanted and something does.
    pub(crate) fn provider(&self, record: &Record) -> Option<usize> {
        let undo = self.undo(record).filter(|_| self.is_wanted)?;
        undo.call.as_ref().map(|call| call.provider)
    }
}
