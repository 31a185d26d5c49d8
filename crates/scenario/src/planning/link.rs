//! What depends on what: by references, and by `depends_on`.

mod names;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use tenon_hcl::{Diagnostic, Expression, Place};

use crate::planning::graph::{Graph, Instance, ModuleId, NodeId, NodeKind};
use crate::planning::names::{Position, Target};
use crate::planning::order::order;
use crate::reading::model::Retry;
use names::{Name, name_of};

/// Finds out what every node depends on, and an order for them.
///
/// References to what is not there are reported by the evaluation.
pub(crate) fn link(graph: &mut Graph) -> Result<(), Vec<Diagnostic>> {
    let mut linking = Linking {
        graph,
        named: HashMap::new(),
        problems: Vec::new(),
    };
    linking.look_at_all_names();
    let dependencies: Vec<_> = (0..linking.graph.nodes.len())
        .map(|index| linking.dependencies(NodeId(index)))
        .collect();
    let problems = linking.problems;
    for (node, dependencies) in graph.nodes.iter_mut().zip(dependencies) {
        node.dependencies = dependencies;
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let befores: Vec<Vec<usize>> = graph
        .nodes
        .iter()
        .map(|node| node.dependencies.iter().map(|(id, _)| id.0).collect())
        .collect();
    match order(&befores) {
        Ok(order) => {
            graph.order = order.into_iter().map(NodeId).collect();
            Ok(())
        }
        Err(way) => Err(vec![cycle(graph, &way)]),
    }
}

struct Linking<'g> {
    graph: &'g Graph,
    /// What locals and inputs depend on, once that is known.
    named: HashMap<Name, Rc<BTreeSet<NodeId>>>,
    problems: Vec<Diagnostic>,
}

type Edges = Vec<(NodeId, Place)>;

impl Linking<'_> {
    /// Unused ones as well: a cycle among them would never end when they are evaluated.
    fn look_at_all_names(&mut self) {
        for index in 0..self.graph.modules.len() {
            let module = ModuleId(index);
            let names: Vec<String> = {
                let instance = self.graph.module(module);
                let locals = instance.module.locals.keys();
                let inputs = instance.module.variables.keys();
                let locals = locals.map(|name| format!("local.{name}"));
                locals
                    .chain(inputs.map(|name| format!("var.{name}")))
                    .collect()
            };
            for name in names {
                self.named((module, name));
            }
        }
    }

    fn dependencies(&mut self, id: NodeId) -> Edges {
        let graph = self.graph;
        let node = graph.node(id);
        let module = &graph.module(node.module).module;
        let mut edges = Edges::new();
        match &node.kind {
            NodeKind::All { members, .. } => {
                let place = &node.place;
                edges.extend(members.iter().map(|(_, member)| (*member, place.clone())));
            }
            NodeKind::Component { inside } => {
                let place = &node.place;
                let instance = graph.module(*inside);
                let inner = instance
                    .actions
                    .values()
                    .chain(instance.components.values());
                let inner = inner.flat_map(|names| names.values());
                edges.extend(inner.map(|inner| (*inner, place.clone())));
                for output in &instance.module.outputs {
                    self.follow(*inside, &Instance::Only, &output.value, &mut edges);
                }
                // One without actions waits as well.
                self.wait_with_component(*inside, &mut edges);
            }
            NodeKind::Action {
                action, instance, ..
            } => {
                let action = &module.actions[*action];
                let retry = action.retry.as_ref().map(retry_expressions);
                let expressions = action
                    .attributes
                    .iter()
                    .map(|attribute| &attribute.value)
                    .chain(&action.timeout)
                    .chain(&action.idempotent)
                    .chain(retry.into_iter().flatten())
                    .chain(&action.depends_on);
                for expression in expressions {
                    self.follow(node.module, instance, expression, &mut edges);
                }
                for expression in &action.depends_on {
                    self.check(node.module, expression);
                }
                self.wait_with_component(node.module, &mut edges);
            }
        }
        let mut seen = BTreeSet::new();
        edges.retain(|(id, _)| seen.insert(*id));
        edges
    }

    /// What a component has to wait for as a whole.
    fn wait_with_component(&mut self, module: ModuleId, edges: &mut Edges) {
        let graph = self.graph;
        let mut caller = graph.module(module).caller.as_ref();
        while let Some(outer) = caller {
            for expression in &graph.component_use(outer).depends_on {
                self.check(outer.module, expression);
                self.follow(outer.module, &outer.instance, expression, edges);
            }
            caller = graph.module(outer.module).caller.as_ref();
        }
    }

    /// `depends_on` is not evaluated, so what is not there is reported here.
    fn check(&mut self, module: ModuleId, expression: &Expression) {
        let position = Position {
            module,
            instance: &Instance::Only,
            has_self: false,
        };
        let references = expression.references();
        let Some((reference, _)) = references.first() else {
            return;
        };
        if let Err(missing) = self.graph.find(position, reference) {
            let mut diagnostic = Diagnostic::error(missing.summary).at(expression.place());
            diagnostic.help = missing.help;
            if !self.problems.contains(&diagnostic) {
                self.problems.push(diagnostic);
            }
        }
    }

    /// Adds what an expression depends on.
    fn follow(
        &mut self,
        module: ModuleId,
        instance: &Instance,
        expression: &Expression,
        edges: &mut Edges,
    ) {
        let position = Position {
            module,
            instance,
            has_self: true,
        };
        for (reference, place) in expression.references() {
            match self.graph.find(position, &reference) {
                Ok(Target::Node(id)) => edges.push((id, place)),
                Ok(target) => {
                    let through = name_of(module, target).map(|name| self.named(name));
                    let through = through.iter().flat_map(|found| found.iter());
                    edges.extend(through.map(|id| (*id, place.clone())));
                }
                Err(_) => {}
            }
        }
    }
}

fn retry_expressions(retry: &Retry) -> impl Iterator<Item = &Expression> {
    let optional = [&retry.delay, &retry.backoff, &retry.max_delay, &retry.on];
    std::iter::once(&retry.attempts).chain(optional.into_iter().flatten())
}

/// The whole way around, with the reference that makes each step of it.
fn cycle(graph: &Graph, way: &[usize]) -> Diagnostic {
    let addresses: Vec<&str> = way.iter().map(|id| &*graph.nodes[*id].address).collect();
    let mut diagnostic = match addresses.as_slice() {
        [first, _] => Diagnostic::error(format!("`{first}` depends on itself")),
        _ => Diagnostic::error("these depend on each other, so none can run first")
            .note(addresses.join(" needs "))
            .help("remove one of these references"),
    };
    let mut first = true;
    for pair in way.windows(2) {
        let (from, to) = (&graph.nodes[pair[0]], NodeId(pair[1]));
        let Some((_, place)) = from.dependencies.iter().find(|(id, _)| *id == to) else {
            continue;
        };
        let label = format!("{} needs {}", from.address, graph.nodes[pair[1]].address);
        diagnostic = match std::mem::replace(&mut first, false) {
            true => diagnostic.at(place.clone()).label(label),
            false => diagnostic.related(place.clone(), label),
        };
    }
    diagnostic
}
