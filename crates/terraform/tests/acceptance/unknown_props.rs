//! Props that are known only after apply, with scripts that do not check for that.

use crate::outcome::Outcome;
use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

/// A resource that depends on another one, whose id is known after apply.
fn configure(workspace: &Workspace, props: &str) {
    configure_with(workspace, props, false);
}

fn configure_with(workspace: &Workspace, props: &str, is_made_first: bool) {
    workspace.configure(&format!(
        r#"
resource "terraform_data" "later" {{}}

locals {{
  later   = terraform_data.later.id
  nothing = substr(terraform_data.later.id, 0, 0)
}}

resource "denobridge_resource" "a" {{
  path        = "./library.ts"
  permissions = {{ all = true }}
  props = {{
    {props}
  }}
  lifecycle {{
    create_before_destroy = {is_made_first}
  }}
}}
"#
    ));
}

/// Applies with another id of the other resource.
fn apply_with_another_id(workspace: &Workspace) -> Outcome {
    workspace.run("taint terraform_data.later").succeeds();
    workspace.run("apply -auto-approve")
}

const WARNING: &str = "so this plan is made without its advice";
const BUG: &str = "Error: Provider produced inconsistent final plan";

#[test]
fn a_script_that_never_asks_has_its_say_in_the_plan() {
    trial(&[Need::Deno], |workspace| {
        let props = r#"
    path     = "${local.later}.txt"
    size     = length(local.later)
    isPublic = local.later != "a"
    tags     = split("-", local.later)
    owner    = { name = local.later }
"#;
        for is_made_first in [false, true] {
            configure_with(workspace, props, is_made_first);
            let plan = workspace.plan().has_changes();
            plan.says_nothing_of("Warning: Failed")
                .says_nothing_of("Issue");
            workspace.apply().says("2 added, 0 changed, 0 destroyed");
            workspace.assert_nothing_to_do();

            // With an empty path, the script requires a replacement.
            let applied = apply_with_another_id(workspace).succeeds();
            applied.says("denobridge_resource.a must be replaced");
            applied
                .says("2 added, 0 changed, 2 destroyed")
                .says_nothing_of(BUG);
            workspace.assert_nothing_to_do();
            workspace.destroy();
        }
    });
}

/// A path that looks different may be the same in the end. The replacement was planned, so it is made.
#[test]
fn a_replacement_because_of_what_is_unknown_is_made_in_any_case() {
    trial(&[Need::Deno], |workspace| {
        configure(workspace, r#"path = "same${local.nothing}.txt""#);
        workspace.apply();
        let applied = apply_with_another_id(workspace).succeeds();
        applied
            .says("denobridge_resource.a must be replaced")
            .says_nothing_of(BUG);
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

#[test]
fn a_script_that_throws_does_not_stop_the_plan() {
    trial(&[Need::Deno], |workspace| {
        let with_kind = |kind: &str| {
            let json = format!("jsonencode({{ id = local.later, kind = {kind} }})");
            configure(workspace, &format!("path = \"a.txt\"\n    json = {json}"));
        };
        with_kind("\"one\"");
        let plan = workspace.plan().has_changes();
        plan.says("Warning: Failed to modify plan").says(WARNING);
        plan.says("Not known yet: props.json.")
            .says("SyntaxError: Unexpected end of JSON input");
        workspace.apply().says("2 added, 0 changed, 0 destroyed");
        workspace
            .assert_nothing_to_do()
            .says_nothing_of("Warning: Failed");

        // The script cannot say whether a replacement is needed, and none is.
        let applied = apply_with_another_id(workspace).succeeds();
        applied
            .says(WARNING)
            .says("denobridge_resource.a will be updated in-place");
        applied
            .says("1 added, 1 changed, 1 destroyed")
            .says_nothing_of(BUG);
        workspace.assert_nothing_to_do();

        // If a replacement is needed after all, Terraform stops, changes nothing, and plans it the next time.
        with_kind("local.later");
        let before = workspace.attribute("props");
        let failed = apply_with_another_id(workspace).fails();
        failed.says(WARNING).says(BUG);
        assert_eq!(workspace.attribute("props"), before);
        let applied = workspace.apply();
        applied.says("denobridge_resource.a must be replaced");
        applied.says("1 added, 0 changed, 1 destroyed");
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// An error about a known prop may be caused by an unknown one.
#[test]
fn an_error_while_props_are_unknown_is_a_warning() {
    trial(&[Need::Deno], |workspace| {
        configure(
            workspace,
            r#"
    path     = "a.txt"
    size     = "5"
    isPublic = local.later != "a"
"#,
        );
        let plan = workspace.plan().has_changes();
        plan.says("Warning: Validation Issue").says("size is \"5\"");
        plan.says("Not known yet: props.isPublic.");
        // When everything is known it is an error, and nothing has been done.
        let failed = workspace.apply_fails();
        failed.says("Error: Validation Issue").says("size is \"5\"");
        assert!(!workspace.has("a.txt"));
    });
}
