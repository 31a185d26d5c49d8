//! `moved` blocks that lead here from another provider.

use super::upgrade;
use crate::diagnostic;
use crate::proto::tfplugin6::Diagnostic;
use crate::proto::tfplugin6::move_resource_state::{Request, Response};
use crate::schema::{RESOURCE, RESOURCE_SHAPE, check_name};
use crate::wire;

/// A resource of this type can come from the same type of another provider: a fork, or another
/// registry. Nobody else's state says which script to run.
pub(crate) fn move_state(request: &Request) -> Response {
    let moved = check_name(&request.target_type_name, RESOURCE)
        .and_then(|()| check_source(request))
        .and_then(|()| upgrade::check_version(request.source_schema_version))
        .and_then(|()| upgrade::state(request.source_state.as_ref()))
        .and_then(|state| {
            let sent = wire::encode(&state, &RESOURCE_SHAPE.ty)?;
            Ok((sent, super::import::identity(&state)))
        });
    match moved {
        Ok((state, identity)) => Response {
            target_state: Some(state),
            target_private: request.source_private.clone(),
            target_identity: identity,
            diagnostics: Vec::new(),
        },
        Err(error) => Response {
            diagnostics: vec![error],
            ..Response::default()
        },
    }
}

fn check_source(request: &Request) -> Result<(), Diagnostic> {
    let source = request.source_type_name.as_str();
    if source == RESOURCE {
        return Ok(());
    }
    Err(diagnostic::error(
        "Unable to Move Resource State",
        format!(
            "A {source} of {} cannot become a {RESOURCE}: its state does not say which script \
             looks after it. Remove it from the state (terraform state rm, or a removed block \
             with destroy = false), and import it with an id that says so.",
            request.source_provider_address
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::tfplugin6::RawState;

    #[test]
    fn only_its_own_type_can_come() {
        let mut request = Request {
            target_type_name: RESOURCE.to_owned(),
            source_type_name: "null_resource".into(),
            source_provider_address: "registry.terraform.io/hashicorp/null".into(),
            source_state: Some(RawState {
                json: br#"{"id": "a", "path": "./f.ts"}"#.to_vec(),
                ..RawState::default()
            }),
            ..Request::default()
        };
        let refused = move_state(&request).diagnostics.remove(0);
        assert!(
            refused
                .detail
                .contains("null_resource of registry.terraform.io")
        );
        request.source_type_name = RESOURCE.to_owned();
        let moved = move_state(&request);
        assert!(moved.diagnostics.is_empty() && moved.target_state.is_some());
    }
}
