//! Expressions of a scenario, evaluated where they stand, with what is known by then.

mod named;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use tenon_hcl::{Context, Diagnostic, Expression, Found, Missing, Reference, Scope, Style};
use tenon_values::{Type, Value, convert};

use crate::planning::graph::{Graph, Instance, ModuleId, NodeId, NodeKind};
use crate::planning::names::{Position, Target};
use crate::reading::misfit::misfit;

/// What is known of a scenario's values so far.
pub(crate) struct Evaluation<'g> {
    graph: &'g Graph,
    /// What the scenario was given.
    variables: &'g BTreeMap<String, Value>,
    /// The values of the nodes that are done.
    values: Vec<Option<Value>>,
    /// Locals and the inputs of components, with what is wrong with each. They are evaluated when they
    /// are first used: by then what they depend on is done, because their user depends on that as well.
    named: RefCell<HashMap<Name, (Value, Vec<Diagnostic>)>>,
    /// Those that are being evaluated: one that leads to itself again would never end.
    open: RefCell<HashSet<Name>>,
    /// What is wrong with those that the current expression uses.
    noted: RefCell<Vec<Diagnostic>>,
    is_plan: bool,
    /// There are no nodes yet.
    is_early: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Named {
    Variable(String),
    Local(String),
}

type Name = (ModuleId, Named);

/// How deep a value may be nested. Locals that wrap each other would make values of any depth,
/// and a provider could not read them.
const VALUE_DEPTH: usize = 128;

/// Where an expression is written, and what `self` is there.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) module: ModuleId,
    pub(crate) instance: &'a Instance,
    pub(crate) itself: Option<&'a Value>,
}

impl<'a> Here<'a> {
    /// In a module, outside of any block that is repeated.
    pub(crate) fn module(module: ModuleId) -> Here<'a> {
        Here {
            module,
            instance: &Instance::Only,
            itself: None,
        }
    }

    pub(crate) fn position(&self) -> Position<'a> {
        Position {
            module: self.module,
            instance: self.instance,
            has_self: self.itself.is_some(),
        }
    }
}

impl<'g> Evaluation<'g> {
    pub(crate) fn new(
        graph: &'g Graph,
        variables: &'g BTreeMap<String, Value>,
        is_plan: bool,
    ) -> Evaluation<'g> {
        Evaluation {
            values: vec![None; graph.nodes.len()],
            is_plan,
            is_early: false,
            ..Evaluation::of_names(graph, variables)
        }
    }

    /// What is known before there are any nodes.
    pub(crate) fn of_names(
        graph: &'g Graph,
        variables: &'g BTreeMap<String, Value>,
    ) -> Evaluation<'g> {
        Evaluation {
            graph,
            variables,
            values: Vec::new(),
            named: RefCell::default(),
            open: RefCell::default(),
            noted: RefCell::default(),
            is_plan: true,
            is_early: true,
        }
    }

    /// Sets the value of a node that is done.
    pub(crate) fn set(&mut self, id: NodeId, value: Value) {
        self.values[id.0] = Some(value);
    }

    /// The value of a node, if it is done.
    pub(crate) fn get(&self, id: NodeId) -> Option<&Value> {
        self.values.get(id.0)?.as_ref()
    }

    /// What the scenario was given for a variable.
    pub(crate) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// What is wrong with it, or with what it refers to.
    pub(crate) fn value(
        &self,
        expression: &Expression,
        here: Here<'_>,
    ) -> Result<Value, Vec<Diagnostic>> {
        let before = self.noted.borrow().len();
        let scope = ScopeHere {
            evaluation: self,
            here,
        };
        let outcome = expression.evaluate(&Context {
            scope: &scope,
            functions: &self.graph.module(here.module).functions,
            is_plan: self.is_plan,
        });
        let noted = self.noted.borrow_mut().split_off(before);
        match outcome {
            Ok(_) if !noted.is_empty() => Err(without_repeats(noted)),
            Ok(value) if value.ty().depth() > VALUE_DEPTH => {
                let summary = format!("this value is nested more than {VALUE_DEPTH} levels deep");
                Err(vec![Diagnostic::error(summary).at(expression.place())])
            }
            Ok(value) => Ok(value),
            Err(mut errors) => {
                errors.extend(noted);
                Err(without_repeats(errors))
            }
        }
    }

    /// The same as a value of this type.
    pub(crate) fn value_as(
        &self,
        ty: &Type,
        expression: &Expression,
        here: Here<'_>,
    ) -> Result<Value, Vec<Diagnostic>> {
        self.value_for(ty, expression, here, "this value does not fit")
    }

    /// The same, with the error if it does not fit.
    pub(crate) fn value_for(
        &self,
        ty: &Type,
        expression: &Expression,
        here: Here<'_>,
        wrong: &str,
    ) -> Result<Value, Vec<Diagnostic>> {
        self.fitted(&self.value(expression, here)?, ty, expression, wrong)
    }

    /// A value that an expression has come to, as one of this type.
    pub(crate) fn fitted(
        &self,
        value: &Value,
        ty: &Type,
        expression: &Expression,
        wrong: &str,
    ) -> Result<Value, Vec<Diagnostic>> {
        convert::convert(value, ty).map_err(|error| {
            let diagnostic = Diagnostic::error(wrong)
                .at(expression.place())
                .label(misfit(value, ty, &error));
            vec![diagnostic]
        })
    }

    /// The value of a node that only gathers others: all instances of a block, or a component.
    ///
    /// # Errors
    /// What is wrong with a component's outputs.
    pub(crate) fn gathered(&self, id: NodeId) -> Result<Value, Vec<Diagnostic>> {
        let unknown = || Value::unknown(Type::Dynamic);
        match &self.graph.node(id).kind {
            NodeKind::Action { .. } => Ok(self.get(id).cloned().unwrap_or_else(unknown)),
            NodeKind::All {
                is_known: false, ..
            } => Ok(unknown()),
            NodeKind::All {
                members,
                is_counted,
                ..
            } => {
                let value = |id: &NodeId| self.get(*id).cloned().unwrap_or_else(unknown);
                Ok(match is_counted {
                    true => Value::tuple(members.iter().map(|(_, id)| value(id)).collect()),
                    false => {
                        Value::object(members.iter().filter_map(|(instance, id)| match instance {
                            Instance::Each(key, _) => Some((key, value(id))),
                            _ => None,
                        }))
                    }
                })
            }
            NodeKind::Component { inside } => self.component_outputs(*inside),
        }
    }

    fn component_outputs(&self, module: ModuleId) -> Result<Value, Vec<Diagnostic>> {
        let mut outputs = Vec::new();
        let mut problems = Vec::new();
        for output in &self.graph.module(module).module.outputs {
            match self.value(&output.value, Here::module(module)) {
                Ok(value) if output.is_sensitive => {
                    outputs.push((output.name.text(), value.sensitive()));
                }
                Ok(value) => outputs.push((output.name.text(), value)),
                Err(errors) => problems.extend(errors),
            }
        }
        match problems.is_empty() {
            true => Ok(Value::object(outputs)),
            false => Err(problems),
        }
    }
}

