//! When values are the same, and when they are equal.

use std::collections::HashMap;

use crate::error::Error;
use crate::marks::Marks;
use crate::refinement::Refinement;
use crate::types::Type;
use crate::value::{Content, Kind, Value};

/// The same in everything: type, marks, what is known. Unknown values are the same when the same
/// is known of them. Numbers are compared as cty does, whatever their precision.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        are_same(self, other, false)
    }
}

/// Whether two values are the same. Types are compared once, at the top: those of what is inside
/// follow from them, and to compare them at every level would take as long again for each.
fn are_same(this: &Value, that: &Value, have_one_type: bool) -> bool {
    let have_one_type = |a: &Type, b: &Type| have_one_type || a == b;
    match (&this.0, &that.0) {
        (Content::Bool(this), Content::Bool(that)) => this == that,
        (Content::Number(this), Content::Number(that)) => this == that,
        (Content::String(this), Content::String(that)) => this == that,
        (Content::Sequence(this), Content::Sequence(that)) => {
            this.is_same(that)
                || this.items().len() == that.items().len()
                    && have_one_type(this.ty(), that.ty())
                    && match this.ty() {
                        Type::Set(_) => have_same_elements(this.items(), that.items()),
                        _ => are_all_same(this.items(), that.items()),
                    }
        }
        (Content::Map(this), Content::Map(that)) => {
            this.is_same(that)
                || this.items().len() == that.items().len()
                    && have_one_type(this.ty(), that.ty())
                    && { this.items().iter().zip(that.items()) }
                        .all(|(this, that)| this.0 == that.0 && are_same(&this.1, &that.1, true))
        }
        (Content::Null(this), Content::Null(that)) => have_one_type(this, that),
        (Content::Unknown(this), Content::Unknown(that)) => {
            this.refinement == that.refinement && have_one_type(&this.ty, &that.ty)
        }
        (Content::Marked(this_marked), Content::Marked(that_marked)) => {
            this_marked.marks == that_marked.marks
                && have_one_type(this.ty_ref(), that.ty_ref())
                && are_same(&this_marked.value, &that_marked.value, true)
        }
        _ => false,
    }
}

/// Whether the values of two sequences of one type and length are the same, each with its other.
fn are_all_same(these: &[Value], those: &[Value]) -> bool {
    let mut pairs = these.iter().zip(those);
    pairs.all(|(this, that)| are_same(this, that, true))
}

impl Eq for Value {}

impl Value {
    /// Whether the two are equal: a bool, unknown where that depends on something unknown, with
    /// the marks of both.
    ///
    /// Two nulls are equal, whatever their types. Apart from null, values of different types are
    /// not.
    pub fn equals(&self, other: &Value) -> Value {
        if !self.contains_marked() && !other.contains_marked() {
            return answer(are_equal(self, other));
        }
        let mut marks = Marks::none();
        let this = self.clone().unmark_deep_into(&mut marks);
        let that = other.clone().unmark_deep_into(&mut marks);
        answer(are_equal(&this, &that)).with_marks(&marks)
    }

    /// The opposite of [`Value::equals`].
    pub fn not_equals(&self, other: &Value) -> Value {
        let equal = self.equals(other);
        let (value, marks) = equal.unmark();
        answer(value.as_bool().map(|is_equal| !is_equal)).with_marks(&marks)
    }
}

/// A bool that is perhaps not known.
pub(crate) fn answer(known: Option<bool>) -> Value {
    match known {
        Some(value) => Value::from(value),
        None => {
            let refinement = Refinement {
                is_not_null: true,
                ..Refinement::default()
            };
            Value::unknown_with(Type::Bool, refinement)
        }
    }
}

/// Whether two unmarked values are equal, if that is known.
fn are_equal(this: &Value, that: &Value) -> Option<bool> {
    if let Some(decided) = without_content(this, that) {
        return decided;
    }
    let (this_type, that_type) = (this.ty_ref(), that.ty_ref());
    if this.has_open_type() || that.has_open_type() {
        // Something inside has no type yet. The values still differ where the types never can
        // become the same.
        let may_match = this_type.conforms_to(that_type) || that_type.conforms_to(this_type);
        return if may_match { None } else { Some(false) };
    }
    match this_type == that_type {
        true => are_equal_inside(this, that),
        false => Some(false),
    }
}

/// What can be said of two values of which one is unknown or null.
fn without_content(this: &Value, that: &Value) -> Option<Option<bool>> {
    match (this.refinement(), that.refinement()) {
        (None, None) if this.is_null() || that.is_null() => {
            Some(Some(this.is_null() && that.is_null()))
        }
        (None, None) => None,
        (Some(_), Some(_)) => Some(
            match (this.is_surely_null_or_not(), that.is_surely_null_or_not()) {
                (Some(this), Some(that)) if this != that => Some(false),
                _ => None,
            },
        ),
        (Some(_), None) => Some(may_become(this, that)),
        (None, Some(_)) => Some(may_become(that, this)),
    }
}

/// The same of two values of one type, which is known all through: the types of what is inside
/// them need not be compared again.
fn are_equal_inside(this: &Value, that: &Value) -> Option<bool> {
    if let Some(decided) = without_content(this, that) {
        return decided;
    }
    match (this.kind(), that.kind()) {
        (Kind::Set(this), Kind::Set(that)) => sets_are_equal(this, that),
        (Kind::Map(this), Kind::Map(that)) => {
            if this.len() != that.len()
                || this.iter().zip(that).any(|(this, that)| this.0 != that.0)
            {
                return Some(false);
            }
            all_equal(
                this.iter().map(|(_, value)| value),
                that.iter().map(|(_, value)| value),
            )
        }
        (Kind::List(this), Kind::List(that)) if this.len() != that.len() => Some(false),
        (Kind::List(this), Kind::List(that)) | (Kind::Tuple(this), Kind::Tuple(that)) => {
            all_equal(this.iter(), that.iter())
        }
        (Kind::Object(this), Kind::Object(that)) => all_equal(
            this.iter().map(|(_, value)| value),
            that.iter().map(|(_, value)| value),
        ),
        _ => Some(this == that),
    }
}

