//! Saying more about a value.

use crate::Number;
use crate::error::{Error, Problem};
use crate::refinement::{Bound, LONGEST, Refinement};
use crate::text::Text;
use crate::types::Type;
use crate::value::Value;

/// Refining a value says more about it. On a known value that is a check: it must be so already.
///
/// Each of these fails if the refinement contradicts what is known, or is not possible for the
/// value's type. A dynamic unknown stays as it is: nothing can be known of it.
impl Value {
    /// The value is not null.
    ///
    /// # Errors
    /// It is.
    pub fn refine_not_null(&self) -> Result<Value, Error> {
        self.refine(|refinement, _| {
            refinement.is_not_null = true;
            Ok(())
        })
    }

    /// The value is null, and so it is known.
    ///
    /// # Errors
    /// It is not.
    pub fn refine_null(&self) -> Result<Value, Error> {
        let (value, marks) = self.unmark();
        match value.refinement() {
            _ if value.is_null() || *value.ty_ref() == Type::Dynamic => Ok(self.clone()),
            Some(refinement) if !refinement.is_not_null => {
                Ok(Value::null(value.ty()).with_marks(&marks))
            }
            _ => Err(Problem::Contradiction("it is both null and not null").into()),
        }
    }

    /// The string begins with this. The end of it that following text could still change is left
    /// off, see [`Text::safe_prefix`].
    ///
    /// # Errors
    /// The value is not a string, or begins differently.
    pub fn refine_prefix(&self, prefix: &str) -> Result<Value, Error> {
        self.refine_whole_prefix(Text::new(prefix).safe_prefix())
    }

    /// The string begins with exactly this, which ends where characters cannot combine.
    ///
    /// # Errors
    /// The value is not a string, or begins differently.
    pub fn refine_whole_prefix(&self, prefix: impl Into<Text>) -> Result<Value, Error> {
        let prefix = prefix.into();
        self.refine(|refinement, ty| {
            require(*ty == Type::String, "a prefix", ty)?;
            let known = refinement.prefix.as_ref().map_or(&[][..], Text::as_bytes);
            let (shorter, longer) = match known.len() < prefix.as_bytes().len() {
                true => (known, prefix.as_bytes()),
                false => (prefix.as_bytes(), known),
            };
            if !longer.starts_with(shorter) {
                return Err(Problem::Contradiction("it has two different prefixes"));
            }
            if prefix.as_bytes().len() > known.len() {
                refinement.prefix = Some(prefix);
            }
            Ok(())
        })
    }

    /// The number is at least this, or more than this if the bound is not inclusive.
    ///
    /// # Errors
    /// The value is not a number, or is less.
    pub fn refine_lower(&self, number: Number, is_inclusive: bool) -> Result<Value, Error> {
        self.refine_lower_to(Bound::new(number, is_inclusive, &Number::NEGATIVE_INFINITY))
    }

    /// The number is within this bound, which may be infinite: peers send such bounds and expect
    /// them back.
    pub(crate) fn refine_lower_to(&self, bound: Option<Bound>) -> Result<Value, Error> {
        self.refine(|refinement, ty| {
            require(*ty == Type::Number, "a bound", ty)?;
            let Some(bound) = bound.filter(Bound::is_short) else {
                return Ok(());
            };
            let is_tighter = refinement.lower.as_ref().is_none_or(|known| {
                let order = bound.number.compare(&known.number);
                order.is_gt() || (order.is_eq() && !bound.is_inclusive)
            });
            if is_tighter {
                refinement.lower = Some(bound);
            }
            refinement.check_bounds()
        })
    }

    /// The number is at most this, or less than this if the bound is not inclusive.
    ///
    /// # Errors
    /// The value is not a number, or is greater.
    pub fn refine_upper(&self, number: Number, is_inclusive: bool) -> Result<Value, Error> {
        self.refine_upper_to(Bound::new(number, is_inclusive, &Number::INFINITY))
    }

    /// The number is within this bound, which may be infinite: peers send such bounds and expect
    /// them back.
    pub(crate) fn refine_upper_to(&self, bound: Option<Bound>) -> Result<Value, Error> {
        self.refine(|refinement, ty| {
            require(*ty == Type::Number, "a bound", ty)?;
            let Some(bound) = bound.filter(Bound::is_short) else {
                return Ok(());
            };
            let is_tighter = refinement.upper.as_ref().is_none_or(|known| {
                let order = bound.number.compare(&known.number);
                order.is_lt() || (order.is_eq() && !bound.is_inclusive)
            });
            if is_tighter {
                refinement.upper = Some(bound);
            }
            refinement.check_bounds()
        })
    }

    /// The collection has at least this many elements.
    ///
    /// # Errors
    /// The value is not a list, set or map, or is shorter.
    pub fn refine_shortest(&self, length: u64) -> Result<Value, Error> {
        self.refine(|refinement, ty| {
            require(ty.is_collection(), "a length", ty)?;
            if length > LONGEST {
                return Err(Problem::Contradiction("its length is out of range"));
            }
            refinement.shortest = refinement.shortest.max(length);
            refinement.check_lengths()
        })
    }

    /// The collection has at most this many elements.
    ///
    /// # Errors
    /// The value is not a list, set or map, or is longer.
    pub fn refine_longest(&self, length: u64) -> Result<Value, Error> {
        self.refine(|refinement, ty| {
            require(ty.is_collection(), "a length", ty)?;
            if length >= LONGEST {
                return Ok(());
            }
            refinement.longest = Some(refinement.longest.map_or(length, |known| known.min(length)));
            refinement.check_lengths()
        })
    }

    /// What is known of the value: all that can be said of a known one, what was promised of an
    /// unknown one. Nothing is known of null, but that is what it is.
    pub fn range(&self) -> Refinement {
        let (value, _) = self.unmark();
        if let Some(refinement) = value.refinement() {
            return refinement.clone();
        }
        let mut known = Refinement {
            is_not_null: !value.is_null(),
            ..Refinement::default()
        };
        if let Some(number) = value.as_number() {
            let bound = Bound {
                number: number.clone(),
                is_inclusive: true,
            };
            known.lower = Some(bound.clone());
            known.upper = Some(bound);
        } else if let Some(text) = value.as_text() {
            known.prefix = Some(text.clone());
        } else if value.ty_ref().is_collection() {
            let (shortest, longest) = value.length_range();
            known.shortest = shortest;
            known.longest = longest;
        }
        known
    }

    fn refine(
        &self,
        say: impl FnOnce(&mut Refinement, &Type) -> Result<(), Problem>,
    ) -> Result<Value, Error> {
        let (value, marks) = self.unmark();
        let ty = value.ty();
        if ty == Type::Dynamic && !value.is_known() {
            return Ok(self.clone());
        }
        let before = value.range();
        let mut refinement = before.clone();
        say(&mut refinement, &ty)?;
        if value.is_null() {
            return match refinement.is_not_null {
                true => Err(Problem::Contradiction("it is both null and not null").into()),
                false => Ok(self.clone()),
            };
        }
        if value.is_known() {
            // A check: whatever was said must have been known already.
            return match refinement == before || ty.is_collection() {
                true => Ok(self.clone()),
                false => Err(Problem::Contradiction("the value is known, and different").into()),
            };
        }
        Ok(refinement.into_value(ty).with_marks(&marks))
    }
}

fn require(is_possible: bool, refinement: &'static str, ty: &Type) -> Result<(), Problem> {
    match is_possible {
        true => Ok(()),
        false => Err(Problem::Refinement {
            refinement,
            ty: ty.clone(),
        }),
    }
}
