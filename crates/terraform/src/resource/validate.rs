//! Checks of the block of a resource.

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
            "write_only_props needs Terraform 1.11 or later, or OpenTofu 1.11 or later. Use one of these, or \
             remove write_only_props.",
        );
        diagnostics.push(refused.at("write_only_props"));
    }
    diagnostics
}

/// What is wrong with the settings for when write-only props are sent.
fn version_error(config: &Value) -> Option<Diagnostic> {
    let version = block::part(config, "write_only_props_version");
    let number = version.as_number()?;
    if number.to_i64().is_none() {
        let refused = Diagnostic::error(
            "Invalid version",
            format!(
                "write_only_props_version must be a whole number of at most 64 bits, not {version}."
            ),
        );
        return Some(refused.at("write_only_props_version"));
    }
    let is_compared = block::part(config, "write_only_props_detect_changes") == Value::TRUE;
    is_compared.then(|| {
        let refused = Diagnostic::error(
            "Conflicting settings for write-only props",
            "With write_only_props_version, write_only_props are sent when the version changes; with \
             write_only_props_detect_changes, when they change. Remove one of them.",
        );
        refused.at("write_only_props_detect_changes")
    })
}