/// Whether all pairs are equal: no if one is not, unknown if one is not known.
fn all_equal<'a>(
    these: impl Iterator<Item = &'a Value>,
    those: impl Iterator<Item = &'a Value>,
) -> Option<bool> {
    let mut result = Some(true);
    for (this, that) in these.zip(those) {
        match are_equal_inside(this, that) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}

/// Sets with unknown elements may turn out to be equal whatever else is in them.
fn sets_are_equal(this: &[Value], that: &[Value]) -> Option<bool> {
    let is_known = |values: &[Value]| values.iter().all(Value::is_wholly_known);
    match is_known(this) && is_known(that) {
        true => Some(have_same_elements(this, that)),
        false => None,
    }
}

/// Whether sets have the same elements. Their order is the same, but for numbers that are equal in
/// two precisions.
fn have_same_elements(this: &[Value], that: &[Value]) -> bool {
    if this == that {
        return true;
    }
    // Unknown elements may be there more than once.
    let mut left: HashMap<&Value, usize> = HashMap::with_capacity(this.len());
    for value in this {
        *left.entry(value).or_default() += 1;
    }
    this.len() == that.len()
        && that.iter().all(|value| match left.get_mut(value) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        })
}

/// Whether an unknown value is equal to a known one: never where that one is out of its range.
fn may_become(unknown: &Value, known: &Value) -> Option<bool> {
    match unknown.could_be(known) {
        true => None,
        false => Some(false),
    }
}

impl Value {
    /// Something inside is unknown and has no known type.
    fn has_open_type(&self) -> bool {
        self.ty_ref().has_dynamic()
            && match self.kind() {
                Kind::Unknown(_) => true,
                Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => {
                    values.iter().any(Value::has_open_type)
                }
                Kind::Map(entries) => entries.iter().any(|(_, value)| value.has_open_type()),
                Kind::Object(attributes) => {
                    { attributes.iter() }.any(|(_, value)| value.has_open_type())
                }
                _ => false,
            }
    }

    fn is_surely_null_or_not(&self) -> Option<bool> {
        match self.refinement() {
            Some(refinement) if refinement.is_not_null => Some(false),
            Some(_) => None,
            None => Some(self.is_null()),
        }
    }

    /// False where a known value is certainly not the value that this unknown one will have.
    pub fn could_be(&self, known: &Value) -> bool {
        let (value, _) = self.unmark_deep();
        let (known, _) = known.unmark_deep();
        let Some(refinement) = value.refinement() else {
            return are_equal(&value, &known) != Some(false);
        };
        if known.is_null() {
            return !refinement.is_not_null;
        }
        if !known.ty_ref().conforms_to(value.ty_ref()) && !value.ty_ref().has_dynamic() {
            return false;
        }
        let merged = || -> Result<(), Error> {
            if let Some(prefix) = &refinement.prefix {
                known.refine_whole_prefix(prefix.clone())?;
            }
            if let Some(lower) = &refinement.lower {
                known.refine_lower(lower.number.clone(), lower.is_inclusive)?;
            }
            if let Some(upper) = &refinement.upper {
                known.refine_upper(upper.number.clone(), upper.is_inclusive)?;
            }
            if refinement.shortest > 0 {
                known.refine_shortest(refinement.shortest)?;
            }
            if let Some(longest) = refinement.longest {
                known.refine_longest(longest)?;
            }
            Ok(())
        };
        merged().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Number;

    fn unknown(ty: Type) -> Value {
        Value::unknown(ty)
    }

    #[test]
    fn unknown_values_may_still_differ_for_sure() {
        let prefixed = unknown(Type::String).refine_prefix("ami-").unwrap();
        assert_eq!(prefixed.equals(&Value::from("x")), Value::FALSE);
        assert!(!prefixed.equals(&Value::from("ami-1")).is_known());
        assert!(!prefixed.equals(&Value::NULL).is_known());
        assert_eq!(
            prefixed.refine_not_null().unwrap().equals(&Value::NULL),
            Value::FALSE
        );
        assert_eq!(
            unknown(Type::Number).equals(&Value::from("x")),
            Value::FALSE
        );
        assert!(!unknown(Type::Dynamic).equals(&Value::from("x")).is_known());
        let positive = unknown(Type::Number)
            .refine_lower(Number::from(0), false)
            .unwrap();
        assert_eq!(positive.equals(&Value::from(0)), Value::FALSE);
    }

    #[test]
    fn one_difference_decides_whatever_is_unknown() {
        let pair = |first: Value, second: Value| Value::tuple(vec![first, second]);
        let partly = pair(unknown(Type::Number), Value::from(1));
        assert_eq!(
            partly.equals(&pair(Value::from(1), Value::from(2))),
            Value::FALSE
        );
        assert!(
            !partly
                .equals(&pair(Value::from(1), Value::from(1)))
                .is_known()
        );
    }

    #[test]
    fn nulls_are_equal_and_marks_travel() {
        assert_eq!(
            Value::null(Type::String).equals(&Value::null(Type::Number)),
            Value::TRUE
        );
        let secret = Value::tuple(vec![Value::from("a").sensitive()]);
        let equal = secret.equals(&Value::tuple(vec![Value::from("a")]));
        assert_eq!(equal, Value::TRUE.sensitive());
    }
}
