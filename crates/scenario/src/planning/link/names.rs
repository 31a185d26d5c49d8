//! What locals and inputs depend on.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use tenon_hcl::{Diagnostic, Expression};

use super::Linking;
use crate::planning::graph::{Graph, Instance, ModuleId, NodeId};
use crate::planning::names::{Position, Target};

/// `local.name` or `var.name` of a module.
pub(super) type Name = (ModuleId, String);

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
    /// What a local or an input depends on, through others as well. Without recursion: a chain of
    /// them may be longer than the stack is deep.
    pub(super) fn named(&mut self, name: Name) -> Rc<BTreeSet<NodeId>> {
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
pub(super) fn name_of(module: ModuleId, target: Target<'_>) -> Option<Name> {
    match target {
        Target::Local(name) => Some((module, format!("local.{name}"))),
        Target::Variable(name) if module != ModuleId::ROOT => Some((module, format!("var.{name}"))),
        _ => None,
    }
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
