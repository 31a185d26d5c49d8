//! The example in Rust: the same provider as the one in Python, by `tenon-plugin`.

use std::fs;

use serde_json::{Value, json};

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

fn configure(workspace: &Workspace, text: &str) {
    let provider = "provider \"notes\" {\n  folder = \"${path.module}/notes\"\n}\n";
    workspace.configure("notes", &format!("{provider}{text}"));
}

#[test]
fn functions_take_optional_and_variadic_arguments() {
    trial_in_rust(|workspace| {
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
        for (call, text, argument) in [
            ("slug(\"\")", "the text is empty", "text"),
            ("slug(\"a\", null, -1)", "does not fit", "limit"),
        ] {
            let output = format!("output \"x\" {{ value = provider::notes::{call} }}\n");
            workspace.configure("notes", &output);
            let refused = workspace.run("plan").fails();
            refused.says(text);
            if argument == "text" {
                refused.says("Invalid value for \"text\" parameter");
            }
        }
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

fn note(title: &str, text: &str) -> String {
    format!(
        r#"
resource "notes_note" "a" {{
  title    = "{title}"
  {text}
  tags     = {{ b = "2", a = null }}
  extra    = {{ list = tolist(["x", "y"]), number = 0.1, none = null }}
  password = "hunter2"
  author   = {{ name = "ada" }}
  link {{
    url = "https://example.com"
  }}
  link {{
    url    = "https://example.org"
    weight = 1 / 3
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
    trial_in_rust(|workspace| {
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
        assert_eq!(made["author"], json!({"name": "ada", "is_shown": null}));
        assert_eq!(made["link"][0]["weight"], 0.1);
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
    trial_in_rust(|workspace| {
        // What was imported has no types for values of the type `any`, and defaults are filled in.
        let note = note("one", "").replace("tolist([\"x\", \"y\"])", "[\"x\", \"y\"]");
        let note = note.replace("{ name = \"ada\" }", "{ name = \"ada\", is_shown = true }");
        let note = note.replace("1 / 3", "0.25");
        configure(workspace, &note);
        workspace.init();
        workspace.run("apply -auto-approve").succeeds();
        let id = workspace.attributes("notes_note")["id"]
            .as_str()
            .unwrap()
            .to_owned();
        workspace.run("state rm notes_note.a").succeeds();
        let import = format!("import notes_note.a {id}");
        workspace.run(&import).succeeds();
        assert_eq!(workspace.attributes("notes_note")["title"], "one");
        workspace.run("plan -detailed-exitcode").succeeds();
        workspace.run("state rm notes_note.a").succeeds();
        let refused = workspace.run("import notes_note.a nothing").fails();
        refused
            .says("there is no note nothing")
            .says("Plugin: notes, method resources/read");
    });
}

#[test]
fn an_older_state_is_upgraded() {
    trial_in_rust(|workspace| {
        configure(
            workspace,
            "resource \"notes_note\" \"a\" {\n  title = \"one\"\n  text = \"old\"\n}\n",
        );
        workspace.init();
        workspace.run("apply -auto-approve").succeeds();
        let file = workspace.path("terraform.tfstate");
        let text = fs::read_to_string(&file).unwrap();
        let mut state: Value = serde_json::from_str(&text).unwrap();
        let instance = &mut state["resources"][0]["instances"][0];
        instance["schema_version"] = json!(0);
        let attributes = &instance["attributes"];
        instance["attributes"] = json!({"id": attributes["id"], "title": attributes["title"],
            "body": attributes["text"]});
        fs::write(&file, serde_json::to_vec(&state).unwrap()).unwrap();
        workspace.run("plan -detailed-exitcode").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(workspace.attributes("notes_note")["text"], "old");
    });
}

#[test]
fn an_ephemeral_resource_is_opened_and_closed() {
    trial_in_rust(|workspace| {
        let token = "ephemeral \"notes_token\" \"t\" {}\n";
        let used = "resource \"notes_note\" \"a\" {\n  title = \"t\"\n  password = ephemeral.notes_token.t.value\n}\n";
        configure(workspace, &format!("{token}{used}"));
        workspace.init();
        workspace.run("apply -auto-approve").succeeds();
        workspace.run("plan -detailed-exitcode").succeeds();
    });
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
        let refused = workspace.run("validate").fails();
        refused.says("does not fit").says("length = -1");
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
