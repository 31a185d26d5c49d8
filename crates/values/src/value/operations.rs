//! Arithmetic, comparison and logic.
//!
//! Each operation takes unknown values and answers with what is certain; marks of what goes in are
//! on what comes out. Null and values of another type are errors.

use std::cmp::Ordering;

use crate::error::{Error, Problem};
use crate::marks::Marks;
use crate::refinement::{Bound, Refinement};
use crate::types::Type;
use crate::value::equality::answer;
use crate::value::{Kind, Value};
use crate::{Number, NumberError};

type Operation = fn(&Number, &Number) -> Result<Number, NumberError>;

/// # Errors
/// All of these fail on null and on values of another type; arithmetic also where there is no
/// result, as in infinity minus infinity.
impl Value {
    /// The sum.
    pub fn add(&self, other: &Value) -> Result<Value, Error> {
        arithmetic(self, other, Number::add, true)
    }

    /// The difference.
    pub fn subtract(&self, other: &Value) -> Result<Value, Error> {
        arithmetic(self, other, Number::subtract, true)
    }

    /// The product. Zero times anything is zero, known or not.
    pub fn multiply(&self, other: &Value) -> Result<Value, Error> {
        let is_zero = |value: &Value| value.unmark().0.as_number().is_some_and(Number::is_zero);
        if (is_zero(self) && !other.is_known()) || (is_zero(other) && !self.is_known()) {
            let (_, _, marks) = operands(self, other, &Type::Number)?;
            return Ok(Value::from(0).with_marks(&marks));
        }
        arithmetic(self, other, Number::multiply, true)
    }

    /// The quotient.
    pub fn divide(&self, other: &Value) -> Result<Value, Error> {
        arithmetic(self, other, Number::divide, false)
    }

    /// What is left of a division whose quotient is cut to an integer. It has the sign of `self`.
    pub fn remainder(&self, other: &Value) -> Result<Value, Error> {
        arithmetic(self, other, Number::remainder, false)
    }

    /// The number with the other sign.
    pub fn negate(&self) -> Result<Value, Error> {
        let (value, marks) = operand(self, &Type::Number)?;
        let negated = match value.as_number() {
            Some(number) => Value::number(number.negate()),
            None => unknown_number(None, None),
        };
        Ok(negated.with_marks(&marks))
    }

    /// The number without its sign.
    pub fn absolute(&self) -> Result<Value, Error> {
        let (value, marks) = operand(self, &Type::Number)?;
        let absolute = match value.as_number() {
            Some(number) => Value::number(number.absolute()),
            None => unknown_number(Some(Number::from(0)), None),
        };
        Ok(absolute.with_marks(&marks))
    }

    /// Whether this number is less.
    pub fn less_than(&self, other: &Value) -> Result<Value, Error> {
        comparison(self, other, Ordering::is_lt)
    }

    /// Whether this number is less or equal.
    pub fn less_than_or_equal(&self, other: &Value) -> Result<Value, Error> {
        comparison(self, other, Ordering::is_le)
    }

    /// Whether this number is greater.
    pub fn greater_than(&self, other: &Value) -> Result<Value, Error> {
        comparison(self, other, Ordering::is_gt)
    }

    /// Whether this number is greater or equal.
    pub fn greater_than_or_equal(&self, other: &Value) -> Result<Value, Error> {
        comparison(self, other, Ordering::is_ge)
    }

    /// The opposite of a bool.
    pub fn not(&self) -> Result<Value, Error> {
        let (value, marks) = operand(self, &Type::Bool)?;
        Ok(answer(value.as_bool().map(|value| !value)).with_marks(&marks))
    }

    /// Whether both are true. Where one is false the other may be unknown.
    pub fn and(&self, other: &Value) -> Result<Value, Error> {
        logic(self, other, false)
    }

    /// Whether one is true. Where one is true the other may be unknown.
    pub fn or(&self, other: &Value) -> Result<Value, Error> {
        logic(self, other, true)
    }
}

/// The value below its marks, which must be known or unknown of this type.
fn operand(value: &Value, ty: &Type) -> Result<(Value, Marks), Error> {
    let (value, marks) = value.unmark();
    if *value.ty_ref() != *ty && (value.is_known() || *value.ty_ref() != Type::Dynamic) {
        return Err(match value.is_null() {
            true => Problem::Null.into(),
            false => Problem::WrongType {
                wanted: ty.clone(),
                given: value.ty(),
            }
            .into(),
        });
    }
    match value.kind() {
        Kind::Null => Err(Problem::Null.into()),
        _ => Ok((value, marks)),
    }
}

fn operands(this: &Value, that: &Value, ty: &Type) -> Result<(Value, Value, Marks), Error> {
    let (this, mut marks) = operand(this, ty)?;
    let (that, more) = operand(that, ty)?;
    marks.extend(&more);
    Ok((this, that, marks))
}

