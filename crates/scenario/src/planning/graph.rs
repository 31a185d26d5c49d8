//! What must be done, and in which order.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use tenon_hcl::{Functions, Place};
use tenon_values::Value;

use crate::planning::declarations::DeclarationId;
use crate::reading::model::{Action, Component, ComponentUse, Module, Output, Scenario};

/// Which node of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) usize);

/// Which module of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ModuleId(pub(crate) usize);

impl ModuleId {
    pub(crate) const ROOT: ModuleId = ModuleId(0);
}

/// A scenario with all its components and repetitions unfolded.
#[derive(Debug)]
pub struct Graph {
    pub(crate) modules: Vec<ModuleInstance>,
    pub(crate) nodes: Vec<Node>,
    /// All nodes, each after everything it depends on. Where there is a choice, in the order of
    /// the file.
    pub(crate) order: Vec<NodeId>,
}

/// The scenario, or a component in one of its places.
pub(crate) struct ModuleInstance {
    /// The prefix of its actions' addresses: empty, or `component.type.name.`.
    pub(crate) prefix: String,
    pub(crate) module: ModuleSource,
    pub(crate) caller: Option<Caller>,
    /// By type, then by name.
    pub(crate) actions: HashMap<String, BTreeMap<String, NodeId>>,
    pub(crate) components: HashMap<String, BTreeMap<String, NodeId>>,
    pub(crate) functions: Arc<Functions>,
}

/// Who uses a component: where its inputs are evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) module: ModuleId,
    pub(crate) component: usize,
    pub(crate) instance: Instance,
}

/// Where a module's text is.
#[derive(Clone, Debug)]
pub(crate) enum ModuleSource {
    Scenario(Arc<Scenario>),
    Component(Arc<Component>),
}

impl Deref for ModuleSource {
    type Target = Module;

    fn deref(&self) -> &Module {
        match self {
            ModuleSource::Scenario(scenario) => &scenario.module,
            ModuleSource::Component(component) => &component.module,
        }
    }
}

/// Something that is done after other things.
#[derive(Debug)]
pub struct Node {
    /// How it is referred to, in the whole scenario.
    pub address: Arc<str>,
    /// Where it is declared.
    pub place: Place,
    pub(crate) module: ModuleId,
    pub(crate) kind: NodeKind,
    /// What it waits for, and where that is written.
    pub(crate) dependencies: Vec<(NodeId, Place)>,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    /// One action that a provider runs.
    Action {
        action: usize,
        instance: Instance,
        /// `None` if no provider offers it; there is no run then.
        declaration: Option<DeclarationId>,
    },
    /// A component in one place: done when everything in it is.
    Component { inside: ModuleId },
    /// All instances of a repeated action or component; it does nothing itself.
    All {
        members: Vec<(Instance, NodeId)>,
        /// By `count`, not by `for_each`: together they are a tuple, even without any member.
        is_counted: bool,
        /// It is known how many there are.
        is_known: bool,
    },
}

/// Which of several.
#[derive(Clone, Debug, Default)]
pub(crate) enum Instance {
    /// There is only one.
    #[default]
    Only,
    /// By `count`.
    Index(u64),
    /// By `for_each`.
    Each(String, Value),
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instance::Only => Ok(()),
            Instance::Index(index) => write!(f, "[{index}]"),
            Instance::Each(key, _) => write!(f, "[{key:?}]"),
        }
    }
}

impl Graph {
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    pub(crate) fn module(&self, id: ModuleId) -> &ModuleInstance {
        &self.modules[id.0]
    }

    /// The action that a node runs, if it runs one.
    pub(crate) fn action(&self, id: NodeId) -> Option<&Action> {
        let node = self.node(id);
        match node.kind {
            NodeKind::Action { action, .. } => {
                Some(&self.module(node.module).module.actions[action])
            }
            _ => None,
        }
    }

    /// The use of a component that made a module.
    pub(crate) fn component_use(&self, caller: &Caller) -> &ComponentUse {
        &self.module(caller.module).module.components[caller.component]
    }

    /// The outputs of the whole scenario.
    pub(crate) fn outputs(&self) -> &[Output] {
        &self.module(ModuleId::ROOT).module.outputs
    }

    /// How a node is referred to.
    pub fn address(&self, id: NodeId) -> &str {
        &self.node(id).address
    }

    /// Every action, in the order of the run.
    pub fn actions(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.order
            .iter()
            .map(|id| (*id, self.node(*id)))
            .filter(|(_, node)| matches!(node.kind, NodeKind::Action { .. }))
    }

    /// The actions that a node waits for, also through nodes that do nothing themselves.
    pub fn actions_before(&self, id: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut left = vec![id];
        while let Some(next) = left.pop() {
            for (before, _) in &self.node(next).dependencies {
                if std::mem::replace(&mut seen[before.0], true) {
                    continue;
                }
                match self.node(*before).kind {
                    NodeKind::Action { .. } => found.push(*before),
                    _ => left.push(*before),
                }
            }
        }
        found.sort();
        found
    }
}

impl fmt::Debug for ModuleInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleInstance")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}
