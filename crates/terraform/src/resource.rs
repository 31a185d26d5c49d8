//! Managed resources.

mod advice;
mod apply;
mod import;
mod move_state;
mod placeholders;
mod plan;
mod read;
mod validate;
mod write_only;

pub(crate) use apply::apply;
pub(crate) use import::import;
pub(crate) use move_state::move_state;
pub(crate) use plan::plan;
pub(crate) use read::{generate_config, read};
pub(crate) use validate::validate;

use tenon_tfplugin::{Diagnostic, block};
use tenon_values::Value;

use crate::places;
use crate::schema::RESOURCE;

/// The props that the script works with: what it made of them itself while it was planned, or else
/// what the configuration says.
fn effective_props(block: &Value) -> Value {
    let modified = block::part(block, "modified_props");
    match modified.is_known() && !modified.is_null() {
        true => modified,
        false => block::part(block, "props"),
    }
}

/// By what the script finds the resource.
fn id(block: &Value) -> String {
    block::text(block, "id").unwrap_or_default()
}

/// The same with the resource and the attribute in words: Terraform shows neither for a resource
/// that is to go.
fn named(diagnostic: Diagnostic, state: &Value) -> Diagnostic {
    with_resource(places::spelled_out(diagnostic), state)
}

/// The same with the resource in words, for where Terraform may not show it: the block of a
/// resource that is read may be gone already.
fn with_resource(diagnostic: Diagnostic, state: &Value) -> Diagnostic {
    let resource = format!("Resource: {RESOURCE} with id {:?}", id(state));
    Diagnostic {
        detail: places::paragraphs(&diagnostic.detail, &resource),
        ..diagnostic
    }
}
