//! What is known of a value that is not known.

use crate::Number;
use crate::error::Problem;
use crate::text::Text;
use crate::types::Type;
use crate::value::Value;

/// A known length up to which an unknown list is written out as a list of unknown elements. A
/// longer one stays unknown: a length that a peer claims must not cost memory.
const SPREAD_LENGTH: u64 = 1024;

/// The greatest length that peers support, which use signed numbers.
pub(crate) const LONGEST: u64 = i64::MAX.cast_unsigned();

/// The longest text of a bound. Peers accept refinements of up to 1,024 bytes, and there may be two
/// bounds.
const BOUND_DIGITS: usize = 480;

/// What is known of an unknown value, apart from its type. Nothing, by default.
///
/// Everything here is a promise of the maker of the value, and holds for the final value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refinement {
    pub(crate) is_not_null: bool,
    pub(crate) prefix: Option<Text>,
    pub(crate) lower: Option<Bound>,
    pub(crate) upper: Option<Bound>,
    pub(crate) shortest: u64,
    pub(crate) longest: Option<u64>,
}

/// One end of a range of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The number.
    pub number: Number,
    /// The number itself is in the range.
    pub is_inclusive: bool,
}

impl Bound {
    /// A bound, unless it says nothing because it is at the `end` of all numbers.
    pub(crate) fn new(number: Number, is_inclusive: bool, end: &Number) -> Option<Bound> {
        let bound = Bound {
            number,
            is_inclusive,
        };
        (bound.number != *end && bound.is_short()).then_some(bound)
    }

    /// The bound has few enough digits to be sent to peers. A longer one is left out: to know less
    /// is always right.
    pub(crate) fn is_short(&self) -> bool {
        self.number.to_i64().is_some() || self.number.to_text().len() <= BOUND_DIGITS
    }
}

impl Refinement {
    /// The value will not be null.
    pub fn is_not_null(&self) -> bool {
        self.is_not_null
    }

    /// What the string begins with.
    pub fn prefix(&self) -> Option<&Text> {
        self.prefix.as_ref()
    }

    /// The least that the number can be.
    pub fn lower(&self) -> Option<&Bound> {
        self.lower.as_ref()
    }

    /// The most that the number can be.
    pub fn upper(&self) -> Option<&Bound> {
        self.upper.as_ref()
    }

    /// How many elements the collection has at least.
    pub fn shortest(&self) -> u64 {
        self.shortest
    }

    /// How many elements the collection has at most.
    pub fn longest(&self) -> Option<u64> {
        self.longest
    }

    /// Nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Refinement::default()
    }
}

impl Refinement {
    pub(crate) fn check_bounds(&self) -> Result<(), Problem> {
        let (Some(lower), Some(upper)) = (&self.lower, &self.upper) else {
            return Ok(());
        };
        let order = lower.number.compare(&upper.number);
        // Two equal exclusive bounds leave no number between them, but go-cty accepts them, so a
        // peer may send them.
        if order.is_lt() || (order.is_eq() && lower.is_inclusive == upper.is_inclusive) {
            return Ok(());
        }
        Err(Problem::Contradiction(
            "its lower bound is greater than its upper bound",
        ))
    }

    pub(crate) fn check_lengths(&self) -> Result<(), Problem> {
        match self.longest.is_some_and(|longest| longest < self.shortest) {
            true => Err(Problem::Contradiction(
                "its minimum length is greater than its maximum length",
            )),
            false => Ok(()),
        }
    }

    /// The value of this type of which this is known: a known one where only one is left.
    pub(crate) fn into_value(self, ty: Type) -> Value {
        if !self.is_not_null {
            return Value::unknown_with(ty, self);
        }
        if let (Some(lower), Some(upper)) = (&self.lower, &self.upper)
            && lower.is_inclusive
            && upper.is_inclusive
            && lower.number == upper.number
        {
            return Value::number(lower.number.clone());
        }
        let length = self.longest.filter(|longest| *longest == self.shortest);
        match (&ty, length) {
            (Type::List(element), Some(length)) if length <= SPREAD_LENGTH => {
                let unknown = Value::unknown(Type::clone(element));
                Value::sequence_of(ty, vec![unknown; length as usize])
            }
            (Type::Set(_), Some(0)) => Value::sequence_of(ty, Vec::new()),
            (Type::Set(element), Some(1)) => {
                let unknown = Value::unknown(Type::clone(element));
                Value::sequence_of(ty, vec![unknown])
            }
            (Type::Map(element), Some(0)) => Value::empty_map(Type::clone(element)),
            _ => Value::unknown_with(ty, self),
        }
    }
}