/// Problems that came up only during a run, as one text.
pub(crate) fn rendered(problems: &[Diagnostic]) -> String {
    let rendered = problems.iter().map(|problem| problem.render(Style::Plain));
    rendered.collect::<Vec<_>>().join("\n")
}

/// The same problem of a local is met by every name between it and the expression that uses it.
fn without_repeats(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut once: Vec<Diagnostic> = Vec::new();
    for problem in problems {
        if !once.contains(&problem) {
            once.push(problem);
        }
    }
    once
}

struct ScopeHere<'a, 'g> {
    evaluation: &'a Evaluation<'g>,
    here: Here<'a>,
}

impl Scope for ScopeHere<'_, '_> {
    fn look_up(&self, reference: &Reference<'_>) -> Result<Found, Missing> {
        let ScopeHere { evaluation, here } = self;
        // Before there are nodes, it is unknown which there will be.
        if evaluation.is_early && matches!(reference.root, "action" | "component") {
            return Ok(Found {
                value: Value::unknown(Type::Dynamic),
                steps: reference.steps.len(),
            });
        }
        let target = evaluation.graph.find(here.position(), reference)?;
        let value = match target {
            Target::Variable(name) if here.module == ModuleId::ROOT => {
                let value = evaluation.variables.get(name).cloned();
                value.unwrap_or_else(|| Value::unknown(Type::Dynamic))
            }
            Target::Variable(name) => {
                evaluation.named((here.module, Named::Variable(name.to_owned())))
            }
            Target::Local(name) => evaluation.named((here.module, Named::Local(name.to_owned()))),
            Target::Node(id) => {
                let value = evaluation.get(id).cloned();
                value.unwrap_or_else(|| Value::unknown(Type::Dynamic))
            }
            Target::EachKey => match here.instance {
                Instance::Each(key, _) => Value::string(key),
                _ => Value::unknown(Type::Dynamic),
            },
            Target::EachValue => match here.instance {
                Instance::Each(_, value) => value.clone(),
                _ => Value::unknown(Type::Dynamic),
            },
            Target::CountIndex => match here.instance {
                Instance::Index(index) => Value::from(*index),
                _ => Value::unknown(Type::Dynamic),
            },
            Target::Itself => here.itself.cloned().unwrap_or(Value::NULL),
        };
        Ok(Found {
            value,
            steps: target.steps(),
        })
    }
}
