//! Why there is no conversion between two types.

use crate::convert::{Safety, is_available};
use crate::error::{Error, Problem};
use crate::path::Step;
use crate::text::Text;
use crate::types::Type;

/// The innermost reason that there is no conversion from one type to the other, with its path.
pub(super) fn explain(from: &Type, to: &Type) -> Error {
    let inner = |from: &Type, to: &Type, step: Step| {
        let is_missing = !is_available(from, to, Safety::Unsafe);
        is_missing.then(|| explain(from, to).below(step))
    };
    let found = match (from, to) {
        (Type::Object(given), Type::Object(wanted)) => {
            wanted
                .attributes()
                .iter()
                .find_map(|wanted| match given.attribute(&wanted.name) {
                    Some(given) => {
                        inner(&given.ty, &wanted.ty, Step::Attribute(wanted.name.clone()))
                    }
                    None if wanted.is_optional => None,
                    None => Some(Problem::MissingAttribute(wanted.name.clone()).into()),
                })
        }
        (Type::Tuple(given), Type::Tuple(wanted)) => {
            let (given, wanted) = (given.elements(), wanted.elements());
            if given.len() != wanted.len() {
                let problem = Problem::TupleLength {
                    wanted: wanted.len(),
                    given: given.len(),
                };
                return problem.into();
            }
            let pairs = given.iter().zip(wanted).enumerate();
            { pairs }.find_map(|(index, (given, wanted))| inner(given, wanted, Step::Index(index)))
        }
        (Type::Tuple(_) | Type::Object(_), to) if to.element() == Some(&Type::Dynamic) => {
            (to.is_collection() && is_same_kind(from, to)).then(|| Problem::NotUnifiable.into())
        }
        (Type::Tuple(given), Type::List(wanted) | Type::Set(wanted)) => {
            let elements = given.elements().iter().enumerate();
            { elements }.find_map(|(index, given)| inner(given, wanted, Step::Index(index)))
        }
        (Type::Object(given), Type::Map(wanted)) => given
            .attributes()
            .iter()
            .find_map(|given| inner(&given.ty, wanted, Step::Key(Text::new(&given.name)))),
        (Type::Map(given), Type::Object(wanted)) => {
            wanted
                .attributes()
                .iter()
                .find_map(|wanted| match wanted.is_optional {
                    true => None,
                    false => inner(given, &wanted.ty, Step::Key(Text::new(&wanted.name))),
                })
        }
        _ => None,
    };
    found.unwrap_or_else(|| {
        Problem::WrongType {
            wanted: to.clone(),
            given: from.clone(),
        }
        .into()
    })
}

/// A tuple could be a list or set, an object a map, if the elements allowed it.
fn is_same_kind(from: &Type, to: &Type) -> bool {
    matches!(from, Type::Tuple(_)) != matches!(to, Type::Map(_))
}
