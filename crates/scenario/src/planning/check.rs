//! Every expression of a scenario, evaluated with what can be known before a run.

use std::collections::{BTreeMap, BTreeSet};

use tenon_hcl::{Diagnostic, Expression};
use tenon_values::{Type, Value};

use crate::planning::attributes::{action_attributes, config};
use crate::planning::declarations::{Declaration, DeclarationId, Declarations};
use crate::planning::evaluation::{Evaluation, Here};
use crate::planning::graph::{Graph, Instance, ModuleId, NodeId, NodeKind};
use crate::planning::idempotency;
use crate::planning::needed::NeededSecrets;
use crate::planning::origins::Origins;
use crate::planning::sensitive::Sensitive;
use crate::planning::settings::Settings;
use crate::reading::model::Action;

/// What is known about a scenario in which nothing is wrong.
pub(crate) struct Checked {
    /// What each action would be given.
    pub(crate) attributes: BTreeMap<NodeId, Value>,
    pub(crate) outputs: Vec<(String, Value)>,
    pub(crate) needed: NeededSecrets,
    pub(crate) idempotent: BTreeSet<NodeId>,
}

/// Evaluates everything. `problems` are those found before.
///
/// # Errors
/// All that is wrong.
pub(crate) fn check(
    graph: &Graph,
    declarations: &Declarations,
    sensitive: &Sensitive,
    variables: &BTreeMap<String, Value>,
    problems: Vec<Diagnostic>,
) -> Result<Checked, Vec<Diagnostic>> {
    let mut check = Check {
        graph,
        declarations,
        sensitive,
        evaluation: Evaluation::new(graph, variables, true),
        problems,
        attributes: BTreeMap::new(),
        needed: NeededSecrets::default(),
        idempotent: BTreeSet::new(),
    };
    for (id, declaration) in declarations.iter() {
        check.config(id, declaration);
    }
    for id in &graph.order {
        check.node(*id);
    }
    for id in &graph.order {
        check.teardown(*id);
    }
    check.names();
    let outputs = check.outputs();
    match check.problems.is_empty() {
        true => Ok(Checked {
            attributes: check.attributes,
            outputs,
            needed: check.needed,
            idempotent: check.idempotent,
        }),
        false => Err(check.problems),
    }
}

struct Check<'g> {
    graph: &'g Graph,
    declarations: &'g Declarations,
    sensitive: &'g Sensitive,
    evaluation: Evaluation<'g>,
    problems: Vec<Diagnostic>,
    attributes: BTreeMap<NodeId, Value>,
    needed: NeededSecrets,
    idempotent: BTreeSet<NodeId>,
}

