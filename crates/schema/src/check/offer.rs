//! Checks of everything that a plugin offers.

use super::{Checked, check_name};
use crate::{Attribute, AttributeType, Body, Function, Offer, SchemaError};

impl Offer {
    /// Checks what the plugin offers for mistakes of its author.
    ///
    /// # Errors
    /// The first mistake: invalid or duplicate names, defaults that do not fit or are never used,
    /// flags that contradict each other or that attributes of this kind cannot have.
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
