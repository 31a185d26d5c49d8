//! A file as a resource: how its script is found and started. Its life is in `examples.rs`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::tools::Need;
use crate::trial::trial;

/// A resource "a" that is a file.
pub(crate) fn file(script: &str, path: &str, content: &str) -> String {
    let permissions = match script.ends_with(".ts") {
        true => "permissions = { all = true }",
        false => "",
    };
    format!(
        r#"
resource "denobridge_resource" "a" {{
  path  = "./{script}"
  props = {{
    path    = "{path}"
    content = "{content}"
  }}
  {permissions}
}}
"#
    )
}

/// As after an installation: with a mirror and a lock file instead of a development override.
#[test]
fn init_finds_the_provider_in_a_mirror() {
    trial(&[Need::TerraformRegistry], |workspace| {
        let system = match std::env::consts::ARCH {
            "aarch64" => "linux_arm64",
            _ => "linux_amd64",
        };
        let place = format!("mirror/registry.terraform.io/brad-jones/denobridge/0.1.0/{system}");
        fs::create_dir_all(workspace.path(&place)).expect("a folder");
        let provider = workspace.path("plugins/terraform-provider-denobridge");
        let place = format!("{place}/terraform-provider-denobridge_v0.1.0");
        fs::copy(provider, workspace.path(place)).expect("a copy");
        let mirror = workspace.path("mirror");
        workspace.write(
            "terraform.rc",
            &format!("provider_installation {{\n  filesystem_mirror {{\n    path = {mirror:?}\n  }}\n}}\n"),
        );
        workspace.configure(&file("file.py", "./a.txt", "one"));
        let init = workspace.run("init").succeeds();
        init.says("Installed brad-jones/denobridge v0.1.0 (unauthenticated)");
        workspace.apply();
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// Languages that are not known by a file extension.
#[test]
fn a_program_of_any_kind_is_a_script() {
    trial(&[], |workspace| {
        workspace.write("program", "#!/bin/sh\nexec \"$TENON_PYTHON\" -u file.py\n");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(workspace.path("program"), mode).expect("a mode");
        workspace.configure(
            r#"
resource "denobridge_resource" "executable" {
  path  = "./program"
  props = { path = "a.txt", content = "executable" }
}

resource "denobridge_resource" "command" {
  command = ["sh", "-c", "exec \"$TENON_PYTHON\" -u \"$0\"", "file.py"]
  props   = { path = "b.txt", content = "command" }
}
"#,
        );
        workspace.apply();
        assert_eq!(workspace.read("a.txt"), "executable");
        assert_eq!(workspace.read("b.txt"), "command");
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}
