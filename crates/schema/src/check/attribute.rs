//! Checks of attributes: their names, flags and defaults.

use std::collections::BTreeSet;

use tenon_values::Type;

use super::{Checked, DYNAMIC_SET, check_default, has_dynamic_set, unique};
use crate::{Attribute, AttributeType, Presence, SchemaError};

pub(super) fn check_attributes<'a>(
    attributes: &'a [Attribute],
    mut names: BTreeSet<&'a str>,
) -> Checked {
    for attribute in attributes {
        let checked = unique(&mut names, &attribute.name).and_then(|()| attribute.check());
        checked.map_err(|error| error.below(&attribute.name))?;
    }
    Ok(())
}

impl Attribute {
    fn check(&self) -> Checked {
        let is_computed = self.presence.is_computed();
        let problem = match self {
            _ if self.default.is_some() && self.presence == Presence::Required => {
                "it is required, so its default is never used; remove one of them"
            }
            _ if self.default.is_some() && self.presence == Presence::Computed => {
                "only the plugin sets it, so its default is never used"
            }
            _ if self.default.is_some() && self.is_write_only => {
                "a write-only attribute cannot have a default"
            }
            _ if self.is_write_only && is_computed => {
                "a write-only attribute cannot be computed, because what the plugin returns is stored"
            }
            _ if self.is_stable && !is_computed => "only a computed attribute can be stable",
            _ if self.is_idempotency_key && !self.can_be_key() => {
                "an idempotency key must have the type any, be optional and have no default"
            }
            _ if has_dynamic_set(&self.implied_type()) => DYNAMIC_SET,
            _ => return self.check_parts(),
        };
        Err(SchemaError::new("", problem))
    }

    /// `true` has to reach the plugin as a bool, so the type is any.
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
