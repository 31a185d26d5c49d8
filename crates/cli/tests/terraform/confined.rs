//! What plugins of tenon.hcl may see and do: sensitive values, permissions, checksums.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::tools;
use crate::workspace::{Workspace, examples, names, puppet, trial};

const SECRET: &str = "correct-horse-battery";

/// Secrets of all kinds: a variable, a part of an attribute, and one that is no longer sensitive after the change.
const CONFIGURATION: &str = r#"
variable "password" {
  type      = string
  sensitive = true
}
variable "is_open" { default = false }
resource "terraform_data" "a" {
  triggers_replace = { password = var.password, size = "small" }
}
resource "terraform_data" "b" {
  triggers_replace = var.is_open ? nonsensitive(var.password) : var.password
}
"#;

#[test]
fn sensitive_values_reach_no_plugin_and_no_file() {
    trial(|workspace| {
        let config = r#"{ acts = { postPlan = ["say"] }, answers = { postPlan = { status = "warn", message = "m" } } }"#;
        workspace.project(CONFIGURATION, config, "");
        let password = [("TF_VAR_password", SECRET)];
        workspace.run("init").succeeds();
        let run = |words: &str| {
            let outcome = workspace.run_with(words, "yes\n", &password);
            assert!(!outcome.to_string().contains(SECRET), "{outcome}");
            outcome
        };
        run("-v apply").succeeds();
        run("-v plan -json -out=saved -var is_open=true").succeeds();
        run("--json refresh").succeeds();
        run("-v destroy").succeeds();
        let calls = workspace.calls();
        assert!(calls.len() > 20);
        for call in &calls {
            assert!(!call.to_string().contains(SECRET), "{call}");
        }
        // A value that is sensitive before a change or after it is left out on both sides.
        let opened = calls
            .iter()
            .filter(|call| call["planned_action"] == "Replace" || call["planned_action"] == "NoOp");
        for call in opened
            .filter(|call| call["address"] == "terraform_data.b" && call["hook"] == "postPlan")
        {
            assert_eq!(call["before"]["triggers_replace"], Value::Null, "{call}");
            assert_eq!(call["after"]["triggers_replace"], Value::Null, "{call}");
        }
        // Terraform itself writes it into states and plans, which are its own.
        for (path, content) in workspace.files() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_terraforms = name.contains("tfstate") || name == "saved";
            let has_it = content
                .windows(SECRET.len())
                .any(|part| part == SECRET.as_bytes());
            assert!(is_terraforms || !has_it, "{}", path.display());
            let is_ours = path.components().any(|part| part.as_os_str() == ".tenon");
            if is_ours && name != ".gitignore" {
                let mode = fs::metadata(&path).unwrap().permissions().mode();
                assert_eq!(mode & 0o077, 0, "{}", path.display());
            }
        }
    });
}

#[test]
fn a_plugin_sees_sensitive_values_only_if_its_block_says_so() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let text = format!(
            "{}{}hooks = [\"trusted\", \"other\"]\n",
            puppet(
                "trusted",
                r#"{ name = "trusted" }"#,
                "send_sensitive = true"
            ),
            puppet("other", r#"{ name = "other" }"#, "")
        );
        workspace.write("tenon.hcl", &text);
        workspace.run("init").succeeds();
        workspace.calls();
        let password = [("TF_VAR_password", SECRET)];
        let outcome = workspace.run_with("plan", "", &password).succeeds();
        assert!(!outcome.to_string().contains(SECRET), "{outcome}");
        for call in workspace
            .calls()
            .iter()
            .filter(|call| call["hook"] == "postPlan")
        {
            let is_trusted = call["plugin"] == "trusted";
            assert_eq!(call.to_string().contains(SECRET), is_trusted, "{call}");
            let paths = &call["sensitive_paths"];
            assert_eq!(*paths == json!([]), is_trusted, "{call}");
        }
    });
}

/// What a plugin was sent is not for the terminal, nor for the files of metadata.
#[test]
fn a_plugin_that_quotes_sensitive_values_is_masked() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let config = r#"{ acts = { postPlan = ["quote"] } }"#;
        let block = puppet("trusted", config, "send_sensitive = true");
        workspace.write("tenon.hcl", &format!("{block}hooks = [\"trusted\"]\n"));
        workspace.run("init").succeeds();
        let password = [("TF_VAR_password", SECRET)];
        let told = workspace.run_with("-v apply -auto-approve", "", &password);
        told.succeeds()
            .says("seen: ")
            .says("(sensitive)")
            .says_nothing_of(SECRET);
        let kept = std::fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
        assert!(kept.contains("(sensitive)"), "{kept}");
        assert!(!kept.contains(SECRET), "{kept}");
    });
}

