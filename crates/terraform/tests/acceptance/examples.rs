//! The examples under `examples/terraform/`, as a new user would try them.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use serde_json::json;

use crate::tools::{self, Need};
use crate::trial::trial;
use crate::workspace::Workspace;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/terraform")
}

/// Copies an example into the workspace.
fn copy(workspace: &Workspace, name: &str) {
    for file in fs::read_dir(examples().join(name)).expect(name).flatten() {
        fs::copy(file.path(), workspace.path(file.file_name())).expect("a copy");
    }
}

/// From the first plan to `destroy`: created, shown, updated in place, replaced.
fn lives_its_life(workspace: &Workspace) {
    let plan = workspace.plan().has_changes();
    plan.says("# denobridge_resource.greeting will be created");
    plan.says("Plan: 1 to add, 0 to change, 0 to destroy.");
    assert!(!workspace.has("greeting.txt"));

    workspace.apply().says("[id=./greeting.txt]");
    let content = "Hello from Terraform\n";
    assert_eq!(workspace.read("greeting.txt"), content);
    assert_eq!(workspace.output("size"), 21);
    let instances = workspace.instances();
    let attributes = &instances["denobridge_resource.greeting"]["attributes"];
    assert_eq!(attributes["id"], "./greeting.txt");
    let props = json!({ "path": "./greeting.txt", "content": content });
    assert_eq!(attributes["props"]["value"], props);
    let time = attributes["state"]["value"]["mtime"].as_u64();
    assert!(time.is_some_and(|time| time > 0), "{time:?}");
    workspace.assert_nothing_to_do().says("No changes.");

    let text = workspace.read("main.tf");
    workspace.write("main.tf", &text.replace("Hello", "Good evening"));
    let applied = workspace.apply();
    applied.says("Apply complete! Resources: 0 added, 1 changed, 0 destroyed.");
    applied.says("~ content = <<-EOT");
    applied.says("- Hello from Terraform");
    applied.says("+ Good evening from Terraform");
    assert!(workspace.read("greeting.txt").starts_with("Good evening"));
    workspace.assert_nothing_to_do();

    workspace.write("main.tf", &text.replace("greeting.txt", "other.txt"));
    workspace.apply().says("1 added, 0 changed, 1 destroyed");
    assert!(workspace.has("other.txt") && !workspace.has("greeting.txt"));
    workspace.destroy();
    assert!(!workspace.has("other.txt"));
}

/// The same file in three languages, one after the other in each Terraform.
#[test]
fn a_file_lives_its_life_in_every_language() {
    // Cargo builds it with the tests of the whole workspace.
    let built = Path::new(env!("CARGO_BIN_EXE_terraform-provider-denobridge"));
    let program: PathBuf = built.with_file_name("examples").join("file_resource");
    let mut examples = vec!["file-deno", "file-python"];
    match program.is_file() {
        true => examples.push("file-rust"),
        false => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "{} is not built", program.display());
            tools::say("skipped: file-rust: cargo build -p tenon-plugin --examples");
        }
    }
    trial(&[Need::Deno], |workspace| {
        workspace.set("TF_VAR_program", &program);
        for example in &examples {
            tools::say(example);
            copy(workspace, example);
            lives_its_life(workspace);
        }
    });
}

/// The same file with the SDK for TypeScript, in the shape of denobridge's own library.
#[test]
fn a_file_lives_its_life_with_the_sdk() {
    trial(&[Need::Deno], |workspace| {
        copy(workspace, "file-deno");
        let sdk =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/typescript/src/denobridge.ts");
        let sdk = sdk.canonicalize().expect("the SDK").display().to_string();
        let script = workspace.read("file_sdk.ts");
        assert!(script.contains("\"@tenon/sdk/denobridge\""));
        let script = script.replace("@tenon/sdk/denobridge", &format!("file://{sdk}"));
        workspace.write("file.ts", &script);
        lives_its_life(workspace);
        // What the author threw reaches the user.
        let text = workspace.read("main.tf");
        let empty = text.replace("\"Hello from Terraform\\n\"", "\"\"");
        assert_ne!(empty, text);
        workspace.write("main.tf", &empty);
        workspace
            .apply_fails()
            .says("nothing to write into ./other.txt");
    });
}

#[test]
fn functions_in_typescript() {
    trial(&[Need::Deno], |workspace| {
        copy(workspace, "functions");
        workspace.apply();
        assert_eq!(workspace.output("slug"), "creme-brulee-and-how-to-make-it");
        assert_eq!(workspace.output("words")["make"], 1);
        workspace.assert_nothing_to_do();
    });
}

#[test]
fn secrets_that_no_state_holds() {
    trial(&[], |workspace| {
        copy(workspace, "token");
        workspace.set("TF_VAR_password", "correct-horse");
        workspace.apply().says_nothing_of("correct-horse");
        let state = workspace.read("terraform.tfstate");
        assert!(!state.contains("correct-horse"));
        let leases = fs::read_dir(workspace.path("leases")).expect("leases");
        assert_eq!(leases.count(), 0, "every token has been given back");
        workspace.assert_nothing_to_do();
        workspace.set("TF_VAR_password", "battery-staple");
        workspace.assert_nothing_to_do();
        workspace.set("TF_VAR_password_version", "2");
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        workspace.destroy();
    });
}

#[test]
fn an_action_that_tells_how_far_it_has_come() {
    trial(&[Need::Actions], |workspace| {
        copy(workspace, "notify");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (heard, messages) = mpsc::sync_channel(16);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten().take(2) {
                let mut reader = BufReader::new(stream);
                let mut length = 0;
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
                    let header = line.to_lowercase();
                    if let Some(value) = header.strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap_or(0);
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("a body");
                let _gone = heard.send(String::from_utf8_lossy(&body).into_owned());
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                reader.get_mut().write_all(answer.as_bytes()).expect("sent");
            }
        });
        workspace.set("TF_VAR_url", format!("http://{address}/hook"));
        let applied = workspace.apply();
        applied.says("Action action.denobridge_action.announce");
        let posted: Vec<String> = messages.iter().take(2).collect();
        assert!(posted[0].contains("Release 1.0.0 is out"), "{posted:?}");
        assert!(posted[1].contains("Thanks to everybody"), "{posted:?}");
    });
}

/// Commands in comments work when they are copied into a shell: they set every variable that is needed.
#[test]
fn commands_in_comments_have_their_variables() {
    let folders = fs::read_dir(examples()).expect("examples").flatten();
    let texts = folders.filter_map(|folder| {
        let file = folder.path().join("main.tf");
        Some((fs::read_to_string(&file).ok()?, file))
    });
    let mut count = 0;
    for (text, file) in texts {
        let blocks = text.split("\nvariable \"").skip(1);
        let required: Vec<&str> = blocks
            .filter(|block| {
                !block
                    .split("\n}")
                    .next()
                    .is_some_and(|it| it.contains("default"))
            })
            .filter_map(|block| block.split('"').next())
            .collect();
        for command in text.lines().filter(|line| line.starts_with("#     ")) {
            for variable in required
                .iter()
                .filter(|_| command.contains("terraform apply"))
            {
                let given = format!("-var {variable}=");
                assert!(command.contains(&given), "{}: {command}", file.display());
                count += 1;
            }
        }
    }
    assert!(count > 0, "no example has a variable");
}
