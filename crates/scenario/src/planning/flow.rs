//! Where the value of an expression comes from: through locals, inputs and outputs of components,
//! and `each.value`, down to the scenario's variables and the outputs of actions.

use std::collections::BTreeSet;

use tenon_hcl::Expression;

use crate::planning::graph::{Graph, Instance, ModuleId, NodeId, NodeKind};
use crate::planning::names::{Position, Target};
use crate::reading::model::Repeat;

/// What goes into an expression.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// Variables of the scenario, with the steps to the part that is used.
    pub(crate) variables: BTreeSet<(String, Vec<String>)>,
    /// Outputs of actions, with the steps to the part that is used.
    pub(crate) outputs: BTreeSet<(NodeId, Vec<String>)>,
    /// Nodes that are referred to: until they are done, the expression cannot be evaluated.
    pub(crate) nodes: BTreeSet<NodeId>,
    /// Blocks whose `each.value` is used.
    pub(crate) each: BTreeSet<Owner>,
}

/// Where an expression is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'g> {
    module: ModuleId,
    instance: &'g Instance,
    owner: Option<Owner>,
    /// What `self` is.
    itself: Option<NodeId>,
}

/// A block that may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Action(NodeId),
    /// The component that was put in this place.
    Component(ModuleId),
}

impl Spot<'static> {
    /// In a module, outside of any block that is repeated.
    pub(crate) fn module(module: ModuleId) -> Spot<'static> {
        Spot {
            module,
            instance: &Instance::Only,
            owner: None,
            itself: None,
        }
    }
}

impl<'g> Spot<'g> {
    pub(crate) fn position(&self) -> Position<'g> {
        Position {
            module: self.module,
            instance: self.instance,
            has_self: true,
        }
    }

    /// What `self` is.
    pub(crate) fn itself(&self) -> Option<NodeId> {
        self.itself
    }
}

impl Graph {
    /// In an action or its teardown.
    pub(crate) fn spot(&self, id: NodeId) -> Spot<'_> {
        let node = self.node(id);
        let instance = match &node.kind {
            NodeKind::Action { instance, .. } => instance,
            _ => &Instance::Only,
        };
        Spot {
            module: node.module,
            instance,
            owner: Some(Owner::Action(id)),
            itself: Some(id),
        }
    }

    /// What goes into some expressions. What stands in `nonsensitive(...)` is not followed if
    /// `only_secrets` is set.
    pub(crate) fn flow<'g>(
        &'g self,
        spot: Spot<'g>,
        expressions: impl IntoIterator<Item = &'g Expression>,
        only_secrets: bool,
    ) -> Flow {
        let mut walk = Walk {
            graph: self,
            flow: Flow::default(),
            seen: BTreeSet::new(),
            left: Vec::new(),
        };
        let expressions = expressions.into_iter();
        walk.left
            .extend(expressions.map(|expression| (spot, expression)));
        let skipped = only_secrets.then_some("nonsensitive");
        while let Some((spot, expression)) = walk.left.pop() {
            walk.expression(spot, expression, skipped);
        }
        walk.flow
    }

    fn repeat(&self, owner: Owner) -> Option<(ModuleId, &Expression)> {
        let (module, repeat) = match owner {
            Owner::Action(id) => (self.node(id).module, self.action(id)?.repeat.as_ref()?),
            Owner::Component(inside) => {
                let caller = self.module(inside).caller.as_ref()?;
                (caller.module, self.component_use(caller).repeat.as_ref()?)
            }
        };
        match repeat {
            Repeat::ForEach(expression) | Repeat::Count(expression) => Some((module, expression)),
        }
    }
}

struct Walk<'g> {
    graph: &'g Graph,
    flow: Flow,
    /// Names that were followed before, by the module they belong to.
    seen: BTreeSet<(ModuleId, String)>,
    left: Vec<(Spot<'g>, &'g Expression)>,
}

impl<'g> Walk<'g> {
    fn expression(
        &mut self,
        spot: Spot<'g>,
        expression: &'g Expression,
        skipped: Option<&'static str>,
    ) {
        let graph = self.graph;
        for (reference, _) in expression.references_outside(skipped) {
            let Ok(target) = graph.find(spot.position(), &reference) else {
                continue;
            };
            let steps = reference.steps.iter().skip(target.steps());
            let steps: Vec<String> = steps.map(|step| (*step).to_owned()).collect();
            match target {
                Target::Variable(name) if spot.module == ModuleId::ROOT => {
                    self.flow.variables.insert((name.to_owned(), steps));
                }
                Target::Variable(name) => self.input(spot.module, name),
                Target::Local(name) => {
                    let local = graph.module(spot.module).module.locals.get(name);
                    if let Some(local) = local
                        && self.seen.insert((spot.module, format!("local.{name}")))
                    {
                        self.left.push((Spot::module(spot.module), &local.value));
                    }
                }
                Target::Node(id) => {
                    self.flow.nodes.insert(id);
                    self.node(id, &steps);
                }
                Target::Itself => {
                    let itself = spot.itself;
                    self.flow.outputs.extend(itself.map(|id| (id, steps)));
                }
                Target::EachValue => {
                    let owner = spot.owner;
                    self.flow.each.extend(owner);
                    if let Some((module, all)) = owner.and_then(|owner| graph.repeat(owner)) {
                        self.left.push((Spot::module(module), all));
                    }
                }
                Target::EachKey | Target::CountIndex => {}
            }
        }
    }

    /// What a component was given.
    fn input(&mut self, module: ModuleId, name: &str) {
        let graph = self.graph;
        let Some(caller) = &graph.module(module).caller else {
            return;
        };
        let inputs = &graph.component_use(caller).inputs;
        let Some((_, expression)) = inputs.iter().find(|(input, _)| input.text() == name) else {
            return;
        };
        if self.seen.insert((module, format!("var.{name}"))) {
            let spot = Spot {
                module: caller.module,
                instance: &caller.instance,
                owner: Some(Owner::Component(module)),
                itself: None,
            };
            self.left.push((spot, expression));
        }
    }

    fn node(&mut self, id: NodeId, steps: &[String]) {
        let graph = self.graph;
        match &graph.node(id).kind {
            NodeKind::Action { .. } => {
                self.flow.outputs.insert((id, steps.to_vec()));
            }
            NodeKind::All { members, .. } => {
                let named = steps.split_first().and_then(|(key, rest)| {
                    let is_named = |instance: &Instance| match instance {
                        Instance::Each(each, _) => each == key,
                        _ => false,
                    };
                    let found = members.iter().find(|(instance, _)| is_named(instance));
                    found.map(|(_, member)| (*member, rest))
                });
                match named {
                    Some((member, rest)) => self.node(member, rest),
                    None => members
                        .iter()
                        .for_each(|(_, member)| self.node(*member, &[])),
                }
            }
            NodeKind::Component { inside } => {
                for output in &graph.module(*inside).module.outputs {
                    let name = output.name.text();
                    let is_used = steps.first().is_none_or(|step| step == name);
                    if is_used && self.seen.insert((*inside, format!("output.{name}"))) {
                        self.left.push((Spot::module(*inside), &output.value));
                    }
                }
            }
        }
    }
}
