//! What a run in progress finds out about undoing what it does.

use std::collections::BTreeSet;
use std::io;

use super::RunWork;
use crate::event::{Event, Status};
use crate::hint::Hint;
use crate::planning::graph::NodeId;
use crate::planning::origins::Origins;
use crate::records::journal::Entry;
use crate::records::kept::KeptSecret;
use crate::records::known::way_text;
use crate::records::undo::Undo;
use crate::run::engine::Work;
use crate::run::undoer::Stage;

impl RunWork<'_> {
    /// Why attributes cannot be sent that are still unknown when they are needed: they are made
    /// from secrets of the run before this one.
    pub(super) fn unsendable(&self, id: NodeId, error: &tenon_values::Error) -> String {
        let graph = &self.plan.graph;
        let given = graph.action(id).map(|action| action.attributes.as_slice());
        let origins = Origins::new(graph, &self.evaluation);
        let names = given.unwrap_or_default().iter();
        let names: BTreeSet<String> = names
            .flat_map(|attribute| origins.of(graph.spot(id), &attribute.value))
            .collect();
        let hint = Hint::RecoverSecrets(names.into_iter().collect());
        format!(
            "{error}\n  a secret of the earlier run is not in its record in clear: {}",
            self.advice.on(&hint)
        )
    }

    /// Works out what undoes an action that is done, and warns if that takes secrets which could
    /// not be foreseen.
    pub(super) fn undo(&mut self, id: NodeId, stage: Stage) -> Option<Undo> {
        let undo = self.undoer.undo(id, &self.evaluation, stage);
        let call = undo.as_ref().and_then(|undo| undo.call.as_ref());
        let secrets = call.map_or(&[][..], |call| &call.attributes.secrets);
        let is_lost = |secret: &&KeptSecret| secret.sealed.is_none();
        let address = self.plan.graph.address(id);
        if self.journal.is_some()
            && stage != Stage::Begun
            && !self.plan.needed.is_foreseen(address)
            && let Some(secret) = secrets.iter().find(is_lost)
        {
            let message = format!(
                "the teardown of {address} needs a secret that the record does not keep (in {:?}); {}",
                way_text(&secret.at).trim_start_matches('.'),
                self.advice.on(&Hint::KeepSecrets)
            );
            (self.watch)(Event::Warning { message });
        }
        undo
    }

    /// Works out what undoes those that are done and had to wait for a node.
    pub(super) fn settle(&mut self, node: NodeId) -> io::Result<()> {
        for id in self.undoer.users(node).to_vec() {
            self.settle_one(id, Stage::Ended)?;
        }
        Ok(())
    }

    fn settle_one(&mut self, id: NodeId, stage: Stage) -> io::Result<()> {
        let Some(node) = self.node_record(id) else {
            return Ok(());
        };
        let is_unsettled = node.undo.as_ref().is_none_or(|undo| undo.problem.is_some());
        let stage = match node.status {
            Status::Succeeded if is_unsettled => stage,
            // What it returned is not known, and will not be.
            Status::Maybe if is_unsettled && stage != Stage::Over => Stage::Begun,
            _ => return Ok(()),
        };
        let Some(undo) = self.undo(id, stage) else {
            return Ok(());
        };
        let is_news = undo.call.is_some() || stage == Stage::Over;
        if let (true, Some(node)) = (is_news, self.node_record(id)) {
            node.undo = Some(undo.clone());
            let mut entry = Entry::Undo {
                action: node.address.clone(),
                undo: Box::new(undo),
            };
            // There may be no room for it beside what the action returned.
            if let (Some(problem), Some(place)) = (self.fit(id), self.places.get(&id)) {
                let node = &mut self.record.nodes[*place];
                node.status = Status::Maybe;
                node.error = Some(problem.clone());
                entry = Entry::End {
                    node: Box::new(node.clone()),
                };
                (self.watch)(Event::Warning {
                    message: format!("{}: {problem}", node.address),
                });
            }
            if let Some(journal) = &mut self.journal {
                journal.note(&entry)?;
            }
        }
        Ok(())
    }

    /// Works out the rest when nothing more will be done.
    pub(in crate::run) fn settle_all(&mut self) -> io::Result<()> {
        let ids: Vec<NodeId> = self.places.keys().copied().collect();
        for id in ids {
            self.settle_one(id, Stage::Over)?;
        }
        self.sync()
    }
}
