//! Planning a change: as the host would, and then as the author decides.

use tenon_schema::{Attribute, Body};
use tenon_values::Value;
use tenon_values::convert::convert;

use super::answers::part;
use super::resources::select;
use crate::parts::{Refusal, Shape};
use crate::plan::Verdict;

/// What the host sends about a change.
pub(super) struct Change<'a> {
    pub(super) body: &'a Body,
    pub(super) shape: &'a Shape,
    /// The resource as it is; null for a create.
    pub(super) prior: Value,
    /// What the user wrote; null if that is not known.
    pub(super) config: Value,
    /// Props as the author's type writes them.
    pub(super) rewrite: fn(&Value) -> Result<Value, Refusal>,
}

impl Change<'_> {
    /// What the resource will be: what is configured, and what is computed. If nothing changes,
    /// everything keeps its value; otherwise what is computed and not configured is unknown, except
    /// what an update does not change.
    ///
    /// Attributes inside others and inside blocks are never computed here: the author's types have no
    /// such thing.
    pub(super) fn planned(&self, proposed: &Value) -> Value {
        if *proposed == self.prior {
            return self.prior.clone();
        }
        let planned = |attribute: &Attribute| {
            let name = &attribute.name;
            if !attribute.presence.is_computed() || !part(&self.config, name).is_null() {
                return part(proposed, name);
            }
            let is_kept = attribute.is_stable || attribute.replaces;
            match is_kept && !self.prior.is_null() {
                true => part(&self.prior, name),
                false => Value::unknown(attribute.implied_type()),
            }
        };
        let attributes = self.body.attributes.iter();
        let attributes = attributes.map(|one| (one.name.as_str(), planned(one)));
        let blocks = self.body.blocks.iter().map(|one| one.name.as_str());
        let blocks = blocks.map(|name| (name, part(proposed, name)));
        Value::object(attributes.chain(blocks))
    }

    /// The author's props of a planned resource. Write-only values are in the configuration alone,
    /// and what the plugin is to compute is absent.
    pub(super) fn props(&self, planned: &Value) -> Value {
        let props = |attribute: &Attribute| {
            let name = &attribute.name;
            let (planned, config) = (part(planned, name), part(&self.config, name));
            match attribute.is_write_only || (!planned.is_known() && config.is_null()) {
                true => config,
                false => planned,
            }
        };
        let attributes = self.shape.given.iter();
        let attributes = attributes.map(|one| (one.name.as_str(), props(one)));
        let blocks = self.shape.blocks.iter().map(|block| {
            let whole = match has_write_only(&block.body) {
                true => &self.config,
                false => planned,
            };
            (block.name.as_str(), part(whole, &block.name))
        });
        Value::object(attributes.chain(blocks))
    }

    /// The plan as the author decided, and whether the resource is replaced.
    pub(super) fn decided(
        &self,
        proposed: &Value,
        planned: Value,
        verdict: Verdict<Value>,
    ) -> (Value, bool) {
        match verdict {
            Verdict::Keep => (planned, false),
            // A new one has a new id, which shows the host that there is a change.
            Verdict::Replace => {
                let unknown = |id: &Attribute| ("id", Value::unknown(id.implied_type()));
                let id = self.body.attribute("id").map(unknown);
                (overlaid(&planned, id), !self.prior.is_null())
            }
            Verdict::Modify(props) => {
                let props = self.settled(proposed, props);
                let props = self.settled(&self.prior, props);
                let attributes = self.shape.given.iter().filter(|one| !one.is_write_only);
                let attributes = attributes.map(|one| (one.name.as_str(), one.implied_type()));
                let blocks = self.shape.blocks.iter();
                let blocks = blocks.map(|one| (one.name.as_str(), one.implied_type()));
                let modified: Vec<(&str, Value)> = attributes
                    .chain(blocks)
                    .map(|(name, ty)| {
                        let value = part(&props, name);
                        (name, convert(&value, &ty).unwrap_or(value))
                    })
                    .collect();
                let proposed = overlaid(proposed, modified.iter().cloned());
                let given = modified.into_iter().filter(|(_, value)| !value.is_null());
                (overlaid(&self.planned(&proposed), given), false)
            }
        }
    }

    /// Props that the author returned, in which what means the same as before is as it was: a default
    /// inside an object that the author's type has filled in is not a change.
    pub(super) fn settled(&self, before: &Value, props: Value) -> Value {
        let before = select(before, self.shape.given_names());
        let Ok(rewritten) = (self.rewrite)(&before) else {
            return props;
        };
        let same = { before.attributes().into_iter() }
            .flat_map(|all| all.iter())
            .filter(|(name, _)| part(&rewritten, name) == part(&props, name))
            .map(|(name, value)| (name, value.clone()));
        overlaid(&props, same)
    }
}

fn has_write_only(body: &Body) -> bool {
    let mut blocks = body.blocks.iter();
    let is_write_only = |one: &Attribute| one.is_write_only;
    body.attributes.iter().any(is_write_only) || blocks.any(|one| has_write_only(&one.body))
}

/// An object with other values for some of its attributes.
pub(super) fn overlaid<'a>(
    object: &Value,
    others: impl IntoIterator<Item = (&'a str, Value)>,
) -> Value {
    let others: Vec<(&str, Value)> = others.into_iter().collect();
    let all = { object.attributes().into_iter() }.flat_map(|all| all.iter());
    Value::object(all.map(|(name, value)| {
        let other = others.iter().find(|(other, _)| *other == name);
        (name, other.map_or(value, |(_, other)| other).clone())
    }))
}
