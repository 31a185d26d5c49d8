//! The outputs of actions and of the scenario.

use std::collections::BTreeSet;

use tenon_protocols::orchard::Json;
use tenon_values::{Type, Value, convert};

use super::{RunWork, is_all_known};
use crate::event::Event;
use crate::masked::Masked;
use crate::planning::declarations::Declaration;
use crate::planning::evaluation::{Here, rendered};
use crate::planning::graph::{ModuleId, NodeId};
use crate::providers::failure::{FailureKind, ProviderFailure};
use crate::run::undeclared::undeclared;

impl RunWork<'_> {
    /// What an action returned, as a value of the type in the schema.
    pub(super) fn outputs(&mut self, id: NodeId, json: &Json) -> Result<Value, ProviderFailure> {
        let nothing = || Type::object::<&str>([]);
        let ty = self.plan.output_type(id).unwrap_or_else(nothing);
        let given = json.value();
        if let Ok(given) = &given {
            self.warn_of_undeclared(id, given, &ty);
        }
        if self.plan.output_type(id).is_none() {
            return Ok(Value::object::<&str>([]));
        }
        let value = given.and_then(|given| convert::convert(&given, &ty));
        let value = value.map_err(|error| {
            let provider = self.plan.declaration(id).map(Declaration::label);
            let message = format!(
                "the provider {:?} has a fault: the outputs do not fit its own schema: {}",
                provider.unwrap_or_default(),
                self.secrets.hide(&error.to_string())
            );
            ProviderFailure {
                kind: FailureKind::BrokeProtocol,
                message,
                answered: None,
            }
        })?;
        let is_sensitive = { self.plan.action_schema(id) }
            .and_then(|schema| schema.outputs.as_ref())
            .is_some_and(|outputs| outputs.sensitive);
        Ok(match is_sensitive {
            true => value.sensitive(),
            false => self.plan.sensitive.mark_outputs(id, value),
        })
    }

    /// Outputs that the schema does not declare are dropped: other actions could not have been
    /// checked against them. That is not done without a word.
    fn warn_of_undeclared(&mut self, id: NodeId, given: &Value, ty: &Type) {
        let undeclared = undeclared(given, ty);
        let (Some(action), false) = (self.plan.graph.action(id), undeclared.is_empty()) else {
            return;
        };
        let provider = self.plan.declaration(id).map(Declaration::label);
        let message = format!(
            "the provider {:?}: its schema does not declare these outputs of {:?}, so they are \
             dropped: {}",
            provider.unwrap_or_default(),
            action.kind.text(),
            self.secrets.hide(&undeclared.join(", "))
        );
        if self.warned.insert(message.clone()) {
            (self.watch)(Event::Warning { message });
        }
    }

    /// Evaluates the outputs that can be, and looks at their asserts.
    pub(in crate::run) fn tell_outputs(&mut self, chosen: &[NodeId]) {
        let plan = self.plan;
        let chosen: BTreeSet<NodeId> = chosen.iter().copied().collect();
        for output in plan.graph.outputs() {
            // What it needs may have failed, or was not asked for.
            let is_known = |id: &NodeId| chosen.contains(id) && self.evaluation.get(*id).is_some();
            if !plan.graph.needs(&output.value).iter().all(is_known) {
                continue;
            }
            let name = output.name.text();
            let value = self
                .evaluation
                .value(&output.value, Here::module(ModuleId::ROOT));
            let value = match value {
                Ok(value) if output.is_sensitive => value.sensitive(),
                Ok(value) => value,
                Err(problems) => {
                    self.assert_failed(name.to_owned(), &rendered(&problems));
                    continue;
                }
            };
            match Masked::of(&value) {
                Ok(masked) => {
                    let fit = self
                        .budget
                        .as_mut()
                        .map(|one| one.fit_output(name, &masked));
                    if let Some(Err(problem)) = fit {
                        self.assert_failed(name.to_owned(), &problem);
                        continue;
                    }
                    (self.watch)(Event::Output {
                        name: name.to_owned(),
                        value: masked.value.clone(),
                        sensitive: !masked.sensitive.is_empty(),
                    });
                    self.record.set_output(name, masked);
                }
                // Only an infinite number is left then.
                Err(error) if is_all_known(&value) => {
                    self.assert_failed(name.to_owned(), &error.to_string());
                    continue;
                }
                // The value of one that needs a secret of an earlier run is unknown.
                Err(_) => {}
            }
            for outcome in self.check_asserts(ModuleId::ROOT, output, &value) {
                self.assert_checked(name.to_owned(), outcome);
            }
        }
    }
}
