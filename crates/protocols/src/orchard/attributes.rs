//! What is given, against what a schema asks for.

use std::collections::BTreeMap;

use tenon_values::{Error, Problem, Step, Value, convert};

use super::AttrSchema;

/// The object that an action or a configuration gets: every attribute that the schema knows, each
/// of its type, with defaults for what is null or not given, and null for the rest. Sensitive
/// attributes are marked so. Values that are not known yet stay so.
///
/// # Errors
/// Everything that is wrong: attributes that are required and not there, that the schema does not
/// know, or whose values do not fit their type or may not be null.
pub fn complete(schema: &BTreeMap<String, AttrSchema>, given: &Value) -> Result<Value, Vec<Error>> {
    let Some(attributes) = given.attributes() else {
        let names = schema
            .iter()
            .map(|(name, attribute)| (name, attribute.ty.clone()));
        let problem = Problem::WrongType {
            wanted: tenon_values::Type::object(names),
            given: given.ty(),
        };
        return Err(vec![problem.into()]);
    };
    let unsupported = |(name, _): (&str, &Value)| {
        let is_known = schema.contains_key(name);
        (!is_known).then(|| Error::from(Problem::UnsupportedAttribute(name.into())))
    };
    let mut errors: Vec<Error> = attributes.iter().filter_map(unsupported).collect();
    let mut completed = Vec::with_capacity(schema.len());
    for (name, attribute) in schema {
        match complete_one(name, attribute, attributes.get(name)) {
            Ok(value) => completed.push((name, value)),
            Err(error) => errors.push(error),
        }
    }
    match errors.is_empty() {
        true => Ok(Value::object(completed)),
        false => Err(errors),
    }
}

fn complete_one(name: &str, schema: &AttrSchema, given: Option<&Value>) -> Result<Value, Error> {
    let below = |error: Error| error.below(Step::Attribute(name.into()));
    let value = match given.filter(|value| !value.is_null()) {
        // Marked first, so that no error about it quotes it.
        Some(value) if schema.sensitive => convert::convert(&value.sensitive(), &schema.ty),
        Some(value) => convert::convert(value, &schema.ty),
        None if schema.required => return Err(Problem::MissingAttribute(name.into()).into()),
        None => match schema.default_value().map_err(below)? {
            Some(default) => Ok(default),
            None => Ok(Value::null(schema.ty.clone())),
        },
    };
    let value = value.map_err(below)?;
    Ok(match schema.sensitive {
        true => value.sensitive(),
        false => value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_values::{Type, json};

    fn schema() -> BTreeMap<String, AttrSchema> {
        serde_json::from_str(
            r#"{"name":{"type":"string","required":true},
                "count_of":{"type":"number","default":3},
                "key":{"type":"number","sensitive":true},
                "tags":{"type":"list(string)"}}"#,
        )
        .unwrap()
    }

    #[test]
    fn fills_in_and_converts() {
        let given = json::implied(br#"{"name":5,"tags":["a",1],"count_of":null}"#).unwrap();
        let completed = complete(&schema(), &given).unwrap();
        assert_eq!(
            completed.unmark_deep().0.to_string(),
            r#"{ count_of = 3, key = null, name = "5", tags = ["a", "1"] }"#
        );
    }

    #[test]
    fn says_everything_that_is_wrong_but_no_secret() {
        let given = json::implied(br#"{"nmae":"x","tags":true,"key":"hunter2"}"#).unwrap();
        let errors = complete(&schema(), &given).unwrap_err();
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors[0], "the attribute \"nmae\" is not supported");
        assert!(
            errors[1].starts_with("at .key: a number is required"),
            "{errors:?}"
        );
        assert_eq!(errors[2], "the attribute \"name\" is required");
        assert_eq!(
            errors[3],
            "at .tags: a list of string is required, but this is a bool"
        );
        assert!(!errors.concat().contains("hunter2"));
        assert!(complete(&schema(), &Value::from(1)).is_err());
    }

    #[test]
    fn what_is_not_known_yet_stays_so() {
        let given = Value::object([("name", Value::unknown(Type::Dynamic))]);
        let completed = complete(&schema(), &given).unwrap();
        assert!(!completed.attribute("name").unwrap().is_known());
        assert!(completed.attribute("key").unwrap().is_sensitive());
    }
}
