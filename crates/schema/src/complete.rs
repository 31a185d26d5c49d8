//! What a user gives, completed by a schema.

use tenon_values::convert::convert;
use tenon_values::{Error, Problem, Step, Text, Type, Value};

use crate::{Attribute, AttributeType, Block, Body, Nesting, Presence};

impl Body {
    /// The object that the plugin gets for what the user gave: every attribute and block, each of
    /// its type, with defaults for what is null or absent, and null for the rest. Sensitive and
    /// write-only values are marked as sensitive. Unknown values stay unknown.
    ///
    /// ```
    /// use tenon_schema::{Attribute, Body};
    /// use tenon_values::{Type, Value};
    ///
    /// let body = Body::new([
    ///     Attribute::new("name", Type::String).required(),
    ///     Attribute::new("times", Type::Number).with_default(1.into()),
    /// ]);
    /// let given = Value::object([("name", Value::from("you"))]);
    /// let completed = body.complete(&given).unwrap();
    /// assert_eq!(completed.to_string(), r#"{ name = "you", times = 1 }"#);
    ///
    /// let given = Value::object([("nmae", Value::from("you"))]);
    /// let errors = body.complete(&given).unwrap_err();
    /// assert_eq!(
    ///     errors[0].to_string(),
    ///     r#"the attribute "nmae" is not supported; did you mean "name"?"#
    /// );
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong: unknown names first, then by attribute those that are required and
    /// absent, that only the plugin gives a value, or whose values do not fit their types. A
    /// required attribute whose name was misspelt is reported once.
    pub fn complete(&self, given: &Value) -> Result<Value, Vec<Error>> {
        object(&self.attributes, &self.blocks, given)
    }
}

/// Why an attribute cannot have the value that it is given.
#[derive(Clone, Debug)]
pub enum Unfit {
    /// It is required, and nothing or null is given.
    Missing,
    /// Only the plugin gives it a value.
    Computed,
    /// The value does not fit the type. There is at least one error.
    Value(Vec<Error>),
    /// The default that the schema has for it does not fit the type. There is at least one error.
    Default(Vec<Error>),
}

impl Attribute {
    /// The value of the attribute: what is given, as a value of its type, or else its default, if it
    /// has one. It is marked as sensitive if the attribute is sensitive or write-only.
    ///
    /// # Errors
    /// It is missing or does not fit. An error about a sensitive attribute quotes no part of it.
    pub fn complete(&self, given: Option<&Value>) -> Result<Option<Value>, Unfit> {
        let value = match (given.filter(|value| !is_null(value)), self.presence) {
            (Some(_), Presence::Computed) => return Err(Unfit::Computed),
            // Marked first, so that no error about it quotes it.
            (Some(value), _) => fit(&self.ty, &self.marked(value.clone())).map_err(Unfit::Value)?,
            (None, Presence::Required) => return Err(Unfit::Missing),
            (None, _) => match &self.default {
                Some(default) => fit(&self.ty, default).map_err(Unfit::Default)?,
                None => return Ok(None),
            },
        };
        Ok(Some(self.marked(value)))
    }

    fn marked(&self, value: Value) -> Value {
        match self.is_sensitive || self.is_write_only {
            true => value.sensitive(),
            false => value,
        }
    }
}

fn object(attributes: &[Attribute], blocks: &[Block], given: &Value) -> Result<Value, Vec<Error>> {
    let implied = || crate::body::implied_type_of(attributes, blocks);
    let (plain, marks) = given.unmark();
    if !plain.is_known() {
        return Ok(Value::unknown(implied()).with_marks(&marks));
    }
    let Some(present) = plain.attributes() else {
        return Err(vec![unfit(&plain, implied())]);
    };
    let names = || {
        let attributes = attributes
            .iter()
            .filter(|one| one.presence.is_configurable());
        { attributes.map(|one| one.name.as_str()) }.chain(blocks.iter().map(|one| &*one.name))
    };
    let mut errors = Vec::new();
    let mut meant = Vec::new();
    for (name, _) in present.iter() {
        let is_known = attributes.iter().any(|one| one.name == name)
            || blocks.iter().any(|one| one.name == name);
        if !is_known {
            let absent = names().filter(|candidate| present.get(candidate).is_none());
            let nearest = tenon_text::nearest(name, absent);
            meant.extend(nearest);
            errors.push(match nearest {
                None => Problem::UnsupportedAttribute(name.into()).into(),
                Some(meant) => Error::from(Problem::MisspeltAttribute {
                    name: name.into(),
                    meant: meant.into(),
                }),
            });
        }
    }
    let mut completed = Vec::with_capacity(attributes.len() + blocks.len());
    for one in attributes {
        match attribute(one, present.get(&one.name)) {
            Ok(value) => completed.push((one.name.as_str(), value)),
            // Its name was given, with a mistake in it, and that has been reported.
            Err(_) if meant.contains(&one.name.as_str()) => {}
            Err(found) => errors.extend(found),
        }
    }
    for one in blocks {
        match block(one, present.get(&one.name)) {
            Ok(value) => completed.push((one.name.as_str(), value)),
            Err(found) => errors.extend(found),
        }
    }
    match errors.is_empty() {
        true => Ok(Value::object(completed).with_marks(&marks)),
        false => Err(errors),
    }
}

