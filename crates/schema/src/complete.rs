//! What a user gives, completed according to a schema.

mod nested;

use tenon_values::convert::convert;
use tenon_values::{Error, Problem, Step, Type, Value};

use crate::{Attribute, AttributeType, Block, Body, Presence};
use nested::{block, nested};

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
    ///     r#"the attribute "nmae" is not supported; did you mean `name`?"#
    /// );
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong: unknown names first; then attributes that are required and absent,
    /// that only the plugin gives a value, or whose values do not fit their types; then blocks that
    /// are there too few or too many times. A required attribute or block whose name was misspelt
    /// is reported once.
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
            Err(_) if meant.contains(&one.name.as_str()) => {}
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

fn fit(ty: &AttributeType, value: &Value) -> Result<Value, Vec<Error>> {
    match ty {
        AttributeType::Plain(ty) => convert(value, ty).map_err(|error| vec![error]),
        AttributeType::Nested(nesting, attributes) => nested(*nesting, attributes, &[], value),
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
