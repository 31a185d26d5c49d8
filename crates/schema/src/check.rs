//! Whether a schema makes sense.

use std::collections::BTreeSet;
use std::fmt::Display;

use tenon_values::Type;
use tenon_values::convert::convert;

use crate::{
    Attribute, AttributeType, Block, Body, Function, Nesting, Offer, Parameter, Presence, Schema,
};

/// A mistake in a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct SchemaError {
    /// Where in the schema: `actions.greet.name`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl SchemaError {
    /// A mistake at a place.
    pub fn new(place: impl Into<String>, problem: impl Display) -> SchemaError {
        SchemaError {
            place: place.into(),
            problem: problem.to_string(),
        }
    }

    /// The same mistake, seen from one level further out.
    #[must_use]
    pub fn below(mut self, place: &str) -> SchemaError {
        self.place = match self.place.is_empty() {
            true => place.to_owned(),
            false => format!("{place}.{}", self.place),
        };
        self
    }
}

type Checked = Result<(), SchemaError>;

/// Whether a name can be written in configurations without quotes.
///
/// # Errors
/// It cannot.
pub fn check_name(name: &str) -> Checked {
    let mut characters = name.chars();
    let is_start = |first: char| first.is_alphabetic() || first == '_';
    let is_part = |next: char| next.is_alphanumeric() || next == '_' || next == '-';
    match characters.next().is_some_and(is_start) && characters.all(is_part) {
        true => Ok(()),
        false => {
            let problem = format!(
                "{name:?} is not a valid name: use letters, digits, `_` and `-`, and begin with a letter or `_`"
            );
            Err(SchemaError::new("", problem))
        }
    }
}

impl Offer {
    /// Whether hosts can use what is offered.
    ///
    /// # Errors
    /// The first mistake: invalid or duplicate names, defaults that do not fit or are never used,
    /// flags that contradict each other or that the kind of thing cannot have.
    pub fn check(&self) -> Checked {
        check_name(&self.name).map_err(|error| error.below("name"))?;
        if self.max_in_flight == Some(0) {
            return Err(SchemaError::new("max_in_flight", "at least 1 is required"));
        }
        without_special(&self.config.body).map_err(|error| error.below("config"))?;
        each("actions", &self.actions, |action| {
            action.input.check()?;
            refuse(&action.input, |one| one.is_write_only.then_some(WRITE_ONLY))
        })?;
        each("functions", &self.functions, Function::check)?;
        each("resources", &self.resources, |resource| {
            resource.schema.check()?;
            refuse(&resource.schema.body, |one| {
                one.is_idempotency_key.then_some(KEY)
            })
        })?;
        each("data_sources", &self.data_sources, |one| {
            without_special(&one.body)
        })?;
        each("ephemeral_resources", &self.ephemeral_resources, |one| {
            without_special(&one.body)
        })
    }
}

const WRITE_ONLY: &str = "only an attribute of a resource can be write-only";
const KEY: &str = "only an attribute of an action can be an idempotency key";

fn each<'a, T: 'a>(
    kind: &str,
    all: impl IntoIterator<Item = (&'a String, &'a T)>,
    check: impl Fn(&T) -> Checked,
) -> Checked {
    for (name, one) in all {
        let checked = check_name(name).and_then(|()| check(one));
        checked.map_err(|error| error.below(name).below(kind))?;
    }
    Ok(())
}

/// A body whose attributes are neither write-only nor idempotency keys.
fn without_special(body: &Body) -> Checked {
    body.check()?;
    refuse(body, |one| match one {
        one if one.is_write_only => Some(WRITE_ONLY),
        one => one.is_idempotency_key.then_some(KEY),
    })
}

/// Refuses attributes at any depth.
fn refuse(body: &Body, problem: impl Fn(&Attribute) -> Option<&'static str> + Copy) -> Checked {
    refuse_among(&body.attributes, problem)?;
    for block in &body.blocks {
        refuse(&block.body, problem).map_err(|error| error.below(&block.name))?;
    }
    Ok(())
}

fn refuse_among(
    attributes: &[Attribute],
    problem: impl Fn(&Attribute) -> Option<&'static str> + Copy,
) -> Checked {
    for one in attributes {
        if let Some(problem) = problem(one) {
            return Err(SchemaError::new(&one.name, problem));
        }
        if let AttributeType::Nested(_, attributes) = &one.ty {
            refuse_among(attributes, problem).map_err(|error| error.below(&one.name))?;
        }
    }
    Ok(())
}