fn attribute(attribute: &Attribute, given: Option<&Value>) -> Result<Value, Vec<Error>> {
    let name = || attribute.name.as_str().into();
    match attribute.complete(given) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Ok(attribute.marked(Value::null(attribute.implied_type()))),
        Err(Unfit::Missing) => Err(vec![Problem::MissingAttribute(name()).into()]),
        Err(Unfit::Computed) => Err(vec![Problem::ComputedAttribute(name()).into()]),
        Err(Unfit::Value(errors) | Unfit::Default(errors)) => {
            Err(below(errors, &Step::Attribute(name())))
        }
    }
}

fn block(block: &Block, given: Option<&Value>) -> Result<Value, Vec<Error>> {
    let completed = match given.filter(|value| !is_null(value)) {
        Some(value) => nested(
            block.nesting,
            &block.body.attributes,
            &block.body.blocks,
            value,
        ),
        // Its attributes may have defaults.
        None if block.nesting == Nesting::Group => block.body.complete(&Value::object::<&str>([])),
        None => return Ok(block.absent()),
    };
    completed.map_err(|errors| below(errors, &Step::Attribute(block.name.as_str().into())))
}

fn fit(ty: &AttributeType, value: &Value) -> Result<Value, Vec<Error>> {
    match ty {
        AttributeType::Plain(ty) => convert(value, ty).map_err(|error| vec![error]),
        AttributeType::Nested(nesting, attributes) => nested(*nesting, attributes, &[], value),
    }
}

/// Completes every object in what several make together.
fn nested(
    nesting: Nesting,
    attributes: &[Attribute],
    blocks: &[Block],
    given: &Value,
) -> Result<Value, Vec<Error>> {
    if matches!(nesting, Nesting::Single | Nesting::Group) {
        return object(attributes, blocks, given);
    }
    let implied = nesting.of(crate::body::implied_type_of(attributes, blocks));
    let (plain, marks) = given.unmark();
    if !plain.is_known() {
        return Ok(Value::unknown(implied).with_marks(&marks));
    }
    let mut errors = Vec::new();
    let mut complete = |step: Step, value: &Value| match object(attributes, blocks, value) {
        Ok(value) => Some(value),
        Err(found) => {
            errors.extend(below(found, &step));
            None
        }
    };
    let together = match nesting {
        Nesting::Map => entries(&plain).map(|entries| {
            let each = entries.into_iter().filter_map(|(key, value)| {
                let value = complete(Step::Key(key.clone()), value)?;
                Some((key.to_string_lossy().into_owned(), value))
            });
            Value::object(each.collect::<Vec<_>>())
        }),
        _ => plain.elements().map(|elements| {
            let each = elements.iter().enumerate();
            Value::tuple(
                each.filter_map(|(index, value)| complete(Step::Index(index), value))
                    .collect(),
            )
        }),
    };
    let Some(together) = together else {
        return Err(vec![unfit(&plain, implied)]);
    };
    if !errors.is_empty() {
        return Err(errors);
    }
    convert(&together, &implied)
        .map(|value| value.with_marks(&marks))
        .map_err(|error| vec![error])
}

/// The elements of a map, which may also have been written as an object.
fn entries(value: &Value) -> Option<Vec<(Text, &Value)>> {
    match (value.entries(), value.attributes()) {
        (Some(entries), _) => Some(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), value))
                .collect(),
        ),
        (_, Some(attributes)) => Some(
            attributes
                .iter()
                .map(|(name, value)| (name.into(), value))
                .collect(),
        ),
        _ => None,
    }
}

fn is_null(value: &Value) -> bool {
    value.unmark().0.is_null()
}

fn below(errors: Vec<Error>, step: &Step) -> Vec<Error> {
    let below = |error: Error| error.below(step.clone());
    errors.into_iter().map(below).collect()
}

