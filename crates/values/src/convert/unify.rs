//! One type for several values.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::convert::{Safety, is_available};
use crate::types::{Attribute, ObjectType, Type};

/// The type that values of all these types can be converted to, if there is one.
///
/// It may be none of those that are given: a list of numbers and one of strings become a list of
/// strings, tuples of different lengths a list, objects with different attributes a map. The order
/// of the types makes no difference where one result is better than the others.
pub fn unify(types: &[Type], safety: Safety) -> Option<Type> {
    let types = distinct(types);
    match types.as_slice() {
        [] => return None,
        [only] => return Some(only.clone()),
        _ => {}
    }
    let count = |is_kind: fn(&Type) -> bool| types.iter().filter(|ty| is_kind(ty)).count();
    let dynamic = count(|ty| *ty == Type::Dynamic);
    let typed = types.len() - dynamic;
    let lists = count(|ty| matches!(ty, Type::List(_)));
    let sets = count(|ty| matches!(ty, Type::Set(_)));
    let maps = count(|ty| matches!(ty, Type::Map(_)));
    let tuples = count(|ty| matches!(ty, Type::Tuple(_)));
    let objects = count(|ty| matches!(ty, Type::Object(_)));

    let is_one_kind = typed > 0 && [lists, sets, maps, tuples, objects].contains(&typed);
    if is_one_kind && dynamic > 0 {
        // What becomes of them depends on types that are not known yet.
        return Some(Type::Dynamic);
    }
    if is_one_kind {
        return match &types[0] {
            Type::List(_) => unify_elements(&types, Type::list, safety),
            Type::Set(_) => unify_elements(&types, Type::set, safety),
            Type::Map(_) => unify_elements(&types, Type::map, safety),
            Type::Tuple(_) => unify_tuples(&types, safety),
            _ => unify_objects(&types, safety),
        };
    }
    if objects > 0 && tuples > 0 {
        return None;
    }
    // Objects are often maps in disguise, and tuples lists.
    let disguised = match () {
        () if maps > 0 && maps + objects == typed => as_collections(&types, Type::map, safety),
        () if lists > 0 && lists + tuples == typed => as_collections(&types, Type::list, safety),
        () => None,
    };
    disguised.or_else(|| preferred(&types, safety))
}

/// The types without repetition: thousands of elements mostly have a handful.
fn distinct(types: &[Type]) -> Vec<Type> {
    let mut seen = HashSet::new();
    types
        .iter()
        .filter(|ty| seen.insert(*ty))
        .cloned()
        .collect()
}

/// Whether values of all the types can be converted to this one.
fn suits(result: &Type, types: &[Type], safety: Safety) -> bool {
    types.iter().all(|ty| is_available(ty, result, safety))
}

fn unify_elements(types: &[Type], collection: fn(Type) -> Type, safety: Safety) -> Option<Type> {
    let elements: Vec<Type> = types.iter().filter_map(Type::element).cloned().collect();
    let result = collection(unify(&elements, safety)?);
    suits(&result, types, safety).then_some(result)
}

fn unify_tuples(types: &[Type], safety: Safety) -> Option<Type> {
    let tuples: Vec<&[Type]> = types.iter().filter_map(parts).collect();
    let length = tuples.first().map_or(0, |first| first.len());
    if tuples.iter().any(|tuple| tuple.len() != length) {
        return one_collection(types, Type::list, safety);
    }
    let across = |index: usize| {
        let column: Vec<Type> = tuples.iter().map(|tuple| tuple[index].clone()).collect();
        unify(&column, safety)
    };
    let result = Type::tuple((0..length).map(across).collect::<Option<Vec<_>>>()?);
    match suits(&result, types, safety) {
        true => Some(result),
        false => one_collection(types, Type::list, safety),
    }
}

fn parts(ty: &Type) -> Option<&[Type]> {
    match ty {
        Type::Tuple(tuple) => Some(tuple.elements()),
        _ => None,
    }
}

fn unify_objects(types: &[Type], safety: Safety) -> Option<Type> {
    let objects: Vec<&[Attribute]> = types.iter().filter_map(attributes).collect();
    let first = objects.first().copied().unwrap_or_default();
    let has_names_of_first = |object: &&[Attribute]| {
        let pairs = object.iter().zip(first);
        object.len() == first.len() && { pairs }.all(|(this, first)| this.name == first.name)
    };
    if !objects.iter().all(has_names_of_first) {
        return one_collection(types, Type::map, safety);
    }
    let across = |index: usize| {
        let column: Vec<Type> = objects
            .iter()
            .map(|object| object[index].ty.clone())
            .collect();
        let name = first[index].name.clone();
        Some(Attribute {
            name,
            ty: unify(&column, safety)?,
            is_optional: false,
        })
    };
    let unified = (0..first.len()).map(across).collect::<Option<Vec<_>>>()?;
    let result = Type::Object(ObjectType::sorted(unified));
    match suits(&result, types, safety) {
        true => Some(result),
        false => one_collection(types, Type::map, safety),
    }
}

