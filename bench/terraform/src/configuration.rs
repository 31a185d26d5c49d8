//! What is applied: as many resources as one likes, in one folder for each kind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bench_terraform::program;

/// What the resources are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There are none.
    Nothing,
    /// Terraform's own resource: no process is started for it.
    BuiltIn,
    /// Processes of the script are kept for the next call.
    Warm,
    /// Each call has a process of its own.
    ProcessPerCall,
}

impl Kind {
    pub const ALL: [Kind; 4] = [
        Kind::Nothing,
        Kind::BuiltIn,
        Kind::Warm,
        Kind::ProcessPerCall,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Nothing => "nothing",
            Kind::BuiltIn => "`terraform_data`",
            Kind::Warm => "`denobridge_resource`, warm processes",
            Kind::ProcessPerCall => "`denobridge_resource`, `reuse = false`",
        }
    }

    /// Writes the configuration into a new folder, and gives that.
    pub fn write(self, within: &Path, resources: usize) -> io::Result<PathBuf> {
        let folder = within.join(format!("{self:?}"));
        fs::create_dir(&folder)?;
        fs::write(folder.join("main.tf"), self.text(resources))?;
        Ok(folder)
    }

    fn text(self, resources: usize) -> String {
        match self {
            Kind::Nothing => String::new(),
            Kind::BuiltIn => format!(
                r#"resource "terraform_data" "thing" {{
  count = {resources}
  input = {PROPS}
}}
"#
            ),
            Kind::Warm => bridged(resources, true),
            Kind::ProcessPerCall => bridged(resources, false),
        }
    }
}

const PROPS: &str = r#"{
    name = "thing-${count.index}"
    size = count.index
    tags = { environment = "staging", owner = "shop" }
  }"#;

fn bridged(resources: usize, reuse: bool) -> String {
    let script = program::script("thing.ts");
    format!(
        r#"terraform {{
  required_providers {{
    denobridge = {{ source = "brad-jones/denobridge" }}
  }}
}}

provider "denobridge" {{
  reuse = {reuse}
}}

resource "denobridge_resource" "thing" {{
  count = {resources}
  path  = {script:?}
  props = {PROPS}
}}
"#
    )
}

/// Forgets what was applied.
pub fn forget(folder: &Path) -> io::Result<()> {
    for name in ["terraform.tfstate", "terraform.tfstate.backup"] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
