//! Managed resources.

mod advice;
mod apply;
mod import;
mod move_state;
mod plan;
mod read;
mod upgrade;
mod validate;
mod write_only;

pub(crate) use apply::apply;
pub(crate) use import::{import, upgrade_identity};
pub(crate) use move_state::move_state;
pub(crate) use plan::plan;
pub(crate) use read::{generate_config, read};
pub(crate) use upgrade::upgrade;
pub(crate) use validate::validate;

use tenon_values::Value;

use crate::wire;

/// The props that the script works with: what it made of them itself while it was planned, or else
/// what the configuration says.
fn effective_props(block: &Value) -> Value {
    let modified = wire::part(block, "modified_props");
    match modified.is_known() && !modified.is_null() {
        true => modified,
        false => wire::part(block, "props"),
    }
}

/// By what the script finds the resource.
fn id(block: &Value) -> String {
    wire::text(block, "id").unwrap_or_default()
}