impl Schema {
    /// Whether the schema makes sense.
    ///
    /// # Errors
    /// As for [`Body::check`].
    pub fn check(&self) -> Checked {
        self.body.check()
    }
}

impl Body {
    /// Whether the attributes and blocks make sense.
    ///
    /// # Errors
    /// The first mistake, with its place: `rule.port`.
    pub fn check(&self) -> Checked {
        let mut names = BTreeSet::new();
        for block in &self.blocks {
            let checked = unique(&mut names, &block.name).and_then(|()| block.check());
            checked.map_err(|error| error.below(&block.name))?;
        }
        check_attributes(&self.attributes, names)?;
        let mut keys = { self.attributes.iter() }.filter(|one| one.is_idempotency_key);
        match (keys.next(), keys.next()) {
            (Some(first), Some(second)) => {
                let problem = format!("{:?} is the idempotency key already", first.name);
                Err(SchemaError::new(&second.name, problem))
            }
            _ => Ok(()),
        }
    }
}

fn check_attributes<'a>(attributes: &'a [Attribute], mut names: BTreeSet<&'a str>) -> Checked {
    for attribute in attributes {
        let checked = unique(&mut names, &attribute.name).and_then(|()| attribute.check());
        checked.map_err(|error| error.below(&attribute.name))?;
    }
    Ok(())
}

fn unique<'a>(names: &mut BTreeSet<&'a str>, name: &'a str) -> Checked {
    check_name(name)?;
    match names.insert(name) {
        true => Ok(()),
        false => Err(SchemaError::new("", "the name is used twice")),
    }
}

impl Block {
    fn check(&self) -> Checked {
        let problem = match self.max {
            Some(max) if max < self.min => format!("at least {}, but at most {max}", self.min),
            _ if self.nesting == Nesting::Set && self.body.implied_type().has_dynamic() => {
                DYNAMIC_SET.to_owned()
            }
            _ => return self.body.check(),
        };
        Err(SchemaError::new("", problem))
    }
}

const DYNAMIC_SET: &str =
    "the elements of a set cannot have the type any: no two could be compared";

impl Attribute {
    fn check(&self) -> Checked {
        let is_computed = self.presence.is_computed();
        let problem = match self {
            _ if self.default.is_some() && self.presence == Presence::Required => {
                "it is required, so its default is never used; leave one of them out"
            }
            _ if self.default.is_some() && self.presence == Presence::Computed => {
                "only the plugin gives it a value, so its default is never used"
            }
            _ if self.default.is_some() && self.is_write_only => {
                "a write-only attribute cannot have a default: nobody could see it"
            }
            _ if self.is_write_only && is_computed => {
                "a write-only attribute cannot be computed: what the plugin returns is stored"
            }
            _ if self.is_stable && !is_computed => {
                "only a computed attribute can be stable: users change the others"
            }
            _ if self.is_idempotency_key && !self.can_be_key() => {
                "an idempotency key has the type any, is not required and has no default"
            }
            _ if has_dynamic_set(&self.implied_type()) => DYNAMIC_SET,
            _ => return self.check_parts(),
        };
        Err(SchemaError::new("", problem))
    }

    /// `true` has to reach it as a bool.
    fn can_be_key(&self) -> bool {
        let is_any = self.ty == AttributeType::Plain(Type::Dynamic);
        is_any && self.presence == Presence::Optional && self.default.is_none()
    }

    fn check_parts(&self) -> Checked {
        if let AttributeType::Nested(_, attributes) = &self.ty {
            check_attributes(attributes, BTreeSet::new())?;
        }
        match &self.default {
            Some(default) => check_default(default, &self.implied_type()),
            None => Ok(()),
        }
    }
}

fn check_default(default: &tenon_values::Value, ty: &Type) -> Checked {
    match convert(default, ty) {
        Ok(_) => Ok(()),
        Err(error) => Err(SchemaError::new("", format_args!("the default: {error}"))),
    }
}

