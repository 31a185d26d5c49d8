//! Which element of a set is which in another set of the same schema.
//!
//! Elements of sets have no names. Two of them are the same thing if what only the user gives is equal in both. If
//! several are, what may also come from elsewhere decides: the values that are equal, and those that differ.

use std::cmp::Reverse;

use tenon_schema::{Attribute, AttributeType, Block, Nesting};
use tenon_values::Value;

/// How well two elements fit, best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Values that are there in both and differ.
    conflicts: usize,
    /// Values that are equal.
    equal: Reverse<usize>,
    /// Values that are null in both.
    absent: Reverse<usize>,
}

impl Fit {
    fn add(&mut self, other: Fit) {
        self.conflicts += other.conflicts;
        self.equal.0 += other.equal.0;
        self.absent.0 += other.absent.0;
    }

    /// What two values of an attribute add, wherever they come from.
    fn of_values(one: &Value, other: &Value) -> Fit {
        let mut fit = Fit::default();
        if one == other {
            match one.is_null() {
                true => fit.absent.0 = 1,
                false => fit.equal.0 = 1,
            }
        } else if ![one, other]
            .iter()
            .any(|one| one.is_null() || !one.is_known())
        {
            fit.conflicts = 1;
        }
        fit
    }
}

/// For each element, the index of the other one that it is paired with. The best pairs are made first, so an element
/// with more configured values is not left without the one that has exactly those.
pub(super) fn pairs(
    attributes: &[Attribute],
    blocks: &[Block],
    elements: &[Value],
    others: &[Value],
) -> Vec<Option<usize>> {
    let mut fits = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        for (place, other) in others.iter().enumerate() {
            let fit = fit_of_objects(attributes, blocks, element, other);
            fits.extend(fit.map(|fit| (fit, index, place)));
        }
    }
    fits.sort_unstable();
    let mut found = vec![None; elements.len()];
    let mut is_used = vec![false; others.len()];
    for (_, index, place) in fits {
        if found[index].is_none() && !is_used[place] {
            found[index] = Some(place);
            is_used[place] = true;
        }
    }
    found
}

/// `None` if they are two different things.
fn fit_of_objects(
    attributes: &[Attribute],
    blocks: &[Block],
    one: &Value,
    other: &Value,
) -> Option<Fit> {
    let mut sum = Fit::default();
    let (Some(one), Some(other)) = (one.attributes(), other.attributes()) else {
        return (one == other).then_some(sum);
    };
    for attribute in attributes {
        let (Some(one), Some(other)) = (one.get(&attribute.name), other.get(&attribute.name))
        else {
            continue;
        };
        let inner = match &attribute.ty {
            AttributeType::Nested(nesting, inner) if !one.is_null() && !other.is_null() => {
                fit_of_nested(*nesting, inner, &[], one, other)
            }
            _ => (one == other).then(|| Fit::of_values(one, other)),
        };
        match inner {
            Some(fit) => sum.add(fit),
            None if is_filled_in(attribute) => sum.add(Fit::of_values(one, other)),
            None => return None,
        }
    }
    for block in blocks {
        let (Some(one), Some(other)) = (one.get(&block.name), other.get(&block.name)) else {
            continue;
        };
        let body = &block.body;
        match fit_of_nested(block.nesting, &body.attributes, &body.blocks, one, other) {
            Some(fit) => sum.add(fit),
            // A block that was added or changed does not make another thing of what has it.
            None => sum.conflicts += 1,
        }
    }
    Some(sum)
}

fn fit_of_nested(
    nesting: Nesting,
    attributes: &[Attribute],
    blocks: &[Block],
    one: &Value,
    other: &Value,
) -> Option<Fit> {
    let object = |one: &Value, other: &Value| fit_of_objects(attributes, blocks, one, other);
    let mut sum = Fit::default();
    if matches!(nesting, Nesting::Single | Nesting::Group) {
        return object(one, other);
    }
    if let (Some(one), Some(other)) = (one.elements(), other.elements()) {
        if one.len() != other.len() {
            return None;
        }
        let partners = match nesting {
            Nesting::Set => pairs(attributes, blocks, one, other),
            _ => (0..one.len()).map(Some).collect(),
        };
        for (one, partner) in one.iter().zip(partners) {
            sum.add(object(one, &other[partner?])?);
        }
        return Some(sum);
    }
    if let (Some(one), Some(other)) = (one.entries(), other.entries()) {
        if one.len() != other.len() {
            return None;
        }
        for ((key, one), (other_key, other)) in one.iter().zip(other) {
            sum.add((key == other_key).then(|| object(one, other))??);
        }
        return Some(sum);
    }
    (one == other).then_some(sum)
}

/// Whether someone other than the user may give it a value.
fn is_filled_in(attribute: &Attribute) -> bool {
    attribute.presence.is_computed() || attribute.default.is_some() || attribute.is_write_only
}

#[cfg(test)]
mod tests {
    use tenon_schema::Body;
    use tenon_values::Type;

    use super::*;

    fn body() -> Body {
        let inner = Body::new([
            Attribute::new("p", Type::Number),
            Attribute::new("q", Type::Number).computed(),
        ]);
        Body::new([
            Attribute::new("a", Type::String),
            Attribute::new("d", Type::Number).with_default(7.into()),
            Attribute::new("c", Type::String).computed_unless_given(),
        ])
        .with_block(Block::new("inner", Nesting::List, inner))
    }

    fn number(value: Option<i64>) -> Value {
        value.map_or(Value::null(Type::Number), Value::from)
    }

    fn element(a: &str, d: Option<i64>, inner: &[(i64, Option<i64>)]) -> Value {
        let object = |p: i64, q| Value::object([("p", Value::from(p)), ("q", number(q))]);
        let blocks = inner.iter().map(|(p, q)| object(*p, *q)).collect();
        let blocks = Value::list(object(0, None).ty(), blocks).unwrap();
        Value::object([
            ("a", a.into()),
            ("d", number(d)),
            ("c", Value::null(Type::String)),
            ("inner", blocks),
        ])
    }

    fn paired(elements: &[Value], others: &[Value]) -> Vec<Option<usize>> {
        pairs(&body().attributes, &body().blocks, elements, others)
    }

    #[test]
    fn what_is_configured_finds_its_own() {
        let plain = |d| element("x", d, &[]);
        let config = [plain(None), plain(Some(8)), plain(Some(3))];
        let prior = [plain(Some(3)), plain(Some(7)), plain(Some(8))];
        assert_eq!(paired(&prior, &config), [Some(2), Some(0), Some(1)]);
        assert_eq!(paired(&config, &prior), [Some(1), Some(2), Some(0)]);
        // One that was changed is still the same one.
        let changed = [plain(Some(7)), plain(Some(9)), plain(Some(3))];
        assert_eq!(paired(&changed, &prior), [Some(1), Some(2), Some(0)]);
        let other = [element("y", Some(8), &[])];
        assert_eq!(paired(&other, &prior), [None]);
    }

    #[test]
    fn inner_blocks_tell_elements_apart() {
        let config = [
            element("x", None, &[(1, None)]),
            element("x", None, &[(2, None)]),
        ];
        let prior = [
            element("x", Some(7), &[(2, Some(20))]),
            element("x", Some(7), &[(1, Some(10))]),
        ];
        assert_eq!(paired(&config, &prior), [Some(1), Some(0)]);
        // Another number of them is a change.
        let more = [element("x", None, &[(1, None), (3, None)])];
        assert_eq!(paired(&more, &prior[1..]), [Some(0)]);
    }
}
