//! Ephemeral resources: opened, renewed while they are needed, closed.

use serde_json::{Value, json};

use crate::trial::trial;
use crate::workspace::Workspace;

/// An ephemeral resource, and a resource that uses it.
fn configure(workspace: &Workspace) {
    workspace.configure(
        r#"
ephemeral "denobridge_ephemeral_resource" "a" {
  path  = "./puppet.py"
  props = { name = "lease" }
}

resource "denobridge_resource" "a" {
  path                     = "./puppet.py"
  props                    = { name = "a" }
  write_only_props         = ephemeral.denobridge_ephemeral_resource.a.sensitive_result
  write_only_props_version = 1
}
"#,
    );
}

fn opened(lease: u64, renew_at: Value) -> Value {
    json!([{ "result": {
        "result": {},
        "sensitiveResult": { "token": "ephemeral-token" },
        "renewAt": renew_at,
        "privateData": { "lease": lease },
    } }])
}

#[test]
fn a_lease_is_renewed_while_something_slow_runs() {
    trial(&[], |workspace| {
        workspace.moves(&json!({
            "open": opened(1, json!("SOON")),
            "renew": [
                { "touch": "renewed" },
                { "result": { "privateData": { "lease": 2 } } },
            ],
            "close": [{ "result": { "done": true } }],
            "create": [{ "gate": "renewed" }],
        }));
        configure(workspace);
        workspace.apply();
        let renewed = workspace.calls_of("renew");
        assert_eq!(renewed, [json!({ "privateData": { "lease": 1 } })]);
        let created = &workspace.calls_of("create")[0];
        assert_eq!(created["writeOnlyProps"]["token"], "ephemeral-token");
        // Opened and closed for the plan, then for the apply. The newest lease is what is closed.
        let closed = workspace.calls_of("close");
        assert_eq!(workspace.calls_of("open").len(), 2);
        assert_eq!(
            closed,
            [
                json!({ "privateData": { "lease": 1 } }),
                json!({ "privateData": { "lease": 2 } }),
            ]
        );
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// Both methods are optional: a lease that cannot be renewed or closed simply expires. The time may be
/// in milliseconds, as in the example of the protocol.
#[test]
fn a_script_without_renew_and_close() {
    trial(&[], |workspace| {
        workspace.moves(&json!({
            "open": opened(1, json!("SOON_IN_MILLISECONDS")),
            "create": [{ "sleep": 3.5 }],
        }));
        configure(workspace);
        let applied = workspace.apply();
        applied.says_nothing_of("Warning: Failed");
        assert!(!workspace.calls_of("renew").is_empty());
        assert_eq!(workspace.calls_of("close").len(), 2);
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// Terraform itself closes nothing after an error.
#[test]
fn a_lease_is_closed_after_an_error() {
    trial(&[], |workspace| {
        let thrown = json!({ "code": -32000, "message": "no disk" });
        workspace.moves(&json!({
            "open": opened(1, Value::Null),
            "create": [{ "error": thrown }],
        }));
        configure(workspace);
        workspace.apply_fails().says("no disk");
        workspace.assert_nobody_left();
        // For the plan, and for the apply that failed.
        let closed = workspace.calls_of("close");
        assert_eq!(workspace.calls_of("open").len(), 2);
        assert_eq!(closed, vec![json!({ "privateData": { "lease": 1 } }); 2]);
    });
}

#[test]
fn errors_of_a_lease_are_reported() {
    trial(&[], |workspace| {
        let error = json!({
            "severity": "error",
            "summary": "No lease",
            "detail": "All are taken.",
            "propPath": ["props", "name"],
        });
        configure(workspace);
        workspace.moves(&json!({ "open": [{ "result": { "diagnostics": [error] } }] }));
        let failed = workspace.plan().fails();
        failed.says("Error: No lease").says("All are taken.");
        failed.says(r#"props = { name = "lease" }"#);

        let thrown = json!({ "code": -32000, "message": "the bank is closed" });
        workspace.moves(&json!({ "open": [{ "stderr": "ringing" }, { "error": thrown }] }));
        let failed = workspace.plan().fails();
        failed
            .says("the bank is closed")
            .says("ringing")
            .says("puppet.py");

        workspace.moves(&json!({ "close": [{ "result": { "done": false } }] }));
        let failed = workspace.plan().fails();
        failed.says("close").says("puppet.py");
    });
}
