//! The example in Python: functions, and the life of a resource.

use crate::lives::{self, Note};
use crate::tools;
use crate::workspace::{Workspace, example, trial};

fn packed(workspace: &Workspace) {
    let notes = example("python/notes.py");
    workspace.pack("notes", "", &notes).succeeds();
}

/// Runs a test with the plugin in plain Python, and with the one on the msgpack library.
fn trial_of_both(test: impl Fn(&Workspace)) {
    trial(|workspace| {
        packed(workspace);
        test(workspace);
    });
    let python =
        tools::installed("python", "stamp").map(|stamp| stamp.with_file_name("bin/python"));
    trial(|workspace| {
        let python = python.as_ref().expect("what was there for Terraform");
        let plugin = workspace.plugin("notes_msgpack.py");
        let python = python.to_str().unwrap();
        let packed = workspace.pack_with(python, "notes", "--env EXAMPLES", &plugin);
        packed.succeeds();
        test(workspace);
    });
}

const NOTE: Note = Note {
    more: "",
    weight: "2",
};

#[test]
fn functions_take_optional_and_variadic_arguments() {
    trial_of_both(|workspace| {
        lives::functions(workspace);
        let many = "output \"x\" { value = provider::notes::slug(\"a\", \"-\", 1, 2) }\n";
        workspace.configure("notes", many);
        let refused = workspace.run("plan").fails();
        refused.says("there are at most 3 arguments");
    });
}

#[test]
fn a_note_lives_its_life() {
    trial_of_both(|workspace| {
        let made = lives::creation(workspace, &NOTE);
        assert_eq!(made["link"][1]["weight"], 2);
        assert_eq!(workspace.instance("notes_note")["private"], "c2Vlbg==");
        lives::changes(workspace, &NOTE, &made);
    });
}

#[test]
fn a_note_is_imported() {
    trial_of_both(|workspace| {
        lives::import(workspace, &NOTE.text("one", ""), "resources/import");
    });
}

#[test]
fn an_older_state_is_upgraded() {
    let note = NOTE.text("one", "text = \"old\"");
    trial_of_both(|workspace| lives::upgrade(workspace, &note, &[]));
}

#[test]
fn an_ephemeral_resource_is_opened_and_closed() {
    trial_of_both(lives::ephemeral);
}
