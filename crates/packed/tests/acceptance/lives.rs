//! What a provider of notes does in Terraform, in whichever language it is written.

use std::fs;

use serde_json::{Value, json};

use crate::workspace::Workspace;

/// The attributes of a note that differ between the examples.
pub(crate) struct Note {
    /// Those that only this example has.
    pub(crate) more: &'static str,
    /// The weight of its second link.
    pub(crate) weight: &'static str,
}

impl Note {
    pub(crate) fn text(&self, title: &str, text: &str) -> String {
        let Note { more, weight } = self;
        format!(
            r#"
resource "notes_note" "a" {{
  title    = "{title}"
  {text}
  tags     = {{ b = "2", a = null }}
  extra    = {{ list = tolist(["x", "y"]), number = 0.1, none = null }}
  password = "hunter2"
  {more}
  link {{
    url = "https://example.com"
  }}
  link {{
    url    = "https://example.org"
    weight = {weight}
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
}

pub(crate) fn configure(workspace: &Workspace, text: &str) {
    let provider = "provider \"notes\" {\n  folder = \"${path.module}/notes\"\n}\n";
    workspace.configure("notes", &format!("{provider}{text}"));
}

pub(crate) fn functions(workspace: &Workspace) {
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
    let empty = "output \"x\" { value = provider::notes::slug(\"\") }\n";
    workspace.configure("notes", empty);
    let refused = workspace.run("plan").fails();
    refused
        .says("the text is empty")
        .says("Invalid value for \"text\" parameter");
}

/// Creates a note; its attributes.
pub(crate) fn creation(workspace: &Workspace, note: &Note) -> Value {
    configure(workspace, &note.text("one", ""));
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
    assert_eq!(workspace.state()["outputs"]["notes"]["value"], 1);
    workspace.run("plan -detailed-exitcode").succeeds();
    let state = fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
    assert!(
        !state.contains("hunter2"),
        "a write-only value is in the state"
    );
    made
}

/// Updates and replaces the note, makes it again, and destroys it.
pub(crate) fn changes(workspace: &Workspace, note: &Note, made: &Value) {
    // An update in place: what is stable stays.
    configure(workspace, &note.text("one", "text = \"three short words\""));
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
    configure(workspace, &note.text("one", ""));
    workspace.run("apply -auto-approve").succeeds();
    assert_eq!(workspace.attributes("notes_note")["text"], "(empty)");

    // A replacement.
    configure(workspace, &note.text("two", ""));
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
}

/// Imports the note of this configuration; `method` is what refuses an id that does not exist.
pub(crate) fn import(workspace: &Workspace, note: &str, method: &str) {
    // What was imported has no types for values of the type `any`.
    let note = note.replace("tolist([\"x\", \"y\"])", "[\"x\", \"y\"]");
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
        .says(&format!("Plugin: notes, method {method}"));
}

/// Reads a state in which the attribute `text` has its name of version 0, `body`; of the others
/// only some are there, if they are named.
pub(crate) fn upgrade(workspace: &Workspace, note: &str, attributes: &[&str]) {
    configure(workspace, note);
    workspace.init();
    workspace.run("apply -auto-approve").succeeds();
    let file = workspace.path("terraform.tfstate");
    let text = fs::read_to_string(&file).unwrap();
    let mut state: Value = serde_json::from_str(&text).unwrap();
    let mut resources = state["resources"].as_array_mut().unwrap().iter_mut();
    let note = resources.find(|one| one["type"] == "notes_note").unwrap();
    let instance = &mut note["instances"][0];
    instance["schema_version"] = json!(0);
    let text = instance["attributes"]["text"].take();
    let old = instance["attributes"].as_object_mut().unwrap();
    old.remove("text");
    old.retain(|name, _| attributes.is_empty() || attributes.contains(&name.as_str()));
    old.insert("body".to_owned(), text);
    fs::write(&file, serde_json::to_vec(&state).unwrap()).unwrap();
    workspace.run("plan -detailed-exitcode").succeeds();
    workspace.run("apply -auto-approve").succeeds();
    assert_eq!(workspace.attributes("notes_note")["text"], "old");
}

/// Passes the value of an ephemeral resource on as a write-only attribute.
pub(crate) fn ephemeral(workspace: &Workspace) {
    let token = "ephemeral \"notes_token\" \"t\" {}\n";
    let used = "resource \"notes_note\" \"a\" {\n  title = \"t\"\n  password = ephemeral.notes_token.t.value\n}\n";
    configure(workspace, &format!("{token}{used}"));
    workspace.init();
    workspace.run("apply -auto-approve").succeeds();
    workspace.run("plan -detailed-exitcode").succeeds();
}
