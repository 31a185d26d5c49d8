//! `tenon init`.

use std::path::PathBuf;

use crate::args::InitArgs;
use crate::commands::new_file;
use crate::exit::Failure;
use crate::output;

/// The scenario among the files.
pub(crate) const SCENARIO: &str = "scenarios/hello.hcl";

/// The files by their paths.
pub(crate) fn files() -> [(&'static str, String); 2] {
    let scenario = include_str!("init/hello.hcl");
    [
        (SCENARIO, for_system(scenario)),
        (
            "components/merchant.hcl",
            include_str!("init/merchant.hcl").to_owned(),
        ),
    ]
}

/// Windows has no program of the name `echo`: it is a command of its shell.
fn for_system(scenario: &str) -> String {
    const ECHO: &str = "command = \"echo\"\n    args    = [\"";
    const SHELL: &str = "command = \"cmd\"\n    args    = [\"/d\", \"/c\", \"echo ";
    match cfg!(windows) {
        true => scenario.replace(ECHO, SHELL),
        false => scenario.to_owned(),
    }
}

pub(crate) fn run(args: &InitArgs) -> Result<(), Failure> {
    // With the separator of the system.
    let place = |name: &str| args.folder.join(name.split('/').collect::<PathBuf>());
    for (name, text) in files() {
        let path = place(name);
        let is_new = new_file::write(&path, &text)?;
        let what = if is_new { "wrote" } else { "kept existing" };
        output::talk(format_args!("{what} {}", tenon_text::path(&path)));
    }
    let scenario = place(SCENARIO);
    let scenario = tenon_text::path(&scenario);
    output::talk(format_args!(
        "next:\n  tenon plan {scenario}\n  tenon run {scenario}\n  \
         tenon teardown RECORD    undoes the run"
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On Windows, if the text has changed and is no longer found, the first scenario of a user would fail.
    #[test]
    fn the_scenario_runs_a_program_of_this_system() {
        let [(_, scenario), _] = files();
        let program = if cfg!(windows) { "cmd" } else { "echo" };
        assert!(
            scenario.contains(&format!("command = \"{program}\"\n")),
            "{scenario}"
        );
    }
}
