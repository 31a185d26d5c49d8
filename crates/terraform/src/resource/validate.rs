//! Whether a block can be what it says.

use tenon_values::Value;

use crate::diagnostic::{self, Diagnostics};
use crate::proto::tfplugin6::Diagnostic;
use crate::proto::tfplugin6::validate_resource_config::{Request, Response};
use crate::schema::{RESOURCE, RESOURCE_SHAPE, check_name};
use crate::{validation, wire};

pub(crate) fn validate(request: &Request) -> Response {
    let config = check_name(&request.type_name, RESOURCE)
        .and_then(|()| wire::decode(request.config.as_ref(), &RESOURCE_SHAPE.ty));
    let config = match config {
        Ok(config) => config,
        Err(error) => {
            return Response {
                diagnostics: vec![error],
            };
        }
    };
    let mut diagnostics: Diagnostics = validation::block(&config, &RESOURCE_SHAPE);
    diagnostics.extend(version_error(&config));
    let capabilities = request.client_capabilities.unwrap_or_default();
    let has_write_only = !wire::part(&config, "write_only_props").is_null();
    if has_write_only && !capabilities.write_only_attributes_allowed {
        let refused = diagnostic::error(
            "WriteOnly Attribute Not Allowed",
            "write_only_props is never stored, which only Terraform 1.11 and later or OpenTofu \
             1.11 and later can do. Use one of these, or leave it out.",
        );
        diagnostics.push(diagnostic::at(refused, "write_only_props"));
    }
    Response { diagnostics }
}

/// What is wrong with how the configuration says when write-only props are passed on.
fn version_error(config: &Value) -> Option<Diagnostic> {
    let version = wire::part(config, "write_only_props_version");
    let number = version.as_number()?;
    if number.to_i64().is_none() {
        let refused = diagnostic::error(
            "Invalid version",
            format!("write_only_props_version is a whole number of 64 bits, and not {version}."),
        );
        return Some(diagnostic::at(refused, "write_only_props_version"));
    }
    let is_compared = wire::part(config, "write_only_props_detect_changes") == Value::TRUE;
    is_compared.then(|| {
        let refused = diagnostic::error(
            "Two rules for write-only props",
            "With write_only_props_version, write_only_props are passed on when the version \
             changes; with write_only_props_detect_changes, when they change. Remove one of them.",
        );
        diagnostic::at(refused, "write_only_props_detect_changes")
    })
}
