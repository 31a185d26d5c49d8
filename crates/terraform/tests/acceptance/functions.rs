//! Functions of scripts.

use serde_json::json;

use crate::tools::Need;
use crate::trial::trial;

#[test]
fn a_function_gives_what_the_script_gives() {
    trial(&[], |workspace| {
        workspace.configure(
            r#"
output "called" {
  value = provider::denobridge::call("./puppet.py", "f", 1, "two", [3, { four = 0.1 }], null)
}

output "without_arguments" {
  value = provider::denobridge::call("./puppet.py", "g")
}
"#,
        );
        workspace.apply();
        assert_eq!(
            workspace.output("called"),
            json!({ "name": "f", "arguments": [1, "two", [3, { "four": 0.1 }], null] })
        );
        assert_eq!(
            workspace.output("without_arguments"),
            json!({ "name": "g", "arguments": [] })
        );
        workspace.assert_nothing_to_do();
    });
}

#[test]
fn a_function_in_deno_needs_no_permission_and_has_none() {
    trial(&[Need::Deno], |workspace| {
        workspace.configure(
            r#"
output "hash" {
  value = provider::denobridge::call("./hash.ts", "sha256", "Hello World")
}
"#,
        );
        workspace.apply();
        assert_eq!(
            workspace.output("hash"),
            "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e"
        );
        workspace.configure(
            r#"
output "file" {
  value = provider::denobridge::call("./hash.ts", "read", "main.tf")
}
"#,
        );
        let failed = workspace.apply_fails();
        failed.says("Requires read access");
    });
}

#[test]
fn an_error_of_a_function_is_shown_at_its_argument() {
    trial(&[], |workspace| {
        let error = json!({
            "severity": "error",
            "summary": "Odd",
            "detail": "An even number is needed.",
            "propPath": ["arguments", "0"],
        });
        workspace.moves(&json!({ "call": [{ "result": { "diagnostics": [error] } }] }));
        workspace.configure(
            r#"
output "halved" {
  value = provider::denobridge::call("./puppet.py", "half", 3)
}
"#,
        );
        let failed = workspace.apply_fails();
        failed.says("Invalid function argument");
        failed.says("An even number is needed.");
        failed.says(r#"value = provider::denobridge::call("./puppet.py", "half", 3)"#);

        let thrown = json!({ "code": -32000, "message": "no such function: half" });
        workspace.moves(&json!({ "call": [{ "error": thrown }] }));
        let failed = workspace.apply_fails();
        failed.says("Error in function call");
        failed.says("no such function: half");
    });
}
