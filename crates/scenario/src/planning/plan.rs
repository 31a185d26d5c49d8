//! A scenario checked to the last attribute, without anything being done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tenon_hcl::{Attribute, Diagnostic, Expression};
use tenon_values::{Type, Value};

use crate::planning::attributes::attributes;
use crate::planning::declarations::{Declaration, DeclarationId, Declarations, Schemas};
use crate::planning::evaluation::{Evaluation, Here};
use crate::planning::expand::expand;

use crate::planning::graph::{Graph, Instance, ModuleId, NodeId, NodeKind};
use crate::planning::idempotency;
use crate::planning::link::link;
use crate::planning::needed::NeededSecrets;
use crate::planning::origins::Origins;
use crate::planning::sensitive::Sensitive;
use crate::planning::settings::Settings;
use crate::reading::model::{Action, Scenario};

/// What a run would do, as far as that can be known.
#[derive(Debug)]
pub struct Plan {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// Everything there is to do, in order.
    pub graph: Graph,
    /// The providers that do it.
    pub declarations: Declarations,
    /// What the scenario was given.
    pub variables: BTreeMap<String, Value>,
    /// What each action would be given, by its node. Values that only a run can tell are unknown.
    pub attributes: BTreeMap<NodeId, Value>,
    /// What the scenario would tell in the end.
    pub outputs: Vec<(String, Value)>,
    /// What is a secret because of where it goes.
    pub(crate) sensitive: Sensitive,
    /// Secrets without which nothing can be undone.
    pub(crate) needed: NeededSecrets,
    /// The actions that may be run again when their outcome is unknown.
    pub(crate) idempotent: BTreeSet<NodeId>,
}

impl Plan {
    /// Checks a scenario whose providers' schemas are known.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn new(
        scenario: &Arc<Scenario>,
        schemas: &Schemas,
        mut variables: BTreeMap<String, Value>,
    ) -> Result<Plan, Vec<Diagnostic>> {
        let declarations = Declarations::of(scenario, schemas);
        let (mut graph, mut problems) = expand(scenario, &declarations, &variables)?;
        if let Err(more) = link(&mut graph) {
            // Without an order nothing can be evaluated.
            problems.extend(more);
            return Err(problems);
        }
        let sensitive = Sensitive::find(&graph, &declarations);
        sensitive.mark_instances(&mut graph);
        sensitive.mark_variables(&mut variables);
        let mut check = Check {
            graph: &graph,
            declarations: &declarations,
            sensitive: &sensitive,
            evaluation: Evaluation::new(&graph, &variables, true),
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
        let (problems, attributes, needed) = (check.problems, check.attributes, check.needed);
        let idempotent = check.idempotent;
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Plan {
            scenario: scenario.clone(),
            graph,
            declarations,
            variables,
            attributes,
            outputs,
            sensitive,
            needed,
            idempotent,
        })
    }

    /// The declaration that runs an action.
    pub fn declaration(&self, id: NodeId) -> Option<&Declaration> {
        match self.graph.node(id).kind {
            NodeKind::Action { declaration, .. } => declaration.map(|id| self.declarations.get(id)),
            _ => None,
        }
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
            // A local that is wrong is so for everybody who uses it.
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
        let summary = format!("the configuration of {label:?} cannot use outputs: it comes first");
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

    /// What an action would bring.
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
            // Nobody knows its attributes, but what they refer to can be looked at.
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

    /// What takes an action back may use what later ones bring, so it is looked at when all are
    /// known.
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

    /// Locals and inputs that nobody uses may be wrong as well.
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
                // What it comes to is for the run to tell.
                let itself = Value::object([("value", Value::unknown(value.ty()))]);
                let here = Here {
                    itself: Some(&itself),
                    ..here
                };
                let wrong = "a condition has to be true or false";
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

/// What a provider is configured with.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn config(
    declaration: &Declaration,
    evaluation: &Evaluation<'_>,
) -> Result<Value, Vec<Diagnostic>> {
    attributes(
        &declaration.config,
        &declaration.schema.config,
        evaluation,
        Here::module(ModuleId::ROOT),
        &format!("the provider {:?}", declaration.label()),
        &declaration.place,
    )
}

/// What an action, or its teardown, is given.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn action_attributes(
    action: &Action,
    given: &[Attribute],
    schema: &tenon_protocols::orchard::ActionSchema,
    evaluation: &Evaluation<'_>,
    here: Here<'_>,
) -> Result<Value, Vec<Diagnostic>> {
    let what = format!("the action {:?}", action.kind.text());
    attributes(given, &schema.attrs, evaluation, here, &what, &action.place)
}
