//! `moved` blocks that lead here from another provider.

use tenon_tfplugin::{Diagnostic, Diagnostics, MoveRequest, MoveResponse, state};

use crate::schema::{RESOURCE, RESOURCE_SCHEMA};

/// A resource of this type can come from the same type of another provider: a fork, or another registry.
/// States of other types do not say which script to run.
pub(crate) fn move_state(request: MoveRequest) -> Result<MoveResponse, Diagnostics> {
    check_source(&request)?;
    state::check_version(request.source_version, 0)?;
    let state = state::read(&request.source_json, &RESOURCE_SCHEMA.implied_type())?;
    Ok(MoveResponse {
        identity: super::import::identity(&state),
        state,
        private: request.source_private,
        diagnostics: Diagnostics::new(),
    })
}

fn check_source(request: &MoveRequest) -> Result<(), Diagnostic> {
    let source = request.source_type.as_str();
    if source == RESOURCE {
        return Ok(());
    }
    Err(Diagnostic::error(
        "Unable to Move Resource State",
        format!(
            "A {source} of {} cannot become a {RESOURCE}: its state does not name a script. Remove it \
             from the state (terraform state rm, or a removed block with destroy = false), and import it \
             with an id that names one.",
            request.source_provider
        ),
    ))
}

#[cfg(test)]
mod tests {
    use tenon_tfplugin::block;

    use super::*;

    fn request(source: &str, version: i64) -> MoveRequest {
        MoveRequest {
            type_name: RESOURCE.to_owned(),
            source_type: source.to_owned(),
            source_provider: "registry.terraform.io/hashicorp/null".to_owned(),
            source_version: version,
            source_json: br#"{"id": "a", "path": "./f.ts", "props": {"value": {"n": 0.1}, "type": ["object", {"n": "number"}]},
                "permissions": {"all": true, "allow": null, "deny": null}, "later": 1}"#
                .to_vec(),
            source_private: b"kept".to_vec(),
        }
    }

    #[test]
    fn only_its_own_type_can_come() {
        let refused = move_state(request("null_resource", 0)).unwrap_err();
        assert!(
            refused[0]
                .detail
                .contains("null_resource of registry.terraform.io")
        );
        let moved = move_state(request(RESOURCE, 0)).unwrap();
        assert!(moved.diagnostics.is_empty() && moved.identity.is_some());
        assert_eq!(moved.private, b"kept");
        let newer = move_state(request(RESOURCE, 1)).unwrap_err();
        assert_eq!(newer[0].summary, "State of a newer provider");
    }

    #[test]
    fn a_state_of_upstream_is_read() {
        let state = move_state(request(RESOURCE, 0)).unwrap().state;
        assert_eq!(block::part(&state, "props").to_string(), "{ n = 0.1 }");
        assert!(block::part(&state, "modified_props").is_null());
    }
}
