//! Whether a block can be what it says.

use crate::diagnostic::{self, Diagnostics};
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
    let mut diagnostics: Diagnostics = validation::script(&config);
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
