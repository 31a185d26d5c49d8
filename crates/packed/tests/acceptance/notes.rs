//! The example in Python: functions, and the life of a resource.

use std::fs;

use serde_json::{Value, json};

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

fn configure(workspace: &Workspace, text: &str) {
    let provider = "provider \"notes\" {\n  folder = \"${path.module}/notes\"\n}\n";
    workspace.configure("notes", &format!("{provider}{text}"));
}

#[test]
fn functions_take_optional_and_variadic_arguments() {
    trial_of_both(|workspace| {
        workspace.configure(
            "notes",
            r#"
output "slug" { value = provider::notes::slug("A  Big Day") }
output "own" { value = provider::notes::slug("A  Big Day", "_") }
output "cut" { value = provider::notes::slug("A  Big Day", null, 5) }
output "total" { value = provider::notes::total(1, 2.5, 0.1) }
output "nothing" { value = provider::notes::total() }
"#,
        );
        workspace.init();
        workspace.run("validate").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        let outputs = workspace.state()["outputs"].clone();
        let value = |name: &str| outputs[name]["value"].clone();
        assert_eq!(value("slug"), "a-big-day");
        assert_eq!(value("own"), "a_big_day");
        assert_eq!(value("cut"), "a-big");
        assert_eq!(value("total"), 3.6);
        assert_eq!(value("nothing"), 0);
        workspace.run("plan -detailed-exitcode").succeeds();

        workspace.configure(
            "notes",
            "output \"x\" { value = provider::notes::slug(\"\") }\n",
        );
        let refused = workspace.run("plan").fails();
        refused
            .says("the text is empty")
            .says("Invalid value for \"text\" parameter");
        let many = "output \"x\" { value = provider::notes::slug(\"a\", \"-\", 1, 2) }\n";
        workspace.configure("notes", many);
        workspace
            .run("plan")
            .fails()
            .says("there are at most 3 arguments");
    });
}

fn note(title: &str, text: &str) -> String {
    format!(
        r#"
resource "notes_note" "a" {{
  title    = "{title}"
  {text}
  tags     = {{ b = "2", a = null }}
  extra    = {{ list = tolist(["x", "y"]), number = 0.1, none = null }}
  password = "hunter2"
  link {{
    url = "https://example.com"
  }}
  link {{
    url    = "https://example.org"
    weight = 2
  }}
}}

data "notes_count" "all" {{
  depends_on = [notes_note.a]
}}

output "notes" {{
  value = data.notes_count.all.notes
}}
"#
    )
}

