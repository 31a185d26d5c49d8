//! Going on with other variables than the run began with.

use std::collections::{BTreeMap, BTreeSet};

use tenon_hcl::Diagnostic;
use tenon_values::Value;

use crate::event::Status;
use crate::masked::Masked;
use crate::planning::evaluation::{Evaluation, Here};
use crate::planning::flow::{Flow, Spot};
use crate::planning::graph::{ModuleId, NodeId, NodeKind};
use crate::planning::idempotency::{self, Purpose};
use crate::planning::plan::{Plan, action_attributes};
use crate::reading::model::Repeat;
use crate::records::record::{CHANGED, NodeRecord, Record};

/// How many actions are named.
const NAMED: usize = 5;

impl Plan {
    /// Refuses a variable that is not what it was if an action that is done was made with it: half
    /// of the run would have the old value, half of it the new one. Secrets cannot be compared,
    /// because the record does not hold them in clear.
    ///
    /// # Errors
    /// The variables that differ.
    pub(crate) fn check_variables(
        &self,
        record: &Record,
        done: &BTreeSet<NodeId>,
        redo: &[String],
    ) -> Result<(), Vec<Diagnostic>> {
        let mut problems = Vec::new();
        for (name, now) in &self.variables {
            let Some(before) = self.recorded_value(record, name) else {
                continue;
            };
            if before == now.unmark_deep().0 {
                continue;
            }
            let mut users = self.users_of(name, done);
            users.extend(self.instances_by(name, record, redo));
            if users.is_empty() {
                continue;
            }
            let shown = |value: &Value| match Masked::of(value) {
                Ok(masked) => masked.value.get().to_owned(),
                Err(_) => String::new(),
            };
            let mut problem = Diagnostic::error(format!(
                "the variable {name:?} is not what it was when this run began"
            ));
            if !now.contains_marked() {
                problem = problem.note(format!("it was {} and is {}", shown(&before), shown(now)));
            }
            let named: Vec<&str> = users.iter().take(NAMED).map(|user| &**user).collect();
            let more = match users.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let problem = problem
                .note(format!(
                    "done with the old value: {}{more}",
                    named.join(", ")
                ))
                .help("leave it out to go on with the old value, or start a new run");
            problems.push(problem);
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems),
        }
    }

    /// The idempotent actions whose outcome is unknown and that would be given something else than
    /// before: to repeat those is to do something else. Those of which it is not known yet what they
    /// are given are looked at when their turn comes.
    pub(crate) fn changed(
        &self,
        record: &Record,
        evaluation: &Evaluation<'_>,
        redo: &[String],
    ) -> Vec<String> {
        let mut changed = Vec::new();
        let places: BTreeMap<NodeId, usize> = self.places(record).into_iter().collect();
        for (id, place) in places {
            let node = &record.nodes[place];
            let NodeKind::Action { instance, .. } = &self.graph.node(id).kind else {
                continue;
            };
            let (Some(action), Some(schema)) = (self.graph.action(id), self.action_schema(id))
            else {
                continue;
            };
            if !node.has_changed(None) || redo.contains(&node.address) {
                continue;
            }
            let needs = action.attributes.iter().map(|attribute| &attribute.value);
            let needs = self.graph.flow(self.graph.spot(id), needs, false).nodes;
            // Locals are evaluated once: what is asked too early would stay unknown.
            if needs.iter().any(|needed| evaluation.get(*needed).is_none()) {
                continue;
            }
            let here = Here {
                module: self.graph.node(id).module,
                instance,
                itself: None,
            };
            let Ok(attributes) =
                action_attributes(action, &action.attributes, schema, evaluation, here)
            else {
                continue;
            };
            let key = || idempotency::key(&record.id, &node.address, Purpose::Run);
            let sent = idempotency::with_key(&attributes, schema, key);
            let digest = idempotency::digest(action.kind.text(), &sent);
            if digest.is_some() && node.has_changed(digest.as_deref()) {
                changed.push(format!("{} ({CHANGED})", node.address));
            }
        }
        changed
    }

    /// What a variable was, if all of it is in the record.
    fn recorded_value(&self, record: &Record, name: &str) -> Option<Value> {
        let masked = Masked {
            value: record.variables.get(name)?.clone(),
            sensitive: { record.sensitive_variables.get(name) }
                .cloned()
                .unwrap_or_default(),
        };
        let variable = self.scenario.module.variables.get(name)?;
        let value = masked.read(&variable.ty).ok()?;
        value.is_wholly_known().then_some(value)
    }

    /// The actions among these that were made with a variable, or whose provider was configured
    /// with it.
    fn users_of(&self, name: &str, among: &BTreeSet<NodeId>) -> BTreeSet<&str> {
        let uses = |flow: &Flow| flow.variables.iter().any(|(used, _)| used == name);
        let configured: BTreeSet<_> = { self.declarations.iter() }
            .filter(|(_, declaration)| {
                let config = declaration.config.iter().map(|attribute| &attribute.value);
                uses(&self.graph.flow(Spot::module(ModuleId::ROOT), config, false))
            })
            .map(|(id, _)| id)
            .collect();
        let is_user = |id: &&NodeId| {
            let NodeKind::Action { declaration, .. } = self.graph.node(**id).kind else {
                return false;
            };
            let Some(action) = self.graph.action(**id) else {
                return false;
            };
            let given = action
                .attributes
                .iter()
                .chain(action.teardown.iter().flatten());
            let given = given.map(|attribute| &attribute.value);
            declaration.is_some_and(|id| configured.contains(&id))
                || uses(&self.graph.flow(self.graph.spot(**id), given, false))
        };
        { among.iter().filter(is_user) }
            .map(|id| self.graph.address(*id))
            .collect()
    }

    /// The actions that are done and are there because of a variable: it goes into the `count` or
    /// the `for_each` of their block, or of a component they are in. With the new value there may
    /// be more of them, others, or none, so they are looked for in the record.
    fn instances_by<'r>(&self, name: &str, record: &'r Record, redo: &[String]) -> Vec<&'r str> {
        let mut blocks = Vec::new();
        for (index, module) in self.graph.modules.iter().enumerate() {
            let prefix = &module.prefix;
            let actions = module.module.actions.iter().map(|action| {
                let address = format!("{prefix}action.{}.{}[", action.kind, action.name);
                (address, action.repeat.as_ref())
            });
            let components = module.module.components.iter().map(|component| {
                let address = format!("{prefix}component.{}.{}[", component.kind, component.name);
                (address, component.repeat.as_ref())
            });
            for (address, repeat) in actions.chain(components) {
                let Some(Repeat::ForEach(all) | Repeat::Count(all)) = repeat else {
                    continue;
                };
                let flow = self.graph.flow(Spot::module(ModuleId(index)), [all], false);
                if flow.variables.iter().any(|(used, _)| used == name) {
                    blocks.push(address);
                }
            }
        }
        let is_done = |node: &&NodeRecord| {
            node.status == Status::Succeeded
                && !redo.contains(&node.address)
                && blocks.iter().any(|block| node.address.starts_with(block))
        };
        let done = record.nodes.iter().filter(is_done);
        done.map(|node| node.address.as_str()).collect()
    }
}
