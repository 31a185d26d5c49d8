//! The example in Rust: the same provider as the one in Python, by `tenon-plugin`.

use std::fs;

use serde_json::json;

use crate::lives::{self, Note, configure};
use crate::shapes::PLAIN;
use crate::tools;
use crate::workspace::{Workspace, example, program, trial};

/// Runs a test with the example, which cargo builds with the tests of the workspace.
fn trial_in_rust(test: impl Fn(&Workspace)) {
    let plugin = program("tenon").with_file_name("examples").join("notes");
    if !plugin.exists() {
        let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(!is_ci, "{} is needed under CI=true", plugin.display());
        return tools::say("skipped: cargo build -p tenon-plugin --examples");
    }
    trial(|workspace| {
        let command = [plugin.to_str().unwrap()];
        workspace.pack_command("notes", "", &command).succeeds();
        test(workspace);
    });
}

const NOTE: Note = Note {
    more: "author = { name = \"ada\" }",
    weight: "1 / 3",
};

#[test]
fn functions_take_optional_and_variadic_arguments() {
    trial_in_rust(|workspace| {
        lives::functions(workspace);
        let negative = "output \"x\" { value = provider::notes::slug(\"a\", null, -1) }\n";
        workspace.configure("notes", negative);
        workspace.run("plan").fails().says("does not fit");
    });
}

/// As somebody tries it who has just read about it.
#[test]
fn the_example_does_what_its_readme_says() {
    trial_in_rust(|workspace| {
        fs::copy(example("rust/main.tf"), workspace.path("main.tf")).unwrap();
        workspace.init();
        workspace.run("apply -auto-approve").succeeds();
        let outputs = workspace.state()["outputs"].clone();
        assert_eq!(outputs["words"]["value"], 2);
        assert_eq!(outputs["notes"]["value"], 1);
        let made = workspace.attributes("notes_note");
        assert_eq!(made["tags"], json!({"list": "to-buy"}));
        workspace.run("plan -detailed-exitcode").succeeds();
        workspace.run("destroy -auto-approve").succeeds();
    });
}

#[test]
fn a_note_lives_its_life() {
    trial_in_rust(|workspace| {
        let made = lives::creation(workspace, &NOTE);
        assert_eq!(made["author"], json!({"name": "ada", "is_shown": null}));
        lives::changes(workspace, &NOTE, &made);
    });
}

#[test]
fn a_note_is_imported() {
    trial_in_rust(|workspace| {
        // What was imported has its defaults filled in.
        let note = Note {
            more: "author = { name = \"ada\", is_shown = true }",
            weight: "0.25",
        };
        lives::import(workspace, &note.text("one", ""), "resources/read");
    });
}

#[test]
fn an_older_state_is_upgraded() {
    let note = "resource \"notes_note\" \"a\" {\n  title = \"one\"\n  text = \"old\"\n}\n";
    trial_in_rust(|workspace| lives::upgrade(workspace, note, &["id", "title"]));
}

#[test]
fn an_ephemeral_resource_is_opened_and_closed() {
    trial_in_rust(lives::ephemeral);
}

#[test]
fn errors_point_at_the_attribute() {
    trial_in_rust(|workspace| {
        let text = "resource \"notes_note\" \"a\" {\n  title = \"t\"\n}\n";
        let provider = "provider \"notes\" {\n  folder = \"nowhere\"\n}\n";
        workspace.configure("notes", &format!("{provider}{text}"));
        workspace.init();
        let refused = workspace.run("plan").fails();
        refused.says("No such folder").says("folder = \"nowhere\"");
        configure(
            workspace,
            "ephemeral \"notes_token\" \"t\" {\n  length = -1\n}\n",
        );
        let refused = workspace.run("plan").fails();
        // Terraform itself shows no source here.
        { refused.says("does not fit") }.says("In length of the ephemeral resource notes_token");
    });
}

#[test]
fn a_second_plan_is_empty_for_every_shape_of_value() {
    trial_in_rust(|workspace| {
        let mut text = String::new();
        for (index, value) in PLAIN.iter().enumerate() {
            let body = format!("title = \"p{index}\"\n  extra = {value}");
            text += &format!("resource \"notes_note\" \"p{index}\" {{\n  {body}\n}}\n");
        }
        let typed = [
            "tags = {}",
            "tags = { a = null, \"\" = \"\", b = 0.1 }",
            "author = null",
            "author = { name = \"\" }",
            "author = { name = \"e\\u0301\", is_shown = null }",
            "author = { name = \"a\", is_shown = true }",
            "author = { name = \"a\", is_shown = false }",
            "link { url = \"\" }",
            "link {\n    url = \"a\"\n    weight = 1 / 3\n  }\n  link { url = \"a\" }",
            "link {\n    url = \"a\"\n    weight = 0.1 + 0.2\n  }",
            "link {\n    url = \"a\"\n    weight = 1e100\n  }",
            "link {\n    url = \"a\"\n    weight = 18446744073709551616\n  }",
            "text = \"\"",
            "text = \"(empty)\"",
            "text = null",
            "text = \"line\\nbreak \\\"quoted\\\" \\\\ $${x}\"",
            "text = \"\\u00e9 e\\u0301 \\U0001F600\"",
            "text = true",
            "password = \"hunter2\"",
            "extra = [0.1, tolist([1]), null]\n  tags = { a = \"b\" }",
            "extra = 1 / 3",
            "extra = 123456789012345678901234567890.123",
            "extra = -0.0",
        ];
        for (index, body) in typed.iter().enumerate() {
            let body = format!("title = \"t{index}\"\n  {body}");
            text += &format!("resource \"notes_note\" \"t{index}\" {{\n  {body}\n}}\n");
        }
        configure(workspace, &text);
        workspace.init();
        workspace.run("validate").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        let again = workspace.run("plan -detailed-exitcode").succeeds();
        again.says("No changes.");
    });
}
