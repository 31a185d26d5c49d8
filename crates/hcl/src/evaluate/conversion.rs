//! `convert`: a value as one of a type that is written in the call.

use super::{Evaluated, Evaluator, Locals, Reported};
use crate::constraint::Constraint;
use crate::source::Span;
use crate::syntax::Call;

impl Evaluator<'_> {
    /// `convert(value, type)`
    pub(super) fn convert_to_type(
        &mut self,
        call: &Call,
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        let [value, ty] = call.arguments.as_slice() else {
            return Err(self.fail("convert: a value and a type are needed", span));
        };
        let place = value.span;
        let value = self.value(value, locals);
        let constraint = Constraint::of_node(self.source, ty).map_err(|error| self.report(error));
        let (Ok(value), Ok(constraint)) = (value, constraint) else {
            return Err(Reported);
        };
        self.spend_on(&value, place)?;
        let (value, marks) = value.unmark_deep();
        let value = constraint.defaults.apply(&value).with_marks(&marks);
        let what = "convert: the value does not fit the type";
        self.converted(&value, &constraint.ty, place, what)
    }
}
