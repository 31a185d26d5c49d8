//! Checks of functions.

use std::collections::BTreeSet;

use super::{Checked, DYNAMIC_SET, check_default, has_dynamic_set, unique};
use crate::{Function, Parameter, SchemaError};

impl Function {
    /// Checks the parameters for mistakes of the author.
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
                    let problem = format!(
                        "a required parameter cannot follow the optional parameter {before:?}"
                    );
                    return Err(SchemaError::new(&parameter.name, problem));
                }
                (false, None) => {}
            }
        }
        match (optional, &self.variadic) {
            (_, Some(variadic)) if variadic.may_be_left_out() => {
                let problem = "a variadic parameter is neither optional nor has a default";
                Err(SchemaError::new(&variadic.name, problem))
            }
            (Some(optional), Some(variadic)) => {
                let problem = format!(
                    "optional parameters cannot be combined with the variadic parameter {:?}",
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

    /// Whether calls may leave it out.
    pub fn may_be_left_out(&self) -> bool {
        self.is_optional || self.default.is_some()
    }
}
