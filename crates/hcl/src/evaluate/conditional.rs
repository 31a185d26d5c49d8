//! `condition ? then : otherwise`

use tenon_values::convert::{Safety, unify};
use tenon_values::{Refinement, Type, Value};

use super::{Evaluated, Evaluator, Locals, Reported};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::{Binary, Conditional, Kind, Node, Unary};

/// Types with more in them are named by their kind only.
const SHOWN_PARTS: u32 = 200;

impl Evaluator<'_> {
    /// Both sides are evaluated, because the result has the type that both can become, but only
    /// the errors of the side that is taken count.
    pub(super) fn conditional(
        &mut self,
        conditional: &Conditional,
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        let then = self.attempt(|this| this.value(&conditional.then, locals));
        let otherwise = self.attempt(|this| this.value(&conditional.otherwise, locals));
        for value in [&then, &otherwise].into_iter().flatten() {
            self.spend_on(value, span)?;
        }
        let ty = self.common_type(&then, &otherwise, conditional, span);
        let condition = self.condition(&conditional.condition, locals);
        let (ty, (condition, mut marks)) = (ty?, condition?.unmark());
        let value_of = |side: &Result<Value, Vec<Diagnostic>>| match side {
            Ok(value) => value.clone(),
            Err(_) => Value::unknown(Type::Dynamic),
        };
        // The marks must not reveal which side was taken.
        marks.extend(&value_of(&then).marks());
        marks.extend(&value_of(&otherwise).marks());
        let (taken, node) = match condition.as_bool() {
            Some(true) => (then, &conditional.then),
            Some(false) => (otherwise, &conditional.otherwise),
            None => {
                let result = either(&value_of(&then), &value_of(&otherwise), ty);
                return Ok(result.with_marks(&marks));
            }
        };
        let value = taken.map_err(|errors| self.report_all(errors))?;
        let value = match ty {
            Type::Dynamic => value,
            ty => {
                let what = "the two sides of a conditional have different types";
                self.converted(&value, &ty, node.span, what)?
            }
        };
        Ok(value.with_marks(&marks))
    }

    /// A bool, perhaps unknown.
    pub(super) fn condition(&mut self, node: &Node, locals: Locals<'_>) -> Evaluated {
        let value = self.value(node, locals)?;
        if value.unmark().0.is_null() {
            let diagnostic = self
                .error("a condition must be true or false", node.span)
                .label("this is null");
            return Err(self.report(diagnostic));
        }
        let what = "a condition must be true or false";
        self.converted(&value, &Type::Bool, node.span, what)
    }

    /// The type that both sides can become; dynamic if nothing needs to be converted.
    fn common_type(
        &mut self,
        then: &Result<Value, Vec<Diagnostic>>,
        otherwise: &Result<Value, Vec<Diagnostic>>,
        conditional: &Conditional,
        span: Span,
    ) -> Result<Type, Reported> {
        let (then, otherwise) = (
            known_type(then, &conditional.then),
            known_type(otherwise, &conditional.otherwise),
        );
        let is_bare_null = |value: &Value| {
            let (value, _) = value.unmark();
            value.is_null() && value.ty() == Type::Dynamic
        };
        let (a, b) = (then.ty(), otherwise.ty());
        if is_bare_null(&then) {
            return Ok(b);
        }
        if is_bare_null(&otherwise) {
            return Ok(a);
        }
        if a == Type::Dynamic || b == Type::Dynamic {
            return Ok(Type::Dynamic);
        }
        let common = unify(&[a.clone(), b.clone()], Safety::Unsafe);
        common.ok_or_else(|| {
            let described = |ty: &Type| match ty {
                Type::Object(_) | Type::Tuple(_) if ty.size().elements <= SHOWN_PARTS => {
                    ty.to_string()
                }
                ty => ty.friendly(),
            };
            let diagnostic = self
                .error(
                    "the two sides of a conditional must have the same type",
                    span,
                )
                .related(self.place(conditional.then.span), described(&a))
                .related(self.place(conditional.otherwise.span), described(&b))
                .help("convert one of them, for instance with tostring or tolist");
            self.report(diagnostic)
        })
    }
}

/// A side that failed may have a type all the same: otherwise that of `c ? 80 : "port ${x}"`
/// would depend on whether `x` is null.
fn known_type(side: &Result<Value, Vec<Diagnostic>>, node: &Node) -> Value {
    match side {
        Ok(value) => value.clone(),
        Err(_) => Value::unknown(type_of_failed(node)),
    }
}

/// What can be said of the type of an expression by its form.
fn type_of_failed(node: &Node) -> Type {
    match &node.kind {
        Kind::Literal(value) => value.ty(),
        Kind::Template(_) => Type::String,
        Kind::Tuple(elements) => Type::tuple(elements.iter().map(type_of_failed)),
        Kind::Object(items) => {
            let name = |key: &Node| match &key.kind {
                Kind::Literal(name) => name.as_str().map(str::to_owned),
                _ => None,
            };
            let attribute = |(key, value): &(Node, Node)| Some((name(key)?, type_of_failed(value)));
            let attributes: Option<Vec<_>> = items.iter().map(attribute).collect();
            attributes.map_or(Type::Dynamic, Type::object)
        }
        Kind::Unary(Unary::Negate, _) => Type::Number,
        Kind::Unary(Unary::Not, _) => Type::Bool,
        Kind::Binary(operator, _) => match operator {
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Remainder => Type::Number,
            _ => Type::Bool,
        },
        Kind::Conditional(inner) => {
            let arms = [
                type_of_failed(&inner.then),
                type_of_failed(&inner.otherwise),
            ];
            match arms.contains(&Type::Dynamic) {
                true => Type::Dynamic,
                false => unify(&arms, Safety::Unsafe).unwrap_or(Type::Dynamic),
            }
        }
        _ => Type::Dynamic,
    }
}

/// What is known of a value that is one of two.
fn either(then: &Value, otherwise: &Value, ty: Type) -> Value {
    let (then, otherwise) = (then.unmark().0, otherwise.unmark().0);
    if then.is_null() && otherwise.is_null() {
        return Value::null(ty);
    }
    let is_same_type = then.ty() == ty && otherwise.ty() == ty;
    let (a, b) = (then.range(), otherwise.range());
    let unknown = Value::unknown(ty);
    refined(&unknown, &a, &b, is_same_type).unwrap_or(unknown)
}

fn refined(
    unknown: &Value,
    a: &Refinement,
    b: &Refinement,
    is_same_type: bool,
) -> Result<Value, tenon_values::Error> {
    let mut value = unknown.clone();
    if a.is_not_null() && b.is_not_null() {
        value = value.refine_not_null()?;
    }
    if is_same_type && value.ty() == Type::Number {
        if let (Some(a), Some(b)) = (a.lower(), b.lower()) {
            let lower = match a.number.compare(&b.number) {
                std::cmp::Ordering::Greater => b,
                _ => a,
            };
            // One that is at the bound in only one of the two cases may still be at it.
            value = value.refine_lower(lower.number.clone(), true)?;
        }
        if let (Some(a), Some(b)) = (a.upper(), b.upper()) {
            let upper = match a.number.compare(&b.number) {
                std::cmp::Ordering::Less => b,
                _ => a,
            };
            value = value.refine_upper(upper.number.clone(), true)?;
        }
    }
    if is_same_type && value.ty().is_collection() {
        value = value.refine_shortest(a.shortest().min(b.shortest()))?;
        if let (Some(a), Some(b)) = (a.longest(), b.longest()) {
            value = value.refine_longest(a.max(b))?;
        }
    }
    Ok(value)
}
