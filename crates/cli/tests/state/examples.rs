//! The examples in Python and in Rust: both do the same.

use std::fs;

use serde_json::{Value, json};

use crate::faults::{SLOW, lock_id};
use crate::server::Server;
use crate::workspace::{Workspace, examples, rust_example, trial};

const SIZES: &str = r#"
variable "size" { default = "small" }
resource "terraform_data" "a" { input = { size = var.size } }
resource "terraform_data" "b" { input = { size = "large" } }
resource "terraform_data" "unsized" { input = terraform_data.b.id }
"#;

/// An example in Python, as the words of a command.
fn python(script: &str, arguments: &[&str]) -> Vec<String> {
    let script = examples().join(script);
    let words = ["python3", script.to_str().unwrap()];
    { words.iter().chain(arguments) }
        .map(|&word| word.to_owned())
        .collect()
}

fn rust(name: &str, arguments: &[&str]) -> Vec<String> {
    let program = rust_example(name);
    let words = [program.to_str().unwrap()];
    { words.iter().chain(arguments) }
        .map(|&word| word.to_owned())
        .collect()
}

#[test]
fn cost_estimators_warn_and_refuse() {
    trial(|workspace| {
        for command in [python("cost.py", &[]), rust("cost", &[])] {
            let _earlier = fs::remove_dir_all(workspace.path(".tenon"));
            let _earlier = fs::remove_file(workspace.path("terraform.tfstate"));
            workspace.write("main.tf", SIZES);
            let text = format!(
                "plugin \"cost\" {{\n  command = {}\n  config = {{ budget = 100 }}\n}}\nhooks = [\"cost\"]\n",
                json!(command)
            );
            workspace.write("tenon.hcl", &text);
            workspace.run("init").succeeds();
            let refused = workspace.run("apply -auto-approve -var size=large");
            refused
                .fails()
                .says("the plan costs $160 per month, and the budget is $100");
            assert!(!workspace.path("terraform.tfstate").exists());
            let warned = workspace.run("apply -auto-approve").succeeds();
            warned.says("terraform_data.b costs $80 per month");
            let notes = fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
            assert!(notes.contains("monthly"), "{notes}");
        }
    });
}

#[test]
fn storages_keep_the_state_and_its_lock() {
    trial(|workspace| {
        let stores = [
            python("sqlite_store.py", &["python.db"]),
            python("toolkit.py", &["folder", "python"]),
            rust("toolkit", &["folder", "rust"]),
            rust("toolkit", &["sqlite", "rust.db"]),
        ];
        workspace.write("main.tf", SLOW);
        for store in stores {
            for file in ["started", "go"] {
                let _earlier = fs::remove_file(workspace.path(file));
            }
            keeps_the_state(workspace, &store);
        }
    });
}

fn keeps_the_state(workspace: &Workspace, store: &[String]) {
    let store: Vec<&str> = store.iter().map(String::as_str).collect();
    let server = Server::start(workspace, &[], &store);
    let run = |words: &str| workspace.terraform(words, &server.variables);
    run("init -reconfigure").succeeds();
    let first = workspace.begin("first", "apply -auto-approve", &server.variables);
    workspace.wait_for("started");
    let id = lock_id(&run("plan").fails());
    workspace.write("go", "");
    first.end().succeeds();
    run("plan -detailed-exitcode").succeeds();
    // Nobody holds a lock, which is not a failure.
    run(&format!("force-unlock -force {id}")).succeeds();
    run("apply -auto-approve -var input=two").succeeds();
    let pulled = run("state pull").succeeds();
    let pulled: Value = serde_json::from_str(&pulled.stdout).unwrap();
    assert_eq!(pulled["serial"], 2, "{store:?}");
    run("destroy -auto-approve").succeeds();
    server.stop();
}

#[test]
fn functions_tell_what_the_storage_has() {
    trial(|workspace| {
        fs::create_dir_all(workspace.path("states/team")).unwrap();
        for name in ["default", "team/a", "team/b"] {
            workspace.write(&format!("states/{name}.tfstate"), "{}");
        }
        for toolkit in [
            python("toolkit.py", &["folder", "states"]),
            rust("toolkit", &["folder", "states"]),
        ] {
            let call = |name: &str, arguments: Value| {
                let params = json!({ "name": name, "arguments": arguments }).to_string();
                let mut words = vec!["call", "functions/call", &params];
                words.extend(["--protocol", "seasonings", "--"]);
                words.extend(toolkit.iter().map(String::as_str));
                workspace.start(&words).wait_with_output().unwrap()
            };
            let result = |name: &str, arguments: Value| {
                let output = call(name, arguments);
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{said}");
                let result: Value = serde_json::from_slice(&output.stdout).unwrap();
                result["result"].clone()
            };
            let all = result("list_states", json!({ "prefix": "", "max": 100 }));
            assert_eq!(all, json!(["default", "team/a", "team/b"]));
            let some = result("list_states", json!({ "prefix": "team/", "max": 1 }));
            assert_eq!(some, json!(["team/a"]));
            let location = result("state_location", json!({ "path": "team/a" }));
            let location = location.as_str().unwrap();
            assert!(location.starts_with("file:///"), "{location}");
            assert!(location.ends_with("/states/team/a.tfstate"), "{location}");
            let failed = call("state_location", json!({ "path": "" }));
            assert!(!failed.status.success());
            let said = String::from_utf8_lossy(&failed.stderr);
            assert!(said.contains("the name of the state is empty"), "{said}");
        }
    });
}
