//! Checks of a block before anything runs.

use crate::script::Script;
use tenon_schema::{Attribute, Body, Presence};
use tenon_tfplugin::{Diagnostic, Diagnostics, block};
use tenon_values::Value;

/// What is wrong with a block that runs a script, as far as it is known yet. Whether the script exists
/// is checked later: a plan may run on a machine that does not have it.
pub(crate) fn block(config: &Value, schema: &Body) -> Diagnostics {
    let mut attributes: Vec<&Attribute> = schema.attributes.iter().collect();
    attributes.sort_by_key(|attribute| &attribute.name);
    let wrong = attributes.into_iter().filter_map(|attribute| {
        let value = block::part(config, &attribute.name);
        Some(attribute_error(attribute, &value)?.at(attribute.name.as_str()))
    });
    wrong.chain(Script::of(config).err()).collect()
}

/// Terraform itself checks neither: it leaves both to the provider.
fn attribute_error(attribute: &Attribute, value: &Value) -> Option<Diagnostic> {
    let name = &attribute.name;
    match attribute.presence {
        Presence::Computed if !value.is_null() => Some(Diagnostic::error(
            "Read-only attribute is set",
            format!("Only the provider sets {name}. Remove it from the configuration."),
        )),
        Presence::Required if value.is_null() => Some(Diagnostic::error(
            "Required attribute is null",
            format!(
                "{name} is required and must not be null. If the script needs no input, write {name} = {{}}."
            ),
        )),
        _ => None,
    }
}
