//! What can be said about a block before anything runs.

use tenon_values::Value;

use crate::diagnostic::Diagnostics;
use crate::proto::tfplugin6::DynamicValue;
use crate::schema::{Shape, check_name};
use crate::script::Script;
use crate::wire;

/// What is wrong with a block that runs a script, as far as it is known yet. Whether the script is
/// there is left for later: a plan may run where it is not.
pub(crate) fn script(block: &Value) -> Diagnostics {
    match Script::of(block) {
        Ok(_) => Vec::new(),
        Err(error) => vec![error],
    }
}

/// The same, of a block as it was sent. It is named as Terraform names it, and has to be `known`.
pub(crate) fn sent(
    (name, sent): (&str, Option<&DynamicValue>),
    (known, shape): (&str, &Shape),
) -> Diagnostics {
    let block = check_name(name, known).and_then(|()| wire::decode(sent, &shape.ty));
    match block {
        Ok(block) => script(&block),
        Err(error) => vec![error],
    }
}
