//! What depends on what: by references, and by `depends_on`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use tenon_hcl::{Diagnostic, Expression, Place};

use crate::planning::graph::{Graph, Instance, ModuleId, NodeId, NodeKind};
use crate::planning::names::{Position, Target};
use crate::planning::order::order;
use crate::reading::model::Retry;

/// Finds out what every node depends on, and an order for them.
///
/// References to what is not there are left to whoever evaluates them.
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

/// `local.name` or `var.name` of a module.
type Name = (ModuleId, String);

/// A name that is being looked at.
struct Open {
    name: Name,
    /// The names it uses that have not been looked at yet.
    left: Vec<Name>,
    found: BTreeSet<NodeId>,
}

/// How much of a way around is shown.
const SHOWN_NAMES: usize = 20;

impl Linking<'_> {
    /// Also those that nobody uses: a cycle among them would never end when they are evaluated.
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

    /// `depends_on` is not evaluated, so nobody else notices what is not there.
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

    /// What a local or an input depends on, through others as well. Without recursion: a chain of
    /// them may be longer than the stack is deep.
    fn named(&mut self, name: Name) -> Rc<BTreeSet<NodeId>> {
        if let Some(known) = self.named.get(&name) {
            return known.clone();
        }
        let mut on_the_way: HashSet<Name> = HashSet::from([name.clone()]);
        let mut open = vec![self.open(name)];
        let mut last = Rc::default();
        while let Some(top) = open.last_mut() {
            if let Some(next) = top.left.pop() {
                if let Some(known) = self.named.get(&next) {
                    top.found.extend(known.iter().copied());
                } else if on_the_way.insert(next.clone()) {
                    let next = self.open(next);
                    open.push(next);
                } else {
                    let way = open.iter().map(|open| &open.name);
                    let way: Vec<&Name> = way.skip_while(|name| **name != next).collect();
                    let problem = self.depends_on_itself(&next, &way);
                    self.problems.push(problem);
                }
                continue;
            }
            let Some(done) = open.pop() else { break };
            on_the_way.remove(&done.name);
            last = Rc::new(done.found);
            if let Some(user) = open.last_mut() {
                user.found.extend(last.iter().copied());
            }
            self.named.insert(done.name, last.clone());
        }
        last
    }

    /// What a name refers to itself: nodes and other names.
    fn open(&self, name: Name) -> Open {
        let mut open = Open {
            left: Vec::new(),
            found: BTreeSet::new(),
            name,
        };
        let Some((module, instance, expression)) = self.expression(open.name.0, &open.name.1)
        else {
            return open;
        };
        let position = Position {
            module,
            instance: &instance,
            has_self: true,
        };
        for (reference, _) in expression.references() {
            match self.graph.find(position, &reference) {
                Ok(Target::Node(id)) => {
                    open.found.insert(id);
                }
                Ok(target) => open.left.extend(name_of(module, target)),
                Err(_) => {}
            }
        }
        // They are taken from the end.
        open.left.reverse();
        open
    }

    fn depends_on_itself(&self, name: &Name, way: &[&Name]) -> Diagnostic {
        let mut names: Vec<&str> = way.iter().map(|(_, name)| name.as_str()).collect();
        if names.len() > SHOWN_NAMES {
            names.truncate(SHOWN_NAMES);
            names.push("...");
        }
        names.push(&name.1);
        let diagnostic =
            Diagnostic::error(format!("`{}` depends on itself", name.1)).note(names.join(" uses "));
        match self.expression(name.0, &name.1) {
            Some((_, _, expression)) => diagnostic.at(expression.place()),
            None => diagnostic,
        }
    }

    /// What a local or an input is, and where that is evaluated.
    fn expression(&self, module: ModuleId, name: &str) -> Option<(ModuleId, Instance, Expression)> {
        let instance = self.graph.module(module);
        if let Some(name) = name.strip_prefix("local.") {
            let local = instance.module.locals.get(name)?;
            return Some((module, Instance::Only, local.value.clone()));
        }
        let name = name.strip_prefix("var.")?;
        let caller = instance.caller.as_ref()?;
        let inputs = &self.graph.component_use(caller).inputs;
        let (_, expression) = inputs.iter().find(|(input, _)| input.text() == name)?;
        Some((caller.module, caller.instance.clone(), expression.clone()))
    }
}

/// The name that a reference in a module leads to, if it leads to one that depends on others.
fn name_of(module: ModuleId, target: Target<'_>) -> Option<Name> {
    match target {
        Target::Local(name) => Some((module, format!("local.{name}"))),
        Target::Variable(name) if module != ModuleId::ROOT => Some((module, format!("var.{name}"))),
        _ => None,
    }
}

fn retry_expressions(retry: &Retry) -> impl Iterator<Item = &Expression> {
    let optional = [&retry.delay, &retry.backoff, &retry.max_delay, &retry.on];
    std::iter::once(&retry.attempts).chain(optional.into_iter().flatten())
}

impl Graph {
    /// The nodes that an expression of the scenario itself needs.
    pub(crate) fn needs(&self, expression: &Expression) -> BTreeSet<NodeId> {
        let position = Position {
            module: ModuleId::ROOT,
            instance: &Instance::Only,
            has_self: false,
        };
        let mut needs = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut left = vec![expression];
        while let Some(next) = left.pop() {
            for (reference, _) in next.references() {
                match self.find(position, &reference) {
                    Ok(Target::Node(id)) => {
                        needs.insert(id);
                    }
                    Ok(Target::Local(name)) if seen.insert(name) => {
                        let locals = &self.module(ModuleId::ROOT).module.locals;
                        left.extend(locals.get(name).map(|local| &local.value));
                    }
                    _ => {}
                }
            }
        }
        needs
    }
}

/// The whole way around, with the reference that makes each step of it.
fn cycle(graph: &Graph, way: &[usize]) -> Diagnostic {
    let addresses: Vec<&str> = way.iter().map(|id| &*graph.nodes[*id].address).collect();
    let mut diagnostic = match addresses.as_slice() {
        [first, _] => Diagnostic::error(format!("`{first}` depends on itself")),
        _ => Diagnostic::error("these depend on each other, so none can be first")
            .note(addresses.join(" needs "))
            .help("take one of these references out"),
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