fn has_dynamic_set(ty: &Type) -> bool {
    match ty {
        Type::Set(element) => element.has_dynamic(),
        Type::List(element) | Type::Map(element) => has_dynamic_set(element),
        Type::Tuple(tuple) => tuple.elements().iter().any(has_dynamic_set),
        Type::Object(object) => object
            .attributes()
            .iter()
            .any(|one| has_dynamic_set(&one.ty)),
        _ => false,
    }
}

impl Function {
    /// Whether the parameters make sense.
    ///
    /// # Errors
    /// The first mistake, with the name of the parameter.
    pub fn check(&self) -> Checked {
        let mut names = BTreeSet::new();
        let mut optional = None;
        for parameter in self.parameters.iter().chain(&self.variadic) {
            let checked = unique(&mut names, &parameter.name).and_then(|()| parameter.check());
            checked.map_err(|error| error.below(&parameter.name))?;
        }
        for parameter in &self.parameters {
            match (parameter.may_be_left_out(), optional) {
                (true, _) => optional = Some(&parameter.name),
                (false, Some(before)) => {
                    let problem = format!("it has to be given, but {before:?} before it does not");
                    return Err(SchemaError::new(&parameter.name, problem));
                }
                (false, None) => {}
            }
        }
        match (optional, &self.variadic) {
            (Some(optional), Some(variadic)) => {
                let problem = format!(
                    "no argument could be told from those of {:?}, which takes any number",
                    variadic.name
                );
                Err(SchemaError::new(optional, problem))
            }
            _ => Ok(()),
        }
    }
}

impl Parameter {
    fn check(&self) -> Checked {
        if has_dynamic_set(&self.ty) {
            return Err(SchemaError::new("", DYNAMIC_SET));
        }
        match &self.default {
            Some(default) => check_default(default, &self.ty),
            None => Ok(()),
        }
    }

    /// Whether calls need not give it.
    pub fn may_be_left_out(&self) -> bool {
        self.is_optional || self.default.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Resource};

    fn attribute() -> Attribute {
        Attribute::new("a", Type::String)
    }

    #[track_caller]
    fn assert_problem(checked: Checked, problem: &str) {
        let error = checked.unwrap_err().to_string();
        assert!(error.starts_with(problem), "{error}");
    }

    #[test]
    fn names_are_valid_and_unique() {
        let body =
            |names: &[&str]| Body::new(names.iter().map(|name| Attribute::new(*name, Type::Bool)));
        assert_eq!(body(&["a", "b_2", "_c", "größe-1"]).check(), Ok(()));
        assert_problem(body(&["a b"]).check(), "a b: \"a b\" is not a valid name");
        assert_problem(body(&["2"]).check(), "2: \"2\" is not a valid name");
        assert_problem(body(&["a", "a"]).check(), "a: the name is used twice");
        let block = Block::new("a", Nesting::List, body(&["b", "b"]));
        assert_problem(
            body(&[]).with_block(block.clone()).check(),
            "a.b: the name is used twice",
        );
        assert_problem(body(&["b", "b"]).check(), "b: the name is used twice");
        let block = Block {
            body: body(&["b"]),
            ..block
        };
        assert_problem(
            body(&["a"]).with_block(block).check(),
            "a: the name is used twice",
        );
    }

    #[test]
    fn flags_do_not_contradict_each_other() {
        let dynamic = Attribute::new("a", Type::Dynamic);
        let key = Attribute {
            is_idempotency_key: true,
            ..dynamic.clone()
        };
        let set = |element: Type| Attribute::new("a", Type::list(Type::set(element)));
        for (attribute, problem) in [
            (
                attribute().required().with_default("x".into()),
                "a: it is required, so its default",
            ),
            (
                attribute().computed().with_default("x".into()),
                "a: only the plugin gives it",
            ),
            (
                attribute().write_only().with_default("x".into()),
                "a: a write-only attribute cannot have",
            ),
            (
                attribute().write_only().computed_unless_given(),
                "a: a write-only attribute cannot be",
            ),
            (
                attribute().stable(),
                "a: only a computed attribute can be stable",
            ),
            (
                Attribute::new("a", Type::Number).with_default("x".into()),
                "a: the default: a number",
            ),
            (
                key.clone().required(),
                "a: an idempotency key has the type any",
            ),
            (set(Type::Dynamic), "a: the elements of a set cannot"),
            (
                Attribute::nested("a", Nesting::Set, [dynamic.clone()]),
                "a: the elements of a set cannot",
            ),
            (
                Attribute::nested(
                    "a",
                    Nesting::List,
                    [attribute().required().with_default("x".into())],
                ),
                "a.a: it is required",
            ),
        ] {
            assert_problem(Body::new([attribute]).check(), problem);
        }
        for attribute in [
            attribute().with_default(5.into()),
            attribute().computed_unless_given().with_default("x".into()),
            attribute().write_only().required(),
            attribute().computed().stable(),
            key.clone(),
            set(Type::String),
        ] {
            assert_eq!(Body::new([attribute]).check(), Ok(()));
        }
        let two = Body::new([
            key.clone(),
            Attribute {
                name: "b".into(),
                ..key
            },
        ]);
        assert_problem(two.check(), "b: \"a\" is the idempotency key already");
    }

