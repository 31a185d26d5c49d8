//! The plugin `stage.py`, which logs its calls.

use std::fs;

use crate::workspace::Workspace;

pub(crate) fn pack(workspace: &Workspace, options: &str) {
    let plugin = workspace.plugin("stage.py");
    let options = format!("--env EXAMPLES {options}");
    workspace.pack("stage", &options, &plugin).succeeds();
    forget_calls(workspace);
}

/// Packs it, and prepares this configuration.
pub(crate) fn ready(workspace: &Workspace, options: &str, text: &str) {
    pack(workspace, options);
    workspace.configure("stage", text);
    workspace.init();
}

pub(crate) fn forget_calls(workspace: &Workspace) {
    fs::write(workspace.path("calls"), "").unwrap();
}

/// What processes of the plugin have logged: which process, and what.
pub(crate) fn calls(workspace: &Workspace) -> Vec<(String, String)> {
    let text = fs::read_to_string(workspace.path("calls")).unwrap();
    let cut = |line: &str| {
        let (process, text) = line.split_once(' ').unwrap();
        (process.to_owned(), text.to_owned())
    };
    text.lines().map(cut).collect()
}

pub(crate) fn count(workspace: &Workspace, text: &str) -> usize {
    let calls = calls(workspace);
    calls.iter().filter(|(_, logged)| logged == text).count()
}
