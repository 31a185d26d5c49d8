//! A teardown in progress: what is handed over, noted and told for each action that is undone.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::rc::Rc;
use std::time::Instant;

use tenon_protocols::Secrets;

use crate::event::{Event, RunStatus, Status, Watch};
use crate::hint::{Advice, Hint};
use crate::planning::declarations::DeclarationId;
use crate::planning::graph::NodeId;
use crate::planning::order::order;
use crate::providers::failure::FailureKind;
use crate::records::item::Item;
use crate::records::journal::{Entry, Journal};
use crate::records::record::Record;
use crate::records::time;
use crate::run::engine::{Ended, Work};
use crate::run::schedule::Schedule;
use crate::run::task::{Outcome, Task, Turn};
use crate::run::{RunError, RunReport};
use crate::teardown::unsealing::Prepared;

pub(crate) struct TeardownWork<'a> {
    pub(crate) items: Vec<Item>,
    pub(crate) prepared: Vec<Prepared>,
    pub(crate) record: Record,
    pub(crate) journal: Journal,
    pub(crate) secrets: &'a Secrets,
    pub(crate) advice: Advice,
    pub(crate) watch: Watch<'a>,
    pub(crate) worst: Option<FailureKind>,
}

impl TeardownWork<'_> {
    /// Everything waits for what needed it.
    pub(crate) fn schedule(record: &Record, items: &[Item]) -> Schedule {
        let nodes = record.nodes.iter().enumerate();
        let mut places: HashMap<&str, usize> = nodes
            .map(|(place, node)| (node.address.as_str(), place))
            .collect();
        for (place, group) in record.groups.keys().enumerate() {
            places.entry(group).or_insert(items.len() + place);
        }
        let mut waits = vec![Vec::new(); items.len() + record.groups.len()];
        for (place, item) in items.iter().enumerate() {
            let after = record.nodes[item.node].after.iter();
            for before in after.filter_map(|address| places.get(address.as_str())) {
                waits[*before].push(place);
            }
            if item.earlier.is_some() {
                waits[place].push(item.node);
            }
        }
        for (place, members) in record.groups.values().enumerate() {
            for before in members
                .iter()
                .filter_map(|address| places.get(address.as_str()))
            {
                waits[*before].push(items.len() + place);
            }
        }
        let mut last_first: Vec<usize> = (0..waits.len()).rev().collect();
        if order(&waits).is_err() {
            // Actions that were run again after the file had changed may need each other. The one
            // that began last goes first then, one after the other.
            let began = |place: &usize| {
                let item = items.get(*place)?;
                record.nodes[item.node].started_at.clone()
            };
            last_first.sort_by_key(|place| std::cmp::Reverse(began(place)));
            let pairs = last_first.windows(2);
            let chain: BTreeMap<usize, usize> = pairs.map(|pair| (pair[1], pair[0])).collect();
            waits = (0..waits.len())
                .map(|place| chain.get(&place).copied().into_iter().collect())
                .collect();
        }
        Schedule::new(&waits, &last_first)
    }

    fn address(&self, id: NodeId) -> String {
        let item = self.items.get(id.0);
        item.map_or_else(String::new, |item| item.address(&self.record))
    }

    /// Puts the status of an item into the record.
    fn set(&mut self, id: NodeId, status: Status, error: Option<String>) {
        if let Some(item) = self.items.get(id.0) {
            self.record.nodes[item.node].set_teardown(item.earlier, status, error);
        }
    }

    fn tell(&self, id: NodeId, status: Status, duration_ms: u64, error: Option<String>) {
        (self.watch)(Event::ActionFinished {
            action: self.address(id),
            status,
            duration_ms,
            outputs: None,
            error,
        });
    }

    pub(crate) fn finish(mut self, started: Instant, ended: Ended) -> Result<RunReport, RunError> {
        let wanted = self.items.iter().filter(|item| item.is_wanted);
        let statuses: Vec<Option<Status>> =
            wanted.map(|item| item.teardown(&self.record)).collect();
        let count = |wanted| {
            let same = statuses.iter().filter(|status| **status == Some(wanted));
            same.count()
        };
        let (succeeded, failed) = (count(Status::Succeeded), count(Status::Failed));
        let (skipped, maybe) = (count(Status::Skipped), count(Status::Maybe));
        // A provider that did not shut down correctly may have lost work.
        let status = match succeeded == statuses.len() && self.worst.is_none() {
            _ if ended.is_interrupted => RunStatus::Interrupted,
            true => RunStatus::Succeeded,
            false => RunStatus::Failed,
        };
        if status == RunStatus::Succeeded {
            self.record.forget_secrets();
            self.record.forget_undos();
        }
        // The run itself did not come to its end, and now nothing of it is left to continue with.
        if self.record.status == RunStatus::Running {
            self.record.status = RunStatus::Interrupted;
        }
        let path = self.journal.finish(&mut self.record)?;
        (self.watch)(Event::Finished {
            run: self.record.id.clone(),
            status,
            duration_ms: started.elapsed().as_millis() as u64,
            succeeded,
            failed,
            skipped,
            maybe,
            record: Some(path.display().to_string()),
        });
        // On disk stay those of the run.
        self.record.provider_errors = ended.provider_errors;
        Ok(RunReport {
            status,
            record: self.record,
            path: Some(path),
            worst: self.worst,
            asserts: Vec::new(),
        })
    }
}

