//! Asserts of outputs.

use tenon_values::{Type, Value};

use super::RunWork;
use crate::event::Event;
use crate::planning::evaluation::{Here, rendered};
use crate::planning::graph::ModuleId;
use crate::reading::model::{Assert, Output};
use crate::records::record::FailedAssert;
use crate::run::report::AssertOutcome;

impl RunWork<'_> {
    /// The outcome of each assert of an output: nothing, or what is not true.
    pub(super) fn check_asserts(
        &self,
        module: ModuleId,
        output: &Output,
        value: &Value,
    ) -> Vec<Result<(), String>> {
        let itself = Value::object([("value", value.clone())]);
        let here = Here {
            itself: Some(&itself),
            ..Here::module(module)
        };
        let check = |assert: &Assert| {
            let condition = self
                .evaluation
                .value_as(&Type::Bool, &assert.condition, here);
            match condition {
                Ok(condition) if condition.unmark().0.as_bool() == Some(true) => Ok(()),
                Ok(_) => Err(match &assert.message {
                    Some(message) => self.message(message, here),
                    None => format!("this is not true: {}", assert.condition.place().text()),
                }),
                Err(problems) => Err(rendered(&problems)),
            }
        };
        output.asserts.iter().map(check).collect()
    }

    pub(super) fn assert_checked(&mut self, output: String, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.asserts.push(AssertOutcome {
                output,
                error: None,
            }),
            Err(message) => self.assert_failed(output, &message),
        }
    }

    fn message(&self, message: &tenon_hcl::Expression, here: Here<'_>) -> String {
        match self.evaluation.value_as(&Type::String, message, here) {
            Ok(value) => match value.as_str() {
                Some(text) if !value.is_sensitive() => text.to_owned(),
                _ => tenon_protocols::MASK.to_owned(),
            },
            Err(problems) => rendered(&problems),
        }
    }

    pub(super) fn assert_failed(&mut self, output: String, message: &str) {
        self.has_failed = true;
        let message = self.secrets.hide(message);
        self.record.failed_asserts.push(FailedAssert {
            output: output.clone(),
            message: message.clone(),
        });
        self.asserts.push(AssertOutcome {
            output: output.clone(),
            error: Some(message.clone()),
        });
        (self.watch)(Event::AssertFailed { output, message });
    }
}
