//! Operators.

use tenon_values::{Error, Number, Problem, Type, Value};

use super::{Evaluated, Evaluator, Locals, Reported};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::{Binary, Node, Unary};

const NULL_OPERAND: &str = "null cannot be used as an operand";

impl Evaluator<'_> {
    pub(super) fn unary(
        &mut self,
        operator: Unary,
        operand: &Node,
        locals: Locals<'_>,
    ) -> Evaluated {
        let ty = match operator {
            Unary::Negate => Type::Number,
            Unary::Not => Type::Bool,
        };
        let value = self.value(operand, locals)?;
        let value = self.operand(&value, &ty, operand.span)?;
        match operator {
            Unary::Negate => value.negate(),
            Unary::Not => value.not(),
        }
        .map_err(|error| self.failed(&error, operand.span))
    }

    pub(super) fn binary(
        &mut self,
        operator: Binary,
        operands: &(Node, Node),
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        let (left, right) = operands;
        match operator {
            Binary::And => return self.logic(false, left, right, locals),
            Binary::Or => return self.logic(true, left, right, locals),
            _ => {}
        }
        let values = (self.value(left, locals), self.value(right, locals));
        let (Ok(a), Ok(b)) = values else {
            return Err(Reported);
        };
        if let Binary::Equal | Binary::NotEqual = operator {
            self.spend_on_both(&a, &b, span)?;
            return Ok(match operator {
                Binary::Equal => a.equals(&b),
                _ => a.not_equals(&b),
            });
        }
        let numbers = (
            self.operand(&a, &Type::Number, left.span),
            self.operand(&b, &Type::Number, right.span),
        );
        let (Ok(a), Ok(b)) = numbers else {
            return Err(Reported);
        };
        let is_zero = |value: &Value| value.unmark().0.as_number().is_some_and(Number::is_zero);
        if matches!(operator, Binary::Divide | Binary::Remainder) && is_zero(&b) {
            return Err(self.fail("division by zero", right.span));
        }
        let result = match operator {
            Binary::Add => a.add(&b),
            Binary::Subtract => a.subtract(&b),
            Binary::Multiply => a.multiply(&b),
            Binary::Divide => a.divide(&b),
            Binary::Remainder => a.remainder(&b),
            Binary::Less => a.less_than(&b),
            Binary::LessOrEqual => a.less_than_or_equal(&b),
            Binary::Greater => a.greater_than(&b),
            _ => a.greater_than_or_equal(&b),
        };
        result.map_err(|error| self.failed(&error, span))
    }

    /// `&&` and `||`, where the side that `decides` is enough, and an error on the other side
    /// does not count: `length(list) > 0 && list[0] == "a"`.
    fn logic(&mut self, decides: bool, left: &Node, right: &Node, locals: Locals<'_>) -> Evaluated {
        let a = self.bool_operand(left, locals);
        let b = self.bool_operand(right, locals);
        let (Ok(a), Ok(b)) = (a, b) else {
            return Err(Reported);
        };
        let combine = |a: &Value, b: &Value| if decides { a.or(b) } else { a.and(b) };
        let is_decided = |side: &Result<Value, Vec<Diagnostic>>| matches!(side, Ok(value) if value.unmark().0.as_bool() == Some(decides));
        // A side that failed counts as unknown. If the other side decides, its error is dropped.
        match (a, b) {
            (Ok(a), Ok(b)) => combine(&a, &b).map_err(|error| self.failed(&error, left.span)),
            (Ok(a), Err(_)) if is_decided(&Ok(a.clone())) => Ok(a),
            (Err(_), Ok(b)) if is_decided(&Ok(b.clone())) => Ok(b),
            (Ok(a), Err(_)) if !a.is_known() => {
                // It may turn out that the other side is never needed.
                let unknown = combine(&a, &Value::unknown(Type::Bool));
                unknown.map_err(|error| self.failed(&error, left.span))
            }
            (Err(errors), Ok(_)) | (Ok(_), Err(errors)) => Err(self.report_all(errors)),
            (Err(first), Err(second)) => {
                self.report_all(first);
                Err(self.report_all(second))
            }
        }
    }

    /// A bool, or the errors that may not count. That it can be no bool at all counts.
    fn bool_operand(
        &mut self,
        node: &Node,
        locals: Locals<'_>,
    ) -> Result<Result<Value, Vec<Diagnostic>>, Reported> {
        match self.attempt(|this| this.value(node, locals)) {
            Ok(value) if value.unmark().0.is_null() => {
                Ok(Err(vec![self.error(NULL_OPERAND, node.span)]))
            }
            Ok(value) => self.operand(&value, &Type::Bool, node.span).map(Ok),
            Err(errors) => Ok(Err(errors)),
        }
    }

    fn operand(&mut self, value: &Value, ty: &Type, span: Span) -> Evaluated {
        if value.unmark().0.is_null() {
            return Err(self.fail(NULL_OPERAND, span));
        }
        let what = match ty {
            Type::Bool => "this must be true or false",
            _ => "this must be a number",
        };
        self.converted(value, ty, span, what)
    }

    fn failed(&mut self, error: &Error, span: Span) -> Reported {
        let diagnostic = match error.problem() {
            Problem::Number(problem) => self.error(problem.to_string(), span),
            _ => self.error(error.to_string(), span),
        };
        self.report(diagnostic)
    }
}
