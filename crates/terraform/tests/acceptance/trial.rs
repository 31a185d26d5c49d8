//! The setup of every test: its tools, a workspace for each Terraform, and a check for processes left
//! behind.

use std::any::type_name;

use crate::tools::{self, Need};
use crate::workspace::Workspace;

/// Runs a test in each Terraform that has what it needs. Without the tools of `scripts/tools` it
/// is skipped, but not under CI=true.
pub(crate) fn trial<F: Fn(&mut Workspace)>(needs: &[Need], test: F) {
    let name = type_name::<F>().replace("::{{closure}}", "");
    let deno = match needs.contains(&Need::Deno) {
        true => tools::deno().map(Some),
        false => Ok(None),
    };
    let found = deno.and_then(|deno| Ok((deno, tools::python()?, tools::terraforms()?)));
    let (deno, python, terraforms) = match found {
        Ok(found) => found,
        Err(why) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "{name} needs its tools under CI=true: {why}");
            return tools::say(&format!("skipped: {name}: {why}"));
        }
    };
    for terraform in terraforms {
        if let Some(missing) = needs.iter().find(|need| !terraform.has(**need)) {
            let program = terraform.program.display();
            tools::say(&format!(
                "skipped: {name} in {program}: it lacks {missing:?}"
            ));
            continue;
        }
        let mut workspace = Workspace::new(terraform.clone());
        workspace.set("TENON_PYTHON", &python);
        if let Some(deno) = &deno {
            workspace.set("TENON_DENO", deno);
        }
        test(&mut workspace);
        workspace.assert_nobody_left();
    }
}
