//! Limits on the cost of an expression.
//!
//! There are two limits. A value that is too large is refused as soon as it is made; shared parts are
//! counted each time, because they take little memory but are visited each time. And visiting a
//! value, which is at most that large, costs steps.

use tenon_values::{Limits, Value};

use super::{Evaluator, Reported};
use crate::source::Span;

/// How many steps the evaluation of one expression may take, so that a few nested `for` expressions
/// come to an end. A step is one part evaluated, or a part of a value visited.
pub(super) const STEPS: u64 = 5_000_000;

/// Bytes of text created per step.
const WRITTEN_BYTES: u64 = 16;

/// Bytes of text passed to a function per step.
const READ_BYTES: u64 = 64;

/// Nested values that are compared or processed by a function per step.
const VISITED_VALUES: u64 = 16;

/// Nested values that are only skipped, per step.
const PASSED_VALUES: u64 = 64;

/// Functions that take one element out, or only count.
const SELECTING: [&str; 3] = ["element", "length", "lookup"];

/// Bytes of nested text that are compared or passed on per step.
const INNER_BYTES: u64 = 1024;

impl Evaluator<'_> {
    pub(super) fn spend(&mut self, steps: u64, span: Span) -> Result<(), Reported> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => {
                // Further attempts fail immediately.
                self.steps = 0;
                if self.exhausted.is_none() {
                    let summary = format!("this takes more than {STEPS} steps to evaluate");
                    let diagnostic = self.error(summary, span);
                    let help = "nested `for` expressions multiply; do such work in a provider";
                    self.exhausted = Some(diagnostic.help(help));
                }
                Err(Reported)
            }
        }
    }

    /// For a value that is looked over.
    pub(super) fn spend_on(&mut self, value: &Value, span: Span) -> Result<(), Reported> {
        self.spend_on_each(value, PASSED_VALUES, span)
    }

    /// For a value that is given to a function.
    pub(super) fn spend_on_argument(
        &mut self,
        value: &Value,
        function: &str,
        span: Span,
    ) -> Result<(), Reported> {
        let values = match SELECTING.contains(&function) {
            true => PASSED_VALUES,
            false => VISITED_VALUES,
        };
        self.spend_on_each(value, values, span)
    }

    fn spend_on_each(&mut self, value: &Value, values: u64, span: Span) -> Result<(), Reported> {
        let bytes = match text_length(value) {
            Some(length) => length / READ_BYTES,
            None => u64::from(value.size().bytes) / INNER_BYTES,
        };
        self.spend(u64::from(value.size().elements) / values + bytes, span)
    }

    /// For two values that are compared: one that has less in it ends the comparison.
    pub(super) fn spend_on_both(
        &mut self,
        a: &Value,
        b: &Value,
        span: Span,
    ) -> Result<(), Reported> {
        let (a, b) = (a.size(), b.size());
        let elements = u64::from(a.elements.min(b.elements)) / VISITED_VALUES;
        let bytes = u64::from(a.bytes.min(b.bytes)) / INNER_BYTES;
        self.spend(elements + bytes, span)
    }

    /// For a text that was made.
    pub(super) fn spend_on_text(&mut self, value: &Value, span: Span) -> Result<(), Reported> {
        self.spend(text_length(value).unwrap_or(0) / WRITTEN_BYTES, span)
    }

    /// Counts `length` bytes that are added to a text.
    pub(super) fn spend_on_bytes(&mut self, length: usize, span: Span) -> Result<(), Reported> {
        self.spend(length as u64 / WRITTEN_BYTES, span)
    }

    /// No value is larger than peers would read. It says nothing about an expression that it comes
    /// to a larger one, so `try` and `can` do not continue with that.
    pub(super) fn refuse_large(&mut self, value: &Value, span: Span) -> Result<(), Reported> {
        let limits = Limits::default();
        let size = value.size();
        if size.check(&limits).is_ok() {
            return Ok(());
        }
        if self.exhausted.is_none() {
            let summary = match size.elements as usize > limits.elements {
                true => format!(
                    "this value has more than {} elements, nested ones included",
                    limits.elements
                ),
                false => format!(
                    "this value has more than {} bytes of text, nested values included",
                    limits.size
                ),
            };
            let diagnostic = self.error(summary, span);
            let help = "a value that is used several times is counted each time";
            self.exhausted = Some(diagnostic.help(help));
        }
        self.steps = 0;
        Err(Reported)
    }
}

/// The bytes of a text, marked or not.
fn text_length(value: &Value) -> Option<u64> {
    let (value, _) = value.unmark();
    value.as_text().map(|text| text.as_bytes().len() as u64)
}
