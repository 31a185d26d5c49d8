//! Which nodes of a graph are visited, and in what order.

use std::collections::BTreeSet;

use tenon_hcl::{Diagnostic, did_you_mean};

use crate::address::part_of;
use crate::planning::declarations::DeclarationId;
use crate::planning::graph::{Graph, NodeId, NodeKind};
use crate::run::schedule::Schedule;

/// The providers that are needed for what is not done yet.
pub(crate) fn needed(
    graph: &Graph,
    chosen: &[NodeId],
    done: &BTreeSet<NodeId>,
) -> BTreeSet<DeclarationId> {
    chosen
        .iter()
        .filter(|id| !done.contains(id))
        .filter_map(|id| match graph.node(*id).kind {
            NodeKind::Action { declaration, .. } => declaration,
            _ => None,
        })
        .collect()
}

/// The nodes that targets name, and all that they need; everything without targets.
pub(crate) fn chosen(graph: &Graph, targets: &[String]) -> Result<Vec<NodeId>, Vec<Diagnostic>> {
    if targets.is_empty() {
        return Ok(graph.order.clone());
    }
    let mut wanted = vec![false; graph.nodes.len()];
    let mut left = Vec::new();
    let mut problems = Vec::new();
    for target in targets {
        let found: Vec<NodeId> = (0..graph.nodes.len())
            .map(NodeId)
            .filter(|id| *graph.node(*id).address == **target)
            .collect();
        if found.is_empty() {
            let addresses = graph.nodes.iter().map(|node| &*node.address);
            let mut diagnostic = Diagnostic::error(format!("unknown target `{target}`"));
            diagnostic.help = did_you_mean(target, addresses);
            problems.push(diagnostic);
        }
        left.extend(found);
    }
    while let Some(id) = left.pop() {
        if !std::mem::replace(&mut wanted[id.0], true) {
            let dependencies = &graph.node(id).dependencies;
            left.extend(dependencies.iter().map(|(before, _)| *before));
        }
    }
    match problems.is_empty() {
        true => Ok({ graph.order.iter() }
            .filter(|id| wanted[id.0])
            .copied()
            .collect()),
        false => Err(problems),
    }
}

/// The actions that are to be run again: an address of a repeated action or of a component means
/// everything in it.
pub(crate) fn redone(graph: &Graph, addresses: &[String]) -> Result<Vec<String>, Vec<Diagnostic>> {
    let mut redone = Vec::new();
    let mut problems = Vec::new();
    for wanted in addresses {
        let mut all = graph.nodes.iter();
        if all.any(|node| *node.address == **wanted) {
            let actions = graph.actions().map(|(_, node)| &*node.address);
            let meant = actions.filter(|address| part_of(wanted, address).is_some());
            redone.extend(meant.map(str::to_owned));
            continue;
        }
        let addresses = graph.nodes.iter().map(|node| &*node.address);
        let mut diagnostic = Diagnostic::error(format!(
            "unknown action `{wanted}`, which was to be run again"
        ));
        diagnostic.help = did_you_mean(wanted, addresses);
        problems.push(diagnostic);
    }
    match problems.is_empty() {
        true => Ok(redone),
        false => Err(problems),
    }
}

/// Every node waits for what it needs.
pub(crate) fn schedule(graph: &Graph, chosen: &[NodeId]) -> Schedule {
    let dependencies: Vec<Vec<usize>> = { graph.nodes.iter() }
        .map(|node| node.dependencies.iter().map(|(id, _)| id.0).collect())
        .collect();
    let order: Vec<usize> = chosen.iter().map(|id| id.0).collect();
    Schedule::new(&dependencies, &order)
}
