//! Expressions of a scenario, evaluated where they stand, with what is known by then.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use tenon_hcl::{Context, Diagnostic, Expression, Found, Missing, Reference, Scope};
use tenon_values::{Type, Value, convert};

use crate::attributes::misfit;
use crate::graph::{Caller, Graph, Instance, ModuleId, NodeId, NodeKind};
use crate::names::{Position, Target};

/// What is known of a scenario's values so far.
pub(crate) struct Evaluation<'g> {
    graph: &'g Graph,
    /// What the scenario was given.
    variables: &'g BTreeMap<String, Value>,
    /// What came of the nodes that are done.
    values: Vec<Option<Value>>,
    /// Locals and the inputs of components, which are evaluated when somebody asks for them: by
    /// then what they depend on is done, because whoever asks depends on that as well. With what
    /// is wrong with each.
    named: RefCell<HashMap<Name, (Value, Vec<Diagnostic>)>>,
    /// Those that are being evaluated: one that comes to itself again would never end.
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

/// Where an expression stands, and what `self` is there.
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

    /// What can be said before anything is done, when there are no nodes yet to know anything of.
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

    /// A node is done, and this came of it.
    pub(crate) fn set(&mut self, id: NodeId, value: Value) {
        self.values[id.0] = Some(value);
    }

    /// What came of a node, if it is done.
    pub(crate) fn get(&self, id: NodeId) -> Option<&Value> {
        self.values.get(id.0)?.as_ref()
    }

    /// What an expression comes to.
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
            Ok(value) if is_deeper(&value.ty(), VALUE_DEPTH) => {
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

    /// The same, with what to say if it does not fit.
    pub(crate) fn value_for(
        &self,
        ty: &Type,
        expression: &Expression,
        here: Here<'_>,
        wrong: &str,
    ) -> Result<Value, Vec<Diagnostic>> {
        let value = self.value(expression, here)?;
        convert::convert(&value, ty).map_err(|error| {
            let diagnostic = Diagnostic::error(wrong)
                .at(expression.place())
                .label(misfit(&value, ty, &error));
            vec![diagnostic]
        })
    }

    /// What came of a node that has nothing to do of its own: of all instances, or of a component.
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

    /// What is wrong with what a component was given, whether it uses it or not.
    pub(crate) fn wrong_inputs(&self, module: ModuleId) -> Vec<Diagnostic> {
        let before = self.noted.borrow().len();
        if self.graph.module(module).caller.is_some() {
            for name in self.graph.module(module).module.variables.keys() {
                self.named((module, Named::Variable(name.clone())));
            }
        }
        without_repeats(self.noted.borrow_mut().split_off(before))
    }

    /// What a local or an input comes to. What is wrong with it is noted.
    fn named(&self, name: Name) -> Value {
        if self.open.borrow().contains(&name) {
            let diagnostic = self.depends_on_itself(&name);
            self.noted.borrow_mut().push(diagnostic);
            return Value::unknown(Type::Dynamic);
        }
        if !self.named.borrow().contains_key(&name) {
            self.evaluate_named(name.clone());
        }
        let known = self.named.borrow();
        let Some((value, problems)) = known.get(&name) else {
            return Value::unknown(Type::Dynamic);
        };
        self.noted.borrow_mut().extend(problems.iter().cloned());
        value.clone()
    }

    /// Evaluates a local or an input after everything it uses, without recursion: a chain of them
    /// may be longer than the stack is deep.
    fn evaluate_named(&self, name: Name) {
        let mut left = vec![name];
        while let Some(name) = left.last() {
            if self.named.borrow().contains_key(name) {
                left.pop();
                continue;
            }
            // The first time its turn comes what it uses goes before it, the second time itself.
            if self.open.borrow_mut().insert(name.clone()) {
                let used = self.names_used_by(name);
                let is_new = |used: &Name| {
                    !self.named.borrow().contains_key(used) && !self.open.borrow().contains(used)
                };
                left.extend(used.into_iter().filter(is_new));
                continue;
            }
            let outcome = match &name.1 {
                Named::Local(local) => self.local(name.0, local),
                Named::Variable(variable) => self.input(name.0, variable),
            };
            let known = match outcome {
                Ok(value) => (value, Vec::new()),
                Err(problems) => (Value::unknown(Type::Dynamic), problems),
            };
            self.open.borrow_mut().remove(name);
            self.named.borrow_mut().insert(name.clone(), known);
            left.pop();
        }
    }

    /// The locals and inputs that another one refers to.
    fn names_used_by(&self, (module, name): &Name) -> Vec<Name> {
        let instance = self.graph.module(*module);
        let (expression, here) = match name {
            Named::Local(name) => {
                let local = instance.module.locals.get(name);
                (local.map(|local| &local.value), Here::module(*module))
            }
            Named::Variable(name) => match &instance.caller {
                Some(caller) => {
                    let here = Here {
                        module: caller.module,
                        instance: &caller.instance,
                        itself: None,
                    };
                    (self.given_input(caller, name), here)
                }
                None => return Vec::new(),
            },
        };
        let references = expression.map(Expression::references).unwrap_or_default();
        let used = references.iter().filter_map(|(reference, _)| {
            let target = match self.is_early && matches!(reference.root, "action" | "component") {
                true => return None,
                false => self.graph.find(here.position(), reference).ok()?,
            };
            match target {
                Target::Local(name) => Some((here.module, Named::Local(name.to_owned()))),
                Target::Variable(name) if here.module != ModuleId::ROOT => {
                    Some((here.module, Named::Variable(name.to_owned())))
                }
                _ => None,
            }
        });
        used.collect()
    }

    fn given_input(&self, caller: &Caller, name: &str) -> Option<&'g Expression> {
        let inputs = &self.graph.component_use(caller).inputs;
        let given = inputs.iter().find(|(input, _)| input.text() == name);
        given.map(|(_, expression)| expression)
    }

    fn depends_on_itself(&self, (module, name): &Name) -> Diagnostic {
        let (text, place) = match name {
            Named::Local(name) => {
                let local = self.graph.module(*module).module.locals.get(name);
                let place = local.map(|local| local.value.place());
                (format!("local.{name}"), place)
            }
            Named::Variable(name) => (format!("var.{name}"), None),
        };
        let diagnostic = Diagnostic::error(format!("`{text}` depends on itself"));
        match place {
            Some(place) => diagnostic.at(place),
            None => diagnostic,
        }
    }

    fn local(&self, module: ModuleId, name: &str) -> Result<Value, Vec<Diagnostic>> {
        match self.graph.module(module).module.locals.get(name) {
            Some(local) => self.value(&local.value, Here::module(module)),
            None => Ok(Value::unknown(Type::Dynamic)),
        }
    }

    /// What a component was given, or its default.
    fn input(&self, module: ModuleId, name: &str) -> Result<Value, Vec<Diagnostic>> {
        let instance = self.graph.module(module);
        let (Some(caller), Some(variable)) =
            (&instance.caller, instance.module.variables.get(name))
        else {
            return Ok(Value::unknown(Type::Dynamic));
        };
        let value = match (self.given_input(caller, name), &variable.default) {
            (Some(expression), _) => {
                let here = Here {
                    module: caller.module,
                    instance: &caller.instance,
                    itself: None,
                };
                let wrong = format!("the input {name:?} does not fit");
                self.value_for(&variable.ty, expression, here, &wrong)?
            }
            (None, Some(default)) => default.clone(),
            (None, None) => Value::unknown(variable.ty.clone()),
        };
        Ok(match variable.is_sensitive {
            true => value.sensitive(),
            false => value,
        })
    }
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

/// Whether values of this type are nested deeper than this.
fn is_deeper(ty: &Type, limit: usize) -> bool {
    let mut left = vec![(ty, 1)];
    while let Some((ty, depth)) = left.pop() {
        if depth > limit {
            return true;
        }
        match ty {
            Type::List(element) | Type::Set(element) | Type::Map(element) => {
                left.push((element, depth + 1));
            }
            Type::Tuple(tuple) => {
                left.extend(tuple.elements().iter().map(|element| (element, depth + 1)));
            }
            Type::Object(object) => {
                let attributes = object.attributes().iter();
                left.extend(attributes.map(|attribute| (&attribute.ty, depth + 1)));
            }
            Type::Dynamic | Type::String | Type::Number | Type::Bool => {}
        }
    }
    false
}

struct ScopeHere<'a, 'g> {
    evaluation: &'a Evaluation<'g>,
    here: Here<'a>,
}

impl Scope for ScopeHere<'_, '_> {
    fn look_up(&self, reference: &Reference<'_>) -> Result<Found, Missing> {
        let ScopeHere { evaluation, here } = self;
        // Before there are nodes, nobody can say which there will be.
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
