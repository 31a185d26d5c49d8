//! Locals and the inputs of components, which are evaluated when they are first used.

use tenon_hcl::{Diagnostic, Expression};
use tenon_values::{Type, Value};

use super::{Evaluation, Here, Name, Named, without_repeats};
use crate::planning::graph::{Caller, ModuleId};
use crate::planning::names::Target;

impl<'g> Evaluation<'g> {
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

    /// The value of a local or an input. What is wrong with it is noted.
    pub(super) fn named(&self, name: Name) -> Value {
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
                let value = variable.type_defaults.apply(&self.value(expression, here)?);
                self.fitted(&value, &variable.ty, expression, &wrong)?
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
