//! `try` and `can`: whether an expression has an error.

use tenon_values::{Marks, Type, Value};

use super::{Evaluated, Evaluator, Locals};
use crate::source::Span;
use crate::syntax::{Call, Node};

impl Evaluator<'_> {
    /// The first of some expressions that has no error.
    pub(super) fn try_all(&mut self, call: &Call, span: Span, locals: Locals<'_>) -> Evaluated {
        let Some((last, others)) = call.arguments.split_last() else {
            return Err(self.fail("try: one expression or more is needed", span));
        };
        let mut reasons = Vec::new();
        let written = match call.is_expanded {
            true => others,
            false => &call.arguments,
        };
        for argument in written {
            match self.attempt(|this| this.looked_through(argument, locals)) {
                // An unknown part may still turn out to be an error, so nothing is certain yet.
                Ok(value) if !value.is_wholly_known() => {
                    let (_, marks) = value.unmark_deep();
                    return Ok(Value::unknown(Type::Dynamic).with_marks(&marks));
                }
                Ok(value) => return Ok(value),
                Err(errors) => reasons.extend(errors),
            }
        }
        if call.is_expanded {
            // What is in a list no longer has an error.
            let list = self.value(last, locals)?;
            let mut marks = Marks::default();
            let first = self.expanded(&list, &mut marks, last.span)?;
            let first = first.map(|values| values.into_iter().next());
            match first {
                Some(Some(value)) => return Ok(value.with_marks(&marks)),
                None => return Ok(Value::unknown(Type::Dynamic).with_marks(&marks)),
                Some(None) => {}
            }
        }
        let mut diagnostic = self.error("try: all of the expressions have failed", span);
        for reason in reasons {
            diagnostic = match reason.place {
                Some(place) => diagnostic.related(place, reason.summary),
                None => diagnostic.note(reason.summary),
            };
        }
        Err(self.report(diagnostic))
    }

    /// A value of which all will be looked at.
    fn looked_through(&mut self, node: &Node, locals: Locals<'_>) -> Evaluated {
        let value = self.value(node, locals)?;
        self.spend_on(&value, node.span)?;
        Ok(value)
    }

    /// Whether an expression has no error.
    pub(super) fn can(&mut self, call: &Call, span: Span, locals: Locals<'_>) -> Evaluated {
        let [argument] = call.arguments.as_slice() else {
            return Err(self.fail("can: exactly one expression is needed", span));
        };
        Ok(
            match self.attempt(|this| this.looked_through(argument, locals)) {
                Ok(value) if value.is_wholly_known() => Value::TRUE,
                Ok(_) => Value::unknown(Type::Bool),
                Err(_) => Value::FALSE,
            },
        )
    }
}