impl Work for TeardownWork<'_> {
    fn declaration(&self, id: NodeId) -> Option<DeclarationId> {
        match self.prepared.get(id.0) {
            Some(Prepared::Call { provider, .. }) => Some(DeclarationId(*provider)),
            _ => None,
        }
    }

    fn turn(&mut self, id: NodeId) -> Turn {
        match self.prepared.get(id.0) {
            Some(Prepared::Call {
                provider,
                action,
                attributes,
                settings,
            }) => Turn::Task(Task {
                address: Rc::from(self.address(id)),
                declaration: DeclarationId(*provider),
                action: action.clone(),
                attributes: attributes.clone(),
                settings: settings.clone(),
                digest: None,
            }),
            Some(Prepared::Problem(problem)) => {
                let hint = self.advice.on(&Hint::MarkUndone(self.address(id)));
                Turn::Failed(format!("it cannot be undone: {problem}\n  {hint}"))
            }
            Some(Prepared::Nothing) | None => Turn::Done,
        }
    }

    fn begun(&mut self, id: NodeId, task: &Task) -> io::Result<()> {
        self.set(id, Status::Maybe, None);
        let Some(item) = self.items.get(id.0) else {
            return Ok(());
        };
        let DeclarationId(provider) = task.declaration;
        (self.watch)(Event::ActionStarted {
            action: task.address.to_string(),
            provider: self.record.providers[provider].label(),
        });
        self.journal.note(&Entry::TeardownBegin {
            action: self.record.nodes[item.node].address.clone(),
            at: time::now(),
            earlier: item.earlier,
        })
    }

    fn sync(&mut self) -> io::Result<()> {
        self.journal.sync(&self.record)
    }

    fn finished(&mut self, id: NodeId, outcome: Outcome) -> io::Result<bool> {
        let (status, error) = match outcome.result {
            Ok(_) => (Status::Succeeded, None),
            Err(failure) => {
                self.worst = self.worst.max(Some(failure.kind));
                let status = Outcome::failed_status(outcome.may_be_done);
                (status, Some(failure.message))
            }
        };
        self.set(id, status, error.clone());
        if let Some(item) = self.items.get(id.0) {
            self.journal.note(&Entry::TeardownEnd {
                action: self.record.nodes[item.node].address.clone(),
                status,
                error: error.clone(),
                earlier: item.earlier,
            })?;
        }
        self.tell(id, status, outcome.duration.as_millis() as u64, error);
        Ok(status == Status::Succeeded)
    }

    fn failed(&mut self, id: NodeId, error: String) {
        let error = self.secrets.hide(&error);
        self.set(id, Status::Failed, Some(error.clone()));
        self.tell(id, Status::Failed, 0, Some(error));
    }

    fn skipped(&mut self, id: NodeId, because: NodeId) {
        if self.items.get(id.0).is_none_or(|item| !item.is_wanted) {
            return;
        }
        let error = format!("{} still exists", self.address(because));
        self.set(id, Status::Skipped, Some(error.clone()));
        self.tell(id, Status::Skipped, 0, Some(error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record whose actions come after others: `[(address, started_at, after)]`.
    fn record(nodes: &[(&str, &str, &[&str])], groups: serde_json::Value) -> Record {
        let node = |(address, started_at, after): &(&str, &str, &[&str])| {
            let call = serde_json::json!({ "problem": "none" });
            serde_json::json!({
                "address": address, "provider": "p", "status": "succeeded",
                "started_at": started_at, "after": after, "undo": call,
            })
        };
        let record = serde_json::json!({
            "format": 2, "scenario": "s", "path": "/s.hcl", "id": "i", "status": "succeeded",
            "started_at": "", "variables": {}, "outputs": {}, "groups": groups,
            "nodes": nodes.iter().map(node).collect::<Vec<_>>(),
        });
        serde_json::from_str(&record.to_string()).expect("a record")
    }

    /// The order in which actions go if each is done before the next is asked for.
    fn order_of(record: &Record) -> Vec<&str> {
        let items = Item::all(record);
        let mut schedule = TeardownWork::schedule(record, &items);
        let mut order = Vec::new();
        while let Some(next) = schedule.next() {
            order.extend(record.nodes.get(next).map(|node| node.address.as_str()));
            schedule.done(next);
        }
        assert!(schedule.is_over(), "some are never undone");
        order
    }

    #[test]
    fn the_last_goes_first_through_groups_as_well() {
        let groups = serde_json::json!({ "component": ["b"], "all": ["a"] });
        let nodes: [(&str, &str, &[&str]); 3] = [
            ("c", "3", &["component"]),
            ("b", "2", &["all"]),
            ("a", "1", &[]),
        ];
        assert_eq!(order_of(&record(&nodes, groups)), ["c", "b", "a"]);
    }

    #[test]
    fn actions_that_need_each_other_go_by_when_they_began() {
        let nodes: [(&str, &str, &[&str]); 3] =
            [("a", "1", &["b"]), ("b", "3", &["a"]), ("c", "2", &[])];
        let record = record(&nodes, serde_json::json!({}));
        assert_eq!(order_of(&record), ["b", "c", "a"]);
    }
}