fn attributes(ty: &Type) -> Option<&[Attribute]> {
    match ty {
        Type::Object(object) => Some(object.attributes()),
        _ => None,
    }
}

/// A list of everything in the tuples, or a map of everything in the objects.
fn one_collection(types: &[Type], collection: fn(Type) -> Type, safety: Safety) -> Option<Type> {
    let mut inside = Vec::new();
    for ty in types {
        match ty {
            Type::Tuple(tuple) => inside.extend(tuple.elements().iter().cloned()),
            Type::Object(object) => {
                inside.extend(
                    object
                        .attributes()
                        .iter()
                        .map(|attribute| attribute.ty.clone()),
                );
            }
            _ => {}
        }
    }
    let result = collection(unify(&inside, safety)?);
    suits(&result, types, safety).then_some(result)
}

/// The unification of lists and tuples as lists, or of maps and objects as maps.
fn as_collections(types: &[Type], collection: fn(Type) -> Type, safety: Safety) -> Option<Type> {
    let structural: Vec<Type> = types
        .iter()
        .filter(|ty| ty.is_structural())
        .cloned()
        .collect();
    let stand_in = one_collection(&structural, collection, safety)?;
    let replace = |ty: &Type| {
        if ty.is_structural() {
            stand_in.clone()
        } else {
            ty.clone()
        }
    };
    let replaced: Vec<Type> = types.iter().map(replace).collect();
    let result = unify(&replaced, safety).filter(Type::is_collection)?;
    suits(&result, types, safety).then_some(result)
}

/// The most general of the types that all the others can be converted to.
fn preferred(types: &[Type], safety: Safety) -> Option<Type> {
    by_preference(types)
        .into_iter()
        .map(|index| &types[index])
        .find(|ty| suits(ty, types, safety))
        .cloned()
}

/// The types' positions, more general ones before those that they are more general than, else in
/// the given order.
fn by_preference(types: &[Type]) -> Vec<usize> {
    let mut less_general: Vec<Vec<usize>> = vec![Vec::new(); types.len()];
    let mut more_general = vec![0usize; types.len()];
    for this in 0..types.len() {
        for that in this + 1..types.len() {
            match generality(&types[this], &types[that]) {
                Ordering::Less => {
                    less_general[this].push(that);
                    more_general[that] += 1;
                }
                Ordering::Greater => {
                    less_general[that].push(this);
                    more_general[this] += 1;
                }
                Ordering::Equal => {}
            }
        }
    }
    let mut order: Vec<usize> = (0..types.len())
        .filter(|index| more_general[*index] == 0)
        .collect();
    let mut next = 0;
    while let Some(index) = order.get(next).copied() {
        next += 1;
        for &below in &less_general[index] {
            more_general[below] -= 1;
            if more_general[below] == 0 {
                order.push(below);
            }
        }
    }
    order
}

/// Less is the type to be tried first. Whether there is a conversion is another question.
fn generality(this: &Type, that: &Type) -> Ordering {
    match (this, that) {
        (Type::Dynamic, Type::Dynamic) => Ordering::Equal,
        // Anything can become dynamic, which says nothing: it comes last.
        (Type::Dynamic, _) => Ordering::Greater,
        (_, Type::Dynamic) => Ordering::Less,
        (Type::String, Type::Number | Type::Bool) => Ordering::Less,
        (Type::Number | Type::Bool, Type::String) => Ordering::Greater,
        (Type::List(this), Type::List(that))
        | (Type::Set(this), Type::Set(that))
        | (Type::Map(this), Type::Map(that)) => generality(this, that),
        (Type::List(_) | Type::Tuple(_), Type::Set(_)) => set_order(this),
        (Type::Set(_), Type::List(_) | Type::Tuple(_)) => set_order(that).reverse(),
        (Type::List(_), Type::Tuple(_)) | (Type::Map(_), Type::Object(_)) => Ordering::Less,
        (Type::Tuple(_), Type::List(_)) | (Type::Object(_), Type::Map(_)) => Ordering::Greater,
        (Type::Tuple(this), Type::Tuple(that))
            if this.elements().len() == that.elements().len() =>
        {
            let pairs = this.elements().iter().zip(that.elements());
            one_way(pairs.map(|(this, that)| generality(this, that)))
        }
        (Type::Object(this), Type::Object(that)) => {
            let (this, that) = (this.attributes(), that.attributes());
            let pairs = this.iter().zip(that);
            if this.len() != that.len() || { pairs.clone() }
                .any(|(this, that)| this.name != that.name)
            {
                return Ordering::Equal;
            }
            one_way(pairs.map(|(this, that)| generality(&this.ty, &that.ty)))
        }
        _ => Ordering::Equal,
    }
}

/// A list is preferred to a set, and a set to a tuple.
fn set_order(other: &Type) -> Ordering {
    match other {
        Type::List(_) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// The order in which all parts agree.
fn one_way(parts: impl Iterator<Item = Ordering>) -> Ordering {
    let mut result = Ordering::Equal;
    for part in parts.filter(|part| part.is_ne()) {
        if result == part.reverse() {
            return Ordering::Equal;
        }
        result = part;
    }
    result
}