    #[test]
    fn blocks_can_be_there_often_enough() {
        let block = Block::new("b", Nesting::List, Body::default()).between(2, 1);
        assert_problem(
            Body::default().with_block(block).check(),
            "b: at least 2, but at most 1",
        );
        let dynamic = Body::new([Attribute::new("a", Type::Dynamic)]);
        let block = Block::new("b", Nesting::Set, dynamic);
        assert_problem(
            Body::default().with_block(block).check(),
            "b: the elements of a set",
        );
    }

    #[test]
    fn parameters_that_may_be_left_out_come_last() {
        let parameter = |name: &str| Parameter::new(name, Type::String);
        let optional = |name: &str| Parameter {
            is_optional: true,
            ..parameter(name)
        };
        let function = |parameters: Vec<Parameter>| Function::new(parameters, Type::String);
        assert_eq!(
            function(vec![parameter("a"), optional("b")]).check(),
            Ok(())
        );
        assert_problem(
            function(vec![optional("a"), parameter("b")]).check(),
            "b: it has to be given, but \"a\" before it does not",
        );
        let variadic = |parameters| Function {
            variadic: Some(parameter("v")),
            ..function(parameters)
        };
        assert_eq!(variadic(vec![parameter("a")]).check(), Ok(()));
        assert_problem(
            variadic(vec![optional("a")]).check(),
            "a: no argument could be told",
        );
        assert_problem(
            variadic(vec![parameter("v")]).check(),
            "v: the name is used twice",
        );
        let default = Parameter {
            default: Some(true.into()),
            ..Parameter::new("a", Type::Number)
        };
        assert_problem(function(vec![default]).check(), "a: the default: ");
    }

    #[test]
    fn an_offer_has_things_of_their_kind_alone() {
        let offer = || Offer {
            name: "p".into(),
            ..Offer::default()
        };
        let secret = || Body::new([attribute().write_only()]);
        let key = || Attribute {
            is_idempotency_key: true,
            ..Attribute::new("a", Type::Dynamic)
        };
        let mut fine = offer();
        let resource = Resource {
            schema: secret().into(),
            ..Resource::default()
        };
        fine.resources.insert("r".into(), resource);
        let action = Action {
            input: Body::new([key()]),
            ..Action::default()
        };
        fine.actions.insert("x".into(), action);
        assert_eq!(fine.check(), Ok(()));

        let mut wrong = offer();
        wrong.data_sources.insert("d".into(), secret().into());
        assert_problem(
            wrong.check(),
            "data_sources.d.a: only an attribute of a resource",
        );
        let mut wrong = offer();
        let action = Action {
            input: secret(),
            ..Action::default()
        };
        wrong.actions.insert("x".into(), action);
        assert_problem(
            wrong.check(),
            "actions.x.a: only an attribute of a resource",
        );
        let mut wrong = offer();
        wrong.config = Body::new([key()]).into();
        assert_problem(wrong.check(), "config.a: only an attribute of an action");
        let mut wrong = offer();
        wrong.max_in_flight = Some(0);
        assert_problem(wrong.check(), "max_in_flight: ");
        let mut wrong = offer();
        wrong
            .functions
            .insert("a b".into(), Function::new([], Type::Bool));
        assert_problem(wrong.check(), "functions.a b: \"a b\" is not a valid name");
        assert_problem(Offer::default().check(), "name: \"\" is not a valid name");
    }
}
