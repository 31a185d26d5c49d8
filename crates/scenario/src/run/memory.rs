//! A plan and its record: written when a run begins, and read when it is resumed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use tenon_hcl::Diagnostic;
use tenon_values::{Value, convert};

use crate::environment::EnvironmentRecord;
use crate::event::{RunStatus, Status};
use crate::masked::Masked;
use crate::planning::declarations::Declaration;
use crate::planning::evaluation::Evaluation;
use crate::planning::graph::{Graph, Node, NodeId, NodeKind};
use crate::planning::plan::Plan;
use crate::reading::load::ScenarioFile;
use crate::records::disk;
use crate::records::kept::Sealer;
use crate::records::known::KnownOutputs;
use crate::records::node::NodeRecord;
use crate::records::record::{FORMAT, Record, variable_owner};
use crate::records::seal::RecordKey;
use crate::records::time;
use crate::records::undo::Undo;
use crate::run::undoer::{Stage, Undoer};

/// The record of a run that begins.
///
/// # Errors
/// There is no randomness for what the key encrypts.
pub(crate) fn new_record(
    plan: &Plan,
    file: &ScenarioFile,
    key: Option<&RecordKey>,
) -> io::Result<Record> {
    let id = time::new_id();
    Ok(Record {
        format: FORMAT,
        scenario: plan.scenario.name().to_owned(),
        path: disk::absolute(&file.path),
        key: key.map(|key| key.check(&id)).transpose()?,
        id,
        status: RunStatus::Running,
        in_progress: None,
        redo: Vec::new(),
        started_at: time::now(),
        finished_at: None,
        variables: BTreeMap::new(),
        sensitive_variables: BTreeMap::new(),
        sealed_variables: BTreeMap::new(),
        default_variables: BTreeSet::new(),
        providers: Vec::new(),
        environment: EnvironmentRecord::default(),
        groups: BTreeMap::new(),
        nodes: Vec::new(),
        outputs: BTreeMap::new(),
        sensitive_outputs: BTreeMap::new(),
        failed_asserts: Vec::new(),
        provider_errors: Vec::new(),
        files: disk::digests(file),
    })
}

/// Puts what the scenario is given into the record.
pub(crate) fn keep_variables(plan: &Plan, record: &mut Record, sealer: &Sealer<'_>) {
    for (name, value) in &plan.variables {
        let Ok((masked, secrets)) = Masked::split(value) else {
            continue;
        };
        let sealed = sealer.sealed(&variable_owner(name), &masked, &secrets);
        let variable = plan.scenario.module.variables.get(name);
        let default = variable.and_then(|variable| variable.default.as_ref());
        let is_default = default.is_some_and(|default| *default == value.unmark_deep().0);
        match is_default && !masked.sensitive.is_empty() {
            true => record.default_variables.insert(name.clone()),
            false => record.default_variables.remove(name),
        };
        match sealed.is_empty() {
            true => record.sealed_variables.remove(name),
            false => record.sealed_variables.insert(name.clone(), sealed),
        };
        record.set_variable(name, masked);
    }
}

/// Actions that the record does not have yet, and what comes after what.
pub(crate) fn add_new_nodes(plan: &Plan, record: &mut Record) {
    let known: BTreeSet<String> = { record.nodes.iter() }
        .map(|node| node.address.clone())
        .collect();
    for (id, node) in plan.graph.actions() {
        if !known.contains(&*node.address) {
            let provider = plan.declaration(id).map(Declaration::label);
            let mut added = NodeRecord::new(&node.address, provider.unwrap_or_default());
            added.after = after(&plan.graph, id);
            record.nodes.push(added);
        }
    }
    for (index, node) in plan.graph.nodes.iter().enumerate() {
        if !matches!(node.kind, NodeKind::Action { .. }) {
            let group = record.groups.entry(node.address.to_string()).or_default();
            group.extend(after(&plan.graph, NodeId(index)));
        }
    }
}

