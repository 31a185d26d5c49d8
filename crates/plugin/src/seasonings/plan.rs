//! Planning a change: as the host would, and then as the author decides.

use tenon_schema::{Attribute, Body};
use tenon_values::Value;
use tenon_values::convert::convert;

use super::answers::part;
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
    /// Attributes inside others are never computed here: the author's types have no such thing.
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
        self.body.object(
            &attributes
                .map(|one| (one.name.as_str(), planned(one)))
                .collect::<Vec<_>>(),
        )
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
        let given = self.shape.given.iter();
        Value::object(given.map(|one| (one.name.as_str(), props(one))))
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
                let modified = |one: &'_ &Attribute| !one.is_write_only;
                let modified: Vec<(&str, Value)> = { self.shape.given.iter() }
                    .filter(modified)
                    .map(|one| {
                        let value = part(&props, &one.name);
                        let value = convert(&value, &one.implied_type()).unwrap_or(value);
                        (one.name.as_str(), value)
                    })
                    .collect();
                let proposed = overlaid(proposed, modified.iter().cloned());
                let given = modified.into_iter().filter(|(_, value)| !value.is_null());
                (overlaid(&self.planned(&proposed), given), false)
            }
        }
    }

    /// Props that the author returned, in which what means the same as before is as it was: a default
    /// inside an object that the author's type has filled in is no change.
    pub(super) fn settled(&self, before: &Value, props: Value) -> Value {
        let given = self.shape.given.iter();
        let before = Value::object(given.map(|one| (one.name.as_str(), part(before, &one.name))));
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
