//! What a record knows about a plan: written when a run begins, and read when one goes on.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tenon_hcl::Diagnostic;
use tenon_protocols::orchard::ActionSchema;
use tenon_values::{Type, Value};

use crate::declarations::Declaration;
use crate::evaluation::Evaluation;
use crate::event::{RunStatus, Status};
use crate::graph::{Node, NodeId, NodeKind};
use crate::load::ScenarioFile;
use crate::masked::Masked;
use crate::plan::Plan;
use crate::record::{self, NodeRecord, Record};

impl Plan {
    /// The record of a run that begins.
    pub(crate) fn new_record(&self, file: &ScenarioFile) -> Record {
        let secret = self.secret_variables();
        let mut record = Record {
            scenario: self.scenario.name().to_owned(),
            path: record::absolute(&file.path),
            id: record::new_id(),
            status: RunStatus::Running,
            started_at: record::now(),
            finished_at: None,
            variables: BTreeMap::new(),
            sensitive_variables: BTreeMap::new(),
            nodes: Vec::new(),
            outputs: BTreeMap::new(),
            sensitive_outputs: BTreeMap::new(),
            failed_asserts: Vec::new(),
            provider_errors: Vec::new(),
            files: record::digests(file),
        };
        for (name, value) in &self.variables {
            let value = match secret.contains(name) {
                true => value.sensitive(),
                false => value.clone(),
            };
            if let Ok(masked) = Masked::of(&value) {
                record.set_variable(name, masked);
            }
        }
        record
    }

    /// Variables that go into a configuration which its provider calls sensitive are secrets, too,
    /// whether the scenario says so or not.
    fn secret_variables(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (_, declaration) in self.declarations.iter() {
            for attribute in &declaration.config {
                let schema = declaration.schema.config.get(attribute.name.text());
                if !schema.is_some_and(|schema| schema.sensitive) {
                    continue;
                }
                for (reference, _) in attribute.value.references() {
                    if let ("var", Some(name)) = (reference.root, reference.steps.first()) {
                        names.insert((*name).to_owned());
                    }
                }
            }
        }
        names
    }

    /// Actions that the record does not have yet.
    pub(crate) fn add_new_nodes(&self, record: &mut Record) {
        let known: BTreeSet<String> = { record.nodes.iter() }
            .map(|node| node.address.clone())
            .collect();
        for (id, node) in self.graph.actions() {
            if !known.contains(&*node.address) {
                let provider = self.declaration(id).map(Declaration::label);
                let node = NodeRecord::new(&node.address, provider.unwrap_or_default());
                record.nodes.push(node);
            }
        }
    }

    /// Where each action stands in a record.
    pub(crate) fn places(&self, record: &Record) -> HashMap<NodeId, usize> {
        let numbered = record.nodes.iter().enumerate();
        let known: HashMap<&str, usize> = numbered
            .map(|(place, node)| (node.address.as_str(), place))
            .collect();
        let place = |(id, node): (NodeId, &Node)| Some((id, *known.get(&*node.address)?));
        self.graph.actions().filter_map(place).collect()
    }

    /// What a record says is done, with what it brought.
    pub(crate) fn recall(
        &self,
        record: &Record,
        evaluation: &mut Evaluation<'_>,
    ) -> Result<BTreeSet<NodeId>, Vec<Diagnostic>> {
        let known: BTreeMap<&str, &NodeRecord> = { record.nodes.iter() }
            .map(|node| (node.address.as_str(), node))
            .collect();
        let mut done = BTreeSet::new();
        let mut problems = Vec::new();
        for id in &self.graph.order {
            let node = self.graph.node(*id);
            let NodeKind::Action { .. } = node.kind else {
                // What only gathers is gathered again when its turn comes.
                if let Ok(value) = evaluation.gathered(*id) {
                    evaluation.set(*id, value);
                }
                continue;
            };
            let Some(known) = known.get(&*node.address) else {
                continue;
            };
            if known.status != Status::Succeeded {
                continue;
            }
            match self.recalled_outputs(*id, known) {
                Ok(value) => {
                    evaluation.set(*id, value);
                    done.insert(*id);
                }
                Err(error) => {
                    let summary = format!(
                        "what {} brought does not fit its provider any more: {error}",
                        node.address
                    );
                    problems.push(Diagnostic::error(summary).at(node.place.clone()));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(done),
            false => Err(problems),
        }
    }

    fn recalled_outputs(
        &self,
        id: NodeId,
        known: &NodeRecord,
    ) -> Result<Value, tenon_values::Error> {
        match (known.masked_outputs(), self.output_type(id)) {
            (Some(outputs), Some(ty)) => outputs.read(&ty),
            _ => Ok(Value::object::<&str>([])),
        }
    }

    /// What a provider says about an action.
    pub(crate) fn action_schema(&self, id: NodeId) -> Option<&ActionSchema> {
        match self.graph.node(id).kind {
            NodeKind::Action { declaration, .. } => {
                let action = self.graph.action(id)?;
                self.declarations.schema(declaration?, action)
            }
            _ => None,
        }
    }

    /// The type of what an action brings, if it brings anything.
    pub(crate) fn output_type(&self, id: NodeId) -> Option<Type> {
        let outputs = self.action_schema(id)?.outputs.as_ref();
        outputs.map(|outputs| outputs.ty.clone())
    }
}