/// What a node comes after.
pub(crate) fn after(graph: &Graph, id: NodeId) -> Vec<String> {
    let before = graph.node(id).dependencies.iter();
    let address = |id: &NodeId| graph.address(*id).to_owned();
    before.map(|(id, _)| address(id)).collect()
}

/// What a record of the first format says too little about: what undoes its actions. As far as
/// the scenario still has them, that is what the scenario says now.
pub(crate) fn adopt(
    plan: &Plan,
    record: &mut Record,
    undoer: &Undoer<'_>,
    evaluation: &Evaluation<'_>,
    stage: Stage,
) {
    let places = places(plan, record);
    for (id, place) in &places {
        let node = &mut record.nodes[*place];
        node.after = after(&plan.graph, *id);
        if node.is_there() {
            let stage = match node.status {
                Status::Succeeded => stage,
                _ => Stage::Begun,
            };
            node.undo = undoer.undo(*id, evaluation, stage);
        }
    }
    let known: BTreeSet<usize> = places.into_values().collect();
    for (place, node) in record.nodes.iter_mut().enumerate() {
        if !known.contains(&place) && node.is_there() {
            node.undo = Some(Undo::problem(
                "it is no longer in the scenario, and its record was written by a version \
                 of tenon that kept nothing about teardowns\n  \
                 put it back into the scenario file, or undo it by hand",
            ));
        }
    }
    record.format = FORMAT;
}

/// The index of each action in a record.
pub(crate) fn places(plan: &Plan, record: &Record) -> HashMap<NodeId, usize> {
    let numbered = record.nodes.iter().enumerate();
    let known: HashMap<&str, usize> = numbered
        .map(|(place, node)| (node.address.as_str(), place))
        .collect();
    let place = |(id, node): (NodeId, &Node)| Some((id, *known.get(&*node.address)?));
    plan.graph.actions().filter_map(place).collect()
}

/// What a record says is done and is not to be done again, with what it returned.
pub(crate) fn recall(
    plan: &Plan,
    record: &Record,
    known_secrets: &KnownOutputs<'_>,
    redo: &[String],
    evaluation: &mut Evaluation<'_>,
) -> Result<BTreeSet<NodeId>, Vec<Diagnostic>> {
    let known: BTreeMap<&str, &NodeRecord> = { record.nodes.iter() }
        .map(|node| (node.address.as_str(), node))
        .collect();
    let mut done = BTreeSet::new();
    let mut problems = Vec::new();
    for id in &plan.graph.order {
        let node = plan.graph.node(*id);
        let NodeKind::Action { .. } = node.kind else {
            // What only gathers is gathered again when its turn comes. Before all of it is there,
            // locals that use it would be evaluated too early, and stay unknown.
            let is_there = |(id, _): &(NodeId, _)| evaluation.get(*id).is_some();
            if node.dependencies.iter().all(is_there)
                && let Ok(value) = evaluation.gathered(*id)
            {
                evaluation.set(*id, value);
            }
            continue;
        };
        let Some(known) = known.get(&*node.address) else {
            continue;
        };
        if known.status != Status::Succeeded || redo.contains(&known.address) {
            continue;
        }
        match recalled_outputs(plan, *id, known, known_secrets) {
            Ok(value) => {
                let value = plan.sensitive.mark_outputs(*id, value);
                evaluation.set(*id, value);
                done.insert(*id);
            }
            Err(error) => {
                let summary = format!(
                    "the outputs of {} no longer fit the schema of its provider: {error}",
                    node.address
                );
                problems.push(Diagnostic::error(summary).at(node.place.clone()));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(done),
        false => Err(problems),
    }
}

fn recalled_outputs(
    plan: &Plan,
    id: NodeId,
    known: &NodeRecord,
    secrets: &KnownOutputs<'_>,
) -> Result<Value, tenon_values::Error> {
    match (known.masked_outputs(), plan.output_type(id)) {
        (Some(outputs), Some(ty)) => {
            let outputs = outputs.filled(|way| secrets.find(known, way, &ty))?;
            convert::convert(&outputs, &ty)
        }
        _ => Ok(Value::object::<&str>([])),
    }
}