#[test]
fn a_confined_plugin_cannot_break_out() {
    trial(|workspace| {
        let python = tools::python().unwrap();
        let python = python.parent().unwrap().parent().unwrap();
        // It may read what it needs to start, write its log, and nothing else.
        let confinement = format!(
            "permissions = {{ allow = [\"read={},{},.\", \"write=log\"] }}\n  \
             limits = {{ memory = \"256MiB\", processes = 8 }}",
            python.display(),
            examples().display()
        );
        let config = r#"{ log = "log/calls.jsonl", acts = { postPlan = ["break out"] } }"#;
        let configuration = "resource \"terraform_data\" \"a\" {}\n";
        workspace.project(configuration, config, &confinement);
        fs::create_dir(workspace.path("log")).unwrap();
        let token = [("SECRET_TOKEN", SECRET)];
        let first = workspace.run_with("init", "", &token);
        if first.has_said("Landlock") {
            return tools::say(&format!(
                "a_confined_plugin_cannot_break_out skipped: {first}"
            ));
        }
        first.succeeds();
        workspace
            .run_with("apply -auto-approve", "", &token)
            .succeeds();
        let notes = fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
        let notes: Value = serde_json::from_str(&notes).unwrap();
        let by_serial = notes["lineages"]
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap();
        let noted = by_serial.as_object().unwrap().values().next().unwrap();
        let tried = noted["terraform_data.a"]["puppet"].as_object().unwrap();
        assert_eq!(tried.len(), 6);
        for (what, result) in tried {
            let result = result.as_str().unwrap();
            assert!(result.starts_with("refused: "), "{what}: {result}");
        }
        assert!(!workspace.path("stolen").exists());
    });
}

fn sum(workspace: &Workspace, file: &str) -> String {
    let outcome = workspace.shell(&format!("sha256sum {file}"));
    outcome.stdout.split(' ').next().unwrap().to_owned()
}

#[test]
fn only_pinned_plugins_are_started() {
    trial(|workspace| {
        // An interpreter and a script of the folder: the script decides what runs.
        let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terraform/hooks.py");
        fs::copy(plugin, workspace.path("hooks.py")).unwrap();
        workspace.write("main.tf", "resource \"terraform_data\" \"a\" {}\n");
        let write = |command: &str, rest: &str| {
            let text = format!(
                "pinned = true\nplugin \"puppet\" {{\n  command = {command}\n  env = [\"EXAMPLES\"]\n  {rest}\n}}\n\
                 hooks = [\"puppet\"]\n"
            );
            workspace.write("tenon.hcl", &text);
        };
        let refused = |text: &str| {
            let refused = workspace.run("plan");
            assert_eq!(refused.code, Some(1), "{refused}");
            refused.says(text);
            assert!(workspace.calls().is_empty());
        };
        let command = r#"["python3", "./hooks.py"]"#;
        let right = sum(workspace, "hooks.py");
        write(command, "");
        refused("./hooks.py has no checksum, and `pinned` is true");
        refused(&format!(
            "hint: add `sha256 = {{ \"./hooks.py\" = \"{right}\" }}`"
        ));
        // The same file by another path.
        let pin = |sum: &str| format!("sha256 = {{ \"hooks.py\" = \"{sum}\" }}");
        write(command, &pin(&right));
        workspace.run("init").succeeds();
        assert_eq!(names(&workspace.calls()).len(), 2);
        write(command, &pin(&"0".repeat(64)));
        refused("hooks.py has changed");
        write(command, &pin(&right));
        let text = fs::read_to_string(workspace.path("hooks.py")).unwrap();
        workspace.write("hooks.py", &format!("{text}\n"));
        refused(&format!(
            "its SHA-256 checksum is {}",
            sum(workspace, "hooks.py")
        ));
        fs::remove_file(workspace.path("hooks.py")).unwrap();
        refused("hooks.py: No such file");
        // A program of the PATH, and nothing else: the program has to be pinned.
        write(r#"["python3", "-m", "hooks"]"#, "");
        refused("python3 has no checksum");
    });
}
