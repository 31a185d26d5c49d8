//! Which secrets go into an expression, by the names they can be given under.

use std::collections::BTreeSet;

use tenon_hcl::Expression;
use tenon_values::Value;

use crate::planning::evaluation::Evaluation;
use crate::planning::flow::Spot;
use crate::planning::graph::{Graph, ModuleId, NodeKind};
use crate::planning::names::Target;

/// Finds the secrets that values are made from.
pub(crate) struct Origins<'a, 'g> {
    pub(crate) graph: &'g Graph,
    evaluation: &'a Evaluation<'g>,
}

impl<'a, 'g> Origins<'a, 'g> {
    pub(crate) fn new(graph: &'g Graph, evaluation: &'a Evaluation<'g>) -> Origins<'a, 'g> {
        Origins { graph, evaluation }
    }

    /// The secrets that go into an expression: `var.token`, `action.put.a.token`.
    pub(crate) fn of<'e>(&'e self, spot: Spot<'e>, expression: &'e Expression) -> BTreeSet<String> {
        let flow = self.graph.flow(spot, [expression], true);
        let mut names = BTreeSet::new();
        for (name, steps) in &flow.variables {
            if let Some(value) = self.evaluation.variable(name) {
                secret_names(&format!("var.{name}"), value, steps, &mut names);
            }
        }
        for (id, steps) in &flow.outputs {
            if let Some(value) = self.evaluation.get(*id) {
                secret_names(self.graph.address(*id), value, steps, &mut names);
            }
        }
        names
    }

    /// The name of what an expression is, if it is a variable of the scenario or an output as it
    /// is. Inputs of components are followed.
    pub(crate) fn same(&self, spot: Spot<'_>, expression: &Expression) -> Option<String> {
        let mut place = (spot.position(), spot.itself(), expression.clone());
        loop {
            let (position, itself, expression) = &place;
            let reference = expression.as_reference()?;
            let target = self.graph.find(*position, &reference).ok()?;
            let steps = reference.steps.iter().skip(target.steps());
            let steps: String = steps.map(|step| step_text(step)).collect();
            match target {
                Target::Variable(name) if position.module == ModuleId::ROOT => {
                    return Some(format!("var.{name}{steps}"));
                }
                Target::Variable(name) if steps.is_empty() => {
                    let caller = self.graph.module(position.module).caller.as_ref()?;
                    let inputs = &self.graph.component_use(caller).inputs;
                    let (_, input) = inputs.iter().find(|(input, _)| input.text() == name)?;
                    let outside = crate::planning::names::Position {
                        module: caller.module,
                        instance: &caller.instance,
                        has_self: false,
                    };
                    place = (outside, None, input.clone());
                }
                Target::Itself => {
                    return Some(format!("{}{steps}", self.graph.address((*itself)?)));
                }
                Target::Node(id) => {
                    let is_action = matches!(self.graph.node(id).kind, NodeKind::Action { .. });
                    let address = self.graph.address(id);
                    return is_action.then(|| format!("{address}{steps}"));
                }
                _ => return None,
            }
        }
    }
}

/// Every secret in a part of a value, by its name.
fn secret_names(base: &str, value: &Value, steps: &[String], names: &mut BTreeSet<String>) {
    let mut name = base.to_owned();
    let mut value = value.clone();
    for step in steps {
        let Some(inner) = part(&value, step) else {
            break;
        };
        name += &step_text(step);
        value = inner;
    }
    if value.is_sensitive() {
        names.insert(name);
        return;
    }
    let (_, marked) = value.unmark_with_paths();
    names.extend(marked.iter().map(|(path, _)| format!("{name}{path}")));
}

/// What is behind a name or key in a value.
pub(crate) fn part(value: &Value, step: &str) -> Option<Value> {
    value
        .attribute(step)
        .or_else(|_| value.index(&Value::string(step)))
        .ok()
}

/// `.name`, or `["key"]` for what is not an identifier.
pub(crate) fn step_text(step: &str) -> String {
    let mut characters = step.chars();
    let is_name = characters.next().is_some_and(char::is_alphabetic)
        && characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    match is_name {
        true => format!(".{step}"),
        false => format!("[{step:?}]"),
    }
}
