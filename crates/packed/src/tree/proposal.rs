//! What a resource will be, as far as it follows from its configuration and from what it was.

use tenon_schema::{Attribute, AttributeType, Block, Body, Nesting};
use tenon_values::{Path, Value};

use super::{default_of, entries_of, entry, nested, sequence, with_defaults};

/// What Terraform proposes, with defaults.
///
/// Sets are assembled anew, out of the configured elements: Terraform does not know of defaults, so it takes any
/// element from before for one whose attribute with a default is not configured, and two elements may become one.
pub(crate) fn proposal(body: &Body, prior: &Value, config: &Value, proposed: &Value) -> Value {
    let Body {
        attributes, blocks, ..
    } = body;
    let proposed = object(attributes, blocks, proposed, [Some(config), Some(prior)]);
    with_defaults(body, &proposed, config)
}

/// The configuration and what was before, of the same place.
type Beside<'a> = [Option<&'a Value>; 2];

fn object(
    attributes: &[Attribute],
    blocks: &[Block],
    proposed: &Value,
    beside: Beside<'_>,
) -> Value {
    let Some(parts) = proposed.attributes() else {
        return proposed.clone();
    };
    let assembled = parts.iter().map(|(name, part)| {
        let beside = beside.map(|one| one?.attributes()?.get(name).cloned());
        let beside = beside.each_ref().map(Option::as_ref);
        let attribute = attributes.iter().find(|one| one.name == name);
        let block = blocks.iter().find(|one| one.name == name);
        let part = match (attribute.map(|one| &one.ty), block) {
            (Some(AttributeType::Nested(nesting, inner)), _) => {
                assembled(*nesting, inner, &[], part, beside)
            }
            (_, Some(block)) => {
                let body = &block.body;
                assembled(block.nesting, &body.attributes, &body.blocks, part, beside)
            }
            _ => part.clone(),
        };
        (name, part)
    });
    Value::object(assembled.collect::<Vec<_>>())
}

fn assembled(
    nesting: Nesting,
    attributes: &[Attribute],
    blocks: &[Block],
    proposed: &Value,
    beside: Beside<'_>,
) -> Value {
    let [config, prior] = beside;
    match nesting {
        Nesting::Single | Nesting::Group => object(attributes, blocks, proposed, beside),
        Nesting::List => {
            let Some(elements) = proposed.elements() else {
                return proposed.clone();
            };
            let elements = elements.iter().enumerate().map(|(index, one)| {
                let beside = beside.map(|one| one?.elements()?.get(index));
                object(attributes, blocks, one, beside)
            });
            sequence(nesting, elements.collect(), proposed)
        }
        Nesting::Map => entries_of(proposed, |key, one| {
            let beside = beside.map(|one| entry(one?, key));
            object(
                attributes,
                blocks,
                one,
                beside.each_ref().map(Option::as_ref),
            )
        }),
        // Only a set that the user has written.
        Nesting::Set => {
            match config.filter(|config| config.elements().is_some() && proposed.is_known()) {
                Some(config) => set(attributes, blocks, config, prior),
                None => proposed.clone(),
            }
        }
    }
}

/// The configured elements, with defaults, and with what was computed for them before.
fn set(attributes: &[Attribute], blocks: &[Block], config: &Value, prior: Option<&Value>) -> Value {
    let root = Path::root();
    let parts = (attributes, blocks);
    let change = &mut |_: &Path, one: &Attribute, config: &Value, _: [Option<&Value>; 0]| {
        default_of(one, Some(config))
    };
    let filled = nested(Nesting::Set, parts, &root, config, [], change);
    let change = &mut |_: &Path, one: &Attribute, value: &Value, [prior]: [Option<&Value>; 1]| {
        let is_left = one.presence.is_computed() && value.is_null();
        prior.filter(|_| is_left).cloned()
    };
    nested(Nesting::Set, parts, &root, &filled, [prior], change)
}

#[cfg(test)]
mod tests {
    use tenon_values::Type;

    use super::*;

    fn body() -> Body {
        let inner = Body::new([
            Attribute::new("a", Type::String),
            Attribute::new("d", Type::Number).with_default(7.into()),
            Attribute::new("c", Type::String).computed(),
        ]);
        Body::new([]).with_block(Block::new("set", Nesting::Set, inner))
    }

    fn of(elements: &[(Option<i64>, Option<&str>)]) -> Value {
        let element = |d: Option<i64>, c: Option<&str>| {
            Value::object([
                ("a", Value::from("x")),
                ("d", d.map_or(Value::null(Type::Number), Value::from)),
                ("c", c.map_or(Value::null(Type::String), Value::from)),
            ])
        };
        let all = elements.iter().map(|(d, c)| element(*d, *c)).collect();
        let set = Value::set(element(None, None).ty(), all).unwrap();
        Value::object([("set", set)])
    }

    #[test]
    fn elements_that_differ_in_a_default_stay_apart() {
        for other in [8, 3] {
            let config = of(&[(None, None), (Some(other), None)]);
            let null = Value::null(body().implied_type());
            let made = proposal(&body(), &null, &config, &config);
            assert_eq!(made, of(&[(Some(7), None), (Some(other), None)]));
            // What Terraform makes of it: both from the same element of before.
            let prior = of(&[(Some(7), Some("seven")), (Some(other), Some("other"))]);
            for proposed in [
                of(&[(Some(other), Some("other"))]),
                of(&[(Some(other), Some("other")), (Some(other), None)]),
                of(&[(Some(7), Some("seven")), (Some(other), None)]),
            ] {
                let again = proposal(&body(), &prior, &config, &proposed);
                assert_eq!(again, prior, "{proposed}");
            }
        }
    }
}
