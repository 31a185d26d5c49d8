//! What references in a scenario refer to.

use std::collections::{BTreeMap, HashMap};

use tenon_hcl::{Missing, Reference, did_you_mean};

use crate::planning::graph::{Graph, Instance, ModuleId, ModuleInstance, NodeId};

/// What a reference refers to, without its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    /// `var.name`
    Variable(&'a str),
    /// `local.name`
    Local(&'a str),
    /// `action.type.name` or `component.type.name`
    Node(NodeId),
    /// `each.key`
    EachKey,
    /// `each.value`
    EachValue,
    /// `count.index`
    CountIndex,
    /// `self`
    Itself,
}

impl Target<'_> {
    /// How many steps after the root lead to it.
    pub(crate) fn steps(&self) -> usize {
        match self {
            Target::Node(_) => 2,
            Target::Itself => 0,
            _ => 1,
        }
    }
}

/// Where a reference stands, as far as it matters to what may be used there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position<'a> {
    pub(crate) module: ModuleId,
    pub(crate) instance: &'a Instance,
    pub(crate) has_self: bool,
}

impl Graph {
    /// What a reference refers to.
    pub(crate) fn find<'r>(
        &self,
        position: Position<'_>,
        reference: &Reference<'r>,
    ) -> Result<Target<'r>, Missing> {
        let module = self.module(position.module);
        let first = reference.steps.first().copied();
        match reference.root {
            "var" => {
                let name = first.ok_or_else(|| incomplete("var", "var.name"))?;
                known("variable", name, &module.module.variables)?;
                Ok(Target::Variable(name))
            }
            "local" => {
                let name = first.ok_or_else(|| incomplete("local", "local.name"))?;
                known("local value", name, &module.module.locals)?;
                Ok(Target::Local(name))
            }
            "action" => find_node("action", &module.actions, reference),
            "component" => find_node("component", &module.components, reference),
            "each" => match (position.instance, first) {
                (Instance::Each(..), Some("key")) => Ok(Target::EachKey),
                (Instance::Each(..), Some("value")) => Ok(Target::EachValue),
                (Instance::Each(..), _) => Err(incomplete("each", "each.key` or `each.value")),
                _ => Err(not_here(
                    "each",
                    "it can be used only in a block with `for_each`",
                )),
            },
            "count" => match (position.instance, first) {
                (Instance::Index(_), Some("index")) => Ok(Target::CountIndex),
                (Instance::Index(_), _) => Err(incomplete("count", "count.index")),
                _ => Err(not_here(
                    "count",
                    "it can be used only in a block with `count`",
                )),
            },
            "self" if position.has_self => Ok(Target::Itself),
            "self" => Err(not_here(
                "self",
                "it can be used only in `lifecycle { teardown { ... } }` or `assert { ... }`",
            )),
            other => Err(unknown_root(other, module, position)),
        }
    }
}

fn known<T>(kind: &str, name: &str, all: &BTreeMap<String, T>) -> Result<(), Missing> {
    if all.contains_key(name) {
        return Ok(());
    }
    Err(Missing::name(kind, name, all.keys().map(String::as_str)).at_step(0))
}

fn find_node<'r>(
    root: &str,
    nodes: &HashMap<String, BTreeMap<String, NodeId>>,
    reference: &Reference<'r>,
) -> Result<Target<'r>, Missing> {
    let [kind, name, ..] = reference.steps.as_slice() else {
        return Err(incomplete(root, &format!("{root}.type.name")));
    };
    let Some(names) = nodes.get(*kind) else {
        let mut kinds: Vec<&str> = nodes.keys().map(String::as_str).collect();
        kinds.sort_unstable();
        return Err(Missing {
            summary: format!("unknown {root} type `{kind}`"),
            help: did_you_mean(kind, kinds),
            step: Some(0),
        });
    };
    match names.get(*name) {
        Some(id) => Ok(Target::Node(*id)),
        None => Err(Missing {
            summary: format!("unknown {root} `{kind}.{name}`"),
            help: did_you_mean(name, names.keys().map(String::as_str)),
            step: Some(1),
        }),
    }
}

fn incomplete(root: &str, form: &str) -> Missing {
    Missing {
        summary: format!("invalid reference to `{root}`"),
        help: Some(format!("write `{form}`")),
        step: None,
    }
}

fn not_here(root: &str, where_it_belongs: &str) -> Missing {
    Missing {
        summary: format!("`{root}` cannot be used here"),
        help: Some(where_it_belongs.into()),
        step: None,
    }
}

fn unknown_root(name: &str, module: &ModuleInstance, position: Position<'_>) -> Missing {
    let mut roots = vec!["action", "component", "local", "var"];
    match position.instance {
        Instance::Each(..) => roots.push("each"),
        Instance::Index(_) => roots.push("count"),
        Instance::Only => {}
    }
    if position.has_self {
        roots.push("self");
    }
    let help = if module.module.variables.contains_key(name) {
        Some(format!("did you mean `var.{name}`?"))
    } else if module.module.locals.contains_key(name) {
        Some(format!("did you mean `local.{name}`?"))
    } else if let Some(kind) = module.actions.get(name).and(Some(name)) {
        Some(format!("did you mean `action.{kind}`?"))
    } else {
        did_you_mean(name, roots)
    };
    Missing {
        summary: format!("there is nothing called {name:?}"),
        help,
        step: None,
    }
}
