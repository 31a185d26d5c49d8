//! Outputs that a provider returns and its schema does not declare.

use std::collections::BTreeSet;

use tenon_values::{Kind, Type, Value};

/// How many are named; a provider that returns more has the wrong schema altogether.
const SHOWN: usize = 10;

/// The attributes of a value that its type does not have, which a conversion to the type drops:
/// `name`, `rows[*].id`.
pub(crate) fn undeclared(value: &Value, ty: &Type) -> Vec<String> {
    let mut found = BTreeSet::new();
    look(value, ty, "", &mut found);
    found.into_iter().collect()
}

fn look(value: &Value, ty: &Type, path: &str, found: &mut BTreeSet<String>) {
    if found.len() == SHOWN {
        return;
    }
    match (value.kind(), ty) {
        (Kind::Object(attributes), Type::Object(object)) => {
            for (name, value) in attributes.iter() {
                let path = match path.is_empty() {
                    true => name.to_owned(),
                    false => format!("{path}.{name}"),
                };
                let declared = object.attributes().iter();
                match declared.clone().find(|one| one.name.as_str() == name) {
                    Some(attribute) => look(value, &attribute.ty, &path, found),
                    None if found.len() < SHOWN => {
                        found.insert(path);
                    }
                    None => {}
                }
            }
        }
        (Kind::Object(attributes), Type::Map(element)) => {
            let path = format!("{path}[*]");
            for (_, value) in attributes.iter() {
                look(value, element, &path, found);
            }
        }
        (Kind::Tuple(values), Type::List(element) | Type::Set(element)) => {
            let path = format!("{path}[*]");
            values
                .iter()
                .for_each(|value| look(value, element, &path, found));
        }
        (Kind::Tuple(values), Type::Tuple(tuple)) => {
            for (index, (value, ty)) in values.iter().zip(tuple.elements()).enumerate() {
                look(value, ty, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_values::json;

    #[test]
    fn names_what_is_dropped_at_any_depth() {
        let ty: Type =
            "object({ a = string, rows = list(object({ id = number })), more = map(any), \
                        pair = tuple([object({}), any]) })"
                .parse()
                .expect("a type");
        let text = r#"{"a":"x","b":1,"rows":[{"id":1},{"id":2,"c":3}],"more":{"k":{"d":1}},
                      "pair":[{"e":1},{"f":1}]}"#;
        let value = json::implied(text.as_bytes()).expect("JSON");
        assert_eq!(undeclared(&value, &ty), ["b", "pair[0].e", "rows[*].c"]);
    }
}