#[test]
fn a_note_lives_its_life() {
    trial_of_both(|workspace| {
        configure(workspace, &note("one", ""));
        workspace.init();
        workspace.run("validate").succeeds();
        workspace.run("plan -detailed-exitcode").has_changes();
        workspace.run("apply -auto-approve").succeeds();
        let made = workspace.attributes("notes_note");
        assert_eq!(made["text"], "(empty)");
        assert_eq!(made["words"], 1);
        assert_eq!(made["password"], Value::Null);
        assert_eq!(made["tags"], json!({"a": null, "b": "2"}));
        assert_eq!(made["extra"]["value"]["number"], 0.1);
        assert_eq!(made["link"][0]["weight"], 0.1);
        assert_eq!(made["link"][1]["weight"], 2);
        assert_eq!(workspace.instance("notes_note")["private"], "c2Vlbg==");
        assert_eq!(workspace.state()["outputs"]["notes"]["value"], 1);
        workspace.run("plan -detailed-exitcode").succeeds();
        let state = fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
        assert!(
            !state.contains("hunter2"),
            "a write-only value is in the state"
        );

        // An update in place: what is stable stays.
        configure(workspace, &note("one", "text = \"three short words\""));
        let planned = workspace.run("plan -detailed-exitcode").has_changes();
        planned
            .says("will be updated in-place")
            .says("words = 1 -> (known after apply)");
        planned.says_nothing_of("id = (known after apply)");
        workspace.run("apply -auto-approve").succeeds();
        let updated = workspace.attributes("notes_note");
        assert_eq!(updated["words"], 3);
        assert_eq!(updated["id"], made["id"]);
        workspace.run("plan -detailed-exitcode").succeeds();

        // A default counts when the configuration has nothing any more.
        configure(workspace, &note("one", ""));
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(workspace.attributes("notes_note")["text"], "(empty)");

        // A replacement.
        configure(workspace, &note("two", ""));
        let planned = workspace.run("plan -detailed-exitcode").has_changes();
        planned
            .says("must be replaced")
            .says("# forces replacement");
        workspace.run("apply -auto-approve").succeeds();
        let replaced = workspace.attributes("notes_note");
        assert_ne!(replaced["id"], made["id"]);
        workspace.run("plan -detailed-exitcode").succeeds();

        // What is gone is made again.
        let file = format!("notes/{}.json", replaced["id"].as_str().unwrap());
        fs::remove_file(workspace.path(&file)).unwrap();
        let planned = workspace.run("plan -detailed-exitcode").has_changes();
        planned.says("will be created");
        workspace.run("apply -auto-approve").succeeds();
        workspace.run("destroy -auto-approve").succeeds();
        assert_eq!(fs::read_dir(workspace.path("notes")).unwrap().count(), 0);
    });
}

#[test]
fn a_note_is_imported() {
    trial_of_both(|workspace| {
        // What was imported has no types for values of the type `any`.
        let note = note("one", "").replace("tolist([\"x\", \"y\"])", "[\"x\", \"y\"]");
        configure(workspace, &note);
        workspace.init();
        workspace.run("apply -auto-approve").succeeds();
        let id = workspace.attributes("notes_note")["id"]
            .as_str()
            .unwrap()
            .to_owned();
        workspace.run("state rm notes_note.a").succeeds();
        workspace
            .run(&format!("import notes_note.a {id}"))
            .succeeds();
        assert_eq!(workspace.attributes("notes_note")["title"], "one");
        workspace.run("plan -detailed-exitcode").succeeds();
        workspace.run("state rm notes_note.a").succeeds();
        let refused = workspace.run("import notes_note.a nothing").fails();
        refused
            .says("there is no note nothing")
            .says("Plugin: notes, method resources/import");
    });
}

#[test]
fn an_older_state_is_upgraded() {
    trial_of_both(|workspace| {
        configure(workspace, &note("one", "text = \"old\""));
        workspace.init();
        workspace.run("apply -auto-approve").succeeds();
        let file = workspace.path("terraform.tfstate");
        let text = fs::read_to_string(&file).unwrap();
        let mut state: Value = serde_json::from_str(&text).unwrap();
        let resources = state["resources"].as_array_mut().unwrap();
        let note = resources
            .iter_mut()
            .find(|one| one["type"] == "notes_note")
            .unwrap();
        let instance = &mut note["instances"][0];
        instance["schema_version"] = json!(0);
        let text = instance["attributes"]["text"].take();
        let attributes = instance["attributes"].as_object_mut().unwrap();
        attributes.remove("text");
        attributes.insert("body".to_owned(), text);
        fs::write(&file, serde_json::to_vec(&state).unwrap()).unwrap();
        workspace.run("plan -detailed-exitcode").succeeds();
    });
}

#[test]
fn an_ephemeral_resource_is_opened_and_closed() {
    trial_of_both(|workspace| {
        let token = "ephemeral \"notes_token\" \"t\" {}\n";
        let used = "resource \"notes_note\" \"a\" {\n  title = \"t\"\n  password = ephemeral.notes_token.t.value\n}\n";
        configure(workspace, &format!("{token}{used}"));
        workspace.init();
        workspace.run("apply -auto-approve").succeeds();
        workspace.run("plan -detailed-exitcode").succeeds();
    });
}
