//! Whether a block can be what it says.

use tenon_tfplugin::{ConfigRequest, Diagnostic, Diagnostics, block};
use tenon_values::Value;

use crate::schema::RESOURCE_SCHEMA;
use crate::validation;

pub(crate) fn validate(request: &ConfigRequest) -> Diagnostics {
    let config = &request.config;
    let mut diagnostics = validation::block(config, &RESOURCE_SCHEMA);
    diagnostics.extend(version_error(config));
    let has_write_only = !block::part(config, "write_only_props").is_null();
    if has_write_only && !request.client.allows_write_only {
        let refused = Diagnostic::error(
            "WriteOnly Attribute Not Allowed",
            "write_only_props is never stored, which only Terraform 1.11 and later or OpenTofu \
             1.11 and later can do. Use one of these, or leave it out.",
        );
        diagnostics.push(refused.at("write_only_props"));
    }
    diagnostics
}

/// What is wrong with how the configuration says when write-only props are passed on.
fn version_error(config: &Value) -> Option<Diagnostic> {
    let version = block::part(config, "write_only_props_version");
    let number = version.as_number()?;
    if number.to_i64().is_none() {
        let refused = Diagnostic::error(
            "Invalid version",
            format!("write_only_props_version is a whole number of 64 bits, and not {version}."),
        );
        return Some(refused.at("write_only_props_version"));
    }
    let is_compared = block::part(config, "write_only_props_detect_changes") == Value::TRUE;
    is_compared.then(|| {
        let refused = Diagnostic::error(
            "Two rules for write-only props",
            "With write_only_props_version, write_only_props are passed on when the version \
             changes; with write_only_props_detect_changes, when they change. Remove one of them.",
        );
        refused.at("write_only_props_detect_changes")
    })
}
