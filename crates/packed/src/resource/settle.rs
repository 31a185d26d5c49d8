//! Keeping the types of values whose schema leaves them open.

use tenon_schema::{AttributeType, Body};
use tenon_values::convert::convert;
use tenon_values::{Type, Value};

use crate::tree::rebuild;

/// What a plugin returned, with the types of before for attributes of the type `any`: a plugin that
/// sends plain lists and maps cannot tell a list from a tuple, and Terraform would take the difference
/// for a change.
pub(crate) fn settle(body: &Body, returned: &Value, expected: &Value) -> Value {
    rebuild(
        body,
        returned,
        [Some(expected)],
        &mut |_, attribute, returned, [expected]| {
            let AttributeType::Plain(ty) = &attribute.ty else {
                return None;
            };
            let expected = expected.filter(|_| ty.has_dynamic())?;
            if returned.ty() == expected.ty() || !is_alike(&returned.ty(), &expected.ty()) {
                return None;
            }
            convert(returned, &expected.ty()).ok()
        },
    )
}

/// Whether values of the two types look the same as plain lists and maps.
fn is_alike(one: &Type, other: &Type) -> bool {
    let elements = |ty: &Type| match ty {
        Type::List(element) | Type::Set(element) => Some(Elements::All((**element).clone())),
        Type::Tuple(tuple) => Some(Elements::Each(tuple.elements().to_vec())),
        _ => None,
    };
    match (one, other) {
        (Type::Dynamic, _) | (_, Type::Dynamic) => true,
        (Type::Object(one), Type::Object(other)) => {
            let (one, other) = (one.attributes(), other.attributes());
            let mut pairs = one.iter().zip(other);
            one.len() == other.len()
                && pairs.all(|(a, b)| a.name == b.name && is_alike(&a.ty, &b.ty))
        }
        (Type::Object(object), Type::Map(element)) | (Type::Map(element), Type::Object(object)) => {
            let mut attributes = object.attributes().iter();
            attributes.all(|attribute| is_alike(&attribute.ty, element))
        }
        (Type::Map(one), Type::Map(other)) => is_alike(one, other),
        _ => match (elements(one), elements(other)) {
            (Some(one), Some(other)) => one.are_alike(&other),
            _ => one == other,
        },
    }
}

/// The types of the elements of a list, set or tuple.
enum Elements {
    All(Type),
    Each(Vec<Type>),
}

impl Elements {
    fn are_alike(&self, other: &Elements) -> bool {
        match (self, other) {
            (Elements::All(one), Elements::All(other)) => is_alike(one, other),
            (Elements::All(one), Elements::Each(each))
            | (Elements::Each(each), Elements::All(one)) => {
                each.iter().all(|other| is_alike(one, other))
            }
            (Elements::Each(one), Elements::Each(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_alike(a, b))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tenon_schema::Attribute;

    use super::*;

    #[test]
    fn lists_stay_lists_and_changes_stay_changes() {
        let body = Body::new([Attribute::new("a", Type::Dynamic)]);
        let object = |value: Value| Value::object([("a", value)]);
        let list = Value::list(Type::String, vec!["x".into()]).unwrap();
        let settled = settle(
            &body,
            &object(Value::tuple(vec!["x".into()])),
            &object(list.clone()),
        );
        assert_eq!(settled, object(list.clone()));
        let longer = Value::tuple(vec!["x".into(), "y".into()]);
        let settled = settle(&body, &object(longer), &object(list.clone()));
        assert_eq!(settled.attribute("a").unwrap().ty(), list.ty());
        // A number in the place of a text is a change.
        let number = object(Value::tuple(vec![1.into()]));
        assert_eq!(settle(&body, &number, &object(list)), number);
    }
}
