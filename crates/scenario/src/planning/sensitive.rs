//! What is a secret because of where it goes: a variable or an output that a scenario gives to an
//! attribute which the provider's schema calls sensitive.

use std::collections::{BTreeMap, BTreeSet};

use tenon_values::{Kind, Type, Value};

use crate::planning::declarations::Declarations;
use crate::planning::flow::{Flow, Owner, Spot};
use crate::planning::graph::{Graph, Instance, ModuleId, NodeId, NodeKind};

/// What goes into sensitive attributes, wherever they are.
#[derive(Debug, Default)]
pub(crate) struct Sensitive {
    variables: BTreeSet<(String, Vec<String>)>,
    outputs: BTreeMap<NodeId, BTreeSet<Vec<String>>>,
    each: BTreeSet<Owner>,
}

impl Sensitive {
    pub(crate) fn find(graph: &Graph, declarations: &Declarations) -> Sensitive {
        let mut found = Sensitive::default();
        for (_, declaration) in declarations.iter() {
            let schema = &declaration.schema.config;
            let secret = declaration.config.iter().filter(|attribute| {
                let schema = schema.get(attribute.name.text());
                schema.is_some_and(|schema| schema.sensitive)
            });
            let expressions = secret.map(|attribute| &attribute.value);
            found.add(graph.flow(Spot::module(ModuleId::ROOT), expressions, true));
        }
        for (id, node) in graph.actions() {
            let (Some(action), NodeKind::Action { declaration, .. }) =
                (graph.action(id), &node.kind)
            else {
                continue;
            };
            let schema = declaration.and_then(|id| declarations.schema(id, action));
            let teardown = action.teardown.iter().flatten();
            let secret = action
                .attributes
                .iter()
                .chain(teardown)
                .filter(|attribute| {
                    let schema = schema.and_then(|schema| schema.attrs.get(attribute.name.text()));
                    schema.is_some_and(|schema| schema.sensitive)
                });
            let expressions: Vec<_> = secret.map(|attribute| &attribute.value).collect();
            if !expressions.is_empty() {
                found.add(graph.flow(graph.spot(id), expressions, true));
            }
        }
        found
    }

    fn add(&mut self, flow: Flow) {
        self.variables.extend(flow.variables);
        self.each.extend(flow.each);
        for (id, steps) in flow.outputs {
            self.outputs.entry(id).or_default().insert(steps);
        }
    }

    /// Marks the variables. How many instances a block has was decided before that: such a
    /// variable may well be a `for_each`.
    pub(crate) fn mark_variables(&self, variables: &mut BTreeMap<String, Value>) {
        for (name, steps) in &self.variables {
            if let Some(value) = variables.get_mut(name) {
                *value = marked(value, steps);
            }
        }
    }

    /// Marks what `each.value` is.
    pub(crate) fn mark_instances(&self, graph: &mut Graph) {
        for owner in &self.each {
            let instance = match owner {
                Owner::Action(id) => match &mut graph.nodes[id.0].kind {
                    NodeKind::Action { instance, .. } => Some(instance),
                    _ => None,
                },
                Owner::Component(module) => {
                    let caller = graph.modules[module.0].caller.as_mut();
                    caller.map(|caller| &mut caller.instance)
                }
            };
            if let Some(Instance::Each(_, value)) = instance {
                *value = marked(value, &[]);
            }
        }
    }

    /// The outputs of an action, with marks.
    pub(crate) fn mark_outputs(&self, id: NodeId, outputs: Value) -> Value {
        let ways = self.outputs.get(&id).into_iter().flatten();
        ways.fold(outputs, |outputs, steps| marked(&outputs, steps))
    }
}

/// The value with a mark at the end of the steps. A boolean is not a secret.
fn marked(value: &Value, steps: &[String]) -> Value {
    if value.is_sensitive() {
        return value.clone();
    }
    let Some((step, rest)) = steps.split_first() else {
        return match value.ty() == Type::Bool || value.is_null() {
            true => value.clone(),
            false => value.sensitive(),
        };
    };
    let (value, marks) = value.unmark();
    let inner = |name: &str, value: &Value| match name == step {
        true => marked(value, rest),
        false => value.clone(),
    };
    let marked = match (value.kind(), value.ty()) {
        (Kind::Object(attributes), _) => {
            let attributes = attributes.iter();
            Value::object(attributes.map(|(name, value)| (name, inner(name, value))))
        }
        (Kind::Map(entries), Type::Map(element)) => {
            let entries = entries.iter();
            let entries =
                entries.map(|(key, value)| (key.clone(), inner(&key.to_string_lossy(), value)));
            Value::map((*element).clone(), entries).unwrap_or_else(|_| value.sensitive())
        }
        // In a plan: the other attributes are not secrets.
        (Kind::Unknown(_), Type::Object(ty)) => {
            let attributes = ty.attributes().iter().map(|attribute| {
                let unknown = Value::unknown(attribute.ty.clone());
                (&attribute.name, inner(&attribute.name, &unknown))
            });
            Value::object(attributes)
        }
        _ => value,
    };
    marked.with_marks(&marks)
}