fn arithmetic(
    this: &Value,
    that: &Value,
    operation: Operation,
    is_monotone: bool,
) -> Result<Value, Error> {
    let (this, that, marks) = operands(this, that, &Type::Number)?;
    let result = match (this.as_number(), that.as_number()) {
        (Some(this), Some(that)) => Value::number(operation(this, that).map_err(Problem::from)?),
        _ if is_monotone => range_of(&this.range(), &that.range(), operation),
        _ => unknown_number(None, None),
    };
    Ok(result.with_marks(&marks))
}

/// What is certain of the result of an operation on two numbers of which only a range is known.
/// The operation must grow or shrink evenly in each of them, so that the ends decide.
fn range_of(this: &Refinement, that: &Refinement, operation: Operation) -> Value {
    let ends = |range: &Refinement| {
        let number = |bound: &Option<Bound>| bound.as_ref().map(|bound| bound.number.clone());
        let lower = number(&range.lower).unwrap_or(Number::NEGATIVE_INFINITY);
        [lower, number(&range.upper).unwrap_or(Number::INFINITY)]
    };
    let (these, those) = (ends(this), ends(that));
    let mut results = Vec::with_capacity(4);
    for this in &these {
        for that in &those {
            match operation(this, that) {
                Ok(result) => results.push(result),
                // Infinity minus infinity and the like: nothing is certain.
                Err(_) => return unknown_number(None, None),
            }
        }
    }
    let least = results.iter().min_by(|a, b| a.compare(b)).cloned();
    let most = results.iter().max_by(|a, b| a.compare(b)).cloned();
    unknown_number(least, most)
}

/// An unknown number in a range, of which infinite ends say nothing.
fn unknown_number(lower: Option<Number>, upper: Option<Number>) -> Value {
    let bound = |number: Option<Number>, end| {
        let finite = number.filter(|number| !number.is_infinite())?;
        Bound::new(finite, true, end)
    };
    let refinement = Refinement {
        is_not_null: true,
        lower: bound(lower, &Number::NEGATIVE_INFINITY),
        upper: bound(upper, &Number::INFINITY),
        ..Refinement::default()
    };
    refinement.into_value(Type::Number)
}

fn comparison(this: &Value, that: &Value, holds: fn(Ordering) -> bool) -> Result<Value, Error> {
    let (this, that, marks) = operands(this, that, &Type::Number)?;
    let result = match (this.as_number(), that.as_number()) {
        // Equality is cty's: 0.1 is 0.1 in every precision.
        (Some(this), Some(that)) if this == that => Some(holds(Ordering::Equal)),
        (Some(this), Some(that)) => Some(holds(this.compare(that))),
        _ => order_of(&this.range(), &that.range()).map(holds),
    };
    Ok(answer(result).with_marks(&marks))
}

/// The order of two numbers whose ranges do not touch.
fn order_of(this: &Refinement, that: &Refinement) -> Option<Ordering> {
    let is_below = |low: &Refinement, high: &Refinement| match (&low.upper, &high.lower) {
        (Some(upper), Some(lower)) => upper.number.compare(&lower.number).is_lt(),
        _ => false,
    };
    if is_below(this, that) {
        return Some(Ordering::Less);
    }
    is_below(that, this).then_some(Ordering::Greater)
}

/// And and or: one operand that is `decisive` decides, whatever the other is.
fn logic(this: &Value, that: &Value, decisive: bool) -> Result<Value, Error> {
    let (this, that, marks) = operands(this, that, &Type::Bool)?;
    let result = match (this.as_bool(), that.as_bool()) {
        (Some(value), _) | (_, Some(value)) if value == decisive => Some(decisive),
        (Some(_), Some(_)) => Some(!decisive),
        _ => None,
    };
    Ok(answer(result).with_marks(&marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(number: i64) -> Value {
        Value::unknown(Type::Number)
            .refine_lower(Number::from(number), true)
            .unwrap()
    }

    #[test]
    fn unknown_numbers_keep_their_ranges() {
        let sum = at_least(1).add(&Value::from(2)).unwrap();
        assert_eq!(sum, at_least(3).refine_not_null().unwrap());
        assert_eq!(
            at_least(1).greater_than(&Value::from(0)).unwrap(),
            Value::TRUE
        );
        assert!(
            !at_least(1)
                .greater_than(&Value::from(1))
                .unwrap()
                .is_known()
        );
        assert_eq!(
            at_least(1).multiply(&Value::from(0)).unwrap(),
            Value::from(0)
        );
    }

    #[test]
    fn one_side_may_decide() {
        let unknown = Value::unknown(Type::Bool);
        assert_eq!(unknown.and(&Value::FALSE).unwrap(), Value::FALSE);
        assert_eq!(Value::TRUE.or(&unknown).unwrap(), Value::TRUE);
        assert!(!unknown.or(&Value::FALSE).unwrap().is_known());
    }

    #[test]
    fn marks_travel_and_null_is_refused() {
        let secret = Value::from(1).sensitive();
        assert_eq!(
            secret.add(&Value::from(2)).unwrap(),
            Value::from(3).sensitive()
        );
        let error = Value::null(Type::Number).add(&Value::from(1)).unwrap_err();
        assert_eq!(error.to_string(), "a value is required, but this is null");
        let error = Value::from("1").add(&Value::from(1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a number is required, but this is a string"
        );
    }
}