fn unfit(value: &Value, wanted: Type) -> Error {
    let given = value.ty();
    Problem::WrongType { wanted, given }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_values::json;

    fn rule() -> Body {
        Body::new([
            Attribute::new("port", Type::Number).required(),
            Attribute::new("open", Type::Bool).with_default(true.into()),
        ])
    }

    fn body() -> Body {
        Body::new([
            Attribute::new("name", Type::String).required(),
            Attribute::new("count_of", Type::Number).with_default(3.into()),
            Attribute::new("key", Type::Number).sensitive(),
            Attribute::new("tags", Type::list(Type::String)),
            Attribute::new("address", Type::String).computed(),
        ])
    }

    fn complete(body: &Body, given: &str) -> Result<String, Vec<String>> {
        let given = json::implied(given.as_bytes()).unwrap();
        match body.complete(&given) {
            Ok(value) => Ok(value.unmark_deep().0.to_string()),
            Err(errors) => Err(errors.iter().map(ToString::to_string).collect()),
        }
    }

    #[test]
    fn fills_in_and_converts() {
        assert_eq!(
            complete(&body(), r#"{"name":5,"tags":["a",1],"count_of":null}"#).unwrap(),
            r#"{ address = null, count_of = 3, key = null, name = "5", tags = ["a", "1"] }"#
        );
    }

    #[test]
    fn says_everything_that_is_wrong_but_no_secret() {
        let given = r#"{"nmae":"x","colour":1,"tags":true,"key":"hunter2","address":"a"}"#;
        let errors = complete(&body(), given).unwrap_err();
        assert_eq!(errors[0], "the attribute \"colour\" is not supported");
        assert_eq!(
            errors[1],
            "the attribute \"nmae\" is not supported; did you mean \"name\"?"
        );
        assert!(
            errors[2].starts_with("at .key: a number is required"),
            "{errors:?}"
        );
        assert_eq!(
            errors[3],
            "at .tags: a list of string is required, but this is a bool"
        );
        assert_eq!(
            errors[4],
            "the attribute \"address\" is computed and cannot be given"
        );
        assert_eq!(errors.len(), 5, "{errors:?}");
        assert!(!errors.concat().contains("hunter2"));
        let errors = complete(&body(), "{}").unwrap_err();
        assert_eq!(errors, ["the attribute \"name\" is required"]);
        assert!(body().complete(&Value::from(1)).is_err());
    }

    #[test]
    fn what_is_not_known_yet_stays_so() {
        let given = Value::object([("name", Value::unknown(Type::Dynamic))]);
        let completed = body().complete(&given).unwrap();
        assert!(!completed.attribute("name").unwrap().is_known());
        assert!(completed.attribute("key").unwrap().is_sensitive());
        let outer = Body::default().with_block(Block::new("rule", Nesting::List, rule()));
        let given = Value::object([("rule", Value::unknown(Type::Dynamic))]);
        let completed = outer.complete(&given).unwrap();
        assert_eq!(completed.ty(), outer.implied_type());
    }

    #[test]
    fn nested_objects_are_completed_at_every_depth() {
        for (nesting, given, completed) in [
            (
                Nesting::Single,
                r#"{"port":"1"}"#,
                "{ open = true, port = 1 }",
            ),
            (Nesting::Group, r#"{"port":1}"#, "{ open = true, port = 1 }"),
            (
                Nesting::List,
                r#"[{"port":1}]"#,
                "[{ open = true, port = 1 }]",
            ),
            (
                Nesting::Set,
                r#"[{"port":1}]"#,
                "toset([{ open = true, port = 1 }])",
            ),
            (
                Nesting::Map,
                r#"{"a":{"port":1}}"#,
                "{ a = { open = true, port = 1 } }",
            ),
        ] {
            let block = Body::default().with_block(Block::new("b", nesting, rule()));
            let attribute = Body::new([Attribute::nested("b", nesting, rule().attributes)]);
            for body in [block, attribute] {
                let found = complete(&body, &format!(r#"{{"b":{given}}}"#)).unwrap();
                let found = found.replace("\"a\"", "a");
                assert_eq!(found, format!("{{ b = {completed} }}"), "{nesting:?}");
            }
        }
        let body = Body::default().with_block(Block::new("b", Nesting::List, rule()));
        assert_eq!(
            complete(&body, r#"{"b":[{"port":1},{"prot":1}]}"#).unwrap_err(),
            ["at .b[1]: the attribute \"prot\" is not supported; did you mean \"port\"?"]
        );
        assert_eq!(complete(&body, "{}").unwrap(), "{ b = [] }");
    }

    #[test]
    fn a_group_that_is_absent_has_defaults() {
        let inner = Body::new([Attribute::new("open", Type::Bool).with_default(true.into())]);
        let body = Body::default().with_block(Block::new("b", Nesting::Group, inner));
        assert_eq!(complete(&body, "{}").unwrap(), "{ b = { open = true } }");
    }
}
