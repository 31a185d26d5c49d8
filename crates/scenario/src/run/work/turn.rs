//! What is done with a node when its turn comes.

use std::rc::Rc;

use tenon_protocols::orchard::Json;

use super::{RunWork, is_all_known};
use crate::hint::Hint;
use crate::planning::attributes::action_attributes;
use crate::planning::declarations::DeclarationId;
use crate::planning::evaluation::{Here, rendered};
use crate::planning::graph::{Instance, NodeId, NodeKind};
use crate::planning::idempotency::{self, Purpose};
use crate::planning::settings::Settings;
use crate::records::budget::Budget;
use crate::run::error::NotRepeated;
use crate::run::task::{Task, Turn};

impl RunWork<'_> {
    /// What a provider is to be given for an action.
    pub(super) fn task(&self, id: NodeId, instance: &Instance, declaration: DeclarationId) -> Turn {
        let graph = &self.plan.graph;
        let here = Here {
            module: graph.node(id).module,
            instance,
            itself: None,
        };
        let (Some(action), Some(schema)) = (graph.action(id), self.plan.action_schema(id)) else {
            return Turn::Done;
        };
        if let Some(problem) = self.budget.as_ref().and_then(Budget::is_full) {
            return Turn::Failed(problem);
        }
        let settings = Settings::of(action, &self.evaluation, here);
        let attributes =
            action_attributes(action, &action.attributes, schema, &self.evaluation, here);
        let (mut settings, attributes) = match (settings, attributes) {
            (Ok(settings), Ok(attributes)) => (settings, attributes),
            (Err(problems), _) | (_, Err(problems)) => return Turn::Failed(rendered(&problems)),
        };
        self.secrets.learn(&attributes);
        let address = graph.address(id);
        let key = || idempotency::key(&self.record.id, address, Purpose::Run);
        let sent = idempotency::with_key(&attributes, schema, key);
        settings.idempotent |= schema.idempotent || idempotency::has_key(&sent, schema);
        let digest = idempotency::digest(action.kind.text(), &sent);
        let place = self.places.get(&id);
        if let Some(node) = place.map(|place| &self.record.nodes[*place])
            && !self.redo_maybe
            && !self.record.redo.contains(&node.address)
            // What is unknown cannot be sent, which is reported below.
            && digest.is_some()
            && node.has_changed(digest.as_deref())
        {
            let hint = self.advice.on(&Hint::CheckOutcome);
            return Turn::Failed(format!("{}\n  {hint}", NotRepeated::Changed));
        }
        match Json::of_attributes(&sent.unmark_deep().0) {
            Ok(attributes) => Turn::Task(Task {
                address: Rc::from(&*graph.node(id).address),
                declaration,
                action: action.kind.text().to_owned(),
                attributes,
                settings,
                digest,
            }),
            Err(error) if is_all_known(&attributes) => Turn::Failed(error.to_string()),
            Err(error) => Turn::Failed(self.unsendable(id, &error)),
        }
    }

    /// Sets the value of a node that only gathers others, such as a component, and checks its asserts.
    pub(super) fn gather(&mut self, id: NodeId) -> Turn {
        let value = match self.evaluation.gathered(id) {
            Ok(value) => value,
            Err(problems) => return Turn::Failed(rendered(&problems)),
        };
        let plan = self.plan;
        if let NodeKind::Component { inside } = plan.graph.node(id).kind {
            let mut has_failed = false;
            for output in &plan.graph.module(inside).module.outputs {
                let Ok(one) = value.attribute(output.name.text()) else {
                    continue;
                };
                for outcome in self.check_asserts(inside, output, &one) {
                    let name = format!("{}.{}", plan.graph.address(id), output.name);
                    has_failed |= outcome.is_err();
                    self.assert_checked(name, outcome);
                }
            }
            if has_failed {
                return Turn::Failed("an assert failed".into());
            }
        }
        self.evaluation.set(id, value);
        match self.settle(id) {
            Ok(()) => Turn::Done,
            Err(error) => Turn::Failed(error.to_string()),
        }
    }
}
