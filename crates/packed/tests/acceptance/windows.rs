//! The providers for Windows under Wine: Terraform on Linux starts a script that runs them, and connects over TCP.
//!
//! WINDOWS_PROGRAMS names the folder that cargo has built them into; `scripts/wine-test` sets it. Without it the tests
//! are skipped.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::mark::Mark;
use crate::room;
use crate::tools;
use crate::workspace::{Workspace, trial};

/// A process that keeps Wine running. What Wine starts for the first program inherits its streams: Terraform would wait
/// for these processes, and the test would count them among its own.
struct Wine(Child);

impl Wine {
    fn start(programs: &Path) -> Wine {
        let start = |program: &str, stdin: Stdio| {
            tools::command(Path::new("wine"))
                .arg(programs.join(program))
                .env_remove(Mark::VARIABLE)
                .stdin(stdin)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let keeper = Wine(start("examples/notes.exe", Stdio::piped()));
        let mut first = start("tenon.exe", Stdio::null());
        room::wait(&mut first, "the start of Wine");
        keeper
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _has_ended = self.0.kill();
        let _has_ended = self.0.wait();
    }
}

/// Kills a process when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _has_ended = self.0.kill();
        let _has_ended = self.0.wait();
    }
}

/// Runs a test with the folder of the programs for Windows.
fn trial_under_wine(test: impl Fn(&Workspace, &Path)) {
    let Some(programs) = std::env::var_os("WINDOWS_PROGRAMS").map(PathBuf::from) else {
        return tools::say("skipped: the providers under Wine: scripts/wine-test runs them");
    };
    let _wine = Wine::start(&programs);
    trial(|workspace| test(workspace, &programs));
}

/// Makes Terraform run a program for Windows as a provider.
fn provide(workspace: &Workspace, source: &str, program: &Path) {
    let name = source.rsplit('/').next().unwrap();
    let script = workspace.path(&format!("plugins/terraform-provider-{name}"));
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::write(&script, format!("#!/bin/sh\nexec wine {program:?}\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let plugins = script.parent().unwrap();
    let config = format!(
        "provider_installation {{\n  dev_overrides {{\n    {source:?} = {plugins:?}\n  }}\n  direct {{}}\n}}\n"
    );
    workspace.write("terraform.rc", &config);
}

/// As Wine calls a file of Linux.
fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.to_str().unwrap().replace('/', "\\"))
}

#[test]
fn a_script_of_denobridge_runs_on_windows() {
    trial_under_wine(|workspace, programs| {
        let provider = programs.join("terraform-provider-denobridge.exe");
        provide(workspace, "brad-jones/denobridge", &provider);
        let script = windows_path(&programs.join("examples/file_resource.exe"));
        let configure = |content: &str| {
            let text = format!(
                r#"
terraform {{
  required_providers {{
    denobridge = {{ source = "brad-jones/denobridge" }}
  }}
}}
resource "denobridge_resource" "a" {{
  path  = {script:?}
  props = {{ path = "a.txt", content = "{content}" }}
}}
"#
            );
            workspace.write("main.tf", &text);
        };
        let file = workspace.path("a.txt");
        configure("one");
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(fs::read_to_string(&file).unwrap(), "one");
        workspace.run("plan -detailed-exitcode").succeeds();
        configure("two");
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        workspace.run("destroy -auto-approve").succeeds();
        assert!(!file.exists());
    });
}

#[test]
fn a_plugin_is_packed_and_used_on_windows() {
    trial_under_wine(|workspace, programs| {
        let plugin = windows_path(&programs.join("examples/notes.exe"));
        let tenon = programs.join("tenon.exe");
        let mirror = windows_path(&workspace.path("mirror"));
        let words = [
            "provider", "pack", "notes", "--mirror", &mirror, "--json", "--",
        ];
        let command = [&[tenon.to_str().unwrap()], &words[..], &[plugin.as_str()]].concat();
        let packed = workspace.run_program(Path::new("wine"), &command);
        let packed = packed.succeeds();
        assert!(packed.stdout.contains("windows_amd64"), "{}", packed.stdout);
        let mut version = fs::read_dir(workspace.path("mirror/registry.terraform.io/tenon/notes"));
        let version = version.as_mut().unwrap().next().unwrap().unwrap();
        let number = version.file_name().into_string().unwrap();
        let provider = { version.path() }
            .join("windows_amd64")
            .join(format!("terraform-provider-notes_v{number}.exe"));
        assert!(provider.exists(), "{}", provider.display());
        provide(workspace, "tenon/notes", &provider);
        let note = "provider \"notes\" {\n  folder = \"notes\"\n}\nresource \"notes_note\" \"a\" {\n  title = \"one\"\n}\n";
        workspace.configure("notes", note);
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(workspace.attributes("notes_note")["title"], "one");
        workspace.run("plan -detailed-exitcode").succeeds();
        workspace.run("destroy -auto-approve").succeeds();
        assert!(workspace.addresses().is_empty());
        let removed = [
            tenon.to_str().unwrap(),
            "provider",
            "remove",
            "notes",
            "--mirror",
            &mirror,
        ];
        let removed = workspace.run_program(Path::new("wine"), &removed);
        removed.succeeds();
        assert!(!provider.exists());
    });
}

/// The command interpreter in place of Terraform: Wine knows only parents that are programs for Windows.
#[test]
fn a_provider_ends_when_the_program_that_started_it_is_killed() {
    let certificate = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";
    let cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
    trial_under_wine(|workspace, programs| {
        let provider = windows_path(&programs.join("terraform-provider-denobridge.exe"));
        let stdout = workspace.path("stdout");
        let parent = { workspace.command(Path::new("wine")) }
            .args(["cmd", "/c", &provider])
            .env("TF_PLUGIN_MAGIC_COOKIE", cookie)
            .env("PLUGIN_CLIENT_CERT", certificate)
            .stdin(Stdio::null())
            .stdout(fs::File::create(&stdout).unwrap())
            .spawn()
            .unwrap();
        let parent = Killed(parent);
        workspace.until("the line of the handshake", || {
            fs::read_to_string(&stdout).unwrap().ends_with('\n')
        });
        let line = fs::read_to_string(&stdout).unwrap();
        assert!(line.starts_with("1|6|tcp|127.0.0.1:"), "{line}");
        drop(parent);
        workspace.until_nobody_is_left();
    });
}
