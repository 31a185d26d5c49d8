//! Checks of schemas: mistakes of their authors.

mod attribute;
mod function;
mod offer;

use std::collections::BTreeSet;

use tenon_values::{Type, Value, convert::convert, is_identifier};

use crate::{Block, Body, Nesting, Schema, SchemaError};
use attribute::check_attributes;

type Checked = Result<(), SchemaError>;

/// Checks that a name can be written in configurations without quotes.
///
/// # Errors
/// The name is empty, begins with another character than a letter or `_`, or has a character in it
/// that is not a letter, a digit, `_` or `-`.
pub fn check_name(name: &str) -> Checked {
    match is_identifier(name) {
        true => Ok(()),
        false => {
            let problem = format!(
                "{name:?} is not a valid name: use letters, digits, `_` and `-`, and begin with a letter or `_`"
            );
            Err(SchemaError::new("", problem))
        }
    }
}

impl Schema {
    /// Checks the schema for mistakes of its author.
    ///
    /// # Errors
    /// As for [`Body::check`].
    pub fn check(&self) -> Checked {
        self.body.check()
    }
}

impl Body {
    /// Checks the attributes and blocks for mistakes of the author.
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
                let problem = format!("{:?} is already the idempotency key", first.name);
                Err(SchemaError::new(&second.name, problem))
            }
            _ => Ok(()),
        }
    }
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
        let is_one = matches!(self.nesting, Nesting::Single | Nesting::Group);
        let problem = match self.max {
            Some(0) => "the maximum is 0, so the block can never be used".to_owned(),
            Some(max) if max < self.min => {
                format!(
                    "the minimum, {}, is greater than the maximum, {max}",
                    self.min
                )
            }
            max if is_one && (self.min > 1 || max.is_some_and(|max| max > 1)) => {
                "a block with the nesting single or group can be there only once".to_owned()
            }
            _ if self.nesting == Nesting::Set && self.body.implied_type().has_dynamic() => {
                DYNAMIC_SET.to_owned()
            }
            _ => return self.body.check(),
        };
        Err(SchemaError::new("", problem))
    }
}

const DYNAMIC_SET: &str =
    "the elements of a set cannot have the type any, because they could not be compared";

fn check_default(default: &Value, ty: &Type) -> Checked {
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
