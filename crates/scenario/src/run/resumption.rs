//! Going on with a run: whether that can be done, and what has changed since it began.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use tenon_hcl::Diagnostic;
use tenon_values::Value;

use crate::event::Status;
use crate::hint::{Advice, Hint};
use crate::masked::Masked;
use crate::planning::attributes::action_attributes;
use crate::planning::evaluation::{Evaluation, Here};
use crate::planning::flow::{Flow, Spot};
use crate::planning::graph::{ModuleId, NodeId, NodeKind};
use crate::planning::idempotency::{self, Purpose};
use crate::planning::plan::Plan;
use crate::reading::model::Repeat;
use crate::records::journal::Journal;
use crate::records::node::NodeRecord;
use crate::records::record::Record;
use crate::records::secret_names::check_secret_names;
use crate::run::error::{NotRepeated, RunError, UnknownOutcome};
use crate::run::memory::places;
use crate::run::options::RunOptions;

/// How many actions are named.
const NAMED: usize = 5;

/// Opens the record of a run that is to continue.
///
/// # Errors
/// It cannot be read, is in use, or part of the run was undone; or the outcome of some action is
/// unknown.
pub(super) fn reopen(
    plan: &Plan,
    path: &Path,
    options: &RunOptions,
) -> Result<(Journal, Record), RunError> {
    let (journal, mut record) = Journal::open(path, options.salvage)?;
    check_secret_names(&record, &options.given).map_err(RunError::Invalid)?;
    if record.key.is_none() {
        let key = options.key.as_ref();
        record.key = key.map(|key| key.check(&record.id)).transpose()?;
    }
    if record.nodes.iter().any(NodeRecord::may_be_undone) {
        return Err(RunError::Undone);
    }
    // What a teardown could not undo is still there.
    for node in &mut record.nodes {
        node.teardown = None;
        node.teardown_error = None;
    }
    let places: BTreeMap<usize, NodeId> = { places(plan, &record).into_iter() }
        .map(|(id, place)| (place, id))
        .collect();
    let unknown = record.nodes.iter().enumerate().filter_map(|(place, node)| {
        let id = places.get(&place);
        let is_repeatable = id.is_some_and(|id| plan.idempotent.contains(id));
        let is_redone = is_repeatable || options.redo.contains(&node.address);
        (node.status == Status::Maybe && !is_redone).then(|| UnknownOutcome {
            address: node.address.clone(),
            reason: id.is_none().then_some(NotRepeated::Removed),
        })
    });
    let unknown: Vec<UnknownOutcome> = unknown.collect();
    match unknown.is_empty() || options.redo_maybe {
        true => Ok((journal, record)),
        false => Err(RunError::UnknownOutcome(unknown)),
    }
}

/// Refuses to continue with other values than those that actions were done with.
///
/// # Errors
/// A variable differs, or what an action would be given that is repeated.
pub(super) fn check(
    plan: &Plan,
    record: &Record,
    done: &BTreeSet<NodeId>,
    evaluation: &Evaluation<'_>,
    options: &RunOptions,
) -> Result<(), RunError> {
    // To repeat an action is to do the same once more, with the same values.
    let mut fixed = done.clone();
    if !options.redo_maybe {
        let places = places(plan, record);
        fixed.extend(plan.idempotent.iter().filter(|id| {
            let node = places.get(id).map(|place| &record.nodes[*place]);
            node.is_some_and(|node| {
                node.status == Status::Maybe && !options.redo.contains(&node.address)
            })
        }));
    }
    check_variables(plan, record, &fixed, &options.redo).map_err(RunError::Invalid)?;
    let changed = match options.redo_maybe {
        true => Vec::new(),
        false => changed(plan, record, evaluation, &options.redo),
    };
    match changed.is_empty() {
        true => Ok(()),
        false => Err(RunError::UnknownOutcome(changed)),
    }
}

/// Actions that failed or were skipped, and were removed from the scenario, are dropped.
/// What may have been done stays, and a warning names it.
pub(super) fn drop_removed(plan: &Plan, record: &mut Record, advice: Advice) -> Vec<String> {
    let known: HashSet<usize> = places(plan, record).into_values().collect();
    let mut unknown = Vec::new();
    for (place, node) in record.nodes.iter_mut().enumerate() {
        match node.status {
            _ if known.contains(&place) => {}
            Status::Failed | Status::Skipped => {
                node.status = Status::Pending;
                node.error = Some("it is no longer in the scenario".to_owned());
            }
            Status::Maybe => unknown.push(format!(
                "the outcome of {} is unknown, and it is {}; {}",
                node.address,
                NotRepeated::Removed,
                advice.on(&Hint::UndoRun)
            )),
            _ => {}
        }
    }
    unknown
}

