//! Whether a type is what another asks for.

use super::Type;
use crate::error::{Error, Problem};
use crate::path::{Path, Step};

impl Type {
    /// Every way in which this type differs from what `wanted` asks for; none if it conforms.
    ///
    /// Where `wanted` is dynamic anything conforms. There is no conversion in this: a number does
    /// not conform to string.
    pub fn mismatches(&self, wanted: &Type) -> Vec<Error> {
        let mut found = Vec::new();
        compare(self, wanted, &mut Path::root(), &mut found);
        found
    }

    /// The type is what `wanted` asks for.
    pub fn conforms_to(&self, wanted: &Type) -> bool {
        self.mismatches(wanted).is_empty()
    }
}

fn compare(given: &Type, wanted: &Type, path: &mut Path, found: &mut Vec<Error>) {
    match (given, wanted) {
        (_, Type::Dynamic) => {}
        (Type::List(given), Type::List(wanted))
        | (Type::Set(given), Type::Set(wanted))
        | (Type::Map(given), Type::Map(wanted)) => compare(given, wanted, path, found),
        (Type::Tuple(given), Type::Tuple(wanted)) => {
            let (given, wanted) = (given.elements(), wanted.elements());
            if given.len() != wanted.len() {
                let problem = Problem::TupleLength {
                    wanted: wanted.len(),
                    given: given.len(),
                };
                found.push(Error::new(path.clone(), problem));
                return;
            }
            for (index, (given, wanted)) in given.iter().zip(wanted).enumerate() {
                path.push(Step::Index(index));
                compare(given, wanted, path, found);
                path.pop();
            }
        }
        (Type::Object(given), Type::Object(wanted)) if given.is_same(wanted) => {}
        (Type::Object(given), Type::Object(wanted)) => {
            for attribute in given.attributes() {
                match wanted.attribute(&attribute.name) {
                    None => {
                        let problem = Problem::UnsupportedAttribute(attribute.name.clone());
                        found.push(Error::new(path.clone(), problem));
                    }
                    Some(wanted) => {
                        path.push(Step::Attribute(attribute.name.clone()));
                        compare(&attribute.ty, &wanted.ty, path, found);
                        path.pop();
                    }
                }
            }
            for attribute in wanted.attributes() {
                if given.attribute(&attribute.name).is_none() {
                    let problem = Problem::MissingAttribute(attribute.name.clone());
                    found.push(Error::new(path.clone(), problem));
                }
            }
        }
        (given, wanted) if given == wanted => {}
        (given, wanted) => {
            let problem = Problem::WrongType {
                wanted: wanted.clone(),
                given: given.clone(),
            };
            found.push(Error::new(path.clone(), problem));
        }
    }
}
