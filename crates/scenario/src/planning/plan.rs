//! A scenario checked to the last attribute, without anything being done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tenon_hcl::Diagnostic;
use tenon_protocols::orchard::ActionSchema;
use tenon_values::{Type, Value};

use crate::hint::Advice;
use crate::planning::check::{Checked, check};
use crate::planning::declarations::{Declaration, Declarations, Schemas};
use crate::planning::drawing;
use crate::planning::expand::expand;
use crate::planning::graph::{Graph, NodeId, NodeKind};
use crate::planning::link::link;
use crate::planning::needed::NeededSecrets;
use crate::planning::sensitive::Sensitive;
use crate::reading::model::Scenario;

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
    /// What each action would be given, by its node. Values that only a run can find out are unknown.
    pub attributes: BTreeMap<NodeId, Value>,
    /// The outputs of the scenario.
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
        let Checked {
            attributes,
            outputs,
            needed,
            idempotent,
        } = check(&graph, &declarations, &sensitive, &variables, problems)?;
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

    /// The schema of an action.
    pub(crate) fn action_schema(&self, id: NodeId) -> Option<&ActionSchema> {
        match self.graph.node(id).kind {
            NodeKind::Action { declaration, .. } => {
                let action = self.graph.action(id)?;
                self.declarations.schema(declaration?, action)
            }
            _ => None,
        }
    }

    /// The type of what an action returns, if it returns anything.
    pub(crate) fn output_type(&self, id: NodeId) -> Option<Type> {
        let outputs = self.action_schema(id)?.outputs.as_ref();
        outputs.map(|outputs| outputs.ty.clone())
    }

    /// Warnings about what a teardown will have to be given again, if the record is kept without a
    /// key.
    pub fn needed_secrets(&self, advice: Advice) -> Vec<Diagnostic> {
        self.needed.warnings(advice)
    }

    /// The graph for Graphviz.
    pub fn to_dot(&self) -> String {
        drawing::dot(&self.graph)
    }

    /// The graph for Mermaid, as in Markdown.
    pub fn to_mermaid(&self) -> String {
        drawing::mermaid(&self.graph)
    }
}
