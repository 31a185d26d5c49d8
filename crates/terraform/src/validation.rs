//! What can be said about a block before anything runs.

use tenon_values::Value;

use crate::diagnostic::{self, Diagnostics};
use crate::proto::tfplugin6::{Diagnostic, DynamicValue};
use crate::schema::{Attribute, Shape, check_name};
use crate::script::Script;
use crate::wire;

/// What is wrong with a block that runs a script, as far as it is known yet. Whether the script is
/// there is left for later: a plan may run where it is not.
pub(crate) fn block(block: &Value, shape: &Shape) -> Diagnostics {
    let mut diagnostics: Diagnostics = { shape.attributes.iter() }
        .filter_map(|attribute| {
            let value = wire::part(block, attribute.name);
            let wrong = attribute_error(attribute, &value)?;
            Some(diagnostic::at(wrong, attribute.name))
        })
        .collect();
    diagnostics.extend(Script::of(block).err());
    diagnostics
}

/// Terraform itself checks neither: it leaves both to the provider.
fn attribute_error(attribute: &Attribute, value: &Value) -> Option<Diagnostic> {
    let name = attribute.name;
    if attribute.is_read_only() && !value.is_null() {
        return Some(diagnostic::error(
            "Read-only attribute is set",
            format!("Only the provider sets {name}. Remove it from the configuration."),
        ));
    }
    (attribute.is_required && value.is_null()).then(|| {
        diagnostic::error(
            "Required attribute is null",
            format!(
                "{name} needs a value and is null. If the script needs nothing, write {name} = {{}}."
            ),
        )
    })
}

/// The same, of a block as it was sent. It is named as Terraform names it, and has to be `known`.
pub(crate) fn sent(
    (name, sent): (&str, Option<&DynamicValue>),
    (known, shape): (&str, &Shape),
) -> Diagnostics {
    let sent = check_name(name, known).and_then(|()| wire::decode(sent, &shape.ty));
    match sent {
        Ok(sent) => block(&sent, shape),
        Err(error) => vec![error],
    }
}