impl Check<'_> {
    fn note(&mut self, problems: Vec<Diagnostic>) {
        for problem in problems {
            // A local that is wrong is so wherever it is used.
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    fn config(&mut self, id: DeclarationId, declaration: &Declaration) {
        for attribute in &declaration.config {
            if let Some(problem) = self.early_use(&attribute.value, declaration) {
                self.problems.push(problem);
            }
        }
        match config(declaration, &self.evaluation) {
            Ok(config) => {
                let origins = Origins::new(self.graph, &self.evaluation);
                self.needed.add_provider(&origins, id, declaration, &config);
            }
            Err(problems) => self.note(problems),
        }
    }

    /// Providers are configured before any action runs, so there are no outputs then.
    fn early_use(&self, expression: &Expression, declaration: &Declaration) -> Option<Diagnostic> {
        if self.graph.needs(expression).is_empty() {
            return None;
        }
        let label = declaration.label();
        let summary = format!(
            "the configuration of {label:?} cannot use outputs: providers are configured before any action runs"
        );
        let diagnostic = Diagnostic::error(summary)
            .at(expression.place())
            .help("use variables, and local values that need no outputs");
        Some(diagnostic)
    }

    fn node(&mut self, id: NodeId) {
        let graph = self.graph;
        let value = match &graph.node(id).kind {
            NodeKind::Action {
                instance,
                declaration,
                ..
            } => match graph.action(id) {
                Some(action) => self.action(id, action, instance, *declaration),
                None => return,
            },
            _ => match self.evaluation.gathered(id) {
                Ok(value) => value,
                Err(problems) => {
                    self.note(problems);
                    Value::unknown(Type::Dynamic)
                }
            },
        };
        self.evaluation.set(id, value);
    }

    /// What an action would return.
    fn action(
        &mut self,
        id: NodeId,
        action: &Action,
        instance: &Instance,
        declaration: Option<DeclarationId>,
    ) -> Value {
        let module = self.graph.node(id).module;
        let here = Here {
            module,
            instance,
            itself: None,
        };
        let schema = declaration.and_then(|id| self.declarations.schema(id, action));
        let Some(schema) = schema else {
            // Its attributes are unknown, but what they refer to can be checked.
            for attribute in &action.attributes {
                let value = self.evaluation.value(&attribute.value, here);
                self.note(value.err().unwrap_or_default());
            }
            return Value::unknown(Type::Dynamic);
        };
        let mut is_idempotent = schema.idempotent;
        match action_attributes(action, &action.attributes, schema, &self.evaluation, here) {
            Ok(attributes) => {
                is_idempotent |= idempotency::has_key(&attributes, schema);
                self.attributes.insert(id, attributes);
            }
            Err(problems) => self.note(problems),
        }
        match Settings::of(action, &self.evaluation, here) {
            Ok(settings) => {
                is_idempotent |= settings.idempotent;
                let problem = idempotency::check_retries(action, schema, &settings);
                self.note(problem.into_iter().collect());
            }
            Err(problems) => self.note(problems),
        }
        if is_idempotent {
            self.idempotent.insert(id);
        }
        match &schema.outputs {
            Some(outputs) => self.sensitive.mark_outputs(id, unknown_outputs(outputs)),
            None => Value::object::<&str>([]),
        }
    }

    /// What undoes an action may use what later ones return, so it is checked when all are known.
    fn teardown(&mut self, id: NodeId) {
        let graph = self.graph;
        let NodeKind::Action {
            instance,
            declaration: Some(declaration),
            ..
        } = &graph.node(id).kind
        else {
            return;
        };
        let Some(action) = graph.action(id) else {
            return;
        };
        let schema = self.declarations.schema(*declaration, action);
        let (Some(teardown), Some(schema)) = (&action.teardown, schema) else {
            return;
        };
        let here = Here {
            module: graph.node(id).module,
            instance,
            itself: self.evaluation.get(id),
        };
        match action_attributes(action, teardown, schema, &self.evaluation, here) {
            Ok(attributes) => {
                let origins = Origins::new(graph, &self.evaluation);
                let attributes = (teardown.as_slice(), &attributes);
                self.needed
                    .add_action(&origins, id, *declaration, attributes);
            }
            Err(problems) => self.note(problems),
        }
    }

    /// Unused locals and inputs may be wrong as well.
    fn names(&mut self) {
        for index in 0..self.graph.modules.len() {
            let module = ModuleId(index);
            let graph = self.graph;
            let wrong = self.evaluation.wrong_inputs(module);
            self.note(wrong);
            for local in graph.module(module).module.locals.values() {
                if let Err(problems) = self.evaluation.value(&local.value, Here::module(module)) {
                    self.note(problems);
                }
            }
        }
    }

    fn outputs(&mut self) -> Vec<(String, Value)> {
        let modules = 0..self.graph.modules.len();
        let all = modules.map(|index| self.module_outputs(ModuleId(index)));
        let mut all: Vec<_> = all.collect();
        all.swap_remove(ModuleId::ROOT.0)
    }

    fn module_outputs(&mut self, module: ModuleId) -> Vec<(String, Value)> {
        let mut outputs = Vec::new();
        let graph = self.graph;
        for output in &graph.module(module).module.outputs {
            let here = Here::module(module);
            let value = match self.evaluation.value(&output.value, here) {
                Ok(value) if output.is_sensitive => value.sensitive(),
                Ok(value) => value,
                Err(problems) => {
                    self.note(problems);
                    continue;
                }
            };
            for assert in &output.asserts {
                // Its value is known only in the run.
                let itself = Value::object([("value", Value::unknown(value.ty()))]);
                let here = Here {
                    itself: Some(&itself),
                    ..here
                };
                let wrong = "a condition must be true or false";
                let condition =
                    self.evaluation
                        .value_for(&Type::Bool, &assert.condition, here, wrong);
                self.note(condition.err().unwrap_or_default());
                if let Some(message) = &assert.message {
                    let message = self.evaluation.value_as(&Type::String, message, here);
                    self.note(message.err().unwrap_or_default());
                }
            }
            outputs.push((output.name.text().to_owned(), value));
        }
        outputs
    }
}

fn unknown_outputs(outputs: &tenon_protocols::orchard::AttrSchema) -> Value {
    let value = Value::unknown(outputs.ty.without_optional());
    let value = value.refine_not_null().unwrap_or(value);
    match outputs.sensitive {
        true => value.sensitive(),
        false => value,
    }
}