/// Refuses a variable that is not what it was if an action that is done was made with it: half
/// of the run would have the old value, half of it the new one. Secrets cannot be compared,
/// because the record does not hold them in clear.
///
/// # Errors
/// The variables that differ.
fn check_variables(
    plan: &Plan,
    record: &Record,
    done: &BTreeSet<NodeId>,
    redo: &[String],
) -> Result<(), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    for (name, now) in &plan.variables {
        let Some(before) = recorded_value(plan, record, name) else {
            continue;
        };
        if before == now.unmark_deep().0 {
            continue;
        }
        let mut users = users_of(plan, name, done);
        users.extend(instances_by(plan, name, record, redo));
        if users.is_empty() {
            continue;
        }
        let shown = |value: &Value| match Masked::of(value) {
            Ok(masked) => masked.value.get().to_owned(),
            Err(_) => String::new(),
        };
        let mut problem = Diagnostic::error(format!(
            "the variable {name:?} has changed since this run began"
        ));
        if !now.contains_marked() {
            problem = problem.note(format!(
                "it was {} and is now {}",
                shown(&before),
                shown(now)
            ));
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
            .help("leave it out to continue with the old value, or start a new run");
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
fn changed(
    plan: &Plan,
    record: &Record,
    evaluation: &Evaluation<'_>,
    redo: &[String],
) -> Vec<UnknownOutcome> {
    let mut changed = Vec::new();
    let ordered: BTreeMap<NodeId, usize> = places(plan, record).into_iter().collect();
    for (id, place) in ordered {
        let node = &record.nodes[place];
        let NodeKind::Action { instance, .. } = &plan.graph.node(id).kind else {
            continue;
        };
        let (Some(action), Some(schema)) = (plan.graph.action(id), plan.action_schema(id)) else {
            continue;
        };
        if !node.has_changed(None) || redo.contains(&node.address) {
            continue;
        }
        let needs = action.attributes.iter().map(|attribute| &attribute.value);
        let needs = plan.graph.flow(plan.graph.spot(id), needs, false).nodes;
        // Locals are evaluated once: what is asked too early would stay unknown.
        if needs.iter().any(|needed| evaluation.get(*needed).is_none()) {
            continue;
        }
        let here = Here {
            module: plan.graph.node(id).module,
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
            changed.push(UnknownOutcome {
                address: node.address.clone(),
                reason: Some(NotRepeated::Changed),
            });
        }
    }
    changed
}

/// What a variable was, if all of it is in the record.
fn recorded_value(plan: &Plan, record: &Record, name: &str) -> Option<Value> {
    let masked = Masked {
        value: record.variables.get(name)?.clone(),
        sensitive: { record.sensitive_variables.get(name) }
            .cloned()
            .unwrap_or_default(),
    };
    let variable = plan.scenario.module.variables.get(name)?;
    let value = variable.recorded(&masked).ok()?;
    value.is_wholly_known().then_some(value)
}

/// The actions among these that were made with a variable, or whose provider was configured
/// with it.
fn users_of<'p>(plan: &'p Plan, name: &str, among: &BTreeSet<NodeId>) -> BTreeSet<&'p str> {
    let uses = |flow: &Flow| flow.variables.iter().any(|(used, _)| used == name);
    let configured: BTreeSet<_> = { plan.declarations.iter() }
        .filter(|(_, declaration)| {
            let config = declaration.config.iter().map(|attribute| &attribute.value);
            uses(&plan.graph.flow(Spot::module(ModuleId::ROOT), config, false))
        })
        .map(|(id, _)| id)
        .collect();
    let is_user = |id: &&NodeId| {
        let NodeKind::Action { declaration, .. } = plan.graph.node(**id).kind else {
            return false;
        };
        let Some(action) = plan.graph.action(**id) else {
            return false;
        };
        let given = action
            .attributes
            .iter()
            .chain(action.teardown.iter().flatten());
        let given = given.map(|attribute| &attribute.value);
        declaration.is_some_and(|id| configured.contains(&id))
            || uses(&plan.graph.flow(plan.graph.spot(**id), given, false))
    };
    { among.iter().filter(is_user) }
        .map(|id| plan.graph.address(*id))
        .collect()
}

/// The actions that are done and are there because of a variable: it goes into the `count` or
/// the `for_each` of their block, or of a component they are in. With the new value there may
/// be more of them, others, or none, so they are looked for in the record.
fn instances_by<'r>(plan: &Plan, name: &str, record: &'r Record, redo: &[String]) -> Vec<&'r str> {
    let mut blocks = Vec::new();
    for (index, module) in plan.graph.modules.iter().enumerate() {
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
            let flow = plan.graph.flow(Spot::module(ModuleId(index)), [all], false);
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
